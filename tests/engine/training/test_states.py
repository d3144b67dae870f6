"""Which trainer states on disk are whole; no trainer runs."""

import json

import pytest

from tmas_assets.engine.training.faults import TrainerRefusal
from tmas_assets.engine.training.states import look, mark_whole, newest_whole, prune, require, states, torn


def state(folder, step, *, processes=2, marked=True):
    made = folder / f"checkpoint-{step}"
    (made / "global_step").mkdir(parents=True)
    (made / "model.safetensors").write_bytes(b"w" * 64)
    (made / "global_step" / "shard.pt").write_bytes(b"o" * 99)
    if marked:
        mark_whole(made, step, processes)
    return made


def test_a_state_is_whole_once_it_is_marked(tmp_path):
    made = state(tmp_path, 4)
    assert look(made).fault is None
    assert {file.name for file in look(made).mark.files} == {"model.safetensors", "global_step/shard.pt"}


@pytest.mark.parametrize(
    ("harm", "fault"),
    [
        (lambda made: (made / "whole.json").unlink(), "whole.json is missing: writing it did not end"),
        (lambda made: (made / "global_step" / "shard.pt").unlink(), "global_step/shard.pt is missing"),
        (lambda made: (made / "model.safetensors").write_bytes(b"w"), "model.safetensors has 1 bytes, written were 64"),
        (lambda made: (made / "whole.json").write_text('{"step": 4'), "whole.json cannot be read"),
        (lambda made: made.rename(made.with_name("checkpoint-5")), "whole.json is of step 4"),
        (lambda made: (made / "whole.json").write_text(json.dumps({"step": 4, "processes": 1, "files": []})), "whole.json lists no file"),
    ],
)
def test_a_torn_state_is_named_with_what_is_wrong_and_never_the_newest_whole_one(tmp_path, harm, fault):
    state(tmp_path, 2)
    harm(state(tmp_path, 4))
    assert newest_whole(tmp_path).step == 2
    assert [fault in one.fault for one in torn(tmp_path)] == [True]


def test_states_are_ordered_by_number_not_by_name(tmp_path):
    for step in (10, 9, 100):
        state(tmp_path, step)
    assert [one.step for one in states(tmp_path)] == [9, 10, 100]
    assert newest_whole(tmp_path).step == 100


def test_no_folder_has_no_states(tmp_path):
    assert states(tmp_path / "none") == ()
    assert newest_whole(tmp_path / "none") is None


def test_another_number_of_processes_is_refused_with_both(tmp_path):
    made = state(tmp_path, 4, processes=4)
    assert require(made, 4).step == 4
    with pytest.raises(TrainerRefusal, match="saved by 4 processes, and 2 would go on from it"):
        require(made, 2)


def test_going_on_from_a_torn_state_is_refused(tmp_path):
    with pytest.raises(TrainerRefusal, match="is torn: there is no such folder"):
        require(tmp_path / "checkpoint-4", 1)


def test_the_newest_two_whole_states_stay_and_those_asked_for(tmp_path):
    for step in (1, 2, 3, 4, 5):
        state(tmp_path, step)
    assert [one.step for one in prune(tmp_path, kept=(2,))] == [1, 3]
    assert [one.step for one in states(tmp_path)] == [2, 4, 5]


def test_a_torn_state_counts_for_none_of_the_two_and_goes_once_a_newer_one_is_whole(tmp_path):
    for step, marked in ((1, True), (2, False), (3, True), (4, False)):
        state(tmp_path, step, marked=marked)
    assert [one.step for one in prune(tmp_path)] == [2]
    assert [one.step for one in states(tmp_path)] == [1, 3, 4]
