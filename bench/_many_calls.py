"""A client process that asks many calls of one endpoint and logs them: what the speed benchmarks measure.

    python -m bench._many_calls URL CALLS LIMIT FOLDER [--bare]

Prints one JSON line: seconds from the first ask to the last durable answer, CPU seconds of the whole process for them
(all threads), and the counts. `--bare` sends the same requests with the openai package as its manual shows it: no log,
no retries, typed replies.
"""

import asyncio
import json
import random
import resource
import sys
import time
from pathlib import Path

from tmas_assets.records import ChatRequest, Endpoint, Message, Sampling

PROMPT = "Let a and b be integers with a + b = 12 and a b = 35. " * 12
MAX_TOKENS = 512


def request(number: int) -> ChatRequest:
    return ChatRequest(
        role="solution",
        messages=(Message(role="system", content="Solve the problem."), Message(role="user", content=f"{number}. {PROMPT}")),
        sampling=Sampling(max_tokens=MAX_TOKENS),
        seed=number,
        sample=f"r0/t00/c{number}",
    )


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


async def logged(url: str, calls: int, limit: int, folder: Path) -> dict[str, float]:
    from resources.calls.call_log import CallLog
    from resources.chat.backends import backend
    from resources.chat.client import ChatClient, FixedReplicas, Spend
    from resources.chat.transport import Transport

    # Loads what the first client loads: a run pays for that once and not per call.
    await Transport(url, "EMPTY", 1, backend("openai_chat")).close()
    log, spend = CallLog(f"sqlite:///{folder / 'calls.sqlite'}"), Spend()
    client = ChatClient(
        endpoint=Endpoint(urls=(url,), model="scripted", concurrency=limit), replicas=FixedReplicas((url,), "scripted"),
        model="scripted", experiment="bench", log=log, spend=spend, rng=random.Random(0),
    )  # fmt: skip
    async with client:
        began, used = time.perf_counter(), cpu_seconds()
        answers = await asyncio.gather(*(client.ask(request(number)) for number in range(calls)))
        seconds, used = time.perf_counter() - began, cpu_seconds() - used
    await log.aclose()
    complete = sum(answer.status == "complete" for answer in answers)
    rows = sum(role.calls for role in CallLog(f"sqlite:///{folder / 'calls.sqlite'}").totals())
    return {"seconds": seconds, "cpu_seconds": used, "complete": complete, "logged": rows, "sent": spend.calls}


async def bare(url: str, calls: int, limit: int) -> dict[str, float]:
    import openai

    client, permits = openai.AsyncOpenAI(base_url=url, api_key="EMPTY", max_retries=0), asyncio.Semaphore(limit)

    async def one(number: int) -> bool:
        async with permits:
            reply = await client.chat.completions.create(
                model="scripted", max_tokens=MAX_TOKENS, temperature=0.7, seed=number,
                messages=[{"role": "system", "content": "Solve the problem."}, {"role": "user", "content": f"{number}. {PROMPT}"}],
            )  # fmt: skip
        return bool(reply.choices[0].message.content)

    began, used = time.perf_counter(), cpu_seconds()
    complete = sum(await asyncio.gather(*(one(number) for number in range(calls))))
    result = {"seconds": time.perf_counter() - began, "cpu_seconds": cpu_seconds() - used, "complete": complete}
    await client.close()
    return result


if __name__ == "__main__":
    url, calls, limit, folder, *rest = sys.argv[1:]
    work = bare(url, int(calls), int(limit)) if "--bare" in rest else logged(url, int(calls), int(limit), Path(folder))
    print(json.dumps(asyncio.run(work)))
