"""A model folder: every tear is found, and its identity is its bytes and nothing else."""

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.serving import model_folder
from resources.serving.model_folder import (
    ModelFolderMissing,
    ModelFolderTorn,
    changed_files,
    model_identity,
    require_whole,
    write_manifest,
)

Make = Callable[..., Path]
Bytes = Callable[..., bytes]


@pytest.fixture
def settle(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Wait until a file is old enough for its hash to be kept (2 s; shorter here, the clock's tick is 4 ms)."""
    monkeypatch.setattr(model_folder, "SETTLED_NS", 100_000_000)
    return lambda: time.sleep(0.2)


def fault(folder: Path) -> str:
    with pytest.raises(ModelFolderTorn) as caught:
        require_whole(folder)
    return str(caught.value)


def test_a_whole_folder_passes(make_model: Make) -> None:
    require_whole(make_model())


def test_no_folder_is_missing_and_not_torn(tmp_path: Path) -> None:
    with pytest.raises(ModelFolderMissing, match="nowhere"):
        require_whole(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("name", "words"),
    [("config.json", "config.json missing"), ("tokenizer.json", "no tokenizer"), ("model.safetensors", "no weights")],
)
def test_an_absent_file_is_named(make_model: Make, name: str, words: str) -> None:
    folder = make_model()
    (folder / name).unlink()
    assert words in fault(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_an_empty_file_is_named(make_model: Make, name: str) -> None:
    folder = make_model()
    (folder / name).write_bytes(b"")
    assert f"{name} is empty" in fault(folder)


def test_half_a_json_file_is_named(make_model: Make) -> None:
    folder = make_model()
    (folder / "config.json").write_text('{"model_type": "lla')
    assert "config.json is not JSON" in fault(folder)


@given(share=st.floats(0, 1, exclude_min=True, exclude_max=True))
def test_weights_cut_anywhere_are_torn(
    tmp_path_factory: pytest.TempPathFactory, safetensors: Bytes, share: float
) -> None:
    kept = int(share * len(safetensors()))
    folder = tmp_path_factory.mktemp("cut")
    (folder / "config.json").write_text("{}")
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(safetensors()[:kept])
    assert "model.safetensors" in fault(folder)


def test_weights_with_bytes_after_their_end_are_torn(make_model: Make, safetensors: Bytes) -> None:
    folder = make_model()
    (folder / "model.safetensors").write_bytes(safetensors() + b"x")
    assert "its header promises" in fault(folder)


def test_a_shard_named_by_the_index_and_absent_is_named(make_model: Make) -> None:
    folder = make_model()
    (folder / "model.safetensors").rename(folder / "first.safetensors")
    index = {"weight_map": {"a": "first.safetensors", "b": "second.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert "shard second.safetensors missing" in fault(folder)


def test_an_index_that_names_nothing_is_torn(make_model: Make) -> None:
    folder = make_model()
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {}}')
    assert "names no shards" in fault(folder)


def test_a_gap_in_numbered_shards_is_found_without_an_index(make_model: Make, safetensors: Bytes) -> None:
    folder = make_model()
    (folder / "model.safetensors").unlink()
    for i in (1, 3):
        (folder / f"model-{i:05d}-of-00003.safetensors").write_bytes(safetensors())
    assert "shard model-00002-of-00003.safetensors missing" in fault(folder)


def test_every_fault_is_named_at_once(make_model: Make, safetensors: Bytes) -> None:
    folder = make_model()
    (folder / "config.json").unlink()
    (folder / "model.safetensors").write_bytes(safetensors()[:-1])
    assert "config.json missing" in fault(folder)
    assert "model.safetensors is" in fault(folder)


def test_a_copy_has_the_same_identity(make_model: Make, tmp_path: Path) -> None:
    folder = make_model()
    shutil.copytree(folder, tmp_path / "copy")
    assert model_identity(tmp_path / "copy") == model_identity(folder)


def test_links_to_the_files_have_the_same_identity(make_model: Make, tmp_path: Path) -> None:
    """A downloaded snapshot is a folder of links into a store of blobs."""
    folder = make_model()
    (tmp_path / "snapshot").mkdir()
    for path in folder.iterdir():
        (tmp_path / "snapshot" / path.name).symlink_to(path)
    assert model_identity(tmp_path / "snapshot") == model_identity(folder)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors", "chat_template.jinja"])
def test_every_file_that_shapes_answers_is_in_the_identity(make_model: Make, safetensors: Bytes, name: str) -> None:
    folder = make_model()
    before = model_identity(folder)
    old = (folder / name).read_bytes() if (folder / name).exists() else b""
    new = safetensors(64)[:-1] + b"\xff" if name.endswith("safetensors") else old + b" "
    (folder / name).write_bytes(new)
    assert model_identity(folder) != before


def test_a_renamed_file_changes_the_identity(make_model: Make) -> None:
    folder = make_model()
    before = model_identity(folder)
    (folder / "model.safetensors").rename(folder / "weights.safetensors")
    assert model_identity(folder) != before


@pytest.mark.parametrize(
    "name",
    ["optimizer.pt", "scheduler.pt", "rng_state_0.pth", "trainer_state.json", "training_args.bin", "README.md",
     ".gitattributes", "manifest.json", "latest", "global_step5/states.pt", "zero_to_fp32.py"],
)  # fmt: skip
def test_what_a_trainer_leaves_is_not_in_the_identity(make_model: Make, name: str) -> None:
    folder = make_model()
    before = model_identity(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("state")
    assert model_identity(folder) == before


def bytes_read() -> int:
    fields = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(fields["rchar"])


def test_unchanged_weights_are_not_read_again(make_model: Make, safetensors: Bytes, tmp_path: Path, settle: Callable[[], None]) -> None:
    folder = make_model()
    (folder / "model.safetensors").write_bytes(safetensors(8_000_000))
    settle()
    first = model_identity(folder, tmp_path / "digests")
    before = bytes_read()
    assert model_identity(folder, tmp_path / "digests") == first
    assert bytes_read() - before < 1_000_000


def test_a_change_that_restores_size_and_date_is_seen(make_model: Make, tmp_path: Path, settle: Callable[[], None]) -> None:
    folder, cache = make_model(), tmp_path / "digests"
    settle()
    weights = folder / "model.safetensors"
    before, stat = model_identity(folder, cache), weights.stat()
    with weights.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\xff")
    os.utime(weights, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert weights.stat().st_mtime_ns == stat.st_mtime_ns
    assert model_identity(folder, cache) != before


def test_changes_within_one_tick_of_the_clock_are_seen(make_model: Make, tmp_path: Path) -> None:
    folder, cache = make_model(), tmp_path / "digests"
    seen = set()
    for i in range(50):
        (folder / "tokenizer.json").write_text(f'"{i:02d}"')
        seen.add(model_identity(folder, cache))
    assert len(seen) == 50


def test_a_torn_cache_costs_time_and_not_truth(make_model: Make, tmp_path: Path, settle: Callable[[], None]) -> None:
    folder, cache = make_model(), tmp_path / "digests"
    settle()
    first = model_identity(folder, cache)
    (kept,) = cache.iterdir()
    kept.write_bytes(kept.read_bytes()[:20])
    assert model_identity(folder, cache) == first


def test_a_folder_differs_from_its_manifest_exactly_where_it_was_touched(make_model: Make) -> None:
    folder = make_model()
    write_manifest(folder)
    assert changed_files(folder) == ()
    (folder / "tokenizer.json").write_text("[]")
    (folder / "added.json").write_text("[]")
    assert changed_files(folder) == ("added.json", "tokenizer.json")


def test_a_torn_manifest_is_no_agreement(make_model: Make) -> None:
    folder = make_model()
    write_manifest(folder)
    (folder / "manifest.json").write_text("[{")
    with pytest.raises(ModelFolderTorn, match=r"manifest\.json"):
        changed_files(folder)
