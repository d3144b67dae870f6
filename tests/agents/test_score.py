"""Scores: marked, on the scale, in any spelling of it, and never guessed from the reasoning."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.agents.score import SCALE, ScoreError, marked, of_json


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        (r"A score of 1 would need the converse. Score: \boxed{0}", 0),
        (r"Score: \boxed{1.0}", 1),
        (r"Score: \boxed{0.5}", 0.5),
        (r"**Score:** $\boxed{.5}$", 0.5),
        (r"score = \boxed{ 1/2 }", 0.5),
        (r"Score: \boxed{\frac{1}{2}}", 0.5),
        ("The sum is right.\nScore: 1", 1),
        ("All wrong.\n**Final score: 0.**\n", 0),
        (r"Score: \boxed{1}, no, a gap." + "\n" + r"Score: \boxed{0.5}", 0.5),
        (r"Score: 1 at first sight." + "\n" + r"Score: \boxed{0}" + "\nScore: 0", 0),
        (r"**Score: $\boxed{1}$ out of 1.**", 1),
    ],
)
def test_the_last_marked_score_counts(reply: str, value: float) -> None:
    assert marked(reply)[0] == value


@pytest.mark.parametrize(
    "reply",
    [
        r"Score: \boxed{7/10}", r"Score: \boxed{0.75}", r"Score: \boxed{0.50001}", r"Score: \boxed{-1}",
        r"Score: \boxed{2}", r"Score: \boxed{s}", r"Score: \boxed{}", r"Score: \boxed{1/0}",
        r"Score: \boxed{5^{5^{5}}}",
        r"Score: \boxed{1", "Score: \\boxed{0}\nScore: 1", r"Score: \boxed{1} of 10", "Score: 10", "Score: high", r"I would say \boxed{1}.", "It deserves a score of 1.", "1", "",
    ],
)  # fmt: skip
def test_a_score_that_is_off_the_scale_or_not_marked_is_an_error(reply: str) -> None:
    with pytest.raises(ScoreError):
        marked(reply)


def test_the_critique_is_what_stands_before_the_mark() -> None:
    assert marked("Step 2 is wrong.\n\n**Score:** \\boxed{0}") == (0, "Step 2 is wrong.")


@pytest.mark.parametrize(("value", "score"), [(0, 0), (0.5, 0.5), (1.0, 1), ("1", 1), (" 0.50 ", 0.5), ("1/2", 0.5)])
def test_a_json_score_may_be_a_number_or_its_text(value: float | str, score: float) -> None:
    assert of_json(value) == score


@pytest.mark.parametrize("value", [True, False, None, 0.7, 2, -1, float("inf"), [1], {"score": 1}, "true", r"\frac12"])
def test_a_json_score_of_another_kind_is_an_error(value: object) -> None:
    with pytest.raises(ScoreError):
        of_json(value)  # type: ignore[arg-type]


@given(st.text() | st.text(alphabet=st.sampled_from("score: \\boxed{}01.5/*_\n$")))
def test_no_text_gives_anything_but_a_score_or_a_score_error(text: str) -> None:
    with contextlib.suppress(ScoreError):
        assert marked(text)[0] in SCALE


@pytest.mark.parametrize("piece", ["score ", "score: ", "\n", "score:.", " *", r"score: \boxed{", ".", "> "])
def test_a_flood_takes_no_time(piece: str) -> None:
    started = time.process_time()
    with pytest.raises(ScoreError):
        marked("score: " + piece * (200_000 // len(piece)))
    assert time.process_time() - started < 2
