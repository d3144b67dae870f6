"""Two processes under DeepSpeed, ZeRO 1, 2 and 3: train, end when asked, go on, save, convert. All in one launch, since imports take 20 s."""

import json

import pytest

from tests.engine.training.trained import Trials, apart, training, weights
from tmas_assets.engine.training.figures_file import read_figures
from tmas_assets.engine.training.states import look, newest_whole
from tmas_assets.records import TrainerOutcome
from tmas_assets.training.order import order

pytestmark = [pytest.mark.xdist_group("trl"), pytest.mark.timeout(300)]
STAGES = (1, 2, 3)


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    trials = Trials(tmp_path_factory.mktemp("zero"))
    for stage in STAGES:
        run = training(stage, processes=2)
        whole = trials.add(f"whole{stage}", run)
        trials.add(f"whole{stage}", run, "convert")
        asked = trials.add(f"asked{stage}", run, "asked to end")
        trials.add(f"resumed{stage}", run, state=asked / "states" / "checkpoint-2", states=asked / "states")
        assert whole.parent == asked.parent
    trials.codes, trials.texts = trials.run(2, 280)  # a plan that hangs ends after 60 s already
    return trials


def outcome(trials, name):
    return TrainerOutcome.model_validate_json((trials.folder / name / "model" / "outcome.json").read_bytes())


def test_every_process_ends_well(trials):
    assert trials.codes == [0, 0], "\n".join(trials.texts)[-4000:]
    assert [text.count("CODE 0 ") for text in trials.texts] == [9, 9], "\n".join(trials.texts)[-4000:]


@pytest.mark.parametrize("stage", STAGES)
def test_the_model_read_back_is_the_one_in_memory(trials, stage):
    found = outcome(trials, f"whole{stage}")
    assert (found.ended, found.step, found.processes) == ("finished", 4, 2)
    assert found.max_difference <= 1e-6
    assert found.parameters % 2 == 1


@pytest.mark.parametrize("stage", STAGES)
def test_training_changed_the_weights(trials, stage):
    assert apart(trials.folder / "model", trials.folder / f"whole{stage}" / "model") > 1e-3


def test_weights_converted_to_32_bits_load_strictly_and_are_the_saved_ones(trials):
    told = [line for line in trials.texts[0].splitlines() if line.startswith("CONVERTED")]
    assert len(told) == 3
    assert all(float(line.split()[1]) <= 1e-6 for line in told), told


def test_a_tied_output_layer_is_written_once(trials):
    assert "lm_head.weight" not in weights(trials.folder / "whole3" / "model")


@pytest.mark.parametrize("stage", STAGES)
def test_sigterm_to_one_process_ends_all_after_the_same_step_with_a_whole_state(trials, stage):
    found = outcome(trials, f"asked{stage}")
    assert (found.ended, found.step, found.max_difference) == ("asked to end", 2, None)
    assert look(trials.folder / f"asked{stage}" / "states" / "checkpoint-2").fault is None
    assert not (trials.folder / f"asked{stage}" / "model" / "model.safetensors").exists()


@pytest.mark.parametrize("stage", STAGES)
def test_a_resumed_run_has_the_weights_of_the_unbroken_one(trials, stage):
    assert apart(trials.folder / f"whole{stage}" / "model", trials.folder / f"resumed{stage}" / "model") <= 1e-6


@pytest.mark.parametrize("stage", STAGES)
def test_prompts_of_every_step_are_the_planned_ones_also_after_a_break(trials, stage):
    laid = order(trials.rows, steps=4, prompts=4, mix={}, seed=0)
    wanted = [[at for at in step for _ in range(4)] for step in laid]
    for name in (f"whole{stage}", f"asked{stage}"):  # the resumed run writes where the broken one did
        ranks = [
            [json.loads(line) for line in (trials.folder / name / "states" / f"seen-{rank}.jsonl").read_text().splitlines()] for rank in (0, 1)
        ]
        assert [first + second for first, second in zip(*ranks, strict=True)] == wanted


def test_figures_stand_once_a_step_and_agree_before_and_after_a_break(trials):
    unbroken = read_figures(trials.folder / "whole2" / "figures.jsonl")
    broken = [*read_figures(trials.folder / "asked2" / "figures.jsonl"), *read_figures(trials.folder / "resumed2" / "figures.jsonl")]
    assert [one.step for one in unbroken] == [one.step for one in broken] == [1, 2, 3, 4]
    assert [one.learning_rate for one in unbroken] == pytest.approx([0.01, 0.0075, 0.005, 0.0025])
    for one, other in zip(unbroken, broken, strict=True):
        assert (one.reward, one.tokens, one.truncated, one.zero_variance) == (other.reward, other.tokens, other.truncated, other.zero_variance)
        assert one.parts[0].samples + one.unrewarded == 16
        assert one.tokens > 16
        assert one.memory_mib > 100


def test_the_newest_states_are_whole(trials):
    for stage in STAGES:
        state = newest_whole(trials.folder / f"whole{stage}" / "states")
        assert (state.step, state.mark.processes) == (4, 2)
