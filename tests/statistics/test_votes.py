"""Votes by equivalence class: the labelled rows and the rules they state."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from tmas_assets.statistics import classes_of, majority

SPELLINGS = {r"\frac{1}{4}": "1/4"}


def same_number(one: str, other: str) -> bool:
    return Fraction(SPELLINGS.get(one, one)) == Fraction(SPELLINGS.get(other, other))


def test_p046_three_spellings_of_one_value_beat_two_of_another() -> None:
    vote = majority(["1/4", "2/3", "0.25", "2/3", r"\frac{1}{4}"], same_number)
    assert (vote.answer, vote.votes, vote.tied) == ("1/4", 3, False)
    assert vote.classes == (("1/4", 3), ("2/3", 2))


def test_p049_a_tie_goes_to_the_answer_seen_first() -> None:
    vote = majority(["8", "7", "7", "8"], same_number)
    assert (vote.answer, vote.tied) == ("8", True)
    assert majority(["7", "8", "8", "7"], same_number).answer == "7"


def test_empty_answers_do_not_vote_as_a_class() -> None:
    vote = majority([None, "", "  ", None, "3"], same_number)
    assert (vote.answer, vote.votes, vote.voters, vote.silent) == ("3", 1, 1, 4)


@pytest.mark.parametrize("answers", [[], [None, ""]])
def test_nobody_voting_gives_no_answer(answers: list[str | None]) -> None:
    vote = majority(answers, same_number)
    assert (vote.answer, vote.votes, vote.tied, vote.classes) == (None, 0, False, ())


def test_one_text_is_one_class_even_where_equal_denies_it() -> None:
    vote = majority(["even n", "even n", "2"], lambda one, other: False)
    assert (vote.answer, vote.votes) == ("even n", 2)


def test_each_pair_of_texts_is_compared_at_most_once() -> None:
    asked: list[tuple[str, str]] = []

    def counting(equal: Callable[[str, str], bool]) -> Callable[[str, str], bool]:
        def asks(one: str, other: str) -> bool:
            asked.append((one, other))
            return equal(one, other)

        return asks

    majority(["1", "1.0", "2", "1.0", "2.0", "1", "2.0"], counting(same_number))
    assert len(asked) == len(set(asked))


def test_an_error_of_equal_is_not_swallowed() -> None:
    def broken(one: str, other: str) -> bool:
        raise TimeoutError("comparison of 1 and 2")

    with pytest.raises(TimeoutError):
        majority(["1", "2"], broken)


def test_keys_settle_pairs_that_have_them_without_asking() -> None:
    asked: list[tuple[str, str]] = []

    def equal(one: str, other: str) -> bool:
        asked.append((one, other))
        return {one, other} == {"half", "1/2"}

    def key(answer: str) -> Fraction | None:
        return None if answer in ("half", "pi") else Fraction(answer)

    answers = ["1/2", "0.5", "2", "half", "pi", "2.0", None, "pi"]
    assert classes_of(answers, equal, key) == (0, 0, 1, 0, 2, 1, None, 2)
    assert asked == [("1/2", "half"), ("1/2", "pi"), ("2", "pi")]
