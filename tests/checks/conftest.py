"""The released files, where this machine has them: TMAS_DATA, else a folder beside the repository."""

import os
from pathlib import Path

import pytest

from tmas_assets.benchmarks import benchmark


@pytest.fixture
def released():
    def bytes_of(name, release):
        folder = Path(os.environ.get("TMAS_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
        files = benchmark(name).releases[release].files
        if not all((folder / file.path).is_file() for file in files):
            pytest.skip(f"no {name} {release} under {folder}; set TMAS_DATA")
        return {file.path: (folder / file.path).read_bytes() for file in files}
    return bytes_of
