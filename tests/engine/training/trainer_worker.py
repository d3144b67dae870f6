"""One rank of a real trainer that carries out several plans in one process, since its imports take 20 s; some under attack.

Argument: a JSON file, a list of [plan file, attack]. Prints a line `CODE <number>` after each. Imported by nothing.
"""

import gc
import json
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path


def new_process_state():
    """What a fresh process would find: accelerate keeps the former plan's DeepSpeed settings in class attributes."""
    from accelerate.state import AcceleratorState, GradientState

    gc.collect()
    AcceleratorState._reset_state()
    GradientState._reset_state()


def when(condition, act):
    def watch():
        while not condition():
            time.sleep(0.002)
        act()

    threading.Thread(target=watch, daemon=True).start()


def record_prompts(states):
    """What the reward function is asked to judge, in the order it comes: a line a step."""
    from tmas_assets.engine.training import samples

    inner = samples.Samples.reward

    def reward(self, *, completion_ids, row, **named):
        states().mkdir(parents=True, exist_ok=True)
        with (states() / f"seen-{os.environ['RANK']}.jsonl").open("a") as file:
            file.write(json.dumps(list(row)) + "\n")
        return inner(self, completion_ids=completion_ids, row=row, **named)

    samples.Samples.reward = reward


def attack(kind, plan):
    states = Path(plan.states)
    if kind == "asked to end" and os.environ["RANK"] == "1":
        figures = Path(plan.figures)
        when(lambda: figures.exists() and figures.read_text(), lambda: os.kill(os.getpid(), signal.SIGTERM))
    if kind == "disk full":
        def fill():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
        when(lambda: (states / "checkpoint-2" / "whole.json").exists(), fill)
    if kind == "killed in save":
        when(lambda: any((states / "checkpoint-4").glob("*")), lambda: os.kill(os.getpid(), signal.SIGKILL))
    if kind == "changed weight":
        from tmas_assets.engine.training import saving

        inner = saving._write

        def write(trainer, weights, folder):
            name = next(name for name in weights if name.endswith("mlp.up_proj.weight"))
            inner(trainer, {**weights, name: weights[name] + 0.01}, folder)

        saving._write = write


def main():
    from tmas_assets.engine.training import process
    from tmas_assets.records import TrainerPlan

    now = {}
    record_prompts(lambda: Path(now["plan"].states))
    for file, kind in json.loads(Path(sys.argv[1]).read_text()):
        now["plan"] = TrainerPlan.model_validate_json(Path(file).read_bytes())
        attack(kind, now["plan"])
        began = time.monotonic()
        code = process.main([file])
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print(f"CODE {code} {Path(file).name} {time.monotonic() - began:.1f} s", flush=True)
        new_process_state()


if __name__ == "__main__":
    main()
    os._exit(0)
