"""Time of an optimizer step in our trainer process against a plain TRL script: same model, rows, order, settings, DeepSpeed.

Both under torchrun as processes of their own, at once and in turns: plain does a step while ours waits, then ours while plain waits, so
that both see the same machine. A step lasts from its beginning to the beginning of the next, logging included; the first ones do not count.
Both sides have to log the same tokens and losses, or they did different work. Ours grades in killable workers and tells each step through
Dagster Pipes to a file, as in a run; plain has TRL's own reward. Bar: the median over steps of (our step / the same step of plain) is at most 1.05, for
GRPO and for SFT.

    python -m bench.training_overhead [grpo|sft]
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import dagster_pipes

from bench import _overhead_sides
from bench._step_stamps import FIRST, SECOND, turns
from resources.deployment import Deployment
from resources.serving.server_probe import free_port

BAR = 1.05
STEPS = {"grpo": 40, "sft": 120}
UNCOUNTED = 8
"""First steps: caches, kernels and workers start in them."""


@dataclass(frozen=True)
class Timed:
    """One process: seconds of each step that counts, and what all steps logged."""

    wall: tuple[float, ...]
    cpu: tuple[float, ...]
    losses: tuple[float, ...]
    tokens: tuple[float, ...]


def started(module: str, settings: Path, folder: Path, deployment: Deployment, own: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [
        sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "1", "--master-addr", "127.0.0.1", "--master-port", str(free_port()),
        "--module", module, str(settings), str(folder),
    ]  # fmt: skip
    environment = os.environ | deployment.environment() | own | {
        "OMP_NUM_THREADS": "1", "DS_ACCELERATOR": "cpu", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false",
        "TORCH_ELASTIC_SHUTDOWN_TIMEOUT": "3",
    }  # fmt: skip
    with settings.with_suffix(".log").open("wb") as log:
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log)


def both_end(processes: dict[Path, subprocess.Popen[bytes]]) -> None:
    """Raises RuntimeError with the log of the first that ends badly; the other, which would wait for its turn for ever, is ended."""
    try:
        while any(process.poll() is None for process in processes.values()):
            time.sleep(0.2)
            for settings, process in processes.items():
                if process.poll():
                    log = settings.with_suffix(".log").read_text(errors="replace")
                    raise RuntimeError(f"{settings.name}: ended with {process.returncode}:\n{log[-6000:]}")
    finally:
        for process in processes.values():
            process.terminate()  # torchrun ends its processes
            process.wait()


def timed(folder: Path, side: str) -> Timed:
    lines: list[dict[str, Any]] = [json.loads(line) for line in (folder / f"{side}.stamps").read_text().splitlines()]
    lasted, logged = ([line for line in lines if key in line] for key in ("wall", "loss"))
    counted = ([line[clock] for line in lasted[UNCOUNTED:]] for clock in ("wall", "cpu"))
    return Timed(*map(tuple, counted), *(tuple(line[key] for line in logged) for key in ("loss", "tokens")))


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


def measured(kind: str, sides: _overhead_sides.Sides, deployment: Deployment) -> bool:
    folder = sides.plan.parent
    turns(folder)
    both_end({
        sides.plain: started("bench._trainer_plain", sides.plain, folder, deployment, {}),
        sides.plan: started("bench._trainer_ours", sides.plan, folder, deployment, pipes(folder)),
    })  # fmt: skip
    told = (folder / "messages").read_text().count('"report_custom_message"')
    plain, ours = timed(folder, FIRST), timed(folder, SECOND)
    if not told == len(ours.losses) == len(plain.losses) == STEPS[kind]:
        raise RuntimeError(f"{kind}: {STEPS[kind]} steps asked for, {len(plain.losses)} and {len(ours.losses)} done, {told} told through Pipes")
    ratios = [mine / theirs for mine, theirs in zip(ours.wall, plain.wall, strict=True)]
    low, middle, high = quantiles(ratios, n=4)
    apart = max(abs(a - b) for a, b in zip(plain.losses, ours.losses, strict=True))
    same = plain.tokens == ours.tokens and apart < 1e-3
    ok = same and middle <= BAR
    print(json.dumps({
        "bench": "training_overhead", "kind": kind, "ratio": round(middle, 3), "ratio_bar": BAR, "quartiles": [round(low, 3), round(high, 3)],
        "plain_step_ms": round(1000 * median(plain.wall), 1), "our_step_ms": round(1000 * median(ours.wall), 1),
        "cpu_ratio": round(median(ours.cpu) / median(plain.cpu), 3), "steps": len(ratios), "tokens": plain.tokens[-1], "same_tokens": plain.tokens == ours.tokens,
        "losses_apart": apart, "ok": ok,
    }), flush=True)  # fmt: skip
    return ok


def main(*kinds: str) -> int:
    """`kinds`: both by default."""
    os.environ["DS_ACCELERATOR"] = "cpu"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        deployment = Deployment.from_environment().model_copy(update={
            "home": scratch, "store_root": f"{scratch}/store", "call_log_url": f"sqlite:///{scratch}/calls.sqlite",
        })  # fmt: skip
        model = _overhead_sides.model_folder(folder / "model")
        made = {"grpo": _overhead_sides.grpo, "sft": _overhead_sides.sft}
        fine = [measured(kind, make(folder / kind, model, deployment, STEPS[kind]), deployment) for kind, make in made.items() if not kinds or kind in kinds]
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
