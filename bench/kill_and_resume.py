"""Kill -9 the whole process group of a campaign at a random moment, run it again: what is repeated, what differs?

Bar: calls repeated <= those in flight when it was killed; every parquet byte equals that of an undisturbed run.

    python -m bench.kill_and_resume [moments] [seed]
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.scripted import launch
from tests.whole import campaign
from tests.whole.experiments import experiment
from tests.whole.files import contents

LATENCY = "0.15"


def calls(server: launch.Running) -> Counter[str]:
    """Requests received so far by digest of their body."""
    return Counter(server.stats()["attempts"])


def main(moments: int = 10, seed: int = 1) -> int:
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as scratch, launch.process("--latency", LATENCY, "--record") as server:
        asked = experiment(server.url, iterations=4)
        undisturbed = Path(scratch, "undisturbed")
        began = time.monotonic()
        campaign.finish(campaign.start(asked, undisturbed))
        whole = time.monotonic() - began
        wanted, once = contents(undisturbed / "store"), sum(calls(server).values())
        failed = 0
        for moment in range(moments):
            folder = Path(scratch, f"killed{moment}")
            before = sum(calls(server).values())
            process = campaign.start(asked, folder)
            # from the first import to the last write
            wait = draw.uniform(0.3, 1.0) * whole
            time.sleep(wait)
            in_flight = server.stats()["in_flight"]
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            sent = sum(calls(server).values()) - before
            time.sleep(float(LATENCY) * 2)  # what was in flight ends on the server
            campaign.finish(campaign.start(asked, folder))
            repeated = sum(calls(server).values()) - before - once
            equal = contents(folder / "store") == wanted
            ok = repeated <= max(in_flight, 0) and equal
            failed += not ok
            print(
                json.dumps(
                    {
                        "bench": "kill_and_resume",
                        "killed_after_s": round(wait, 2),
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
