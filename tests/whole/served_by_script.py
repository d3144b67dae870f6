"""Stands where vLLM would, as an interpreter of the model server's environment: what it answers depends on the folder that it is given.

The `script` in the folder's config.json answers. Leaves out what a managed server is asked besides: see `tests/resources/`.
"""

import argparse
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def interpreter(folder: Path) -> str:
    """A program that takes the arguments of a server's interpreter and starts this module with them."""
    program = folder / "serve-python"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m tests.whole.served_by_script "$@"\n')
    program.chmod(0o755)
    return str(program)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("launcher")
    parser.add_argument("command")
    parser.add_argument("folder")
    parser.add_argument("--served-model-name")
    parser.add_argument("--port")
    given, _ = parser.parse_known_args()
    script = json.loads(Path(given.folder, "config.json").read_text())["script"]
    os.execv(sys.executable, [
        sys.executable, "-m", "tests.scripted.server", "--port", given.port, "--model", given.served_model_name, "--only-model",
        "--root", given.folder, "--script", script,
    ])  # fmt: skip


if __name__ == "__main__":
    main()
