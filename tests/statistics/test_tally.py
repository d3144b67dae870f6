"""What a run of a strategy takes, summed from tallies."""

from tests.statistics.test_comparison import side
from tmas_assets.statistics import Side, Spent, right_rates, spent_by_iteration


def spent(of: Side) -> tuple[Spent, ...]:
    rows = [one for own in of.tallies.values() for one in own.values()]
    return spent_by_iteration(rows[::-1], of.repeats)


def test_spending_adds_up_over_iterations_and_is_of_one_problem_and_repeat() -> None:
    found = spent(side("a", {0: 1, 1: 2, 2: 3}, 100, calls=7, repeats=4, unknown=1))
    assert [(one.iteration, one.calls, one.tokens, one.usage_unknown) for one in found] == [
        (0, 7, 100, 4), (1, 14, 200, 8), (2, 21, 300, 12),
    ]  # fmt: skip


def test_an_iteration_that_some_problems_lack_is_a_mean_over_those_it_has() -> None:
    found = spent(side("a", {0: 1, 1: 2}, 100, short=(1,)))
    assert [one.tokens for one in found] == [100, 200]


def test_a_problem_without_answers_has_no_rate() -> None:
    (own,) = side("a", {0: 1}, 100).tallies.values()
    own = {**own, "p3": own["p3"].model_copy(update={"answers": 0, "right": 0})}
    assert right_rates(own) == {"p0": 0.25, "p1": 0.25, "p2": 0.25}
