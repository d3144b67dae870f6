"""An answer set apart by its name is read from there alone."""

import pytest

from tmas_assets.grading.math.answer_field import answer_field


@pytest.mark.parametrize(("text", "content"), [
    ("<answer>8</answer> 9", "8"), ("<answer>8", "8"), ("<answer>7</answer> no: <answer>8</answer>", "8"), ("<final_answer> 8 </final_answer>", "8"),
    ('{"answer": "8", "n": 9}', "8"), ('{"n": 9, "final_answer": 8}', "8"), ("{'answer': 8, 'n': 3}", "8"), ('{"answer": [1, 2]}', "1, 2"),
    (r'{"answer": "\\frac{1}{2}"}', r"\frac{1}{2}"), (r'{"answer": "\frac{1}{2}"}', r"\frac{1}{2}"), ('{"answer": "a \\"b\\""}', 'a "b"'),
])
def test_the_content_of_the_last_field(text, content):
    assert answer_field(text).content == content


@pytest.mark.parametrize("text", ["", "8", "{1, 2}", "the answer is 8", "<answer></answer>", '{"steps": 3}', '{"answer": ""}'])
def test_no_field(text):
    assert answer_field(text) is None
