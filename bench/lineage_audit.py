"""An audit of one score: seconds and peak memory for so many cells, with every call behind them in the log.

    python -m bench.lineage_audit [--problems 50] [--iterations 20] [--candidates 8] [--repeats 4] [--home FOLDER]

Cells are written without a model (`_synthetic_cells.py`), here with a logged call behind every record, then summed up and audited. Exits with 1
where anything is missing or changed. `--home` keeps the cells for the next time.
"""

import json
import resource
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench._synthetic_cells import experiment, sizes, write_cells
from resources.calls.call_log import row_of
from resources.calls.call_store import CallStore, calls
from resources.deployment import Deployment
from tests.whole.experiments import deployment
from tmas_assets.assets.summary import summarise
from tmas_assets.engine.audit.chain import Stated
from tmas_assets.engine.audit.sealed import score_of
from tmas_assets.engine.audit.walk import audit
from tmas_assets.records import Call, ChatRequest, Experiment, Message, Problem, Sampling, Trace, Usage

CHARS = 3000
"""Of a prompt; a reply has half as many."""
_BATCH = 2000


class Logging:
    """Traces of synthetic cells: each is that of a call, which is logged."""

    def __init__(self, store: CallStore, model: str) -> None:
        self.store, self.model = store, model
        self.rows: list[dict[str, Any]] = []

    def trace(self, problem: Problem, id_: str, role: str, status: str) -> Trace:
        request = ChatRequest(
            role=role, messages=(Message(role="user", content=f"{problem.id} {id_} {'why so ' * (CHARS // 7)}"),), sampling=Sampling(), seed=1, sample=f"{id_}/{role}"
        )
        call = Call(
            key=request.key(self.model), model=self.model, experiment="synthetic", request=request, status=status,  # type: ignore[arg-type]
            finish_reason="stop", answer="therefore " * (CHARS // 20), thinking=None, thinking_split="none", repetitive=False,
            usage=Usage(prompt_tokens=800, completion_tokens=300), attempts=1, max_tokens_sent=512, seconds=1.0,
            finished_at=datetime(2026, 1, 1, tzinfo=UTC), server="none",
        )  # fmt: skip
        self.rows.append(row_of(call))
        if len(self.rows) >= _BATCH:
            self.flush()
        return call.trace

    def flush(self) -> None:
        with self.store.writing() as connection:
            connection.execute(self.store.insert_new(calls), self.rows)
        self.rows = []


def make(asked: Experiment, place: Deployment) -> None:
    endpoint = asked.endpoints["default"]
    with closing(CallStore(place.call_log_url)) as store:
        logging = Logging(store, f"{endpoint.model}@{endpoint.revision}")
        write_cells(place, asked, traced=logging.trace)
        logging.flush()
    summarise(place, asked)


def main(arguments: list[str]) -> int:
    given = sizes(__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folder: Path = given.home or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        asked, place = experiment(given.problems, given.iterations, given.candidates, given.repeats), deployment(folder)
        done, began = folder / "audit-cells-are-whole", time.monotonic()
        if not done.exists():
            make(asked, place)
            done.touch()
        seconds = {"making": time.monotonic() - began}
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began, cpu = time.monotonic(), time.process_time()
        made = audit(place, score_of(place.store(), asked.name, ()), Stated())
        seconds |= {"audit": time.monotonic() - began, "audit, CPU": time.process_time() - cpu}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    counted = sum(node.count for node in made.nodes if node.kind == "calls")
    print(json.dumps({name: round(value, 1) for name, value in seconds.items()}))
    print(f"{made.standing}: {dict(Counter(node.standing for node in made.nodes))}")
    print(f"{given.problems * given.iterations} cells with {counted} calls audited in {seconds['audit']:.1f} s ({seconds['audit, CPU']:.1f} CPU s); peak memory "
          f"{peak // 1024} MiB ({before // 1024} MiB before)")  # fmt: skip
    return 0 if made.standing in ("intact", "declared") else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
