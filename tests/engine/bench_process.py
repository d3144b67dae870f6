"""The engine on three problems in a process of its own that a test may kill.

python -m tests.engine.bench_process FOLDER EXPERIMENT.json
"""

import json
import subprocess
import sys
from pathlib import Path

from tests.engine.bench_of_cells import Bench
from tmas_assets.records import Experiment

ROOT = Path(__file__).resolve().parents[2]


def start(experiment: Experiment, folder: Path) -> "subprocess.Popen[str]":
    """In its own process group."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "experiment.json"
    file.write_text(json.dumps(experiment.model_dump(mode="json")))
    return subprocess.Popen(
        [sys.executable, "-m", "tests.engine.bench_process", str(folder), str(file)],
        cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip


if __name__ == "__main__":
    outcome = Bench(Experiment.model_validate_json(Path(sys.argv[2]).read_text()), Path(sys.argv[1])).run()
    if outcome.stopped:
        sys.exit(str(outcome.stopped))
