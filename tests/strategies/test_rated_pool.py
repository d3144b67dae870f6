"""The pool of verify and refine: which solutions are better, and which critiques are shown."""

import pytest

from tests.strategies.team import LocalTeam, go
from tmas_assets.records import Problem
from tmas_assets.strategies.rated_pool import best_first, critiques, pool, pool_of
from tmas_assets.strategies.verify_refine import Settings

PROBLEM = Problem(benchmark="toy", release="1", id="p", statement="What is $1 + 1$?", answer="2", grader="math")
SAMPLE = go(LocalTeam(), PROBLEM, "verify_refine", Settings(candidates=1, refinements=1, verifications=1), 1)[0]


def rollout(id_, *, iteration=0, text="x", branch="plain"):
    change = {"id": id_, "candidate": int(id_[1:]), "iteration": iteration, "text": text, "branch": branch}
    return SAMPLE.rollouts[0].model_copy(update=change)


def checks(of, *scores):
    """Verifications of rollout `of`; None could not be read."""
    return [
        SAMPLE.verifications[0].model_copy(
            update={"id": f"{of}v{n}", "rollout": of, "check": n, "score": score, "critique": f"{of}v{n}", "about": None}
        )
        for n, score in enumerate(scores)
    ]


def rate(check, score, number):
    """A meta-verification of `check`."""
    return check.model_copy(update={"id": f"{check.rollout}v{number}", "check": number, "score": score, "about": check.id})


def ids(rated):
    return [one.rollout.id for one in rated]


def test_order_is_by_mean_then_ratings_then_the_newer_then_the_number():
    rollouts = [rollout(f"c{n}", iteration=t) for n, t in enumerate([0, 0, 0, 1, 0, 0])]
    given = [
        *checks("c0", 0.5, 0.5), *checks("c1", 1, 0.5), *checks("c2", 0.5, None), *checks("c3", 0.5, 0.5),
        *checks("c4", None, None), *checks("c5", 0, 0),
    ]  # fmt: skip
    assert ids(best_first(pool(rollouts, given))) == ["c1", "c3", "c0", "c2", "c5", "c4"]


def test_a_solution_passes_only_where_every_verification_was_read_and_is_1():
    given = [*checks("c0", 1, 1), *checks("c1", 1, None), *checks("c2", 1, 0.5), *checks("c3", None, None)]
    rated = pool([rollout(f"c{n}") for n in range(5)], given)
    assert [one.passed for one in rated] == [True, False, False, False, False]


def test_what_passed_comes_before_an_equal_mean_of_as_many_ratings():
    low = checks("c0", 1, 1, 0)
    given = [*low, rate(low[2], 0, 3), *checks("c1", 1, 1, None)]
    assert ids(best_first(pool([rollout("c1", iteration=1), rollout("c0")], given))) == ["c0", "c1"]


def test_a_rating_called_groundless_is_in_no_mean_and_no_critique_and_others_stay():
    given = checks("c0", 0, 0.5, 0, 1)
    metas = [rate(given[0], 0, 4), rate(given[1], 0.5, 5), rate(given[2], None, 6)]
    (one,) = pool([rollout("c0")], [*given, *metas])
    assert [rating.id for rating in one.ratings] == ["c0v1", "c0v2", "c0v3"]
    assert one.mean == 0.5


def test_without_text_and_repeated_ones_are_not_in_the_pool():
    given = [rollout("c0"), rollout("c1", text=""), rollout("c2", branch="kept"), rollout("c3", branch="chosen")]
    assert ids(pool(given, [])) == ["c0"]
    assert ids(pool_of([SAMPLE])) == [SAMPLE.rollouts[0].id]


@pytest.mark.parametrize(
    ("scores", "shown"),
    [
        ([1, 0, 0.5, 1, 0], [1, 4, 2, 0, 3]),
        ([0] * 6 + [1] * 6, [0, 1, 2, 3, 6, 7, 8, 9]),
        ([1] * 6 + [0.5] * 5 + [0] * 5, [11, 12, 13, 14, 6, 7, 8, 9]),
        ([1] + [0] * 11, [1, 2, 3, 4, 0]),
        ([0.5] * 12, [0, 1, 2, 3, 4, 5, 6, 7]),
        ([None] * 3, []),
    ],
)
def test_critiques_go_up_by_score_at_most_four_of_each_and_eight_in_all(scores, shown):
    (one,) = pool([rollout("c0")], checks("c0", *scores))
    assert [check.check for check in critiques(one, most=8, per_score=4)] == shown
