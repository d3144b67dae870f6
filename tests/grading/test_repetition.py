"""Endless repetition is told from ordinary text, wherever in the reply it begins."""

import json
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
    "因此答案是五。" * 300,
    "✅ " * 800,
    r"\boxed{5} " * 400,
    "| 0 | 1 |\n" * 300,
    "".join(f"Step {n}: Let me check the sum again, to see whether it is right.\n" for n in range(400)),
    prose(500) * 12,
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
    "".join(f"| {' | '.join(f'{row:09b}')} | {row.bit_count() % 2} |\n" for row in range(512)),
    "\n".join(" & ".join("1" if row == column else "0" for column in range(40)) + r" \\" for row in range(40)),
    "".join(f"Section\n{'-' * 80}\nSome text of its own with number {n}.\n" for n in range(60)),
    "".join(f"    if x == {n}:\n        return {n * n}\n" for n in range(300)),
    json.dumps([{"id": n, "name": f"item{n}", "value": n * 7 % 13, "ok": n % 3 == 0} for n in range(800)], indent=1),
    "\n".join(f"For n = {n}, the value is {n * n}, which is {'odd' if n % 2 else 'even'}." for n in range(1, 900)),
    "\n".join(f"3^{n} mod 10 = {pow(3, n, 10)}" for n in range(1, 400)),
    ", ".join(f"({i},{j})" for i in range(40) for j in range(40)),
])
def test_ordinary_texts_are_not(text):
    assert not is_repetitive(text)


def test_a_lone_surrogate_is_text_too():
    assert not is_repetitive("\ud800" + prose(300))
