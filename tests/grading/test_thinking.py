"""The answer is what follows the last closing tag; an opening tag that nothing closes leaves none."""

import pytest

from tmas_assets.grading import split_thinking


@pytest.mark.parametrize(("text", "thinking", "answer"), [
    ("<think>2 + 2</think>4", "2 + 2", "4"),
    ("<think>\n2 + 2\n</think>\n\n4\n", "2 + 2", "4"),
    ("plain", None, "plain"),
    ("", None, ""),
    ("2 + 2</think>4", "2 + 2", "4"),
    ("<think>2 + 2", "2 + 2", None),
    ("<think>a <think>b</think> c</think>d", "a <think>b</think> c", "d"),
    ("<think>a</think>b<think>c", "a</think>b<think>c", None),
    ("<think>a</think>b<think>c</think>d", "a</think>b<think>c", "d"),
    ("Sure. <think>a</think>b", "a", "b"),
    ("<think></think>4", "", "4"),
    ("<think>a</think>", "a", ""),
    ("<THINK>a</Think>b", "a", "b"),
    ("<thinking>a</thinking>b", "a", "b"),
    ("if a < think > b", None, "if a < think > b"),
])
def test_the_split(text, thinking, answer):
    assert split_thinking(text) == (thinking, answer)


def test_a_text_of_nothing_but_tags_takes_no_time():
    assert split_thinking("<think>" * 100_000)[1] is None
    assert split_thinking("</think>" * 100_000)[1] == ""
