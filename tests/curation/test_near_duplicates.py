"""One of each problem stays; problems of one template that differ in their data are different problems."""

import subprocess
import sys

import pytest

from tmas_assets.curation.near_duplicates import unique
from tmas_assets.records import Problem, SourceProblem

FENCE = (
    "A farmer builds a fence around a rectangular meadow of 340 by 125 metres and leaves a gate of width $w$ open on its "
    "shorter side. If every post stands $\\frac{5}{2}$ metres from the next, how many posts does the farmer need?"
)


def source(id_, statement, answer="17"):
    problem = Problem(benchmark="own", release="one", id=id_, statement=statement, answer=answer, grader="math")
    return SourceProblem(problem=problem, source="own", licence="CC0-1.0", topic="own")


def screened(*statements, answers=None, similarity=0.8):
    answers = answers or ["17"] * len(statements)
    return unique([source(f"p{at}", statement, answers[at]) for at, statement in enumerate(statements)], similarity)


def kept(screening):
    return [one.problem.id for one in screening.kept]


def reasons(screening):
    return {one.problem: one.reason for one in screening.dropped}


@pytest.mark.parametrize("copy", [
    FENCE,
    FENCE.replace(" ", "\n"),
    FENCE.replace("$\\frac{5}{2}$", "\\( \\dfrac52 \\)"),
    FENCE.upper().replace("\\FRAC", "\\frac"),
], ids=["exact", "wrapped", "latex", "capitals"])  # fmt: skip
def test_the_first_of_statements_that_read_alike_stays(copy):
    found = screened(FENCE, "Something else with 3 words.", copy)
    assert kept(found) == ["p0", "p1"]
    assert reasons(found) == {"p2": "duplicate"}
    assert "p0" in found.dropped[0].detail


def test_renamed_variables_and_a_changed_word_make_a_near_duplicate_and_the_detail_names_twin_and_similarity():
    found = screened(FENCE, FENCE.replace("$w$", "$b$").replace("meadow", "paddock"))
    assert reasons(found) == {"p1": "near-duplicate"}
    assert "p0" in found.dropped[0].detail
    assert "MinHash similarity 0." in found.dropped[0].detail


def test_template_problems_that_differ_in_one_number_all_stay():
    sums = [f"Calculate {a} + {b}." for a in range(40) for b in range(40)]
    assert len(unique([source(text, text) for text in sums], 0.5).kept) == 1600


def test_the_order_of_the_terms_of_a_formula_counts():
    assert kept(screened("Calculate 3 - 4.", "Calculate 4 - 3.")) == ["p0", "p1"]


def test_brackets_count():
    assert kept(screened("Calculate (2 + 3) * 4.", "Calculate 2 + (3 * 4).", answers=["20", "14"])) == ["p0", "p1"]


def test_a_long_problem_with_another_number_stays():
    assert kept(screened(FENCE, FENCE.replace("340", "350"))) == ["p0", "p1"]


def test_template_problems_that_differ_in_words_stay_though_their_golds_agree():
    long = "Read the list below with care and say how many letters its entries have in all, counting each letter once for each place: "
    lists = ["apple cedar", "olive maple", "plums grape", "birch lemon", "aspen berry", "thyme basil", "onion peach", "mango chive"]
    found = screened(*(long + words for words in lists), answers=["10"] * len(lists), similarity=0.7)
    assert len(found.kept) == len(lists)


def test_the_same_statement_with_two_golds_leaves_no_row_and_says_which_golds():
    found = screened(FENCE, FENCE.lower(), FENCE, answers=["17", "18", "17"])
    assert kept(found) == []
    assert reasons(found) == dict.fromkeys(["p0", "p1", "p2"], "other gold")
    assert all("p0 says '17'" in one.detail and "p1 says '18'" in one.detail for one in found.dropped)


def test_other_delimiters_do_not_hide_a_contradiction():
    found = screened(FENCE, FENCE.replace("$w$", "\\(w\\)"), answers=["17", "18"])
    assert reasons(found) == dict.fromkeys(["p0", "p1"], "other gold")


def test_golds_that_read_alike_are_no_contradiction():
    assert reasons(screened(FENCE, FENCE, answers=["$\\frac{1}{2}$", "\\dfrac12"])) == {"p1": "duplicate"}


def test_a_changed_word_with_another_gold_is_another_problem():
    assert kept(screened(FENCE, FENCE.replace("shorter", "longer"), answers=["17", "18"])) == ["p0", "p1"]


def test_statements_without_words_repeat_only_themselves():
    assert kept(screened("(?)", "(!)", "(?)")) == ["p0", "p1"]


def test_nothing_is_lost():
    found = screened(FENCE, FENCE, FENCE.replace("meadow", "paddock"), "Calculate 1 + 1.")
    assert len(found.kept) + len(found.dropped) == 4


def test_no_problems_give_no_problems():
    assert unique([], 0.8) == ((), ())


def test_another_hash_seed_gives_the_same_bytes():
    code = (
        "from tests.curation.test_near_duplicates import FENCE, screened\n"
        "print(screened(FENCE, FENCE.replace('meadow', 'paddock'), FENCE, 'Calculate 3.'))"
    )
    said = {
        subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."}, capture_output=True,
                       text=True, check=True).stdout
        for seed in "12"
    }  # fmt: skip
    assert len(said) == 1
    assert "near-duplicate" in said.pop()
