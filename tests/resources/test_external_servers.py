"""Servers that others run are looked at once before use: who cannot be reached or serves another model is told so."""

import asyncio
import logging
import socket

import pytest

from resources.chat.backends import backend
from resources.chat.client import EndpointUnavailable
from resources.chat.endpoints import ExternalServers
from resources.chat.outcomes import Answered, Broken, Refused
from resources.chat.replicas import Resolved
from resources.chat.transport import Transport
from resources.serving.vllm_server import ServerError
from tests.scripted import launch
from tmas_assets.records import Endpoint


def resolve(*urls: str, model: str = "scripted") -> Resolved:
    return asyncio.run(ExternalServers(Endpoint(urls=urls, model=model)).resolve())


def with_password(url: str) -> str:
    return url.replace("http://", "http://ann:s3cret@")


def unused() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/v1"


def test_one_replica_that_answers_is_enough() -> None:
    with launch.thread() as server:
        assert resolve(unused(), server.url).urls[1] == server.url


def test_another_model_is_refused_by_name_and_no_password_is_shown() -> None:
    with launch.thread() as server, pytest.raises(ServerError, match="serves scripted, asked for 'other'") as refused:
        resolve(with_password(server.url), model="other")
    assert "s3cret" not in str(refused.value)


def test_nobody_there_is_told_without_the_password() -> None:
    with pytest.raises(EndpointUnavailable, match="ClientConnectorError") as down:
        resolve(with_password(unused()))
    assert "s3cret" not in str(down.value)


def test_a_gateway_without_a_list_of_models_is_taken_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with launch.thread() as server, caplog.at_level(logging.WARNING):
        assert resolve(f"{server.url}/gateway").urls == (f"{server.url}/gateway",)
    assert "status 404 and no list of models" in caplog.text


def test_a_proxy_of_the_environment_is_used_but_not_for_hosts_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    async def models(url: str) -> object:
        transport = Transport(url, "EMPTY", 1, backend("openai_chat"))
        try:
            return await transport.models(5)
        finally:
            await transport.close()

    with launch.thread() as server:
        monkeypatch.setenv("http_proxy", server.url)
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert isinstance(asyncio.run(models(server.url)), Answered)
        through = asyncio.run(models("http://model.invalid/v1"))
        assert isinstance(through, Refused)
        assert "http://model.invalid/v1/models" in through.message
        monkeypatch.delenv("http_proxy")
        assert isinstance(asyncio.run(models("http://model.invalid/v1")), Broken)
