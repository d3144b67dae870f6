"""Stands in for a trainer's rank: tells steps as a trainer does, and misbehaves as `HABIT` in its environment says. Standard library,
and dagster_pipes where Dagster listens.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

NOBODY = {"learning_rate": None, "grad_norm": None, "reward": None, "reward_std": None, "parts": [], "unrewarded": None,
          "kl": None, "clip_ratio": None, "zero_variance": None, "truncated": None, "completion_tokens": None,
          "accuracy": None, "tokens": 8, "seconds": 0.1, "tokens_per_second": 80.0, "memory_mib": 1.0}  # fmt: skip
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"

plan = json.loads(Path(sys.argv[1]).read_text())
rank, habit = os.environ.get("RANK", "0"), os.environ.get("HABIT", "")
steps, asked = int(os.environ.get("STEPS", "3")), []
folder = os.path.dirname(sys.argv[1])
pids = [os.getpid()]
signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))

if habit == "litter":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pids.append(subprocess.Popen([sys.executable, "-c", DEAF]).pid)
    pids.append(subprocess.Popen([sys.executable, "-c", DEAF], start_new_session=True).pid)
    twice = f"import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', {DEAF!r}], start_new_session=True, stdout=2).pid)"
    pids.append(int(subprocess.run([sys.executable, "-c", twice], stdout=subprocess.PIPE, check=True).stdout))
with open(f"{folder}/pids-{rank}.new", "w") as file:
    file.write(" ".join(map(str, pids)))
os.rename(f"{folder}/pids-{rank}.new", f"{folder}/pids-{rank}")
if rank == "0":
    seen, above = [], os.getpid()
    while above > 1:
        seen.append(Path(f"/proc/{above}/cmdline").read_text())
        above = int(Path(f"/proc/{above}/stat").read_text().rpartition(")")[2].split()[1])
    with open(f"{folder}/seen.json", "w") as file:
        json.dump({"lines": seen, "environment": sorted(os.environ), "secret": os.environ.get("TMAS_CALL_LOG", "")[-6:]}, file)

pipes = None
if rank == "0" and "DAGSTER_PIPES_CONTEXT" in os.environ:
    from dagster_pipes import open_dagster_pipes

    pipes = open_dagster_pipes()
if habit == "port taken once" and not os.path.exists(f"{folder}/once"):
    Path(f"{folder}/once").touch()
    sys.exit("RuntimeError: The server socket has failed to listen (errno: 98 - Address already in use). code: EADDRINUSE")
if habit == "says":
    sys.exit(os.environ["WORDS"])


def outcome(ended, step):
    if rank == "0":
        os.makedirs(plan["output"], exist_ok=True)
        with open(f"{plan['output']}/outcome.json", "w") as file:
            json.dump({"ended": ended, "step": step, "seconds": 1.0, "processes": 1, "max_difference": None, "parameters": 1,
                       "device": "cpu", "packages": []}, file)  # fmt: skip


for step in range(1, steps + 1):
    time.sleep(0.1)
    if rank == "0":
        figures = NOBODY | {"iteration": plan["iteration"], "step": step, "loss": 1.0 / step}
        with open(plan["figures"], "a") as file:
            file.write("nonsense\n" if habit == "nonsense" else json.dumps(figures) + "\n")
        print(f"step {step} is done", flush=True)
        if pipes:
            pipes.report_custom_message({"step": figures})
    if step == 2 and rank == "1" and habit in ("fails", "killed"):
        print("last words of rank 1", file=sys.stderr, flush=True)
        if habit == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        sys.exit(3)
    if step == 2 and habit in ("hangs", "litter"):
        time.sleep(600)
    if asked:
        time.sleep(1)
        outcome("asked to end", step)
        break
else:
    outcome("finished", steps)
if pipes:
    pipes.close()
