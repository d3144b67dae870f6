"""The two kinds of servers behind an endpoint: ours, leased at the first request; and others', checked before use.

Both are `Replicas` for the chat client. Leaves out how a server is started (`vllm_server.py`) and how requests are
spread and repeated (`replicas.py`, `chat_client.py`).
"""

import asyncio
import contextlib
import logging
import os
import threading
from contextlib import ExitStack
from types import TracebackType
from typing import Self

from resources.chat.backends import backend
from resources.chat.client import EndpointUnavailable
from resources.chat.outcomes import Answered, Broken, Refused
from resources.chat.replicas import Resolved
from resources.serving.vllm_server import Fault, ServerError, VllmServer
from tmas_assets.records import Endpoint, ManagedServer

_CHECK_SECONDS = 20.0
log = logging.getLogger(__name__)


class LeasedServer:
    """A managed server, started or joined when first asked for and let go at the end of the block."""

    def __init__(self, vllm: VllmServer, managed: ManagedServer, expected: str | None = None) -> None:
        """`expected`: identity of the model; another one under the same name is refused."""
        self.vllm, self.managed, self.expected = vllm, managed, expected
        self._lease = ExitStack()
        self._ended = False
        self._taking = threading.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._taking:
            self._ended = True
        await asyncio.to_thread(self._lease.close)

    async def resolve(self) -> Resolved:
        """Raises ServerError: what the server itself says of why it cannot serve."""
        loop = asyncio.get_running_loop()
        ready: asyncio.Future[Resolved] = loop.create_future()

        def settle(result: Resolved | Exception) -> None:
            if ready.done():
                return
            if isinstance(result, Exception):
                ready.set_exception(result)
            else:
                ready.set_result(result)

        def take() -> None:
            result: Resolved | Exception
            try:
                result = self._take()
            except Exception as error:  # noqa: BLE001 - raised again in the loop
                result = error
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(settle, result)

        # A start takes minutes. A thread of its own, and a daemon, lets an interrupted run end without waiting for it;
        # the keeper notices a holder that is gone.
        threading.Thread(target=take, name=f"lease {self.managed.model}", daemon=True).start()
        return await ready

    def _take(self) -> Resolved:
        lease = ExitStack()
        served = lease.enter_context(self.vllm.lease(self.managed, self.expected))
        with self._taking:
            if not self._ended:
                self._lease.push(lease)
                return Resolved((served.url,), served.model)
        lease.close()
        raise RuntimeError("the run ended before its model server was ready")

    async def renew(self) -> Resolved:
        """The server died: a new lease starts it again."""
        await asyncio.to_thread(self._lease.close)
        return await self.resolve()


class ExternalServers:
    """Servers that others run. Each that answers must serve the model by name before anything is asked of it."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint

    async def resolve(self) -> Resolved:
        """Raises ServerError where a replica serves another model, EndpointUnavailable where none can be reached."""
        endpoint = self.endpoint
        assert endpoint.model is not None  # the record refuses urls without a model
        faults = [fault for url in endpoint.urls if (fault := await self._fault(url, endpoint.model)) is not None]
        if len(faults) == len(endpoint.urls):
            from resources.chat.transport import public_url

            raise EndpointUnavailable(
                public_url(endpoint.urls[0]), 1, ("connection",), f"looking for model {endpoint.model!r}", "; ".join(faults)
            )
        return Resolved(endpoint.urls, endpoint.model)

    async def renew(self) -> Resolved:
        return await self.resolve()

    async def _fault(self, url: str, model: str) -> str | None:
        """Why the server cannot be reached, None where it serves `model`."""
        spoken = backend(self.endpoint.backend)
        if spoken.models is None:
            return None  # the first request will tell
        # imported here: a run that the call log answers needs no server
        from resources.chat.transport import Transport

        transport = Transport(url, os.environ.get(self.endpoint.api_key_env or "", "EMPTY"), 1, spoken)
        try:
            found = await transport.models(_CHECK_SECONDS)
        finally:
            await transport.close()
        if isinstance(found, Broken) and found.reason != "bad_body":
            return f"{transport.name}/models: {found.detail}"
        served = _names(found.body) if isinstance(found, Answered) else None
        if served is None:
            # some gateways offer no list of models; the first request will tell
            log.warning(
                "%s/models answered %s and no list of models: %r is not verified",
                transport.name,
                f"status {found.status}" if isinstance(found, Refused) else "status 200",
                model,
            )
            return None
        if model not in served:
            raise ServerError(
                Fault.WRONG_MODEL,
                f"{transport.name} serves {', '.join(served) or 'no model'}, asked for {model!r}. Correct `model` or `urls` of the "
                "endpoint, or start the server with that model.",
            )
        return None


def _names(body: object) -> list[str] | None:
    """The ids in a list of models, None for any other body."""
    data = body.get("data") if isinstance(body, dict) else None
    if not isinstance(data, list) or not all(isinstance(entry, dict) and "id" in entry for entry in data):
        return None
    return [str(entry["id"]) for entry in data]
