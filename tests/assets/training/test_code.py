"""The code version of a checkpoint changes with any source file that shapes weights, and with nothing else."""

import shutil

import pytest

from tmas_assets.assets.training import code


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """`trainer_code` over a copy of the package, so that its files can be changed."""
    root = tmp_path / "tmas_assets"
    for folder in ("rewards", "training", "engine", "assets", "memory", "grading", "agents"):
        shutil.copytree(code.Path(code.__file__).parents[2] / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(code, "__file__", str(root / "assets" / "training" / "code.py"))
    code.trainer_code.cache_clear()
    yield root
    code.trainer_code.cache_clear()


@pytest.mark.parametrize("changed", ["rewards/correctness.py", "training/order.py", "engine/training/grpo.py", "agents/novelty.txt", "grading/boxes.py"])
def test_a_changed_line_that_shapes_weights_is_another_version(copied, changed):
    before = code.trainer_code()
    code.trainer_code.cache_clear()
    (copied / changed).write_text((copied / changed).read_text() + "\n# another line\n")
    assert code.trainer_code() != before


def test_what_shapes_no_weights_changes_no_version(copied):
    before = code.trainer_code()
    code.trainer_code.cache_clear()
    (copied / "memory" / "bank.py").write_text("")
    assert code.trainer_code() == before
