"""Which code a checkpoint was trained by: the release, and the digest of the modules that shape weights."""

from functools import cache
from importlib.metadata import version
from pathlib import Path

from tmas_assets.records import digest, digest_bytes

_SHAPING = ("rewards", "training", "engine/training", "grading", "agents/novelty.py", "agents/novelty.txt", "memory/similarity.py")
"""Folders and files of `tmas_assets`: data, trainer, and all that a reward follows from."""


@cache
def trainer_code() -> str:
    """`0.1.0+4f2a...`: twelve digits over the source files of rewards, training data and trainer."""
    root = Path(__file__).resolve().parents[2]
    files = sorted(path for name in _SHAPING for path in ((root / name).rglob("*.py") if (root / name).is_dir() else [root / name]))
    found = {path.relative_to(root).as_posix(): digest_bytes(path.read_bytes()) for path in files}
    return f"{version('tmas-assets')}+{digest(found)[:12]}"
