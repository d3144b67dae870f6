"""Which answers vote together: spellings of one value do, for every grader that allows a vote."""

import random
import time

import pytest

from tmas_assets.engine.graders import Graders
from tmas_assets.engine.voting import VoteBroken, Voting
from tmas_assets.records import Failure, Problem, Verdict


@pytest.fixture(scope="module")
def voting():
    with Graders(max_workers=1) as graders:
        yield Voting(graders)


def problem(grader="math"):
    return Problem(benchmark="b", release="1", id="p", statement="s", answer="1", grader=grader)


def classes(voting, *answers, grader="math"):
    """Answers grouped, in the order given."""
    found = voting.classes(problem(grader), answers)
    first = {}
    return [None if one is None else first.setdefault(one, len(first)) for one in found]


def test_spellings_of_one_number_are_one_class(voting):
    assert classes(voting, r"\frac12", "1/2", "0.5", r"\dfrac{1}{2}", "2", "2.0", "0.50") == [0, 0, 0, 0, 1, 1, 0]


def test_irrational_values_and_formulas_are_compared_by_value(voting):
    assert classes(voting, r"\frac{\sqrt2}{2}", r"\frac{1}{\sqrt{2}}", "x+1", "1+x", "0.7071") == [0, 0, 1, 1, 2]


def test_sets_vote_together_in_any_order_and_tuples_do_not(voting):
    assert classes(voting, "1, 2", "2, 1", "(1,2)", "(2,1)")[:2] == [0, 0]
    found = classes(voting, "(1,2)", "(2,1)")
    assert found == [0, 1]


def test_silent_answers_have_no_class(voting):
    assert classes(voting, None, "", "  ", "3") == [None, None, None, 0]


def test_words_are_one_class_only_where_they_say_the_same(voting):
    assert classes(voting, "even n", "even  n", "odd n") == [0, 0, 1]


@pytest.mark.parametrize("grader", ["integer", "reasoning_gym"])
def test_numbers_are_equal_by_value_and_the_rest_by_text(voting, grader):
    assert classes(voting, "7", "07", "7.0", "Yes", "yes", "no", grader=grader) == [0, 0, 0, 1, 1, 2]


def test_letters_are_equal_by_text(voting):
    assert classes(voting, "A", "B", "a", grader="choice") == [0, 1, 0]


@pytest.mark.parametrize("grader", ["code", "concepts"])
def test_programs_and_sentences_allow_no_vote(voting, grader):
    assert voting.classes(problem(grader), ["print(1)", "print(1)"]) is None


def test_the_order_of_answers_changes_no_class(voting):
    answers = [r"\frac12", "0.5", "1", "even n", r"\sqrt{4}", "2", "x", "50\\%", None, r"\sqrt{2}/2"]
    expected = voting.classes(problem(), answers)
    for seed in range(5):
        order = list(range(len(answers)))
        random.Random(seed).shuffle(order)
        found = voting.classes(problem(), [answers[i] for i in order])
        assert [found[order.index(i)] for i in range(len(answers))] == list(expected)


def test_an_answer_that_cannot_be_read_harms_no_other(voting):
    found = classes(voting, r"\frac{1}{", "3", "3.0", r"5^{5^{5^{5}}}")
    assert found[1] == found[2]
    assert len({found[0], found[1], found[3]}) == 3


def test_five_hundred_problems_of_thirty_two_answers_take_seconds(voting):
    draw = random.Random(1)
    began = time.process_time()
    for _ in range(500):
        voting.classes(problem(), [f"{draw.randint(0, 40)}/{draw.randint(1, 9)}" for _ in range(32)])
    assert time.process_time() - began < 10


def test_a_comparison_that_breaks_ends_the_vote_instead_of_choosing_another_winner():
    class Broken:
        def grade_sync(self, problem, text):
            return Verdict(outcome="failed", failure=Failure(boundary="grader", kind="crash", detail="the worker died"))

    with pytest.raises(VoteBroken, match="the worker died"):
        Voting(Broken()).classes(problem("math"), ["x+1", "1+x"])
