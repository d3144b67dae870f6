"""CommonGen-Hard rows become problems; a bare list of the words is no answer."""

import json

import pytest

from tmas_assets.benchmarks import BenchmarkError, benchmark
from tmas_assets.engine.graders import Graders

ENTRY = benchmark("commongen_hard")
(FILE,) = ENTRY.releases["agentverse"].files


def read(*rows):
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    return ENTRY.read({FILE.path: lines}, ENTRY.Settings(), "agentverse")


def test_a_row_is_asked_with_all_its_words():
    first, second = read({"concepts": ["dog", "park", "run"]}, {"concepts": ["sea"]})
    assert (first.id, second.id) == ("commongen-hard-001", "commongen-hard-002")
    assert first.statement.endswith("every one of these 3 words (inflected forms count): dog, park, run.")
    assert json.loads(first.grading_data) == {"concepts": ["dog", "park", "run"]}
    assert (first.grader, first.judge) == ("concepts", "plausible")


def test_a_list_of_the_words_is_wrong_and_a_text_with_them_is_left_to_the_judge():
    (problem,) = read({"concepts": ["dog", "park", "run", "ball"]})
    with Graders(max_workers=1) as graders:
        assert graders.grade_sync(problem, problem.answer).outcome == "wrong"
        text = "Two dogs were running through the park after a ball that a child had thrown."
        assert graders.grade_sync(problem, text).outcome == "undecided"


@pytest.mark.parametrize(
    "concepts", [[], ["dog", "dog"], "dog", None, ["dog", 3]],
)  # fmt: skip
def test_a_row_without_a_proper_list_of_words_is_named(concepts):
    with pytest.raises(BenchmarkError, match=r"commongen_hard\.jsonl row 1: concepts"):
        read({"concepts": concepts})
