"""Whether an interpreter can train here: the trainer's packages, and the GPUs that it sees. Starts a short process of it."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from resources.training.trainer_faults import ADVICE, Fault, TrainerFault
from tmas_assets.records.base import Record
from tmas_assets.records.training import Launch, Training

PACKAGES = ("torch", "trl", "deepspeed", "transformers", "accelerate", "datasets")
SECONDS = 120.0
_PROBE = """
import importlib.metadata, importlib.util, json, os, sys
names, cuda = sys.argv[1].split(","), sys.argv[2] == "cuda"
missing = [name for name in names if importlib.util.find_spec(name) is None]
versions = {name: importlib.metadata.version(name) for name in names if name not in missing}
devices, built = 0, ""
if cuda and not missing:
    import torch
    devices, built = torch.cuda.device_count(), torch.version.cuda or "no CUDA"
print(json.dumps({"missing": missing, "versions": versions, "devices": devices, "built": built}))
"""


class Interpreter(Record):
    path: str
    """Absolute; links stay, an environment is known by them."""
    versions: tuple[tuple[str, str], ...]
    """(package, version) of the trainer."""

    def version(self, package: str) -> str:
        return dict(self.versions)[package]


def needed_by(training: Training) -> tuple[str, ...]:
    """Packages that its trainer imports."""
    samples = training.grpo is not None and training.grpo.rollouts.engine != "transformers"
    return (*PACKAGES, *(["vllm"] if samples else []))


def able_interpreter(stated: str, launch: Launch, environment: Mapping[str, str], needs: Sequence[str] = PACKAGES) -> Interpreter:
    """`needs`: packages. Raises TrainerFault (trainer not installed, GPU missing)."""
    found = shutil.which(Path(stated).expanduser())
    if found is None:
        raise _missing(f"there is no interpreter {stated}.")
    path = os.path.abspath(found)
    try:
        tried = subprocess.run(
            [path, "-c", _PROBE, ",".join(needs), launch.device], env=dict(environment), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _missing(f"{path} cannot say what it has: {error}.") from error
    if tried.returncode != 0:
        raise _missing(f"{path} cannot say what it has; it ended with {tried.returncode}: {tried.stderr.strip()[-500:]}.")
    try:
        told = json.loads(tried.stdout.splitlines()[-1])
    except (IndexError, ValueError) as error:
        raise _missing(f"{path} is no Python interpreter: asked what it has, it says {tried.stdout[-100:]!r}.") from error
    if told["missing"]:
        raise _missing(f"{path} has no {', '.join(told['missing'])}.")
    if launch.device == "cuda" and told["devices"] < launch.processes:
        seen = environment.get("CUDA_VISIBLE_DEVICES")
        text = f"launch.processes asks for {launch.processes} GPUs, {path} sees {told['devices']} (torch {told['versions']['torch']}, built for {told['built']}"
        text += f"; CUDA_VISIBLE_DEVICES is {seen!r})." if seen is not None else ")."
        raise TrainerFault(Fault.GPU_MISSING, f"{text} {ADVICE[Fault.GPU_MISSING]}")
    return Interpreter(path=path, versions=tuple(sorted(told["versions"].items())))


def _missing(text: str) -> TrainerFault:
    return TrainerFault(Fault.TRAINER_MISSING, f"{text} {ADVICE[Fault.TRAINER_MISSING]}")
