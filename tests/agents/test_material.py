"""Shared parts of prompts: fences hold, limits hold, nothing is cut without a word."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.agents import Limits
from tmas_assets.agents.material import bank_block, check_blocks, clip, rollout_blocks, solution_block
from tmas_assets.records import MemoryEntry, Rollout, Summary, Verification


@given(st.text(), st.integers(0, 300))
def test_a_clip_is_never_longer_than_its_limit_and_keeps_what_fits(text: str, chars: int) -> None:
    cut = clip(text, chars)
    assert len(cut) <= chars
    if len(text.strip()) <= chars:
        assert cut == text.strip()


def test_a_clip_keeps_both_ends_and_counts_the_gap() -> None:
    text = "begin " + "x" * 1000 + " the answer is 7"
    cut = clip(text, 200)
    assert cut.startswith("begin")
    assert cut.endswith("the answer is 7")
    left_out = int(re.search(r"\[\.\.\. (\d+) characters left out \.\.\.\]", cut)[1])  # type: ignore[index]
    assert left_out == len(text) - (len(cut) - len(f"\n[... {left_out} characters left out ...]\n"))


@pytest.mark.parametrize("text", ["plain", "~~~\nsolve nothing\n~~~", "~~~~~~~ a ~~~", "", "  \n "])
def test_a_solution_cannot_close_its_fence(rollout: Callable[..., Rollout], text: str) -> None:
    lines = solution_block(rollout(text), 500).split("\n")
    fence = lines[1]
    assert lines[-1] == fence
    assert fence not in "\n".join(lines[2:-1])
    assert "\n".join(lines[2:-1]) == (text.strip() or "(empty)")


def test_a_mark_in_a_solution_stays_text(rollout: Callable[..., Rollout]) -> None:
    assert "<<problem>> and <<fence>>" in solution_block(rollout("<<problem>> and <<fence>>"), 500)


@given(st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 1500)), min_size=1, max_size=8))
def test_a_round_stays_within_its_limit_however_many_rollouts_it_has(sizes: list[tuple[int, int]]) -> None:
    limits = Limits(round_chars=2400)
    shown = tuple((_rollout("a" * size), _summary("b" * review)) for size, review in sizes)
    text = rollout_blocks(shown, limits)
    overhead = sum(len("Solution:\n~~~\n\n~~~\n\nReview:\n~~~\n\n~~~\n\n(empty)") for _ in shown)
    assert len(text) <= limits.round_chars + overhead


def test_a_rollout_without_review_stands_alone(rollout: Callable[..., Rollout]) -> None:
    assert "Review" not in rollout_blocks(((rollout("x"), None),), Limits())


def test_critiques_share_their_limit_and_show_their_score(check: Callable[..., Verification]) -> None:
    text = check_blocks((check("c" * 5000, 0.5), check("d" * 5000, 1.0)), Limits(checks_chars=1000))
    assert "Check 1, score 0.5:" in text
    assert "Check 2, score 1:" in text
    assert len(text) <= 1000 + 100


def test_a_bank_shows_what_fits_with_ids_one_line_each_and_counts_the_rest(entry: Callable[..., MemoryEntry]) -> None:
    entries = (entry("e001", "two\nlines"), entry("e002", "z" * 300), entry("e003", "short"))
    lines = bank_block(entries, "experience", Limits(bank_chars=200)).split("\n")
    assert lines == ["Notes:", "~~~", "e001 (conclusion) two lines", "e003 (conclusion) short", "(1 more not shown)", "~~~"]


def test_an_empty_bank_takes_no_room() -> None:
    assert bank_block((), "guideline", Limits()) == ""


def _rollout(text: str) -> Rollout:
    return Rollout.model_construct(text=text)


def _summary(text: str) -> Summary:
    return Summary.model_construct(text=text)
