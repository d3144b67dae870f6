"""What a code problem is graded by: tests that call the answer, or an input with the output it should print.

Reads and checks `grading_data`; leaves out running anything.
"""

import ast
import json
from functools import lru_cache

from pydantic import Field, ValidationError

from tmas_assets.records import Record


class BadGradingData(ValueError):
    """Grading data that cannot judge anybody; the text says what is wrong with it."""


class CodeTests(Record):
    """Tests that use what the answer defines. `prompt`: code that the answer continues or builds on, or text."""

    tests: str
    prompt: str = ""
    entry_point: str | None = None
    """The function (or other expression) under test."""


class CodeOutput(Record):
    """What a program should print for an input. Numbers may differ by `float_tolerance`, absolute or relative."""

    stdin: str
    stdout: str
    float_tolerance: float | None = Field(default=None, ge=0, allow_inf_nan=False)


@lru_cache(maxsize=1024)
def code_data(grading_data: str) -> CodeTests | CodeOutput:
    """Raises BadGradingData: no JSON object of either form, or tests that are no Python or test nothing."""
    try:
        data = json.loads(grading_data)
    except ValueError as error:
        raise BadGradingData(f"grading data is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise BadGradingData(f"grading data is {type(data).__name__}, expected an object with tests, or stdin and stdout")
    form = CodeTests if "tests" in data else CodeOutput
    try:
        read = form.model_validate_json(grading_data, strict=True)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        raise BadGradingData(f"grading data with {', '.join(map(repr, data)) or 'nothing'}: {faults}") from error
    if isinstance(read, CodeTests):
        _check(read)
    return read


def _check(data: CodeTests) -> None:
    tree = _tree(data.tests, "tests")
    if not any(isinstance(node, ast.Assert | ast.Call) for node in ast.walk(tree)):
        raise BadGradingData(f"tests {data.tests[:100]!r} neither assert nor call anything")
    if data.entry_point is not None:
        _tree(data.entry_point, "entry_point")


def _tree(text: str, name: str) -> ast.AST:
    try:
        return ast.parse(text, mode="exec" if name == "tests" else "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise BadGradingData(f"{name} {text[:100]!r} is not Python: {error}") from error
