"""The faults of a run's rewards are told before anything is trained, each with the path of its field."""

import pytest

from tests.rewards.made import HYBRID, training
from tests.whole.experiments import endpoint
from tmas_assets.records import Training
from tmas_assets.rewards.faults import faults_of

JUDGED = {"name": "novel_strategy", "settings": {"novelty": "judge"}}
CORRECTNESS = {"name": "correctness"}


def test_the_hybrid_and_the_plain_rewards_have_no_fault():
    assert faults_of(training()) == []
    assert faults_of(training(CORRECTNESS)) == []


def test_a_run_on_conversations_has_no_rewards_to_be_wrong():
    body = {"name": "s", "conversations": {"set": "cold"}, "sft": {}, "optimisation": {"learning_rate": 1e-5}}
    assert faults_of(Training.model_validate(body)) == []


@pytest.mark.parametrize(
    ("rewards", "line"),
    [
        ((CORRECTNESS, {"name": "experience"}), "grpo.rewards.1.name: no reward 'experience'; did you mean experience_use?"),
        ((CORRECTNESS, {"name": "experience_use", "settings": {"beta": "x"}}), "grpo.rewards.1.settings.beta: "),
        ((CORRECTNESS, {"name": "novel_strategy", "settings": {"treshold": 1}}), "grpo.rewards.1.settings.treshold: there is no such field; did you mean threshold?"),
        ((CORRECTNESS, HYBRID[1], CORRECTNESS), "grpo.rewards.2.name: correctness stands at grpo.rewards.0 already"),
        ((HYBRID[1], HYBRID[2]), "prompts.sources: no reward applies to normal rows; add one of correctness, or leave normal out"),
        (({"name": "correctness", "weight": 0},), "grpo.rewards: the weight of each is 0"),
        (({"name": "correctness", "settings": {"right": float("inf")}},), "grpo.rewards.0.settings.right: "),
        ((CORRECTNESS, JUDGED), "judge: novel_strategy asks a judge for novelty and none is given"),
    ],
)  # fmt: skip
def test_a_fault_is_one_line_with_its_path(rewards, line):
    [found] = faults_of(training(*rewards))
    assert found.startswith(line)


def test_every_wrong_reward_has_its_line():
    found = faults_of(training({"name": "a"}, {"name": "experience_use", "settings": {"beta": -1, "b": 1}}))
    assert [line.split(": ")[0] for line in found] == [
        "grpo.rewards.0.name", "grpo.rewards.1.settings.beta", "grpo.rewards.1.settings.b"
    ]  # fmt: skip


def test_a_reward_that_counts_for_no_row_of_the_run_is_named():
    [found] = faults_of(training(CORRECTNESS, HYBRID[1], prompts={"set": "cold", "sources": ["normal"]}))
    assert found.startswith("grpo.rewards.1.name: experience_use counts for no row")
    [found] = faults_of(training(CORRECTNESS, HYBRID[2], prompts={"set": "cold", "sources": ["guideline"]}))
    assert found.startswith("grpo.rewards.0.name: correctness counts for no row")


def test_a_judge_that_is_given_is_no_fault_and_needs_room_in_the_name():
    judge = endpoint("http://127.0.0.1:9/v1")
    assert faults_of(training(CORRECTNESS, JUDGED, judge=judge)) == []
    assert faults_of(training(CORRECTNESS, JUDGED, judge=judge, name="n" * 55)) == []
    [found] = faults_of(training(CORRECTNESS, JUDGED, judge=judge, name="n" * 56))
    assert found.startswith("name: a run that asks a judge has at most 55 characters (found 56)")
    assert faults_of(training(CORRECTNESS, HYBRID[2], name="n" * 64)) == []
