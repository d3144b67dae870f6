"""What a run that is killed, or trained again, finds of its former self: states, their checkpoint, a disk that refuses."""

import dataclasses
from pathlib import Path

import pytest

from resources.parquet_store import Address
from resources.training.checkpoints import Checkpoints
from tests.resources.training.made_checkpoints import facts, trained
from tests.training.stored_rows import made
from tests.whole.experiments import deployment
from tmas_assets.assets.training.iteration import forget_ended, planned_prompts, register, train
from tmas_assets.assets.training.planning import Start, TrainingFault
from tmas_assets.engine.training.states import mark_whole
from tmas_assets.records import RlRow, Training
from tmas_assets.training.order import step_table

RUN = Training.model_validate({
    "name": "run", "prompts": {"set": "cold"}, "optimisation": {"learning_rate": 1e-6},
    "grpo": {"iterations": 2, "steps": 3, "rewards": [{"name": "correctness"}]},
})  # fmt: skip


class Killed(BaseException):
    """Stands for a kill -9 at a place that a test chooses."""


class KilledAfterRegistering(Checkpoints):
    def register(self, folder, facts):
        super().register(folder, facts)
        raise Killed


def start(home: Path, iteration: int = 0, base: str = "base", digest: str = "b" * 64) -> Start:
    return Start(RUN, iteration, home / "model", base, digest, Address(("run", "rl_prompts"), ("rows",)), "r" * 64, home / "trainers" / "run")


def stated(one: Start):
    return facts("run", one.iteration, base=one.base, base_digest=one.base_digest, rows_digest=one.rows_digest, settings_digest=one.settings_digest)


def state(one: Start, step: int) -> Path:
    folder = one.states / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    (folder / "optimizer").write_text("moments")
    mark_whole(folder, step, 1)
    return folder


def ended(home: Path, one: Start, weights: int = 64):
    checkpoints = Checkpoints(home)
    state(one, 3)
    return checkpoints, register(one, checkpoints, trained(checkpoints.making("run", one.iteration), weights), stated(one))


def test_a_kill_after_registering_leaves_the_state_that_the_next_iteration_goes_on_from(tmp_path):
    first, checkpoints = start(tmp_path), KilledAfterRegistering(tmp_path)
    folder = state(first, 3)
    with pytest.raises(Killed):
        register(first, checkpoints, trained(checkpoints.making("run", 0)), stated(first))
    found = Checkpoints(tmp_path).find("run", 0)
    assert start(tmp_path, 1, found.name, found.checkpoint.digest).state() == folder


def test_what_is_there_is_trained_again_from_its_first_step(tmp_path):
    one = start(tmp_path)
    checkpoints, _ = ended(tmp_path, one)
    assert one.state() is not None
    forget_ended(one, checkpoints)
    assert one.state() is None
    again = state(one, 2)  # of the second training, which is killed
    forget_ended(one, checkpoints)
    assert one.state() == again


def test_a_torn_checkpoint_is_saved_again_from_the_state_it_ended_with(tmp_path):
    one = start(tmp_path)
    checkpoints, torn = ended(tmp_path, one)
    (torn.folder / "config.json").write_text('{"model_type": "other"}')
    forget_ended(one, checkpoints)
    assert one.state() == one.states / "checkpoint-3"


def test_states_of_a_broken_training_on_other_rows_stay(tmp_path):
    checkpoints, _ = ended(tmp_path, start(tmp_path, base="former", digest="a" * 64))
    now = start(tmp_path)
    folder = state(now, 2)
    forget_ended(now, checkpoints)
    assert now.state() == folder


def test_prompts_of_each_step_are_those_of_the_rows_that_were_planned_with(tmp_path):
    rows, at, place = made()[0], start(tmp_path).rows, deployment(tmp_path)
    planned = dataclasses.replace(start(tmp_path), rows_digest=place.store().write(at, RlRow, rows).digest)
    assert planned_prompts(place, planned) == step_table(rows, RUN.prompted, RUN.grpo, 0)
    place.store().write(at, RlRow, rows[:-1])
    with pytest.raises(TrainingFault, match=r"run@t00: run/rl_prompts.* was made again meanwhile"):
        planned_prompts(place, planned)


def test_a_share_for_a_source_without_rows_is_told_before_a_trainer_starts(tmp_path):
    rows, place = [row for row in made()[0] if row.source == "normal"], deployment(tmp_path)
    body = RUN.model_dump()
    body["grpo"]["mix"] = {"experience": 1.0}
    file = place.store().write(start(tmp_path).rows, RlRow, rows)
    planned = dataclasses.replace(start(tmp_path), training=Training.model_validate(body), rows_digest=file.digest)
    with pytest.raises(TrainingFault, match="run@t00: mix gives a share to experience, of which the run has no row"):
        planned_prompts(place, planned)


def test_a_disk_that_refuses_is_said_in_a_sentence(tmp_path):
    (tmp_path / "trainers").write_text("a file where a folder has to be")
    with pytest.raises(TrainingFault, match=r"run@t00 is not trained: .*trainers.* Free space or mend the disk under TMAS_HOME"):
        train(deployment(tmp_path), start(tmp_path), run="r", context=None, on_step=lambda step: None)
