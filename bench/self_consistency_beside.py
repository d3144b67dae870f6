"""The same self-consistency in its-hub, in inspect-ai and here: who is fastest, on one scripted server, in one run?

40 problems, 64 samples each (MV@64), 64 requests at once, replies after 50 ms: 2,560 calls, 2 s at best. The same
prompts word for word, temperature and token limit; all vote over what stands in the box, and every vote must be right.
its-hub keeps nothing; inspect-ai writes its log; ours is a whole campaign: every reply durable in the call log before it
is used, grades, and all records of every cell in the store. Each runs in a process of its own; `seconds` go from the
first line of its work to its last vote and record on disk. Imports, and one problem that each solves first, are not in
them; `process_seconds` have them. Best of three rounds in turns, since others may use the machine; a tool that took five
times the fastest of the first round is not run again. Beside it, as information, replies after 500 ms: there our place
for a request is given on only when its reply is durable (a killed run repeats no more calls than the limit), which
costs some milliseconds in each round of requests.

Bar: calls per second at least those of the fastest other. The first run installs both tools under TMAS_HOME.

    python -m bench.self_consistency_beside
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.beside import environments
from bench.beside.workload import Workload, workload
from tests.scripted import launch

ROUNDS, LIMIT, BAR, HOPELESS = 3, 64, 1.0, 5.0
TOOLS = ("ours", *environments.PINS)


@dataclass(frozen=True)
class Load:
    name: str
    latency: float
    problems: int
    samples: int
    rounds: int

    @property
    def calls(self) -> int:
        return self.problems * self.samples


FAST = Load("fast_replies", latency=0.05, problems=40, samples=64, rounds=ROUNDS)
SLOW = Load("slow_replies", latency=0.5, problems=20, samples=32, rounds=1)
WARM_UP = Load("warm_up", latency=0.0, problems=2, samples=16, rounds=1)


@dataclass(frozen=True)
class Run:
    seconds: float
    process_seconds: float
    cpu_seconds: float
    """Of the whole process and its children, imports included."""


def command(tool: str, work: Path, folder: Path) -> list[str]:
    if tool == "ours":
        return [sys.executable, "-m", "bench.beside.with_ours", str(work), str(folder)]
    program = Path(__file__).with_name("beside") / f"with_{tool}.py"
    return [str(environments.interpreter(tool)), str(program), str(work), str(folder)]


def environment(scratch: Path) -> dict[str, str]:
    """All keep their bytecode in one place, whatever installed them; what a tool keeps for its user goes to `scratch`."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    bytecode = environments.place() / "bytecode"
    return {**kept, "PYTHONPYCACHEPREFIX": str(bytecode), "XDG_DATA_HOME": str(scratch / "data")}


def run(tool: str, load: Load, server: launch.Running, work: Workload) -> Run:
    """Raises RuntimeError where the tool failed, did other work, or did not keep the limit."""
    server.script(reset=True)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        file = scratch / "workload.json"
        file.write_text(work.model_dump_json())
        began = time.perf_counter()
        process = subprocess.Popen(
            command(tool, file, scratch), cwd=launch.ROOT, env=environment(scratch), stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        took = time.perf_counter() - began
    if process.returncode != 0:
        raise RuntimeError(f"{tool} ended with status {process.returncode}; it wrote {said!r}")
    found, seen = json.loads(said), server.stats()
    wanted = {"replies": load.calls, "right": load.problems}
    if {name: found[name] for name in wanted} != wanted or seen["total"] != load.calls + 1 or seen["peak_in_flight"] > LIMIT:
        raise RuntimeError(
            f"{tool}, {load.name}: expected {wanted} in {load.calls} requests and one before, {LIMIT} at once; found {found}, and the server "
            f"saw {seen['total']} requests, {seen['peak_in_flight']} at once"
        )
    return Run(float(found["seconds"]), took, used.ru_utime + used.ru_stime)


def compare(load: Load) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {tool: [] for tool in TOOLS}
    with launch.process("--latency", str(load.latency), "--script", "bench.beside.model:sums") as server:
        work = workload(server.url, load.problems, load.samples, LIMIT)
        for number in range(load.rounds):
            fastest = min((each.seconds for done in runs.values() for each in done), default=0.0)
            for tool, done in runs.items():
                if number == 0 or done[0].seconds <= HOPELESS * fastest:
                    done.append(run(tool, load, server, work))
    return runs


def best(runs: list[Run]) -> Run:
    return min(runs, key=lambda each: each.seconds)


def figures(load: Load, runs: dict[str, list[Run]]) -> dict[str, dict[str, object]]:
    return {
        tool: {
            "seconds": round(best(done).seconds, 3),
            "calls_per_second": round(load.calls / best(done).seconds, 1),
            "cpu_seconds": round(best(done).cpu_seconds, 2),
            "process_seconds": round(best(done).process_seconds, 2),
            "all_seconds": [round(each.seconds, 3) for each in done],
        }
        for tool, done in runs.items()
    }


def ratio(runs: dict[str, list[Run]]) -> float:
    """Our speed over that of the fastest other."""
    return min(best(done).seconds for tool, done in runs.items() if tool != "ours") / best(runs["ours"]).seconds


def main() -> int:
    for tool in TOOLS[1:]:
        environments.interpreter(tool)
    compare(WARM_UP)
    fast, slow = compare(FAST), compare(SLOW)
    print(json.dumps({
        "bench": "self_consistency_beside", "calls": FAST.calls, "samples": FAST.samples, "limit": LIMIT,
        "latency_seconds": FAST.latency, "ideal_seconds": FAST.calls * FAST.latency / LIMIT,
        **figures(FAST, fast), "ratio": round(ratio(fast), 3), "bar": BAR,
        SLOW.name: {"calls": SLOW.calls, "latency_seconds": SLOW.latency, "ratio": round(ratio(slow), 3),
                    **{tool: round(best(done).seconds, 3) for tool, done in slow.items()}},
    }))  # fmt: skip
    return 0 if ratio(fast) >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
