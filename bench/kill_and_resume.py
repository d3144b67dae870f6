"""Kill -9 the whole process group of a campaign at a random moment, run it again: what is repeated, what differs?

In flight: sent and not yet in the call log. Bar: calls repeated <= those in flight; every parquet byte equals that
of an undisturbed run.

    python -m bench.kill_and_resume [moments] [seed]
"""

import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

from tests.scripted import launch
from tests.whole import campaign
from tests.whole.experiments import experiment
from tests.whole.files import contents

LATENCY = "0.15"
LIMIT = 16
"""Concurrency of the experiment."""


def calls(server: launch.Running) -> Counter[str]:
    """Requests received so far by digest of their body."""
    return Counter(server.stats()["attempts"])


def logged(path: Path) -> int:
    """Calls that are durable."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as log:
        if not log.execute("select 1 from sqlite_master where name = 'calls'").fetchone():
            return 0
        return int(log.execute("select count(*) from calls").fetchone()[0])


def main(moments: int = 10, seed: int = 1) -> int:
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch, launch.process("--latency", LATENCY, "--record") as server:
        asked = experiment(server.url, iterations=4)
        undisturbed = Path(scratch, "undisturbed")
        campaign.finish(campaign.start(asked, undisturbed))
        wanted, once = contents(undisturbed / "store"), sum(calls(server).values())
        failed = 0
        for moment in range(moments):
            folder = Path(scratch, f"killed{moment}")
            before = sum(calls(server).values())
            process = campaign.start(asked, folder)
            # a random moment between the first request and the last write
            after = draw.randint(1, once)
            while sum(calls(server).values()) - before < after and process.poll() is None:
                time.sleep(0.005)
            time.sleep(draw.uniform(0, 0.3))
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            time.sleep(float(LATENCY) * 2)  # what was in flight ends on the server
            sent = sum(calls(server).values()) - before
            in_flight = sent - logged(folder / "calls.sqlite")
            campaign.finish(campaign.start(asked, folder))
            repeated = sum(calls(server).values()) - before - once
            equal = contents(folder / "store") == wanted
            ok = repeated <= in_flight <= LIMIT and equal
            failed += not ok
            print(
                json.dumps(
                    {
                        "bench": "kill_and_resume",
                        "killed_after_calls": after,
                        "sent_before": sent,
                        "in_flight": in_flight,
                        "repeated": repeated,
                        "equal_bytes": equal,
                        "files": len(wanted),
                        "ok": ok,
                    }
                ),
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*(int(argument) for argument in sys.argv[1:])))
