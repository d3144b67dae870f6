"""Prompt files: marks are filled once and completely, and what a model wrote is never expanded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.agents.prompt import PromptError, parse

TEXT = "a note\n=== one ===\n\nGiven \\frac{1}{2} and {braces}: <<value>>.\n\n=== two ===\n<<a>><<b>>\n"
PROMPT = parse("x.txt", TEXT)


def test_sections_begin_after_their_heading_and_notes_are_not_sent() -> None:
    assert dict(PROMPT.sections) == {"one": "Given \\frac{1}{2} and {braces}: <<value>>.", "two": "<<a>><<b>>"}


@given(st.text())
def test_a_value_stands_in_the_prompt_as_it_is(value: str) -> None:
    assert PROMPT.render("one", value=value) == "Given \\frac{1}{2} and {braces}: " + value + "."


def test_a_mark_inside_a_value_is_not_expanded() -> None:
    assert PROMPT.render("two", a="<<b>>", b="<<a>>\\1") == "<<b>><<a>>\\1"


@pytest.mark.parametrize("values", [{}, {"value": "1", "other": "2"}, {"valve": "1"}])
def test_a_mark_unfilled_or_unknown_is_an_error_that_names_both_sides(values: dict[str, str]) -> None:
    with pytest.raises(PromptError, match="'value'"):
        PROMPT.render("one", **values)


def test_an_unknown_section_is_named() -> None:
    with pytest.raises(PromptError, match=r"no section 'three'; found \['one', 'two'\]"):
        PROMPT.render("three")


@pytest.mark.parametrize("text", ["no heading", "=== a ===\nx\n=== a ===\ny"])
def test_a_file_without_sections_or_with_one_twice_is_refused(text: str) -> None:
    with pytest.raises(PromptError, match="each name once"):
        parse("x.txt", text)


def test_the_digest_follows_the_texts_and_not_the_notes() -> None:
    assert parse("x", "note\n=== a ===\nhi").digest == parse("y", "=== a ===\nhi\n").digest
    assert parse("x", "=== a ===\nhi").digest != parse("x", "=== a ===\nho").digest
