"""Kernel caches: in a folder of our own, without leftover locks of builds, and one for each torch."""

import os
import time
from pathlib import Path

import pytest

from resources.training.kernel_cache import STALE_SECONDS, kernel_caches, used_by_a_trainer
from resources.training.trainer_faults import TrainerFault


def leftover(extensions: Path, name: str = "fused_adam", age: float = 0.0) -> Path:
    baton = extensions / name / "lock"
    baton.parent.mkdir(parents=True, exist_ok=True)
    baton.touch()
    os.utime(baton, (time.time() - age, time.time() - age))
    return baton


def test_the_lock_of_a_killed_build_does_not_block_the_next_trainer(tmp_path: Path) -> None:
    baton = leftover(tmp_path)
    with used_by_a_trainer(tmp_path):
        assert not baton.exists()


def test_the_lock_of_a_build_under_way_stays(tmp_path: Path) -> None:
    with used_by_a_trainer(tmp_path):
        young, old = leftover(tmp_path), leftover(tmp_path, "cpu_adam", STALE_SECONDS + 60)
        with used_by_a_trainer(tmp_path):
            assert young.exists()
            assert not old.exists()
    with used_by_a_trainer(tmp_path):
        assert not young.exists()


def test_kernels_of_another_torch_are_not_taken(tmp_path: Path) -> None:
    ours, other = kernel_caches(tmp_path, "2.13.0+cpu"), kernel_caches(tmp_path, "2.14.0")
    assert ours["TORCH_EXTENSIONS_DIR"] != other["TORCH_EXTENSIONS_DIR"]
    assert all(Path(path).is_relative_to(tmp_path) for path in ours.values())


def test_a_scratch_folder_that_is_no_folder_is_refused_with_the_variable(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TrainerFault, match=r"cannot lie in .*TMAS_SCRATCH"):
        kernel_caches(tmp_path / "file", "2.13.0")


def test_kernels_that_another_user_could_have_planted_are_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(TrainerFault, match="belongs to another user"):
        kernel_caches(tmp_path, "2.13.0")
