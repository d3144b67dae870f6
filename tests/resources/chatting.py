"""A chat client against scripted servers in the same event loop, for tests."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from resources.calls.call_log import CallLog
from resources.chat.client import ChatClient, FixedReplicas, Replicas, Spend
from resources.chat.retries import Backoff
from tests.scripted.replies import Script, default
from tests.scripted.server import ScriptedServer, Settings
from tmas_assets.records import Budget, ChatRequest, Endpoint, Message, Sampling

QUICK = Backoff(base=0.01, growth=2.0, cap=0.05)


@dataclass
class Chat:
    """What a scenario works with."""

    client: ChatClient
    log: CallLog
    spend: Spend
    servers: list[ScriptedServer] = field(default_factory=list)

    @property
    def server(self) -> ScriptedServer:
        return self.servers[0]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """Bodies that the first server was sent, oldest first."""
        return [entry["body"] for entry in self.server.requests]


def request(number: int = 0, *, text: str | None = None, priority: int = 0, affinity: str = "", schema: str | None = None,
            seed: int | None = None, **sampling: Any) -> ChatRequest:  # fmt: skip
    return ChatRequest(
        role="solution",
        messages=(Message(role="user", content=text or f"question {number}"),),
        sampling=Sampling(**{"max_tokens": 64, **sampling}),
        seed=number if seed is None else seed,
        sample=f"r0/t00/c{number}",
        response_schema=schema,
        priority=priority,
        affinity=affinity,
    )


@asynccontextmanager
async def chatting(
    folder: Path,
    *,
    settings: Settings | None = None,
    script: Script = default,
    servers: int = 1,
    replicas: Replicas | None = None,
    budget: Budget | None = None,
    backoff: Backoff = QUICK,
    log: CallLog | None = None,
    **endpoint: Any,
) -> AsyncIterator[Chat]:
    settings = settings or Settings(record=True)
    async with AsyncExitStack() as stack:
        started = [await stack.enter_async_context(ScriptedServer(settings, script)) for _ in range(servers)]
        urls = tuple(server.url for server in started)
        own = CallLog(f"sqlite:///{folder / 'calls.sqlite'}") if log is None else log
        stack.push_async_callback(own.aclose)
        spend = Spend(budget)
        client = ChatClient(
            endpoint=Endpoint(urls=urls or ("http://127.0.0.1:9/v1",), model="scripted", **endpoint),
            replicas=replicas or FixedReplicas(urls, "scripted"),
            model="weights",
            experiment="exp",
            log=own,
            spend=spend,
            rng=random.Random(0),
            backoff=backoff,
        )
        yield Chat(await stack.enter_async_context(client), own, spend, started)


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    """Wait until `condition` holds, however busy the machine is."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for sends no event
            await asyncio.sleep(0.005)


def scenario(folder: Path, play: Callable[[Chat], Awaitable[None]], **given: Any) -> None:
    """Run `play` against a fresh client and server, in a loop of its own."""

    async def go() -> None:
        async with asyncio.timeout(60), chatting(folder, **given) as chat:
            await play(chat)

    asyncio.run(go())
