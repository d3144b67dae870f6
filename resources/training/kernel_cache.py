"""Where kernels that a trainer compiles are kept, and how a build that was killed is kept from blocking the next one.

Torch guards a build by a bare file named `lock`; a process killed meanwhile leaves it, and whoever comes next waits for it for
ever. So every trainer holds a lock of ours while it runs: who gets it alone knows that no build is under way.
"""

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from resources.training.trainer_faults import Fault, TrainerFault

STALE_SECONDS = 1800.0
"""No build takes so long; such a lock is a leftover though other trainers run."""


def kernel_caches(scratch: Path, torch: str) -> dict[str, str]:
    """Variables of all kernel caches, below `scratch`: on this machine's own disk, since such caches lock or go stale on a network
    mount (deepspeedai/DeepSpeed#5205). A folder for each torch version: what was built for one does not fit another.

    Kernels are code, so a folder that another user made is refused. Raises TrainerFault."""
    caches = scratch / "cache"
    try:
        caches.mkdir(mode=0o700, parents=True, exist_ok=True)
        owners = {path.stat().st_uid for path in (scratch, caches)}
    except OSError as error:
        raise TrainerFault(Fault.LAUNCH, f"kernel caches cannot lie in {caches}: {error}. Name a folder on a local disk in TMAS_SCRATCH.") from error
    if owners != {os.getuid()}:
        raise TrainerFault(
            Fault.LAUNCH, f"{scratch}, where compiled kernels are kept, belongs to another user. Name a folder of your own in TMAS_SCRATCH."
        )
    return {
        "TORCH_EXTENSIONS_DIR": str(caches / f"torch-extensions-{torch}"),
        "TORCHINDUCTOR_CACHE_DIR": str(caches / f"inductor-{torch}"),
        "TRITON_CACHE_DIR": str(caches / f"triton-{torch}"),
        "HF_HOME": str(caches / "huggingface"),
        "XDG_CACHE_HOME": str(caches),
    }


@contextlib.contextmanager
def used_by_a_trainer(extensions: Path) -> Iterator[int]:
    """Hold the cache of compiled extensions together with other trainers, without leftover locks of killed builds; yields the
    descriptor that holds it, for a child to inherit."""
    extensions.mkdir(parents=True, exist_ok=True)
    with (extensions / "trainers.lock").open("a") as held:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            youngest = 0.0
        except BlockingIOError:
            youngest = STALE_SECONDS
        for baton in extensions.glob("*/lock"):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - baton.stat().st_mtime >= youngest:
                    baton.unlink()
        fcntl.flock(held, fcntl.LOCK_SH)
        yield held.fileno()


def leave_out_unused_kernels() -> None:
    """To be called in a trainer's process before DeepSpeed is set up, on a CPU. DeepSpeed builds an all-reduce through shared
    memory at its first start (44 s, a compiler, then 4 to 7 s at every start) and uses it in `inference_all_reduce` only, which
    training never calls (deepspeed 0.19.8, comm/torch.py)."""
    import deepspeed

    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False
