"""Calls for tests of the log, and a process that writes many: `python -m tests.resources.calls URL NAME FIRST COUNT ...`.

It prints `number owner` for each call that is in the log, after `put` has returned. Imports little: it is started
several times at once.
"""

import asyncio
import sys
from datetime import UTC, datetime

from resources.calls.call_log import CallLog
from tmas_assets.records import Call, ChatRequest, Failure, Message, Sampling, Usage


def call(number: int, *, role: str = "solution", experiment: str = "first", answer: str = "364", **fields: object) -> Call:
    asked = ChatRequest(
        role=role,
        messages=(Message(role="user", content=f"question {number}"),),
        sampling=Sampling(max_tokens=64),
        seed=number,
        sample=f"r0/t00/c{number}",
    )
    given = {
        "key": asked.key("model"), "model": "model", "experiment": experiment, "request": asked,
        "status": "complete", "finish_reason": "stop", "answer": answer, "thinking": None,
        "thinking_split": "none", "repetitive": False, "usage": Usage(prompt_tokens=10, completion_tokens=5),
        "attempts": 1, "max_tokens_sent": 64, "seconds": 0.25, "server": "http://127.0.0.1:1/v1",
        "finished_at": datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    }  # fmt: skip
    return Call.model_validate({**given, **fields})


def failed(number: int, boundary: str, **fields: object) -> Call:
    failure = Failure(boundary=boundary, kind="bad_request", detail="no")  # type: ignore[arg-type]
    return call(number, status="failed", answer="", failure=failure, **fields)


async def write(url: str, name: str, numbers: list[int]) -> None:
    log = CallLog(url)

    async def one(number: int) -> None:
        kept = await log.put(call(number, answer=f"by {name} " + "x" * 500))
        print(number, kept.answer.split()[1], flush=True)

    for start in range(0, len(numbers), 50):
        await asyncio.gather(*(one(number) for number in numbers[start : start + 50]))
    await log.aclose()


if __name__ == "__main__":
    _, url, name, *spans = sys.argv
    bounds = zip(spans[::2], spans[1::2], strict=True)
    asyncio.run(write(url, name, [n for first, count in bounds for n in range(int(first), int(first) + int(count))]))
