"""Endless repetition is told from ordinary text, wherever in the reply it begins."""

import random

import pytest

from tmas_assets.grading import is_repetitive

SENTENCE = "The value of the sum is therefore equal to the value of the sum. "


def prose(words, seed=0):
    source = random.Random(seed)
    vocabulary = ["".join(source.choices("abcdefghijklmnopqrstuvwxyz", k=source.randint(2, 9))) for _ in range(400)]
    return " ".join(source.choices(vocabulary, k=words))


@pytest.mark.parametrize("text", [
    SENTENCE * 400,
    prose(600) + SENTENCE * 40,
    prose(3_000) + "0" * 3_000,
    "\n" * 2_000,
    prose(60) * 20,
    "wait, " * 300,
    "é" * 2_000,
])
def test_loops_are_seen(text):
    assert is_repetitive(text)


@pytest.mark.parametrize("text", [
    "",
    "x",
    SENTENCE * 8,
    "0" * 900,
    prose(200),
    prose(5_000),
    ", ".join(map(str, range(1_500))),
    SENTENCE * 40 + prose(800),
    "\n".join(f"${n} \\cdot {n + 1} = {n * (n + 1)}$" for n in range(200)),
])
def test_ordinary_texts_are_not(text):
    assert not is_repetitive(text)


def test_a_lone_surrogate_is_text_too():
    assert not is_repetitive("\ud800" + prose(300))
