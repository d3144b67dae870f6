"""Checkpoints on disk: registered whole or not at all, found by name, torn ones never chosen, whatever is killed when."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from resources.serving.model_folder import changed_files, model_identity
from resources.training.checkpoints import CheckpointFault, CheckpointMissing, Checkpoints, CheckpointTorn
from tests.resources.training.made_checkpoints import facts, register, trained

ROOT = Path(__file__).parents[3]


@pytest.fixture
def checkpoints(tmp_path: Path) -> Checkpoints:
    return Checkpoints(tmp_path / "home")


def test_a_registered_one_is_found_with_the_digest_that_its_folder_has(checkpoints: Checkpoints) -> None:
    made = register(checkpoints)
    assert made.folder == checkpoints.home / "checkpoints" / "demo_grpo" / "t00"
    assert made.checkpoint.digest == model_identity(made.folder)
    assert changed_files(made.folder) == ()
    assert checkpoints.find("demo_grpo", 0) == checkpoints.find("demo_grpo") == made
    assert (made.checkpoint.steps, made.checkpoint.packages, made.checkpoint.base) == (6, (("trl", "1"),), "smollm2-135m-instruct")


def test_records_in_the_folder_are_not_in_its_identity_and_a_file_of_that_name_deeper_is(checkpoints: Checkpoints) -> None:
    made = register(checkpoints)
    for name in ("checkpoint.json", "outcome.json", "manifest.json"):
        (made.folder / name).unlink()
    assert model_identity(made.folder) == made.checkpoint.digest
    (made.folder / "processor").mkdir()
    (made.folder / "processor" / "outcome.json").write_text("{}")
    assert model_identity(made.folder) != made.checkpoint.digest


def spoil_outcome(folder: Path) -> None:
    (folder / "outcome.json").unlink()


def spoil_weights(folder: Path) -> None:
    with (folder / "model.safetensors").open("ab") as file:
        file.write(b"x")


def spoil_template(folder: Path) -> None:
    (folder / "tokenizer_config.json").write_text("{}")


SPOILT: list[tuple[Callable[[Path], object], str]] = [
    (spoil_outcome, "has no outcome.json"),
    (spoil_weights, "its header promises"),
    (spoil_template, "no chat template"),
    (lambda folder: (folder / "tokenizer.json").unlink(), "no tokenizer file"),
    (lambda folder: (folder / "model.safetensors").unlink(), "no weights"),
    (lambda folder: (folder / "outcome.json").write_text("{"), "outcome.json cannot be read"),
    (lambda folder: trained(folder, ended="asked to end"), "asked to end after step 6"),
    (lambda folder: trained(folder, max_difference=2e-6), "differ from the trained ones by 2e-06"),
    (lambda folder: trained(folder, max_difference=None), "differ from the trained ones by None"),
]


@pytest.mark.parametrize(("spoil", "words"), SPOILT)
def test_an_unfit_folder_is_refused_and_the_former_checkpoint_stays(
    checkpoints: Checkpoints, spoil: Callable[[Path], object], words: str
) -> None:
    former = register(checkpoints)
    folder = trained(checkpoints.making("demo_grpo", 0), 65)
    spoil(folder)
    with pytest.raises(CheckpointTorn) as caught:
        checkpoints.register(folder, facts())
    assert words in str(caught.value)
    assert "demo_grpo@t00 is not registered" in str(caught.value)
    assert checkpoints.find("demo_grpo") == former


def test_a_nan_difference_is_refused(checkpoints: Checkpoints) -> None:
    folder = trained(checkpoints.making("demo_grpo", 0))
    stated = json.loads((folder / "outcome.json").read_text())
    (folder / "outcome.json").write_text(json.dumps(stated | {"max_difference": float("nan")}))
    with pytest.raises(CheckpointTorn):
        checkpoints.register(folder, facts())


TEARS: list[tuple[Callable[[Path], object], str]] = [
    (lambda folder: (folder / "checkpoint.json").unlink(), "checkpoint.json is missing: its registration never ended"),
    (lambda folder: (folder / "checkpoint.json").write_text("{}"), "checkpoint.json cannot be read"),
    (lambda folder: (folder / "tokenizer.json").write_text("[]"), "tokenizer.json changed since it was registered"),
    (lambda folder: (folder / "added.json").write_text("[]"), "added.json changed since it was registered"),
    (lambda folder: (folder / "model.safetensors").unlink(), "no weights"),
    (lambda folder: (folder / "manifest.json").unlink(), "no readable manifest.json"),
]  # fmt: skip


@pytest.mark.parametrize(("tear", "why"), TEARS)
def test_a_torn_one_is_named_and_never_chosen(checkpoints: Checkpoints, tear: Callable[[Path], object], why: str) -> None:
    first = register(checkpoints)
    second = register(checkpoints, iteration=1, weights=65, base_digest=first.checkpoint.digest)
    tear(second.folder)
    assert checkpoints.find("demo_grpo") == first
    whole, torn = checkpoints.all("demo_grpo")
    assert whole.torn is None
    assert why in (torn.torn or "")
    with pytest.raises(CheckpointTorn) as caught:
        checkpoints.find("demo_grpo", 1)
    assert why in str(caught.value)
    assert "`tmas train demo_grpo`" in str(caught.value)


def test_another_model_with_a_manifest_of_its_own_is_torn(checkpoints: Checkpoints) -> None:
    """Every byte equals its manifest, and is not what was registered."""
    first, other = register(checkpoints), register(checkpoints, iteration=1, weights=65)
    for name in ("manifest.json", "model.safetensors"):
        shutil.copy(other.folder / name, first.folder / name)
    with pytest.raises(CheckpointTorn, match="registered was"):
        checkpoints.find("demo_grpo", 0)


def test_a_folder_copied_from_another_iteration_is_not_taken_for_its_own(checkpoints: Checkpoints) -> None:
    first = register(checkpoints)
    shutil.copytree(first.folder, first.folder.with_name("t01"))
    assert checkpoints.find("demo_grpo") == first
    with pytest.raises(CheckpointTorn, match="is that of demo_grpo@t00"):
        checkpoints.find("demo_grpo", 1)


def test_what_is_not_there_is_told_with_what_is(checkpoints: Checkpoints) -> None:
    with pytest.raises(CheckpointMissing, match="found: none"):
        checkpoints.find("demo_grpo")
    assert not (checkpoints.home / "checkpoints").exists()
    register(checkpoints)
    with pytest.raises(CheckpointMissing, match=r"no demo_grpo@t03 under .*; found: t00 whole\."):
        checkpoints.find("demo_grpo", 3)
    assert checkpoints.trainings() == ("demo_grpo",)


@pytest.mark.parametrize("name", ["../demo", "a/b", "", "Demo", "demo\n", ".", "demo "])
def test_a_name_that_is_none_leads_nowhere(checkpoints: Checkpoints, name: str) -> None:
    for ask in (lambda: checkpoints.find(name), lambda: checkpoints.making(name, 0), lambda: checkpoints.all(name)):
        with pytest.raises(CheckpointMissing, match="is no name of a training run"):
            ask()
    with pytest.raises(CheckpointMissing, match="out of range"):
        checkpoints.find("demo_grpo", 60)


def test_latest_is_not_made_from_an_iteration_that_was_trained_again(checkpoints: Checkpoints) -> None:
    first = register(checkpoints)
    second = register(checkpoints, iteration=1, weights=65, base_digest=first.checkpoint.digest)
    assert checkpoints.find("demo_grpo") == second
    again = register(checkpoints, weights=66)
    assert checkpoints.find("demo_grpo") == again
    assert checkpoints.find("demo_grpo", 1) == second
    assert "demo_grpo@t00 was trained again since" in (checkpoints.all("demo_grpo")[1].superseded or "")


def test_latest_descends_from_no_iteration_however_far_back_that_was_trained_again(checkpoints: Checkpoints) -> None:
    first = register(checkpoints)
    second = register(checkpoints, iteration=1, weights=65, base="demo_grpo@t00", base_digest=first.checkpoint.digest)
    third = register(checkpoints, iteration=2, weights=66, base="demo_grpo@t01", base_digest=second.checkpoint.digest)
    assert checkpoints.find("demo_grpo") == third
    again = register(checkpoints, weights=67)
    assert checkpoints.find("demo_grpo") == again


def test_the_former_one_is_gone_once_another_is_in_its_place(checkpoints: Checkpoints) -> None:
    register(checkpoints)
    again = register(checkpoints, weights=65)
    assert checkpoints.find("demo_grpo", 0) == again
    assert sorted(path.name for path in again.folder.parent.iterdir()) == [".lock", ".making", "t00"]
    assert list((again.folder.parent / ".making").iterdir()) == []


def test_a_registration_killed_at_any_point_leaves_the_old_or_the_new_one_whole(checkpoints: Checkpoints) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.resources.training.killed_registrations", str(checkpoints.home)],
        cwd=ROOT, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    kills, old, new, left = done.stdout.split()
    assert int(kills) > 20
    assert int(old) > 10
    assert int(new) > 1  # also between the renaming and the end
    assert left == ".lock,.making,t00"


def test_two_that_register_at_once_leave_one_whole_checkpoint_and_no_reader_misses_it(checkpoints: Checkpoints) -> None:
    known = {register(checkpoints, weights=weights).checkpoint.digest for weights in (64, 65)}

    def registering(weights: int) -> None:
        for _ in range(10):
            register(checkpoints, weights=weights)

    def reading(_: int) -> set[str]:
        return {checkpoints.find("demo_grpo").checkpoint.digest for _ in range(30)}

    with ThreadPoolExecutor(4) as pool:
        writers = [pool.submit(registering, weights) for weights in (64, 65)]
        readers = [pool.submit(reading, 0) for _ in range(2)]
        assert set.union(*(one.result() for one in readers)) <= known
        for one in writers:
            one.result()
    assert checkpoints.find("demo_grpo").checkpoint.digest in known


def test_folders_of_trainers_that_are_gone_are_removed_and_those_of_living_ones_stay(checkpoints: Checkpoints) -> None:
    mine, orphan = trained(checkpoints.making("demo_grpo", 0)), trained(checkpoints.making("demo_grpo", 1))
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    (orphan.parent / "owner").write_text(json.dumps([gone.pid, "another boot:1"]))
    checkpoints.making("demo_grpo", 0)
    assert mine.exists()
    assert not orphan.exists()


def test_a_full_disk_is_told_and_the_former_one_stays(checkpoints: Checkpoints) -> None:
    former = register(checkpoints)
    folder = trained(checkpoints.making("demo_grpo", 0), 65)
    script = (
        "import resource, signal, sys\nfrom pathlib import Path\nfrom resources.training.checkpoints import Checkpoints\n"
        "from tests.resources.training.made_checkpoints import facts\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (16, 16))\nCheckpoints(Path(sys.argv[1])).register(Path(sys.argv[2]), facts())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(checkpoints.home), str(folder)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert f"{CheckpointFault.__name__}: demo_grpo@t00 is not registered, and what was there before stays" in done.stderr
    assert "File too large" in done.stderr
    assert checkpoints.find("demo_grpo") == former
