"""Self-consistency with its-hub, run by the interpreter of its own environment: `python with_its_hub.py WORKLOAD`.

As its manual shows: `SelfConsistency` votes over what stands in the box, `LMOrchestrator` keeps the limit, all problems
side by side through one language model. It keeps no records, so none are written. One problem is solved first and not
timed: it loads what is loaded late. Prints one JSON line.
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from its_hub import OpenAICompatibleLanguageModel, SelfConsistency
from its_hub.api import ChatMessage
from its_hub.core.algorithms.self_consistency import create_regex_projection_function
from its_hub.core.orchestrator import LMOrchestrator


async def solve(work: dict[str, Any]) -> dict[str, Any]:
    began = time.perf_counter()
    algorithm = SelfConsistency(
        create_regex_projection_function(r"\\boxed\{([^}]+)\}"),
        orchestrator=LMOrchestrator(max_concurrency=work["limit"]),
    )
    async with OpenAICompatibleLanguageModel(
        work["url"], "EMPTY", work["model"], max_completion_tokens=work["max_tokens"], temperature=work["temperature"]
    ) as lm:
        found = await asyncio.gather(
            *(
                algorithm.ainfer(lm, messages(problem), budget=work["samples"], return_response_only=False)
                for problem in work["problems"]
            )
        )
    seconds = time.perf_counter() - began
    votes = [vote(result) for result in found]
    return {
        "seconds": seconds,
        "replies": sum(len(result.responses) for result in found),
        "right": sum(voted == problem["gold"] for voted, problem in zip(votes, work["problems"], strict=True)),
    }


def messages(problem: dict[str, Any]) -> list[ChatMessage]:
    return [ChatMessage(**message) for message in problem["messages"]]


def vote(result: Any) -> str:
    return str(result.response_counts.most_common(1)[0][0][0])


if __name__ == "__main__":
    whole = json.loads(Path(sys.argv[1]).read_text())
    asyncio.run(solve({**whole, "problems": whole["problems"][:1], "samples": 1}))
    print(json.dumps(asyncio.run(solve(whole))))
