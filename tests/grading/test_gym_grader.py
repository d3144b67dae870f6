"""Generated problems are graded by the package's own scorer, on the answer found in the reply."""

import json

import pytest

from tmas_assets.grading.pool import GraderPool
from tmas_assets.records import Problem


def problem(task, answer, metadata=None, config=None):
    entry = {"question": "?", "answer": answer, "metadata": {"source_dataset": task, **(metadata or {})}}
    data = {"config": config or {}, "entry": entry, "package": "reasoning-gym", "task": task}
    return Problem(benchmark="reasoning_gym", release="demo", id=f"{task}-0000", statement="?", answer=answer,
                   grader="reasoning_gym", grading_data=json.dumps(data))


@pytest.fixture(scope="module")
def pool():
    with GraderPool(max_workers=1) as made:
        yield made


SUM = problem("chain_sum", "14")


@pytest.mark.parametrize(("text", "outcome"), [
    (r"\boxed{14}", "right"),
    ("14", "right"),
    ("The answer is 14.", "right"),
    ("5 + 9 = 14", "right"),
    ("#### 14", "right"),
    (r"\boxed{+014.0}", "right"),
    (r"\boxed{x = 14}", "right"),
    (r"\boxed{15}", "wrong"),
    ("13 or 14", "wrong"),
    ("", "wrong"),
    ("<think>14</think>", "wrong"),
    ("<think>15</think>14", "right"),
    ("I do not know.", "wrong"),
    (r"\boxed{14", "wrong"),
])
def test_a_sum(pool, text, outcome):
    assert pool.grade_sync(SUM, text).outcome == outcome


@pytest.mark.parametrize(("text", "outcome"), [
    ("apple, bear, cat", "right"), ("Answer: apple, bear, cat", "right"), (r"\boxed{apple, bear, cat}", "right"),
    ("apple, cat, bear", "wrong"), ("bear", "wrong"),
])
def test_a_list_of_words(pool, text, outcome):
    metadata = {"original_words": ["cat", "bear", "apple"], "sorted_words": ["apple", "bear", "cat"],
                "direction": "ascending", "transformation": "original"}
    words = problem("word_sorting", "apple, bear, cat", metadata)
    assert pool.grade_sync(words, text).outcome == outcome


@pytest.mark.parametrize("data", ["", "{", "{}", '{"task": "no_such_task", "config": {}, "entry": {}}', "[]"])
def test_broken_grading_data_is_a_failure_of_the_grader(pool, data):
    broken = SUM.model_copy(update={"grading_data": data})
    verdict = pool.grade_sync(broken, r"\boxed{15}")
    assert (verdict.outcome, verdict.failure.boundary) == ("failed", "grader")


def test_a_scorer_that_raises_is_a_failure_of_the_grader(pool):
    without_answer = '{"task": "chain_sum", "config": {}, "entry": {"metadata": {}}}'
    verdict = pool.grade_sync(SUM.model_copy(update={"grading_data": without_answer}), r"\boxed{15}")
    assert (verdict.outcome, verdict.failure.kind) == ("failed", "KeyError")


def test_a_config_the_package_refuses_is_a_failure_of_the_grader(pool):
    verdict = pool.grade_sync(problem("simple_equations", "3", config={"min_terms": -1}), r"\boxed{4}")
    assert verdict.outcome == "failed"
    assert "min_terms" in verdict.failure.detail
