"""SFT under DeepSpeed against the same training written out by hand: loss, gradient, weights; stopped and gone on with; refusals.

All runs are made by one process with one import (`sft_runs.py`).
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tmas_assets.engine.training.states import look
from tmas_assets.records import StepFigures, StepPrompts

HERE = Path(__file__).resolve()
pytestmark = [pytest.mark.xdist_group("sft_runs"), pytest.mark.timeout(600)]
TOKENS = ["tokens_whole", "tokens_single", "tokens_two"]
CONVERSATIONS = ["conversations_pairs", "conversations_two"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("sft")
    given = {
        "TMAS_HOME": str(made / "home"), "PYTHONPATH": str(HERE.parents[3]), "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1",
        "DS_ACCELERATOR": "cpu", "TOKENIZERS_PARALLELISM": "false",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, str(HERE.with_name("sft_runs.py")), str(made)],
        env=os.environ | given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:]
    (made / "log").write_text(done.stdout)
    return made


def run(folder, name):
    return json.loads((folder / f"{name}.json").read_text())


def gap(one, other):
    return max(abs(a - b) for a, b in zip(one["weights"], other["weights"], strict=True))


@pytest.mark.parametrize("name", TOKENS + CONVERSATIONS)
def test_loss_gradient_accuracy_and_schedule_of_each_step_are_those_by_hand(folder, name):
    expected = run(folder, "tokens_by_hand" if name in TOKENS else "conversations_by_hand")["figures"]
    found = run(folder, name)["figures"]
    assert [one["step"] for one in found] == [1, 2, 3, 4]
    for one, other in zip(found, expected, strict=True):
        for what in ("loss", "grad_norm", "learning_rate", "accuracy"):
            assert one[what] == pytest.approx(other[what], rel=1e-5), what


@pytest.mark.parametrize("name", TOKENS + CONVERSATIONS)
def test_weights_are_those_by_hand_with_decay_on_matrices_and_none_on_norms(folder, name):
    assert gap(run(folder, name), run(folder, "tokens_by_hand" if name in TOKENS else "conversations_by_hand")) < 1e-5


def test_the_mean_over_tokens_is_another_than_over_conversations(folder):
    assert (
        gap(run(folder, "tokens_by_hand"), run(folder, "conversations_by_hand")) > 1e-3
    )  # else the comparisons above tell nothing


def test_steps_with_fillers_are_among_those_compared(folder):
    for name in ("tokens_whole", "conversations_two"):
        assert {len(step.rows) for step in order(folder, name)} == {3, 4}


def order(folder, name):
    return [StepPrompts.model_validate_json(line) for line in (folder / name / "order.jsonl").read_text().splitlines()]


def test_the_order_is_the_same_however_steps_are_cut_and_holds_groups_whole(folder):
    tables = [order(folder, name) for name in TOKENS]
    assert tables[0] == tables[1] == tables[2]
    for step in tables[0]:
        groups = [row.split("#")[0] for row in step.rows]
        assert groups == sorted(groups, key=groups.index)  # each in one stretch


def test_a_run_that_was_asked_to_end_and_gone_on_with_is_the_unbroken_one(folder):
    asked, resumed, unbroken = (run(folder, name) for name in ("asked", "resumed", "tokens_single"))
    assert (asked["outcome"]["ended"], asked["outcome"]["step"], asked["outcome"]["max_difference"]) == ("asked to end", 2, None)
    assert look(folder / "asked" / "states" / "checkpoint-2").fault is None
    assert (resumed["outcome"]["ended"], resumed["outcome"]["step"]) == ("finished", 4)
    assert gap(resumed, unbroken) == 0.0
    assert [one["loss"] for one in asked["figures"] + resumed["figures"]] == [one["loss"] for one in unbroken["figures"]]
    assert order(folder, "resumed") == order(folder, "tokens_single")


def test_half_precision_with_gradient_checkpointing_learns_alike_and_saves_what_is_in_memory(folder):
    found, full = run(folder, "bf16"), run(folder, "tokens_by_hand")
    for one, other in zip(found["figures"], full["figures"], strict=True):
        assert one["loss"] == pytest.approx(other["loss"], rel=1e-2)
    assert found["outcome"]["max_difference"] <= 1e-6
    assert found["figures"][-1]["loss"] < found["figures"][0]["loss"] - 0.1


def test_figures_stand_in_the_file_with_the_tokens_of_each_step(folder):
    lines = (folder / "tokens_single" / "figures.jsonl").read_text().splitlines()
    found = [StepFigures.model_validate_json(line) for line in lines]
    assert [one.model_dump(mode="json") for one in found] == run(folder, "tokens_single")["figures"]
    assert [one.tokens for one in found] == [one["tokens"] for one in run(folder, "tokens_two")["figures"]]
    assert all(one.tokens > 300 and one.seconds > 0 and one.memory_mib > 0 for one in found)


def test_only_the_roles_asked_for_are_trained_and_what_is_too_long_is_named(folder):
    rows = [row for step in order(folder, "chosen") for row in step.rows]
    assert len(set(rows)) == len(rows) == 7
    assert not [row for row in rows if row.endswith("#1")]  # the verifications
    assert (
        "left out 3 of 10 conversations as too long: g2#3 (137 tokens), g3#0 (137 tokens), g4#2 (137 tokens)"
        in (folder / "log").read_text()
    )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("uneven", ("sft.batch", "4", "micro_batch 3")),
        ("mute", ("no chat template",)),
        ("small_groups", ("group g2 has 4 conversations, and a step takes 3", "whole_groups")),
        ("narrow", ("writes token 25", "the model has 200")),
        ("beyond", ("longest conversation has", "takes 100", "sft.max_tokens")),
    ],
)
def test_what_cannot_be_trained_is_refused_with_the_numbers(folder, name, words):
    refused = run(folder, name)["refused"]
    assert refused.startswith("tiny_sft: ")
    assert not [word for word in words if word not in refused], refused
