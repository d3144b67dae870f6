"""Every strategy on one scripted server with heavy-tailed latencies: calls per second, and how close to the ideal makespan?

16 problems, 32 requests at once, replies of 0.25 s in the median (lognormal, sigma 1), the small settings of
`tests/strategies/small.py`. Each is a whole campaign: call log, records, votes and grades included. The ideal is
max(critical path, work / limit); `in_order_seconds` is what the engine's order of requests can reach without any
overhead. Both come from a replay in virtual time (`_replay.py`), which fails where a strategy asks what it did not
ask in the run. Where path and work are alike no order that does not know the latencies in advance reaches the ideal, so
two bars: the makespan within 1.15 of that order, and within 1.3 of the ideal.

    python -m bench.strategy_speed [strategy ...]
"""

import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench._replay import Replay
from resources.calls.call_log import CallLog
from tests.engine.bench_of_cells import problem
from tests.scripted import launch
from tests.strategies.deciding import PROBLEM
from tests.strategies.small import DECIDES, SMALL
from tests.whole.experiments import deployment, endpoint, experiment
from tmas_assets.assets.driving import Scope, drive
from tmas_assets.assets.faults import graders_of
from tmas_assets.engine.team import identities
from tmas_assets.records import Experiment, Problem
from tmas_assets.strategies import strategies

LIMIT, PROBLEMS, LATENCY, SIGMA = 32, 16, "0.25", "1"
ORDER_BAR, IDEAL_BAR = 1.15, 1.3


@dataclass(frozen=True)
class Measured:
    calls: int
    peak_in_flight: int
    makespan: float
    path: float
    """Critical path."""
    work: float
    """All replies packed on the limit."""
    in_order: float

    @property
    def ideal(self) -> float:
        return max(self.path, self.work)

    @property
    def ok(self) -> bool:
        return self.makespan <= ORDER_BAR * self.in_order and self.makespan <= IDEAL_BAR * self.ideal


def asked_of(name: str, url: str) -> tuple[Experiment, tuple[Problem, ...]]:
    settings, iterations = SMALL[name]
    asked = experiment(
        url, name=f"speed_{name}", strategy={"name": name, "settings": settings}, iterations=iterations,
        endpoints={"default": endpoint(url, concurrency=LIMIT, base_seconds=600)},
    )  # fmt: skip
    if name in DECIDES:
        return asked, tuple(PROBLEM.model_copy(update={"id": f"h-{number}"}) for number in range(PROBLEMS))
    return asked, tuple(problem(number) for number in range(PROBLEMS))


def measure(name: str, server: launch.Running) -> Measured:
    server.script(reset=True)
    asked, problems = asked_of(name, server.url)
    with tempfile.TemporaryDirectory() as scratch:
        place = deployment(Path(scratch))
        began = time.perf_counter()
        scope = Scope(range(asked.iterations), problems)
        drive(place, asked, [scope], run="bench", redo=False, log=lambda cell: None)
        makespan = time.perf_counter() - began
        seen = server.stats()
        log = CallLog(place.call_log_url)
        (model,) = set(identities(asked, place.vllm()))
        with graders_of(place) as graders:
            replay = Replay(asked, problems, model, log, graders)
            path, in_order = replay.seconds(None), replay.seconds(LIMIT)
        logged = sum(role.calls for role in log.totals())
        log.close()
    if not len(replay.calls) == logged == seen["total"]:
        raise RuntimeError(f"{name}: {seen['total']} requests sent, {logged} logged, {len(replay.calls)} in the replay")
    work = sum(call.seconds for call in replay.calls.values()) / LIMIT
    return Measured(logged, seen["peak_in_flight"], makespan, path, work, in_order)


def main(*names: str) -> int:
    missed = []
    with launch.process("--latency", LATENCY, "--sigma", SIGMA) as server:
        measure("single", server)  # loads what a process loads at its first requests and files
        for name in names or strategies():
            found = measure(name, server)
            missed += [] if found.ok else [name]
            print(json.dumps({
                "bench": "strategy_speed", "strategy": name, "calls": found.calls,
                "calls_per_second": round(found.calls / found.makespan, 1), "peak_in_flight": found.peak_in_flight,
                "makespan_seconds": round(found.makespan, 2), "critical_path_seconds": round(found.path, 2),
                "work_over_limit_seconds": round(found.work, 2), "in_order_seconds": round(found.in_order, 2),
                "ratio": round(found.makespan / found.ideal, 3), "ratio_bar": IDEAL_BAR,
                "ratio_to_order": round(found.makespan / found.in_order, 3), "ratio_to_order_bar": ORDER_BAR,
            }), flush=True)  # fmt: skip
    if missed:
        print(f"over the bar: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
