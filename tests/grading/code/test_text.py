"""Which code of a reply is its answer: shapes of fences, several candidates, bodies of prompts, what surrounds code."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmas_assets.grading.code.blocks import blocks
from tmas_assets.grading.code.text import answer_code, program_code
from tmas_assets.grading.code.unwrap import unwrapped

SQUARE = "def f(v):\n    return v * v\n"
PROMPT = 'from typing import List\n\n\ndef total(values: List[int]) -> int:\n    """ Sum.\n    >>> total([1])\n    1\n    """\n'


def run(code, name="f"):
    names = {}
    exec(compile(code, "answer", "exec"), names)
    return names[name]


def answered(text, wanted="f", prompt=""):
    return answer_code(text, frozenset([wanted]), prompt)


@pytest.mark.parametrize("text", [
    pytest.param(SQUARE, id="bare"),
    pytest.param(f"```python\n{SQUARE}```", id="tagged"),
    pytest.param(f"```py\n{SQUARE}```", id="short tag"),
    pytest.param(f"```Python3\n{SQUARE}```", id="versioned tag"),
    pytest.param(f'```python title="x.py"\n{SQUARE}```', id="tag with attribute"),
    pytest.param(f"```{{.python .numberLines}}\n{SQUARE}```", id="pandoc tag"),
    pytest.param(f"```\n{SQUARE}```", id="no tag"),
    pytest.param(f"```solution\n{SQUARE}```", id="unknown tag"),
    pytest.param(f"~~~python\n{SQUARE}~~~", id="tildes"),
    pytest.param(f"````python\n{SQUARE}````", id="four ticks"),
    pytest.param(f"Here:\n```python\n{SQUARE}", id="never closed"),
    pytest.param(f"Here:\n```python\n{SQUARE}\ndef g(x):\n    return [", id="cut off"),
    pytest.param(f"{SQUARE}```", id="only closed"),
    pytest.param(f"Here it is.\n\n{SQUARE}```\nIt squares.", id="only closed, in prose"),
    pytest.param("```def f(v):\n    return v * v\n```", id="def is no tag"),
    pytest.param(f"The answer: ```python\n{SQUARE}```", id="opened in a line"),
    pytest.param("```python\ndef f(v):\n    return v * v```", id="closed in a line"),
    pytest.param("```python f = lambda v: v * v```", id="one line"),
    pytest.param("Use ```f = lambda v: v * v``` for it.", id="one line without tag"),
    pytest.param("Use `f = lambda v: v * v` for it.", id="a span"),
    pytest.param(f"Here:\n```python\n{SQUARE}```".replace("\n", "\r\n"), id="windows line ends"),
    pytest.param(SQUARE.replace("\n", "\r"), id="old mac line ends"),
    pytest.param(SQUARE.replace(" ", "\u00a0"), id="non-breaking blanks"),
    pytest.param(f"```python\n\u200b{SQUARE}```", id="zero width"),
    pytest.param(f"\ufeff{SQUARE}", id="byte order mark"),
    pytest.param(">>> def f(v):\n...     return v * v\n...\n>>> f(3)\n9\n", id="doctest prompts"),
    pytest.param("1. Do:\n\n   ```python\n   def f(v):\n       return v * v\n   ```\n", id="in a list"),
    pytest.param("    def f(v):\n        return v * v\n", id="indented"),
    pytest.param("> ```python\n> def f(v):\n>     return v * v\n> ```", id="quoted"),
    pytest.param(f"<code>\n{SQUARE}</code>", id="html element"),
    pytest.param(f"[BEGIN]\n{SQUARE}[DONE]", id="begin and done"),
    pytest.param(f"python\n{SQUARE}", id="a language's name above"),
    pytest.param(f"We square:\n\n{SQUARE}\nThis works since 3 * 3 = 9.", id="prose around"),
    pytest.param(f"x = 5 gives 25\n{SQUARE}", id="prose that looks like code"),
    pytest.param(f"다음은 코드입니다:\n```python\n# 제곱\n{SQUARE}```\n끝.", id="another language"),
    pytest.param(f"```python\ndef f(v):\n    return v\n```\nno:\n```python\n{SQUARE}```", id="the later of two"),
    pytest.param(f"```python\n{SQUARE}```\n```python\nprint(f(3))\n```", id="example after"),
    pytest.param(f"```python\n{SQUARE}```\nOutput:\n```\n9\n```", id="output after"),
    pytest.param(f"```python\n{SQUARE}```\n```javascript\nfunction f(v){{return v;}}\n```", id="another language after"),
    pytest.param(f"```python\n{SQUARE}```\n```python\nimport pytest\ndef test_f():\n    assert f(3) == 9\n```", id="tests after"),
    pytest.param(f"```python\n{SQUARE}```\nSignature:\n```python\ndef f(v): ...\n```", id="sketch after"),
    pytest.param("```python\ndef sq(v):\n    return v * v\n```\n```python\ndef f(v):\n    return sq(v)\n```", id="helper before"),
    pytest.param("```python\ndef f(v):\n    return sq(v)\n```\n```python\ndef sq(v):\n    return v * v\n```", id="helper after"),
    pytest.param("```python\nimport math\n```\n```python\ndef a(v):\n    return math.pow(v, 2)\n\nraise SystemExit\n```\n"
                 "```python\ndef f(v):\n    return int(a(v))\n```", id="a chain of helpers without what else they do"),
    pytest.param('```python\ndef f(v):\n    """Square.\n\n    ```python\n    f(3)\n    ```\n    """\n    return v * v\n```',
                 id="a fence in a docstring"),
    pytest.param('```python\ndef f(v):\n    """\n```\nf(3)\n```\n    """\n    return v * v\n```', id="a fence at the margin of one"),
    pytest.param(f"<think>```python\ndef f(v):\n    return v\n```</think>\n{SQUARE}", id="a draft in the thinking"),
    pytest.param(f"draft ```python\ndef f(v): return 1\n```\n</think>\n{SQUARE}", id="thinking without its opening tag"),
    pytest.param(f"{SQUARE}\nExample:\n```python\nf(3)\n```", id="bare before a fenced example"),
])
def test_a_reply_of_this_shape_is_read(text):
    assert run(answered(text))(3) == 9


@pytest.mark.parametrize("text", [
    pytest.param("    return sum(values)\n", id="indented"),
    pytest.param("return sum(values)", id="not indented"),
    pytest.param("s = 0\nfor v in values:\n    s += v\nreturn s\n", id="several lines, not indented"),
    pytest.param("s = 0\n    for v in values:\n        s += v\n    return s", id="first line trimmed"),
    pytest.param("\treturn sum(values)", id="a tab"),
    pytest.param("```python\n    return sum(values)\n```", id="fenced"),
    pytest.param("```python\nreturn sum(values)\n```", id="fenced, not indented"),
    pytest.param("    return go(values)\n\n\ndef go(v):\n    return sum(v)\n", id="with a helper"),
    pytest.param("    return sum(values)\n\n\ndef other(x):\n    return x\n\nif x then\n", id="with something broken after it"),
    pytest.param("```python\ndef total(values: List[int]) -> int:\n    return sum(values)\n```", id="whole function"),
])
def test_a_body_goes_on_where_the_prompt_ends(text):
    code = answered(text, "total", PROMPT)
    assert run(f"from typing import List\n{code}", "total")([1, 2, 3]) == 6


@pytest.mark.parametrize("text", ["    pass", '    """Sum."""', "```python\ndef addup(values):\n    return sum(values)\n```"])
def test_no_body_is_made_of_nothing_or_of_another_function(text):
    code = answered(text, "total", PROMPT)
    assert "def total" not in code


def test_what_a_character_of_a_string_is_stays():
    assert run(answered('```python\ndef f():\n    return "a\u00a0“b”"\n```'))() == "a\u00a0“b”"


def test_the_last_block_wins_even_where_it_is_the_worse_one():
    assert run(answered(f"```python\n{SQUARE}```\nor\n```python\ndef f(v):\n    return v\n```"))(3) == 3


def test_code_that_is_no_python_is_handed_on_to_say_so():
    assert "print v" in answered("```python\ndef f(v):\n    print v\n```")


@pytest.mark.parametrize("code", [
    pytest.param("def f(v):\n\tx = v\n        return x * x\n", id="tabs among blanks"),
    pytest.param("def f(v):\n    if v:\n\treturn v * v\n", id="a tab as deep as blanks"),
    pytest.param("def f(v):\n    return “v” and v * v\n", id="typeset quotes"),
    pytest.param("def f(v):\n    return v * v − 0\n", id="a typeset minus"),
    pytest.param("1 def f(v):\n2     return v * v\n", id="numbered lines"),
    pytest.param("def f(v):\n    if v &lt; 0: return 0\n    return v * v\n", id="escaped for html"),
])
@pytest.mark.parametrize("fence", ["```python\n{}```", "{}"])
def test_what_python_rejects_stays_rejected(code, fence):
    with pytest.raises((SyntaxError, NameError)):
        run(answered(fence.format(code)))


@pytest.mark.parametrize("text", ["", "  \n", "<think>def f(v): return v"])
def test_a_reply_without_an_answer_has_no_code(text):
    assert answered(text) is None
    assert program_code(text) is None


def test_a_program_is_the_last_block_that_reads():
    text = "```python\nn = int(input())\nprint(n)\n```\nE.g.\n```\n$ python a.py\n5\n```\n```python\nprint(f(3))\n```"
    assert program_code(text) == "n = int(input())\nprint(n)\n"


def test_a_program_gets_the_imports_of_an_earlier_block():
    text = "```python\nfrom math import factorial\n```\n```python\nprint(factorial(int(input())))\n```"
    assert program_code(text).startswith("from math import factorial")


def test_unwrapping_leaves_python_as_it_is():
    code = "x = 'a\u00a0b'  # “quoted” – dash\n"
    assert unwrapped(code) == code


PIECES = st.sampled_from(["def f(v):\n", "    return v\n", "```\n", "```python\n", "text\n", "x = 3\n", '"""\n', "import os\n",
                          ">>> f(3)\n", "class A:\n", "`f`", "\t", "\u00a0", "~~~\n", "\r", "<think>", "</think>", "(", "\\\n"])


@given(st.one_of(st.text(max_size=300), st.lists(PIECES, max_size=60).map("".join)))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_without_a_fault(text):
    for code in (answered(text, "f", PROMPT), program_code(text)):
        assert code is None or isinstance(code, str)
    assert all(block.code is None or unwrapped(block.code) is not None for block in blocks(text))


@pytest.mark.parametrize("text", [
    'x = """\n' * 3_001, "```python\ndef f(v):\n  return (\n```\n" * 2_000, "x = 1\nfoo bar\n" * 5_000, "`a`" * 20_000,
    "[" * 20_000 + "]" * 20_000, "x = 1\n" * 20_000, "def f(v):\n" + "    x = (1,\n" * 10_000, "```\n" * 3_000 + SQUARE,
])
def test_no_text_holds_up_the_reading(text):
    """Far above what any takes (under a second), far below what they take where time grows with the square."""
    started = time.process_time()
    answered(text, "f", PROMPT)
    assert time.process_time() - started < 10
