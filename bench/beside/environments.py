"""An environment of its own for each other tool, made once under TMAS_HOME from pinned releases of the package index.

Leaves out what runs in them.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

from resources.serving.vllm_server import home_from_environment

PINS: dict[str, tuple[str, ...]] = {
    "its_hub": ("its-hub[lm]==1.2.0",),
    "inspect_ai": ("inspect-ai==0.3.285", "openai==3.57.0"),
}
"""Requirements by tool, as `with_<tool>.py` names it."""


def place() -> Path:
    """Folder of all that the comparison keeps from one run to the next."""
    return home_from_environment() / "bench"


def interpreter(tool: str) -> Path:
    """The Python of the tool's environment; makes it where it is not there. Raises RuntimeError with pip's words."""
    pins = PINS[tool]
    folder = place() / f"{tool}-{hashlib.sha256(repr((sys.version, pins)).encode()).hexdigest()[:12]}"
    python, ready = folder / "bin" / "python", folder / ".ready"
    if ready.exists():
        return python
    print(f"installing {' '.join(pins)} into {folder} ...", file=sys.stderr, flush=True)
    for command in (
        [sys.executable, "-m", "venv", "--clear", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr[-2000:]}")
    ready.touch()
    return python
