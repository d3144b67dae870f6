"""What a problem's tests and prompt ask of an answer: names, what the prompt brings along, which classes it declares.

Leaves out the answer itself (`text.py`) and running anything.
"""

import ast
import re
import sys
from dataclasses import dataclass
from functools import lru_cache

from tmas_assets.grading.code.data import BadGradingData, CodeTests
from tmas_assets.grading.code.names import BUILTINS, called, defined, empty, needed, parse, read

_IMPORT = re.compile(r"(?:from|import)\s+(\w+)")
_WORD = re.compile(r"[^\W\d]\w*")
_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True)
class Asked:
    tests: str
    """With the call of their `check` where they leave that to us, as HumanEval's do."""
    prompt: str
    """The prompt where it is code, else empty."""
    preamble: str
    """The prompt's own imports, values and helpers, which run before the answer and beside the tests."""
    given: frozenset[str]
    """Names of the preamble."""
    entry: frozenset[str]
    """Names without which nothing can be tested. A builtin is one only where it is itself under test."""
    wanted: frozenset[str]
    """All names that the tests read and nobody but the answer can define."""
    declared: frozenset[str]
    """Classes that the prompt declares."""
    mentioned: frozenset[str]
    """Words of the tests."""
    followed: frozenset[str]
    """Names that the tests read and never bind, builtins not among them: nobody but the answer changes what they are."""


@lru_cache(maxsize=256)
def asked(data: CodeTests) -> Asked:
    """Raises BadGradingData where the tests call several builtins and nothing says which of them is under test."""
    tests = _with_call_of_check(data.tests, data.entry_point)
    entry = (needed(data.entry_point) or read(data.entry_point)) if data.entry_point else frozenset()
    code, tree = _as_code(data.prompt)
    body = tree.body if tree is not None else []
    kept = [node for node in body if not _is_stub(node, entry) and not isinstance(node, ast.Expr)]
    preamble = "\n".join(ast.unparse(node) for node in kept) if tree is not None else _imports(data.prompt)
    given = defined(preamble)
    followed = needed(tests) - given
    wanted = followed | (entry - given) or _builtin_under_test(data.tests, body)
    return Asked(
        tests=tests, prompt=code, preamble=preamble, given=given, entry=entry or wanted, wanted=wanted, followed=followed,
        declared=frozenset(node.name for node in body if isinstance(node, ast.ClassDef)),
        mentioned=frozenset(_WORD.findall(data.tests)) | entry,
    )


def _with_call_of_check(tests: str, entry_point: str | None) -> str:
    """HumanEval's own form: tests that define `check(candidate)` and leave calling it to whoever runs them."""
    tree = parse(tests)
    if entry_point is None or tree is None or "check" in read(tests):
        return tests
    checks = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check"]
    one = len(checks) == 1 and len(checks[0].args.args) == 1 and not checks[0].args.kwonlyargs
    return f"{tests.rstrip()}\n\ncheck({entry_point})\n" if one else tests


def _builtin_under_test(tests: str, prompt: list[ast.stmt]) -> frozenset[str]:
    """Of tests that need no name but Python's own: the one that the prompt announces, else that all assertions call."""
    announced = frozenset(node.name for node in prompt if isinstance(node, _DEFINITION)) & BUILTINS & read(tests)
    found = announced or called(tests) & BUILTINS
    if len(found) > 1:
        raise BadGradingData(f"the tests call {', '.join(sorted(found))} and define none of them: name the one that the "
                             "answer should define in entry_point")
    return found


def _as_code(prompt: str) -> tuple[str, ast.Module | None]:
    """A prompt may end in the middle of a definition, and it may be no code at all."""
    last = prompt.rstrip().split("\n")[-1]
    deeper = " " * (len(last) - len(last.lstrip()) + 4)
    for tried in (prompt, f"{prompt.rstrip()}\n{deeper}pass\n"):
        if (tree := parse(tried)) is not None and any(isinstance(node, _DEFINITION) for node in tree.body):
            return prompt, tree
    return "", None


def _is_stub(node: ast.stmt, entry: frozenset[str]) -> bool:
    """Whether this is what the answer is to write: the entry point, or any function without a body where none is named."""
    if not isinstance(node, _DEFINITION):
        return False
    return node.name in entry if entry else empty(node)


def _imports(prompt: str) -> str:
    """Those of the standard library that stand in a prompt of words."""
    lines = [line.rstrip() for line in prompt.split("\n") if (found := _IMPORT.match(line))
             and found[1] in sys.stdlib_module_names and parse(line.rstrip()) is not None]
    return "\n".join(lines)
