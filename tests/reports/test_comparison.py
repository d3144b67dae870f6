"""A comparison in words: told, not told, on the border, and what stands against it."""

from tests.reports.test_tables import printed
from tests.statistics.test_comparison import side
from tmas_assets.reports.comparison import comparison_table, doubts, in_words
from tmas_assets.statistics import PairedComparison, compare


def same(a: dict[int, int], b: dict[int, int], problems: int) -> tuple[PairedComparison, ...]:
    return compare(side("tmas", a, 100, problems=problems), side("refine", b, 100, problems=problems), seed=0)


def test_a_clear_difference_names_the_better_one_whichever_side_it_is_on() -> None:
    told = in_words(same({0: 4}, {0: 1}, 30)[0])
    assert "At the same iteration, tmas t00 (10 calls and 100 tokens a problem) against refine t00" in told
    assert "tmas is better than refine by 75.00 points on 30 problems" in told
    assert "refine is better than tmas by 75.00 points" in in_words(same({0: 1}, {0: 4}, 30)[0])


def test_few_problems_tell_nothing_and_say_what_they_could() -> None:
    little = in_words(same({0: 1}, {0: 1}, 8)[0])
    assert "no difference can be told with 8 problems: A − B is +0.00 points" in little
    assert "would often be missed" in little


def test_interval_and_test_that_disagree_are_on_the_border() -> None:
    # Five problems, all won outright: the interval leaves 0 out, and 32 sign flips cannot go below 0.0625.
    outright = same({0: 4}, {0: 0}, 5)[0]
    assert outright.difference is not None
    assert (outright.difference.p, outright.difference.low > 0) == (0.0625, True)
    assert "on the border" in in_words(outright)
    # Eight, all won by a quarter: the other way round.
    narrow = same({0: 2}, {0: 1}, 8)[0]
    assert narrow.difference is not None
    assert (narrow.difference.p, narrow.difference.low > 0) == (2 / 256, False)
    assert "on the border" in in_words(narrow)


def test_what_cannot_be_compared_says_why() -> None:
    found = compare(side("cheap", {0: 2}, 100), side("dear", {0: 3}, 450), seed=0)
    assert in_words(found[3]) == (
        "Within A's tokens: nothing to compare, the first iteration of dear takes more tokens a problem than all of cheap."
    )


def test_doubts_are_each_said_once() -> None:
    a, b = side("a", {0: 1}, 100, start=0, problems=9, unknown=1), side("b", {0: 1}, 100, start=7, problems=3)
    found = compare(a, b, seed=0)
    assert doubts(found) == (
        "Some calls of a have no known usage: its tokens are a lower bound.",
        "Only in a, and not compared: p0, p1, p2, p3, p4 and 2 more.",
        "Only in b, and not compared: p9.",
    )


def test_other_graders_missing_answers_and_no_sandbox_are_said() -> None:
    one = same({0: 4}, {0: 1}, 4)[0]
    assert one.a is not None
    changed = one.a.model_copy(update={"grader": "math 2", "missing": 3, "unsandboxed": 5})
    said = " ".join(doubts([one.model_copy(update={"a": changed})]))
    assert "Graded differently (math 2 and math 1)" in said
    assert "tmas misses 3 answers at t00" in said
    assert "the code of 5 answers of tmas ran without a sandbox" in said


def test_a_choice_against_a_mean_is_said() -> None:
    found = compare(side("voted", {0: 1}, 100, chosen=True), side("plain", {0: 1}, 100), seed=0)
    assert doubts(found) == ("Scores of the answers that were chosen: voted; mean over all answers: plain.",)


def test_the_table_fits_eighty_columns() -> None:
    shown = printed(comparison_table(same({0: 4}, {0: 1}, 400)), 80)
    assert "+75.00" in shown
    assert "<0.001" in shown
    assert "400/0/0" in shown
