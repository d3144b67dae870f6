"""Self-consistency with this project: `python -m bench.beside.with_ours WORKLOAD FOLDER`.

A whole campaign: every reply in the call log before it is used, the vote, the grades, and all records of every cell as
parquet files in FOLDER. One problem is solved first and not timed: it loads what is loaded late. Prints one JSON line.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

from bench.beside.workload import Workload
from resources.calls.call_log import CallLog
from tests.whole.experiments import deployment
from tmas_assets.assets.driving import Scope, drive
from tmas_assets.engine.cells import FinishedCell
from tmas_assets.records import Experiment


def experiment(work: Workload) -> Experiment:
    return Experiment.model_validate({
        "name": "beside",
        "benchmark": {"name": "sums"},
        "strategy": {"name": "self_consistency", "settings": {"samples": work.samples}},
        "iterations": 1,
        "endpoints": {
            "default": {
                "urls": [work.url],
                "model": work.model,
                "revision": "1",
                "concurrency": work.limit,
                "sampling": {"temperature": work.temperature, "max_tokens": work.max_tokens},
            }
        },
    })  # fmt: skip


def main(work: Workload, folder: Path) -> dict[str, Any]:
    cells: list[FinishedCell] = []
    began = time.perf_counter()
    place = deployment(folder)
    scope = Scope(range(1), tuple(each.problem for each in work.problems))
    drive(place, experiment(work), [scope], run="bench", redo=False, log=cells.append)  # type: ignore[arg-type]
    seconds = time.perf_counter() - began
    log = CallLog(place.call_log_url)
    replies = sum(role.calls for role in log.totals())
    log.close()
    return {"seconds": seconds, "replies": replies, "right": sum(_voted_right(cell) for cell in cells)}


def _voted_right(cell: FinishedCell) -> bool:
    chosen = [rollout.id for one in cell.rounds for rollout in one.rollouts if rollout.branch == "chosen"]
    return [grade.outcome for grade in cell.grades if grade.rollout in chosen] == ["right"]


if __name__ == "__main__":
    whole, folder = Workload.model_validate_json(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    main(whole.model_copy(update={"problems": whole.problems[:1], "samples": 1}), folder / "first")
    print(json.dumps(main(whole, folder / "timed")))
