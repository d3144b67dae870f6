"""One real trainer process under attack: a full disk, a kill amid saving, other weights on disk, cut samples, a silent server."""

import re

import pytest

from tests.engine.training.trained import Trials, apart, training
from tmas_assets.engine.training.figures_file import read_figures
from tmas_assets.engine.training.states import look, newest_whole, torn
from tmas_assets.records.training import DeepSpeed

pytestmark = [pytest.mark.xdist_group("trl"), pytest.mark.timeout(200)]


@pytest.fixture(scope="module")
def trials(tmp_path_factory):
    trials = Trials(tmp_path_factory.mktemp("broken"))
    run = training(2, processes=1)
    trials.add("full", training(2, 1, kl=0.1), "disk full")
    trials.add("cut", training(0, 1, most_truncated=0.2))
    trials.add("changed", training(2, 1, precision="fp32", steps=1), "changed weight")
    trials.add("others", run, digest="0" * 64)
    hot = training(2, 1, precision="fp32", steps=3)
    trials.add("hot", hot.model_copy(update={"optimisation": hot.optimisation.model_copy(update={"learning_rate": 1e38, "schedule": "constant"})}))
    trials.add("mute", run, model="mute")
    trials.add("narrow", run, model="narrow")
    trials.add("unknown", run.model_copy(update={"deepspeed": DeepSpeed(overrides={"zero_optimisation": {}})}))
    trials.add("silent", run, "silent server")
    trials.add("single", training(2, 1, steps=4, iterations=1))
    two = training(2, 1, steps=2, iterations=2)
    first = trials.add("twice0", two)
    trials.add("twice1", two, state=first / "states" / "checkpoint-2", states=first / "states", iteration=1)
    trials.add("again", two, state=first / "states" / "checkpoint-4", states=first / "states", iteration=1)
    trials.add("killed", run, "killed in save")
    trials.codes, texts = trials.run(1, 180)
    trials.text = texts[0]
    return trials


def said(trials, name):
    """How the process ended the plan `name`, and all it said meanwhile."""
    text, _, code, _ = re.search(rf"(?s)^(.*?)(^CODE (\d) {name}\.json .*?$)()", trials.text, re.MULTILINE).groups()
    return code, text[text.rfind("\nCODE ") + 1 :]


def test_a_full_disk_is_said_with_the_state_that_stands_and_the_former_state_stays_the_newest_whole_one(trials):
    code, text = said(trials, "full")
    assert code == "2", trials.text[-4000:]
    assert "StateNotWritten: tiny_2: the trainer state of step 4 could not be written" in text
    assert "The newest whole state is that of step 2" in text
    states = trials.folder / "full" / "states"
    assert newest_whole(states).step == 2
    assert [state.step for state in torn(states)] == [4]


def test_a_sample_without_a_reward_is_a_figure_and_not_printed_in_the_log(trials):
    steps = [one for name in ("full", "cut", "single") for one in read_figures(trials.folder / name / "figures.jsonl")]
    assert any(one.unrewarded for one in steps)
    assert "returned None" not in trials.text


def test_the_distance_to_the_model_begun_with_is_a_figure(trials):
    first, second, *_ = read_figures(trials.folder / "full" / "figures.jsonl")
    assert first.kl == pytest.approx(0, abs=1e-6)
    assert second.kl > 0


def test_a_kill_amid_saving_leaves_the_former_state_the_newest_whole_one(trials):
    assert trials.codes == [-9]
    states = trials.folder / "killed" / "states"
    assert newest_whole(states).step == 2
    assert [(state.step, state.fault) for state in torn(states)] == [(4, "whole.json is missing: writing it did not end")]


def test_a_run_whose_samples_are_mostly_cut_stops_with_figure_and_limit(trials):
    code, text = said(trials, "cut")
    assert code == "2"
    steps = read_figures(trials.folder / "cut" / "figures.jsonl")
    share = sum(one.truncated for one in steps) / 3
    assert len(steps) == 3
    assert f"TrainingStopped: tiny_0: {share:.0%} of the samples of 3 steps up to step 3 are cut at 48 tokens, allowed are 20%" in text


def test_a_model_that_is_not_the_trained_one_does_not_count(trials):
    code, text = said(trials, "changed")
    assert code == "2"
    assert "ModelNotAsTrained" in text
    assert "weights read back differ from those in memory by 0.01" in text
    assert not (trials.folder / "changed" / "model" / "outcome.json").exists()


def test_weights_past_all_numbers_are_a_divergence_also_where_sampling_sees_it_first(trials):
    code, text = said(trials, "hot")
    assert code == "2", text[-2000:]
    assert re.search("TrainingStopped: tiny_2: training diverged at step [23]: .*Lower optimisation.learning_rate", text)


def test_what_cannot_be_trained_is_refused_in_a_sentence(trials):
    code, text = said(trials, "mute")
    assert code == "2", text[-2000:]
    assert re.search(r"TrainerRefusal: tiny_2: the tokenizer of \S+ has no chat template", text)
    code, text = said(trials, "narrow")
    assert code == "2", text[-2000:]
    assert re.search(r"TrainerRefusal: tiny_2: the tokenizer of \S+ writes token \d+, and the model has 200: they are not of one model", text)
    code, text = said(trials, "unknown")
    assert code == "2", text[-2000:]
    assert "TrainerRefusal: tiny_2: deepspeed.overrides.zero_optimisation: DeepSpeed has no such field; did you mean zero_optimization?" in text


def test_other_rows_than_planned_are_refused(trials):
    code, text = said(trials, "others")
    assert code == "2"
    assert f"have digest {trials.digest[:12]}, the plan was made for 000000000000" in text


def test_a_server_that_takes_no_weights_ends_the_run_with_the_step(trials):
    told = next(line for line in trials.text.splitlines() if line.startswith("SYNC"))
    assert told.startswith("SYNC True tiny: vLLM (http://127.0.0.1:")
    assert "did not take the weights of step 3 within 0.5 s" in told


def test_vllm_settings_reach_the_trainer(trials):
    told = [line for line in trials.text.splitlines() if line.startswith("VLLM")]
    assert told == ["VLLM True server True 0.4", "VLLM True colocate True 0.3"]


def test_two_iterations_are_one_run_of_the_optimizer(trials):
    assert apart(trials.folder / "single" / "model", trials.folder / "twice1" / "model") <= 1e-6
    rates = [one.learning_rate for name in ("twice0", "twice1") for one in read_figures(trials.folder / name / "figures.jsonl")]
    assert rates == [one.learning_rate for one in read_figures(trials.folder / "single" / "figures.jsonl")]


def test_a_run_killed_after_its_last_state_saves_the_model_without_another_step(trials):
    assert said(trials, "again")[0] == "0"
    assert (trials.folder / "again" / "model" / "model.safetensors").read_bytes() == (
        trials.folder / "twice1" / "model" / "model.safetensors"
    ).read_bytes()
    assert read_figures(trials.folder / "again" / "figures.jsonl") == ()


def test_the_state_that_an_iteration_began_from_stays(trials):
    assert look(trials.folder / "twice0" / "states" / "checkpoint-2").fault is None
