"""Partition keys: reversible, safe in every tool on the way, unique when cut."""

import dagster as dg
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from partitions.keys import MAX_KEY_LENGTH, CellKey, KeyFault, cell_key, iteration_key, problem_id, problem_key

ANY_TEXT = st.text(st.characters(), min_size=1)  # all of Unicode, lone surrogates too


@given(ANY_TEXT)
@example("a/b")
@example("aime24,v2")
@example('{"model": "a"}')
@example("report, q1.pdf")
@example("x...y")
@example("....")
@example("__HIVE_DEFAULT_PARTITION__")
@example("50%25")
@example("a|b")
@example("\ud800")
def test_an_id_comes_back_from_its_key_or_the_key_says_it_was_cut(text):
    key = problem_key(text)
    if "~" in key:
        with pytest.raises(KeyFault, match="was cut"):
            problem_id(key)
    else:
        assert problem_id(key) == text


@given(ANY_TEXT)
def test_a_key_holds_no_character_that_a_tool_gives_a_meaning(text):
    key = problem_key(text)
    assert len(key) <= MAX_KEY_LENGTH
    assert not set(key) & set("/\\|,[]{}()<>:;*?\"' \n\t&$!`=@#^")
    assert ".." not in key
    assert key[0] not in "._-"
    assert key.isascii()


@given(ANY_TEXT, ANY_TEXT)
@example("x" * 300, "x" * 301)
@example("a", "%61")
def test_two_ids_never_share_a_key(one, other):
    assert (problem_key(one) == problem_key(other)) == (one == other)


@given(st.text())
def test_reading_a_foreign_key_is_a_fault_or_exact(text):
    try:
        found = problem_id(text)
    except KeyFault:
        return
    assert problem_key(found) == text


def test_a_cut_never_splits_an_escape():
    for pad in range(6):
        key = problem_key("x" * pad + "é" * 200)
        assert "%" not in key.replace("%C3", "").replace("%A9", "")


def test_cells_are_spelled_as_dagster_spells_them():
    key = str(CellKey(3, problem_key("a/b")))
    assert key == str(dg.MultiPartitionKey({"problem": "a%2Fb", "iteration": "t03"}))
    assert cell_key(key) == CellKey(3, "a%2Fb")


@pytest.mark.parametrize("bad", ["", "t00", "t60|a", "x00|a", "t00|", "t00|a b", "t0|a"])
def test_a_malformed_cell_key_is_a_fault(bad):
    with pytest.raises(KeyFault):
        cell_key(bad)


@pytest.mark.parametrize("iteration", [-1, 60])
def test_an_iteration_outside_the_axis_is_a_fault(iteration):
    with pytest.raises(KeyFault, match="t00 to t59"):
        iteration_key(iteration)


def test_the_empty_id_is_a_fault():
    with pytest.raises(KeyFault, match="empty"):
        problem_key("")
