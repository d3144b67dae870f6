"""Self-consistency with inspect-ai, run by the interpreter of its own environment: `python with_inspect_ai.py WORKLOAD FOLDER`.

As its manual shows: samples x epochs with the `mode` reducer over a scorer whose value is the boxed answer, so that the
reduced score is the vote; `max_connections` keeps the limit; the log goes to FOLDER. One problem is solved first and not timed: it loads what is
loaded late. Prints one JSON line.
"""

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import Score, Target, mean, scorer
from inspect_ai.solver import TaskState, generate


@scorer(metrics=[mean()])  # type: ignore[untyped-decorator]
def boxed() -> Any:
    async def score(state: TaskState, target: Target) -> Score:
        found = re.findall(r"\\boxed\{([^}]+)\}", state.output.completion)
        return Score(value=int(found[-1]), answer=found[-1])

    return score


def main(work: dict[str, Any], folder: str) -> dict[str, Any]:
    began = time.perf_counter()
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser}
    samples = [
        Sample(
            id=problem["id"],
            target=problem["gold"],
            input=[kinds[message["role"]](content=message["content"]) for message in problem["messages"]],
        )
        for problem in work["problems"]
    ]
    task = Task(
        dataset=MemoryDataset(samples), solver=generate(), scorer=boxed(), epochs=Epochs(work["samples"], "mode")
    )
    log = eval(
        task, model=f"openai-api/scripted/{work['model']}", model_base_url=work["url"], display="none", log_realtime=False,
        model_args={"api_key": "EMPTY"}, log_dir=folder, max_connections=work["limit"],
        max_tokens=work["max_tokens"], temperature=work["temperature"],
    )[0]  # fmt: skip
    seconds = time.perf_counter() - began
    if log.status != "success" or not log.reductions or log.samples is None:
        raise RuntimeError(f"inspect-ai ended with status {log.status}: {log.error}")
    voted = {str(score.sample_id): int(score.value) for score in log.reductions[0].samples}
    return {
        "seconds": seconds,
        "replies": sum(bool(sample.output.completion) for sample in log.samples),
        "right": sum(voted[problem["id"]] == int(problem["gold"]) for problem in work["problems"]),
    }


if __name__ == "__main__":
    whole = json.loads(Path(sys.argv[1]).read_text())
    main({**whole, "problems": whole["problems"][:1], "samples": 1}, f"{sys.argv[2]}/first")
    print(json.dumps(main(whole, sys.argv[2])))
