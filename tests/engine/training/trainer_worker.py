"""One rank of a real trainer that carries out several plans in one process, since its imports take 20 s; some under attack.

Argument: a JSON file, a list of [plan file, attack]. Prints a line `CODE <number>` after each. Imported by nothing.
"""

import faulthandler
import gc
import json
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path

HANG = 60
"""Seconds that one plan may take, without imports; a process that takes longer says where it stands and ends."""


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
    if kind == "disk full":  # room for the model, not for the optimizer
        limit = (150_000, resource.RLIM_INFINITY)
        when(lambda: (states / "checkpoint-2" / "whole.json").exists(), lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
    if kind == "killed in save":
        from transformers import Trainer

        save = Trainer._save_rng_state

        def save_or_die(self, folder):
            if self.state.global_step == 4:
                os.kill(os.getpid(), signal.SIGKILL)
            save(self, folder)

        Trainer._save_rng_state = save_or_die
    if kind == "changed weight":
        from tmas_assets.engine.training import saving

        write = saving._write

        def write_other(trainer, weights, folder):
            saving._write = write
            name = next(name for name in weights if name.endswith("mlp.up_proj.weight"))
            write(trainer, {**weights, name: weights[name] + 0.01}, folder)

        saving._write = write_other


def convert(plan):
    """The newest state by DeepSpeed's own conversion to 32 bits, loaded strictly, against the model that was saved."""
    import torch
    from deepspeed.utils.zero_to_fp32 import get_fp32_state_dict_from_zero_checkpoint
    from transformers import AutoModelForCausalLM

    from tmas_assets.engine.training.states import newest_whole

    saved = AutoModelForCausalLM.from_pretrained(plan.output, dtype="auto")
    converted = AutoModelForCausalLM.from_config(saved.config, dtype=torch.float32)
    converted.load_state_dict(get_fp32_state_dict_from_zero_checkpoint(str(newest_whole(Path(plan.states)).folder)), strict=True)
    other = dict(converted.named_parameters())
    worst = max(float((weight - other[name].to(weight.dtype)).abs().max()) for name, weight in saved.named_parameters())
    print(f"CONVERTED {worst:g}", flush=True)


def silent_server(plan):
    """A server that takes the connection and never answers, asked as TRL's client asks: it tries again after what it takes for a failure."""
    import socket
    from types import SimpleNamespace

    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    from tmas_assets.engine.training.faults import TrainingStopped
    from tmas_assets.engine.training.grpo import grpo_arguments, watch_syncs
    from tmas_assets.records import Rollouts

    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        session = requests.Session()
        session.mount("http://", HTTPAdapter(max_retries=Retry(total=5, allowed_methods=["POST"])))
        trainer = SimpleNamespace(
            state=SimpleNamespace(global_step=3), vllm_generation=SimpleNamespace(sync_weights=lambda: session.post(f"{url}/update_weights"))
        )
        rollouts = Rollouts(engine="vllm_server", server_url=url, sync_seconds=0.5)
        watch_syncs(trainer, "tiny", rollouts)
        began = time.monotonic()
        try:
            trainer.vllm_generation.sync_weights()
        except TrainingStopped as stopped:
            print(f"SYNC {time.monotonic() - began < 5} {stopped}", flush=True)
    for given in (rollouts, Rollouts(engine="vllm_colocate", gpu_memory=0.3)):
        made = grpo_arguments(plan, plan.training.grpo.model_copy(update={"rollouts": given}), last=4, longest=100)
        print(f"VLLM {made.use_vllm} {made.vllm_mode} {made.vllm_server_base_url == given.server_url} {made.vllm_gpu_memory_utilization}", flush=True)


def main():
    from tmas_assets.engine.training import grpo, process  # noqa: F401 - imported before the clock runs
    from tmas_assets.records import TrainerPlan

    now = {}
    record_prompts(lambda: Path(now["plan"].states))
    for file, kind in json.loads(Path(sys.argv[1]).read_text()):
        now["plan"] = TrainerPlan.model_validate_json(Path(file).read_bytes())
        faulthandler.dump_traceback_later(HANG, exit=True)
        if kind in ("convert", "silent server"):
            if os.environ["RANK"] == "0":
                {"convert": convert, "silent server": silent_server}[kind](now["plan"])
            continue
        attack(kind, now["plan"])
        began = time.monotonic()
        code = process.main([file])
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        print(f"CODE {code} {Path(file).name} {time.monotonic() - began:.1f} s", flush=True)
        new_process_state()


if __name__ == "__main__":
    main()
    os._exit(0)
