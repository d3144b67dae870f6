"""Time of an optimizer step in our trainer process against a plain TRL script: same model, rows, order, settings, DeepSpeed.

Both under torchrun as processes of their own, one after the other, plain first: plain, ours, plain, ours, ... A step lasts from its
beginning to the beginning of the next, logging included; the first ones do not count. Both sides have to log the same tokens and losses, or
they did different work. Ours grades in killable workers and tells each step through Dagster Pipes to a file, as in a run. Bar: the median over
pairs of (median step of ours / median step of plain) is at most 1.05, for GRPO and for SFT.

    python -m bench.training_overhead [pairs] [grpo|sft]
"""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import dagster_pipes

from bench import _overhead_sides
from resources.deployment import Deployment
from resources.serving.server_probe import free_port

BAR = 1.05
STEPS = {"grpo": 40, "sft": 120}
UNCOUNTED = 8
"""First steps: caches, kernels and workers start in them."""


@dataclass(frozen=True)
class Timed:
    """One process: seconds of each counted step, and what all steps logged."""

    wall: tuple[float, ...]
    cpu: tuple[float, ...]
    losses: tuple[float, ...]
    tokens: tuple[float, ...]


def timed(module: str, settings: Path, deployment: Deployment, own: dict[str, str]) -> Timed:
    stamps = settings.with_suffix(".stamps")
    stamps.unlink(missing_ok=True)
    command = [
        sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "1", "--master-addr", "127.0.0.1", "--master-port", str(free_port()),
        "--module", module, str(settings), str(stamps),
    ]  # fmt: skip
    environment = os.environ | deployment.environment() | own | {
        "OMP_NUM_THREADS": "1", "DS_ACCELERATOR": "cpu", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false",
    }  # fmt: skip
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{module} ended with {done.returncode}:\n{done.stdout[-6000:]}")
    lines: list[dict[str, Any]] = [json.loads(line) for line in stamps.read_text().splitlines()]
    begun, logged = ([line for line in lines if key in line] for key in ("wall", "loss"))

    def lasted(clock: str) -> tuple[float, ...]:
        return tuple(after[clock] - one[clock] for one, after in pairwise(begun))[UNCOUNTED:]

    return Timed(lasted("wall"), lasted("cpu"), *(tuple(line[key] for line in logged) for key in ("loss", "tokens")))


def pipes(folder: Path) -> dict[str, str]:
    """The environment in which Dagster starts a trainer."""
    told = dagster_pipes.PipesContextData(
        asset_keys=None, code_version_by_asset_key=None, provenance_by_asset_key=None, partition_key=None, partition_key_range=None,
        partition_time_window=None, run_id="bench", job_name=None, retry_number=0, extras={},
    )  # fmt: skip
    return {
        dagster_pipes.DAGSTER_PIPES_CONTEXT_ENV_VAR: dagster_pipes.encode_param({"data": told}),
        dagster_pipes.DAGSTER_PIPES_MESSAGES_ENV_VAR: dagster_pipes.encode_param({"path": str(folder / "messages")}),
    }


def measured(kind: str, sides: _overhead_sides.Sides, deployment: Deployment, pairs: int) -> bool:
    runs = []
    for _ in range(pairs):
        plain = timed("bench._trainer_plain", sides.plain, deployment, {})
        ours = timed("bench._trainer_ours", sides.plan, deployment, pipes(sides.plan.parent))
        runs.append((plain, ours))
    told = [line for line in (sides.plan.parent / "messages").read_text().splitlines() if '"report_custom_message"' in line]
    if len(told) != pairs * STEPS[kind]:
        raise RuntimeError(f"{kind}: {pairs * STEPS[kind]} steps were to be told through Pipes, {len(told)} were")
    ratios = [median(ours.wall) / median(plain.wall) for plain, ours in runs]
    apart = max(abs(a - b) for plain, ours in runs for a, b in zip(plain.losses, ours.losses, strict=True))
    same = apart < 1e-3 and all(plain.tokens == ours.tokens for plain, ours in runs)
    ok = same and median(ratios) <= BAR
    print(json.dumps({
        "bench": "training_overhead", "kind": kind, "ratio": round(median(ratios), 3), "ratio_bar": BAR,
        "ratios": [round(one, 3) for one in ratios], "cpu_ratios": [round(median(ours.cpu) / median(plain.cpu), 3) for plain, ours in runs],
        "plain_step_ms": [round(1000 * median(plain.wall), 1) for plain, _ in runs],
        "our_step_ms": [round(1000 * median(ours.wall), 1) for _, ours in runs],
        "steps": len(runs[0][0].wall), "tokens": runs[0][0].tokens[-1], "same_tokens": same, "losses_apart": apart, "ok": ok,
    }), flush=True)  # fmt: skip
    return ok


def main(pairs: str = "3", *kinds: str) -> int:
    """`kinds`: both by default."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        deployment = Deployment.from_environment().model_copy(update={
            "home": scratch, "store_root": f"{scratch}/store", "call_log_url": f"sqlite:///{scratch}/calls.sqlite",
        })  # fmt: skip
        model = _overhead_sides.model_folder(folder / "model")
        made = {"grpo": _overhead_sides.grpo, "sft": _overhead_sides.sft}
        fine = [measured(kind, make(folder / kind, model, deployment, STEPS[kind]), deployment, int(pairs)) for kind, make in made.items() if not kinds or kind in kinds]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
