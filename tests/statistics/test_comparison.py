"""Two experiments at equal iterations, calls and tokens: which iterations are paired, and what stands in the way."""

import pytest

from tmas_assets.statistics import Basis, PairedComparison, ProblemTally, Side, compare


def side(
    name: str, rights: dict[int, int], tokens: int, *, calls: int = 10, problems: int = 4, start: int = 0, unknown: int = 0,
    short: tuple[int, ...] = (), version: str = "", repeats: int = 1, chosen: bool = False,
) -> Side:  # fmt: skip
    """By iteration, how many of 4 answers to each problem are right; so many tokens and calls a problem, iteration and repeat.

    `short`: iterations that miss a problem. `version`: of the problems' text.
    """
    names = [f"p{i}" for i in range(start, start + problems)]

    def tally(problem: str, iteration: int, right: int) -> ProblemTally:
        return ProblemTally(
            problem=problem, problem_digest=problem + version, source=problem, iteration=iteration, answers=4, right=right,
            truncated=0, failed=0, undecided=0, unsandboxed=0, calls=calls * repeats, tokens=tokens * repeats,
            usage_unknown=unknown,
        )  # fmt: skip

    def at(iteration: int, right: int) -> dict[str, ProblemTally]:
        there = names[:-1] if iteration in short else names
        return {problem + version: tally(problem, iteration, right) for problem in there}

    return Side(
        experiment=name,
        repeats=repeats,
        grader="math 1",
        chosen=chosen,
        missing={t: 4 * (t in short) for t in rights},
        tallies={t: at(t, right) for t, right in rights.items()},
    )


def only(a: Side, b: Side, basis: Basis) -> PairedComparison:
    (found,) = compare(a, b, seed=0, bases=[basis])
    return found


def iterations(found: tuple[PairedComparison, ...]) -> list[tuple[int, int] | None]:
    return [(one.a.iteration, one.b.iteration) if one.a and one.b else None for one in found]


def test_equal_tokens_pair_the_last_iteration_with_the_latest_that_costs_no_more() -> None:
    cheap, dear = side("cheap", dict.fromkeys(range(20), 2), 100), side("dear", dict.fromkeys(range(4), 3), 450)
    found = compare(cheap, dear, seed=0)
    # cheap has used 2,000 a problem at t19: dear 450, 900, 1350, 1800; dear 1800 at t03: cheap at t17
    assert iterations(found)[0] == (3, 3)
    assert iterations(found)[3:] == [(19, 3), (17, 3)]
    assert [(one.a.tokens, one.b.tokens) for one in found[3:] if one.a and one.b] == [(2000, 1800), (1800, 1800)]
    assert all(one.difference is not None and one.difference.value == -0.25 for one in found)


def test_a_side_whose_first_iteration_costs_too_much_is_not_compared_and_said() -> None:
    found = compare(side("cheap", {0: 2}, 100), side("dear", {0: 3, 1: 3}, 450), seed=0)
    assert iterations(found) == [(0, 0), (0, 0), (0, 1), None, (0, 1)]
    assert found[3].why == "the first iteration of dear takes more tokens a problem than all of cheap"


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


def test_equal_calls_count_calls_and_not_tokens() -> None:
    wordy, brief = side("wordy", dict.fromkeys(range(4), 2), 900, calls=8), side("brief", dict.fromkeys(range(4), 3), 10, calls=16)
    found = compare(wordy, brief, seed=0, bases=["calls of A", "calls of B", "calls"])
    assert iterations(found) == [(3, 1), (3, 3), (3, 1)]
    assert [(one.a.calls, one.b.calls) for one in found if one.a and one.b] == [(32, 32), (32, 64), (32, 32)]


def test_what_is_spent_is_of_one_repeat() -> None:
    once, often = side("once", {0: 2, 1: 2}, 100), side("often", {0: 2, 1: 2}, 100, repeats=4)
    found = only(once, often, "tokens")
    assert found.a is not None
    assert found.b is not None
    assert (found.a.tokens, found.b.tokens, found.a.iteration, found.b.iteration) == (200, 200, 1, 1)


def test_equal_tokens_are_within_the_smaller_total_where_the_dearer_has_an_iteration_within_it() -> None:
    short, long = side("short", {0: 2, 1: 2}, 450), side("long", dict.fromkeys(range(20), 3), 100)
    assert iterations((only(short, long, "tokens"), only(long, short, "tokens"))) == [(1, 8), (8, 1)]


def test_a_single_call_is_compared_within_the_larger_total_since_the_dearer_has_nothing_within_the_smaller() -> None:
    single, dear = side("single", {0: 2}, 20, calls=1), side("dear", dict.fromkeys(range(4), 3), 450, calls=82)
    assert iterations(tuple(only(single, dear, basis) for basis in ("calls", "tokens", "last"))) == [(0, 3)] * 3
    assert iterations((only(dear, single, "tokens"),)) == [(3, 0)]


def test_whether_answers_were_chosen_goes_with_each_side() -> None:
    found = only(side("voted", {0: 2}, 100, chosen=True), side("plain", {0: 2}, 100), "last")
    assert found.a is not None
    assert found.b is not None
    assert (found.a.chosen, found.b.chosen) == (True, False)


def test_a_problem_whose_text_changed_is_another_problem() -> None:
    found = compare(side("a", {0: 4}, 100), side("b", {0: 0}, 100, version="'"), seed=0)
    assert [one.difference for one in found] == [None] * 5
    assert found[0].why == "no problem is in both"


def test_nothing_graded_is_said() -> None:
    found = compare(side("a", {}, 100), side("b", {0: 1}, 100), seed=0)
    assert [one.why for one in found] == ["no iteration is graded in both", *["one of the two has no graded iteration"] * 4]


def test_unknown_usage_is_counted_up_to_the_iteration() -> None:
    found = compare(side("a", {0: 1, 1: 1}, 100, unknown=2), side("b", {0: 1, 1: 1}, 100), seed=0)
    assert found[0].a is not None
    assert found[0].b is not None
    assert (found[0].a.usage_unknown, found[0].b.usage_unknown) == (16, 0)


@pytest.mark.parametrize(
    ("basis", "mirror"),
    [
        ("last", "last"), ("iterations", "iterations"), ("calls", "calls"), ("tokens", "tokens"),
        ("calls of A", "calls of B"), ("tokens of A", "tokens of B"), ("tokens of B", "tokens of A"),
    ],
)  # fmt: skip
def test_swapping_the_sides_mirrors_the_comparison(basis: Basis, mirror: Basis) -> None:
    a, b = side("a", {0: 1, 1: 3, 2: 4}, 100), side("b", {0: 2, 1: 2}, 250)
    one, other = only(a, b, basis), only(b, a, mirror)
    assert (one.a, one.b) == (other.b, other.a)
    assert one.difference is not None
    assert other.difference is not None
    assert one.difference.value == -other.difference.value
