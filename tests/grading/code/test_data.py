"""Grading data that cannot judge is refused with what is wrong; what a prompt brings along is told from what it asks."""

import json

import pytest

from tmas_assets.grading.code.data import BadGradingData, CodeOutput, CodeTests, code_data
from tmas_assets.grading.code.program import asked


@pytest.mark.parametrize(("data", "said"), [
    ("", "not JSON"), ("[]", "list"), ("{}", "nothing"), ('{"tests": 3}', "tests: Input should be a valid string"),
    ('{"tests": ""}', "neither assert nor call"), ('{"tests": "# assert f()\\npass"}', "neither assert nor call"),
    ('{"tests": "assert f(("}', "not Python"), ('{"tests": "assert f()", "entry_point": "def"}', "entry_point"),
    ('{"tests": "assert f()", "stdin": ""}', "stdin"), ('{"stdin": "1"}', "stdout: Field required"),
    ('{"stdin": "", "stdout": "", "float_tolerance": -1}', "float_tolerance"),
    ('{"stdin": "", "stdout": "", "float_tolerance": NaN}', "float_tolerance"),
    ('{"stdin": "", "stdout": "", "float_tolerance": "1"}', "float_tolerance"), ('{"tests": null}', "tests"),
])
def test_what_cannot_judge_is_refused(data, said):
    with pytest.raises(BadGradingData, match=said.replace("(", r"\(")):
        code_data(data)


def test_both_forms_are_read():
    assert code_data('{"tests": "assert f()"}') == CodeTests(tests="assert f()")
    assert code_data('{"stdin": "1", "stdout": "2", "float_tolerance": 0.5}') == CodeOutput(
        stdin="1", stdout="2", float_tolerance=0.5)


def of(**data):
    return asked(code_data(json.dumps(data)))


def test_a_prompt_gives_its_imports_values_and_helpers_and_not_what_is_asked_for():
    prompt = 'import math\nFIX = """\nx\n"""\n\n\ndef poly(xs, x):\n    return math.fsum(xs)\n\n\ndef zero(xs):\n    """ z """\n'
    found = of(prompt=prompt, tests="assert poly([1], zero([1])) == 0", entry_point="zero")
    assert found.given == {"math", "FIX", "poly"}
    assert "zero" not in found.preamble
    assert found.wanted == found.entry == {"zero"}


def test_a_prompt_of_words_gives_the_imports_it_shows():
    found = of(prompt="Write f.\n\nimport math\nimport numpy as np\nfrom here to there\n", tests="assert f(1)")
    assert found.preamble == "import math"
    assert found.prompt == ""


def test_a_prompt_that_ends_within_a_class_is_code():
    found = of(prompt="class Stack:\n    def push(self, x):\n", tests="assert Stack().push(1) is None", entry_point="Stack")
    assert found.prompt
    assert found.declared == {"Stack"}


def test_names_that_only_the_answer_can_have_are_wanted():
    tests = "import math\n\ndef check(g, xs=()):\n    assert [g(x) for x in xs] == h(1) or len(xs)\n\ncheck(f)"
    assert of(tests=tests).wanted == {"f", "h"}


def test_an_entry_point_may_be_an_expression():
    assert of(tests="assert Solution().g(1)", entry_point="Solution().g").entry == {"Solution"}
