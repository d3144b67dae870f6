"""Two experiments at equal iterations and at equal tokens: which iterations are paired, and what stands in the way."""

import pytest

from tests.statistics.samples import grades
from tmas_assets.records import Outcome
from tmas_assets.statistics import PairedComparison, Samples, Side, compare, samples_of


def side(
    name: str, rights: dict[int, int], tokens: int, *, problems: int = 4, start: int = 0, unknown: int = 0, short: tuple[int, ...] = (),
    version: str = "",
) -> Side:  # fmt: skip
    """By iteration, how many of 4 answers to each problem are right; so many tokens a problem and iteration.

    `short`: iterations that miss a problem. `version`: of the problems' text.
    """
    names = [f"p{i}" for i in range(start, start + problems)]

    def at(iteration: int, right: int) -> Samples:
        outcomes: list[Outcome] = ["right"] * right + ["wrong"] * (4 - right)
        there = names[:-1] if iteration in short else names
        made = [one for p in there for one in grades(p, outcomes, iteration=iteration, digest=p + version)]
        return samples_of(made, problems=names, answers_per_problem=4, iteration=iteration, place=name)

    digests = [p + version for p in names]
    return Side(
        experiment=name,
        samples={t: at(t, right) for t, right in rights.items()},
        tokens={d: dict.fromkeys(rights, tokens) for d in digests},
        unknown={d: dict.fromkeys(rights, unknown) for d in digests},
        grader="math 1",
    )


def iterations(found: tuple[PairedComparison, ...]) -> list[tuple[int, int] | None]:
    return [(one.a.iteration, one.b.iteration) if one.a and one.b else None for one in found]


def test_equal_tokens_pair_the_last_iteration_with_the_latest_that_costs_no_more() -> None:
    cheap, dear = side("cheap", dict.fromkeys(range(20), 2), 100), side("dear", dict.fromkeys(range(4), 3), 450)
    found = compare(cheap, dear, seed=0)
    # cheap has used 2,000 a problem at t19: dear 450, 900, 1350, 1800; dear 1800 at t03: cheap at t17
    assert iterations(found) == [(3, 3), (19, 3), (17, 3)]
    assert [(one.a.tokens, one.b.tokens) for one in found if one.a and one.b] == [(400, 1800), (2000, 1800), (1800, 1800)]
    assert all(one.difference is not None and one.difference.value == -0.25 for one in found)


def test_a_side_whose_first_iteration_costs_too_much_is_not_compared_and_said() -> None:
    found = compare(side("cheap", {0: 2}, 100), side("dear", {0: 3, 1: 3}, 450), seed=0)
    assert iterations(found) == [(0, 0), None, (0, 1)]
    assert found[1].why == "the first iteration of dear takes more tokens a problem than all of cheap"


def test_an_iteration_that_misses_answers_is_paired_only_for_want_of_better() -> None:
    a, b = side("a", {0: 1, 1: 2, 2: 3}, 100, short=(2,)), side("b", {0: 1, 1: 2, 2: 2}, 100)
    assert iterations(compare(a, b, seed=0))[0] == (1, 1)
    partial = compare(side("a", {0: 1}, 100, short=(0,)), b, seed=0)
    assert iterations(partial)[0] == (0, 0)
    assert partial[0].a is not None
    assert partial[0].a.missing == 4
    assert partial[0].only_b == ("p3",)


def test_only_shared_problems_are_paired_and_the_others_are_listed() -> None:
    found = compare(side("a", {0: 4}, 100, start=0), side("b", {0: 0}, 100, start=2), seed=0)
    assert found[0].difference is not None
    assert found[0].difference.problems == 2
    assert (found[0].only_a, found[0].only_b) == (("p0", "p1"), ("p4", "p5"))


def test_a_problem_whose_text_changed_is_another_problem() -> None:
    found = compare(side("a", {0: 4}, 100), side("b", {0: 0}, 100, version="'"), seed=0)
    assert [one.difference for one in found] == [None, None, None]
    assert found[0].why == "no problem is in both"


def test_nothing_graded_is_said() -> None:
    found = compare(side("a", {}, 100), side("b", {0: 1}, 100), seed=0)
    assert [one.why for one in found] == [
        "no iteration is graded in both", "one of the two has no graded iteration", "one of the two has no graded iteration",
    ]  # fmt: skip


def test_unknown_usage_is_counted_up_to_the_iteration() -> None:
    found = compare(side("a", {0: 1, 1: 1}, 100, unknown=2), side("b", {0: 1, 1: 1}, 100), seed=0)
    assert found[0].a is not None
    assert found[0].b is not None
    assert (found[0].a.usage_unknown, found[0].b.usage_unknown) == (16, 0)


@pytest.mark.parametrize("basis", [0, 1, 2])
def test_swapping_the_sides_mirrors_the_comparison(basis: int) -> None:
    a, b = side("a", {0: 1, 1: 3, 2: 4}, 100), side("b", {0: 2, 1: 2}, 250)
    one, other = compare(a, b, seed=0)[basis], compare(b, a, seed=0)[(0, 2, 1)[basis]]
    assert (one.a, one.b) == (other.b, other.a)
    assert one.difference is not None
    assert other.difference is not None
    assert one.difference.value == -other.difference.value
