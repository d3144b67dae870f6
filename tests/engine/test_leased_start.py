"""A run that is interrupted while its model server starts: it ends at once and holds no lease."""

import asyncio
import threading
import time
from contextlib import contextmanager

import pytest

from resources.chat.endpoints import LeasedServer
from resources.serving.vllm_server import Fault, ServedModel, ServerError
from tmas_assets.records import ManagedServer


class SlowStart:
    """Stands where `VllmServer` does; its server is ready when the test says so."""

    def __init__(self, fault=None):
        self.ready, self.let_go, self.fault = threading.Event(), threading.Event(), fault

    @contextmanager
    def lease(self, managed, expected=None):
        self.ready.wait(30)
        if self.fault:
            raise self.fault
        try:
            yield ServedModel(url="http://127.0.0.1:1/v1", model=managed.model, identity="0" * 64)
        finally:
            self.let_go.set()


def test_an_interrupt_during_the_start_does_not_wait_for_it_and_the_lease_is_given_back():
    slow = SlowStart()

    async def interrupted():
        async with LeasedServer(slow, ManagedServer()) as server:
            await asyncio.wait_for(server.resolve(), 0.1)

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(interrupted())
    assert time.monotonic() - began < 60
    slow.ready.set()
    assert slow.let_go.wait(5)


def test_a_server_that_starts_is_held_until_the_end_of_the_block():
    slow = SlowStart()
    slow.ready.set()

    async def used():
        async with LeasedServer(slow, ManagedServer()) as server:
            resolved = await server.resolve()
            assert not slow.let_go.is_set()
            return resolved

    assert asyncio.run(used()).urls == ("http://127.0.0.1:1/v1",)
    assert slow.let_go.is_set()


def test_what_the_server_says_of_its_failed_start_reaches_the_run():
    slow = SlowStart(ServerError(Fault.DIED, "out of memory"))
    slow.ready.set()

    async def refused():
        async with LeasedServer(slow, ManagedServer()) as server:
            await server.resolve()

    with pytest.raises(ServerError, match="out of memory"):
        asyncio.run(refused())
