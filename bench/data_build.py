"""Build data sets in full size against the scripted server: time, peak memory, calls; and kill -9 on the way, then build on.

Full size: 1,600 + 600 + 2,200 rows and 500 traces. Bars: at most 2 GiB in the building process, targets met, and a build that
was killed repeats no call but those in flight (sent and not yet in the call log), and gives the same bytes.

    python -m bench.data_build [share of the full size] [kills, each of a small build]
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.kill_and_resume import calls, logged
from tests.scripted import launch
from tests.whole import data_sets
from tests.whole.experiments import deployment
from tests.whole.files import contents
from tmas_assets.assets.data.plan import CARD
from tmas_assets.engine.building.steps import Steps
from tmas_assets.reports.card_facts import CardFacts

LIMIT = 16
"""Concurrency of each endpoint."""
LATENCY = "0.15"
"""Of the server that builds are killed on: replies that take so long hold their place until they are durable."""
KILLED_SHARE = 0.02
MOST_MIB = 2048
SCRIPT = ("--script", "tests.scripted.curating:solver", "--model", "scripted,other", "--record")


def sets(url: str, folder: Path, share: float) -> list[Any]:
    """Both sets at `share` of the full size; the strategies are smaller than the paper's, the rows are as many."""

    def sized(count: int) -> int:
        return max(4, round(count * share))

    cold = data_sets.cold_start(
        url, folder,
        targets={"normal": sized(1600), "experience": sized(600), "guideline": sized(2200)},
        per_problem={"normal": 1, "experience": 2, "guideline": 3},
        pass_rates={"samples": 8},
        simulation={"problems": sized(900), "iterations": 3, "settings": {"candidates": 4, "verifications": 2}},
    )  # fmt: skip
    traces = data_sets.team_traces(
        url, folder, target=sized(500), selection={
            "least_difficulty": 2, "least_disciplines": 1, "largest_domain": 0.5, "least_reference_tokens": 1, "questions": sized(1200),
        },
    )  # fmt: skip
    return [cold, traces]


def built(folder: Path) -> list[dict[str, Any]]:
    """Finish the build that `folder` states."""
    process = data_sets.start(folder)
    text, _ = process.communicate()
    if process.returncode != 0:
        raise AssertionError(f"the build ended with {process.returncode}:\n{text[-6000:]}")
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def made(folder: Path, name: str) -> dict[str, tuple[int, int]]:
    """Rows asked for and made, by set of rows, as the data card has them."""
    [facts] = Steps(deployment(folder).store(), name).read(CARD, CardFacts)[0]
    return {one.set: (one.asked, one.made) for one in facts.targets}


def main(share: str = "1", kills: str = "3") -> int:
    with tempfile.TemporaryDirectory() as scratch:
        whole = full_size(Path(scratch, "whole"), float(share))
        return 0 if whole & kill_and_build_on(Path(scratch), int(kills)) else 1


def full_size(folder: Path, share: float) -> bool:
    """Build, and build again."""
    fine = True
    with launch.process(*SCRIPT) as server:
        written = data_sets.prepare(folder, max(200, round(6000 * share)))
        data_sets.write_sets(folder, *sets(server.url, folder, share))
        for line in built(folder):
            rows = made(folder, line["set"])
            ok = line["ok"] and line["peak_mib"] <= MOST_MIB and all(asked == there for asked, there in rows.values())
            fine &= ok
            say(**{**line, "asked_and_made": rows, "bar_mib": MOST_MIB, "ok": ok})
        once = sum(calls(server).values())
        say(calls=once, problems=written.count, files=len(contents(folder / "store")))
        seconds = [line["seconds"] for line in built(folder)]
        repeated = sum(calls(server).values()) - once
        say(built_again=seconds, calls=repeated, ok=repeated == 0)
    return fine and repeated == 0


def kill_and_build_on(scratch: Path, kills: int) -> bool:
    """Kill builds at random calls, build on, and compare with one that was let through."""
    draw, fine = random.Random(1), True
    with launch.process(*SCRIPT, "--latency", LATENCY) as server:
        undisturbed = scratch / "undisturbed"
        data_sets.prepare(undisturbed, 200)
        data_sets.write_sets(undisturbed, *sets(server.url, undisturbed, KILLED_SHARE))
        built(undisturbed)
        once, wanted = sum(calls(server).values()), contents(undisturbed / "store")
        for number in range(kills):
            fine &= killed(server, scratch / f"killed{number}", draw.randint(1, once), once, wanted)
    return fine


def killed(server: launch.Running, folder: Path, after: int, once: int, wanted: dict[str, str]) -> bool:
    """Kill the build after so many calls and build on."""
    data_sets.prepare(folder, 200)
    data_sets.write_sets(folder, *sets(server.url, folder, KILLED_SHARE))
    before = sum(calls(server).values())
    process = data_sets.start(folder)
    while sum(calls(server).values()) - before < after and process.poll() is None:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(2 * float(LATENCY))  # what was in flight ends on the server
    sent = sum(calls(server).values()) - before
    in_flight = sent - logged(folder / "calls.sqlite")
    built(folder)
    repeated = sum(calls(server).values()) - before - once
    found = contents(folder / "store")
    other = sorted(name for name in {*wanted, *found} if wanted.get(name) != found.get(name))
    ok = repeated <= in_flight <= LIMIT and not other
    say(killed_after_calls=after, in_flight=in_flight, repeated=repeated, other_bytes=other[:5], files=len(wanted), ok=ok)
    return ok


def say(**figures: Any) -> None:
    print(json.dumps({"bench": "data_build", **figures}), flush=True)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
