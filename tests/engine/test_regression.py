"""Is a score lower than the last that passed? Over problems both answered, with what changed said, and never edited once kept."""

import pytest

from resources.parquet_store import ParquetStore
from tmas_assets.engine.history import History, KeptSummary, ScoredSummary
from tmas_assets.engine.regression import verdict
from tmas_assets.records import Score
from tmas_assets.statistics import ProblemTally


def scored(name: str, right: int, problems: int = 30, answers: int = 4, missing: int = 0, iterations: int = 1, **change: object) -> ScoredSummary:
    """Of each problem `right` of `answers` are right, in every iteration."""
    score = {
        "experiment": "nightly", "benchmark": "b", "release": "r", "metric": "pass@1", "chosen": False, "value": right / answers, "low": 0.0,
        "high": 1.0, "level": 0.95, "value_answered": right / answers, "problems": problems, "answers": problems * answers,
        "expected": problems * answers + missing, "missing": missing, "left_out": 0, "right": right * problems,
        "wrong": (answers - right) * problems, "undecided": 0, "failed": 0, "truncated": 0, "empty": 0, "repetitive": 0, "judged": 0,
        "unsandboxed": 0, "grader": "math", "grader_version": "2", "grades_digest": name,
    }  # fmt: skip
    tallies = [
        ProblemTally(
            problem=f"p{n}", problem_digest=f"d{n}", source=f"p{n}", iteration=t, answers=answers, right=right, truncated=0, failed=0,
            undecided=0, unsandboxed=0, calls=answers, tokens=9, usage_unknown=0,
        )
        for t in range(iterations)
        for n in range(problems)
    ]  # fmt: skip
    scores = [Score.model_validate(score | {"iteration": t} | change) for t in range(iterations)]
    return ScoredSummary(summary=name * 8, variant="v", models=("m",), repeats=1, scores=tuple(scores), tallies=tuple(tallies))


def kept(one: ScoredSummary, number: int, before: ScoredSummary | None = None) -> KeptSummary:
    return KeptSummary(**dict(one), number=number, verdict=verdict(one, before, level=0.95))


def test_a_fall_beyond_chance_fails_and_names_difference_interval_problems_and_both_summaries():
    found = verdict(scored("new", 1), scored("old", 4), level=0.95)
    assert not found.passed
    assert found.difference == pytest.approx(-0.75)
    assert found.high is not None
    assert found.high < 0
    assert found.problems == 30
    assert "newnewnewnew" in found.said
    assert "oldoldoldold" in found.said
    assert "-75.0%" in found.said


def test_a_fall_within_chance_passes_and_so_does_a_rise():
    one, other = scored("new", 3), scored("old", 3)
    assert verdict(one, other, level=0.95).passed
    assert verdict(scored("new", 4), scored("old", 1), level=0.95).passed
    few = verdict(scored("new", 3, problems=2), scored("old", 4, problems=2), level=0.95)
    assert few.passed


def test_a_surer_level_is_asked_for_by_the_file():
    now, before = scored("new", 3, problems=6, answers=4), scored("old", 4, problems=6, answers=4)
    assert verdict(now, before, level=0.999).passed
    assert not verdict(now, before, level=0.5).passed


def test_the_first_summary_passes_and_says_that_there_is_nothing_to_compare():
    found = verdict(scored("new", 0), None, level=0.95)
    assert found.passed
    assert found.difference is None
    assert "nothing to compare" in found.said


def test_another_grader_missing_answers_and_problems_of_one_side_are_said():
    found = verdict(scored("new", 1, grader_version="3", missing=5), scored("old", 4, problems=33), level=0.95)
    assert "Graded by math 3, before by math 2" in found.said
    assert "Answers are missing: 5 now, 0 before" in found.said
    assert "3 that only the former did" in found.said
    assert found.problems == 30


def test_the_last_iteration_that_is_whole_in_both_is_compared():
    assert verdict(scored("new", 1, iterations=3), scored("old", 4, iterations=2), level=0.95).iteration == 1


def test_accepted_scores_pass_and_a_regression_is_no_measure_for_what_follows(tmp_path):
    history = History(ParquetStore(root=str(tmp_path)), "nightly")
    assert history.last() is None
    assert history.next_number() == 1
    good, bad = scored("good", 4), scored("bad", 1)
    history.keep(kept(good, 1))
    history.keep(kept(bad, 2, good))
    assert history.last().summary == bad.summary
    assert history.last_passed().summary == good.summary
    slightly_worse = scored("worse", 1)
    assert not verdict(slightly_worse, history.last_passed(), level=0.95).passed
    taken = verdict(slightly_worse, history.last_passed(), level=0.95, accept=True)
    assert taken.passed
    assert taken.accepted
    history.keep(KeptSummary(**dict(slightly_worse), number=history.next_number(), verdict=taken))
    assert history.last_passed().summary == slightly_worse.summary
    assert [one.number for one in history.newest_first()] == [3, 2, 1]


def test_a_summary_is_no_measure_for_itself(tmp_path):
    history = History(ParquetStore(root=str(tmp_path)), "nightly")
    old, new = scored("old", 4), scored("new", 4)
    history.keep(kept(old, 1))
    assert history.last_passed(but=old.summary) is None
    history.keep(kept(new, 2, old))
    history.keep(kept(new, 3, old))
    found = history.last_passed(but=new.summary)
    assert found is not None
    assert found.summary == old.summary


def test_what_two_runs_keep_at_once_lies_beside_each_other_and_the_same_bytes_are_the_same_file(tmp_path):
    history = History(ParquetStore(root=str(tmp_path)), "nightly")
    first, second = kept(scored("one", 4), 1), kept(scored("two", 4), 1)
    once, again = history.keep(first), history.keep(first)
    history.keep(second)
    assert once.digest == again.digest
    assert {one.summary for one in history.newest_first()} == {first.summary, second.summary}
