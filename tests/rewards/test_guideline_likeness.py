"""Whether a reply goes a way that was tried, by its words: what is known, what is new, and what a count of words must not be fooled by."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.rewards.guideline_likeness import followed, is_novel, judged_part
from tmas_assets.rewards.novel_strategy import Settings

THRESHOLD = Settings().threshold
POWERS = r"Find the remainder when $3^{100}$ is divided by 7."
FERMAT = "Use Fermat's little theorem to reduce the exponent modulo 6."
CYCLE = "List the powers of 3 modulo 7 until the cycle repeats, then index into the cycle."
BY_FERMAT = r"By Fermat's little theorem $3^6 \equiv 1 \pmod 7$. Reducing the exponent modulo 6 leaves $3^4 = 81$, so \boxed{4}."
BY_CYCLE = r"The powers of 3 mod 7 are 3, 2, 6, 4, 5, 1 and then repeat: a cycle of length 6. At index 4 stands \boxed{4}."
BY_BINOMIAL = r"$3^{100} = 9^{50} = (7 + 2)^{50}$; by the binomial theorem all but $2^{50}$ is divisible by 7, and $2^3 = 8$ gives \boxed{4}."
FARM = "A farmer has chickens and cows, 30 heads and 86 legs. How many cows are there?"
SYSTEM = "Set up a system of two linear equations for heads and legs and eliminate one variable."


def novel(reply, *guidelines, statement=POWERS):
    return is_novel(reply, guidelines, statement, THRESHOLD)


@pytest.mark.parametrize(
    ("reply", "guidelines", "expected"),
    [
        (BY_FERMAT, [FERMAT], False), (BY_FERMAT, [CYCLE], True), (BY_CYCLE, [CYCLE], False), (BY_CYCLE, [FERMAT], True),
        (BY_BINOMIAL, [FERMAT, CYCLE], True), (BY_CYCLE, [FERMAT, CYCLE], False), (r"\boxed{4}", [FERMAT, CYCLE], True),
        ("Since 7 is prime, Fermat gives 1 for the sixth power. The exponent reduces to 4.", [FERMAT], False),
    ],
)  # fmt: skip
def test_a_reply_is_known_by_the_guideline_it_follows(reply, guidelines, expected):
    assert novel(reply, *guidelines) is expected


def test_words_of_the_problem_say_nothing_of_the_way():
    reply = "With 30 heads, suppose all are chickens: 60 legs. The other 26 legs come two a cow."
    assert novel(reply, SYSTEM, statement=FARM)
    assert not novel("From these linear equations, heads and legs, eliminating a variable: 13.", SYSTEM, statement=FARM)


def test_a_guideline_made_of_the_problems_words_alone_still_counts():
    assert followed("we find that the remainder is 4", "Find the remainder.", POWERS) == 1.0
    assert followed("by parity", "Find the remainder.", POWERS) == 0.0


def test_other_forms_of_a_word_are_the_same_word():
    for form in ("factor", "factors", "factored", "factoring", "Factorisation", "factorization"):
        assert followed(f"by {form}", "Factor it.", "") == 1.0
    assert followed("multiplying", "multiplication", "") == followed("squares", "squaring", "") == 1.0


def test_words_scattered_over_a_long_reply_are_no_way():
    words = ["Fermat", "little", "theorem", "reduce", "exponent"]
    apart = " ".join(f"{word} " + "granite " * 200 for word in words)
    assert followed(" ".join(words), FERMAT, POWERS) > 0.8
    assert followed(apart, FERMAT, POWERS) <= 0.2
    assert followed("granite " * 500 + " ".join(words), FERMAT, POWERS) > 0.8


def test_a_guideline_without_words_is_compared_by_its_signs():
    assert followed("so 3 + 4 = 7", "3 + 4 = 7", "") == 1.0
    assert followed("so 9", "3 + 4 = 7", "") == 0.0
    assert followed("anything", "", "") == followed("anything", "$$", "") == 0.0


def test_without_a_guideline_every_reply_is_novel():
    assert novel(BY_FERMAT) is True


@pytest.mark.parametrize("reply", ["", "  \n", "<think></think>", "<think>  </think>\n"])
def test_of_a_reply_without_a_word_nothing_is_known(reply):
    assert novel(reply, FERMAT) is False
    assert novel(reply) is False


def test_what_was_only_thought_of_is_not_the_way_of_the_answer():
    reply = f"<think>{BY_FERMAT} But no.</think>{BY_CYCLE}"
    assert judged_part(reply) == BY_CYCLE
    assert novel(reply, FERMAT) is True
    assert novel(f"<think>{BY_FERMAT}", FERMAT) is False


@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=60))
def test_a_share_is_a_share_for_any_text(text, guideline, statement):
    assert 0.0 <= followed(text, guideline, statement) <= 1.0
    assert followed(guideline, guideline, statement) in (0.0, 1.0)


@pytest.mark.parametrize("piece", ["cycle ", "the ", "\\frac{", "ing", "~~~\n", "3 ", "modulo exponent "])
def test_a_flood_takes_no_time(piece):
    started = time.process_time()
    novel(piece * (400_000 // len(piece)), FERMAT, CYCLE)
    assert time.process_time() - started < 10
