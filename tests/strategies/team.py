"""A team in this process for tests of strategies: replies by role, every request kept."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from tmas_assets.records import Call, ChatRequest, Failure, Sampling, Usage

Answer = Callable[[ChatRequest], Awaitable[str | Failure]]


async def replies(request: ChatRequest) -> str:
    """Words that depend on the request alone, in the form each role asks for."""
    draw = random.Random(f"{request.role}{request.seed}")
    word = f"note{draw.randrange(1000)}"
    return {
        "solution": f"We try {word}. \\boxed{{{draw.randrange(10)}}}",
        "verification": json.dumps({"critique": word, "score": draw.choice([0, 0.5, 1])}),
        "summary": f"The checks say {word}.",
        "experience": json.dumps({"conclusions": [], "pitfalls": [word], "refuted": []}),
        "guideline": json.dumps({"strategies": [word], "refuted": []}),
    }[request.role]


class LocalTeam:
    def __init__(self, answer: Answer = replies) -> None:
        self.answer = answer
        self.asked: list[ChatRequest] = []

    def model(self, role: str) -> str:
        return "local"

    def sampling(self, role: str) -> Sampling:
        return Sampling(max_tokens=64)

    def structured(self, role: str) -> bool:
        return True

    async def ask(self, request: ChatRequest) -> Call:
        self.asked.append(request)
        text = await self.answer(request)
        failed = text if isinstance(text, Failure) else None
        return Call(
            key=request.key("local"),
            model="local",
            experiment="test",
            request=request,
            status="failed" if failed else "complete",
            finish_reason="stop",
            answer="" if failed else str(text),
            thinking=None,
            thinking_split="none",
            repetitive=False,
            usage=Usage(prompt_tokens=10, completion_tokens=5),
            failure=failed,
            attempts=1,
            max_tokens_sent=64,
            seconds=0.0,
            finished_at=datetime(2026, 1, 1, tzinfo=UTC),
            server="local",
        )

    def by_role(self, role: str) -> list[ChatRequest]:
        return [request for request in self.asked if request.role == role]


def shuffled(seed: int, answer: Answer = replies) -> Answer:
    """The same replies in another order of arrival."""
    draw = random.Random(seed)

    async def later(request: ChatRequest) -> str | Failure:
        await asyncio.sleep(draw.random() / 200)
        return await answer(request)

    return later
