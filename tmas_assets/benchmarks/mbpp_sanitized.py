"""MBPP, sanitized: 257 small Python tasks of the official test range (task ids 11 to 510), each with its assertions.

As in the paper's prompt, the statement shows the task and the assertions that the code has to pass: without them neither
name nor arguments of the function are known. The tests run `test_imports` first, which 13 of the 257 need.
"""

import ast
import warnings
from collections.abc import Sequence

from tmas_assets.benchmarks._contract import Benchmark, BenchmarkError, Release, ReleaseBytes, ReleaseFile
from tmas_assets.benchmarks._tables import json_list, text_field, text_list
from tmas_assets.records import Problem, Record, canonical_json

_FILE = "mbpp_sanitized/sanitized-mbpp.json"
_FIRST, _LAST = 11, 510
"""The test split of the full MBPP by task id."""


class MbppSettings(Record):
    """Nothing to set."""


def entry_point(code: str, tests: Sequence[str], where: str) -> str:
    """The function that the first assertion calls, among those that the reference defines. Raises BenchmarkError."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # references with "\\w" and the like, which Python would report
            program, *asserted = [ast.parse(text) for text in (code, *tests)]
        defined = {node.name for node in ast.walk(program) if isinstance(node, ast.FunctionDef)}
        for test in asserted:
            for node in ast.walk(test):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in defined:
                    return node.func.id
    except SyntaxError as error:
        raise BenchmarkError(f"{where}: its reference or a test is not Python: {error}") from error
    raise BenchmarkError(f"{where}: no test calls a function of the reference, which defines {sorted(defined)}")


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    problems = []
    for number, row in json_list(files[_FILE], _FILE):
        where = f"{_FILE} item {number}"
        task = row.get("task_id")
        if not isinstance(task, int):
            raise BenchmarkError(f"{where}: task_id is {task!r}, expected a whole number")
        if not _FIRST <= task <= _LAST:
            continue
        tests, code = text_list(row, "test_list", where), text_field(row, "code", where)
        imports = text_list(row, "test_imports", where)
        shown = "\n".join(tests)
        program = {"entry_point": entry_point(code, tests, where), "tests": "\n".join([*imports, *tests]) + "\n"}
        problems.append(
            Problem(
                benchmark="mbpp_sanitized",
                release=release,
                id=str(task),
                statement=f"{text_field(row, 'prompt', where).strip()}\nYour code should pass these tests:\n\n{shown}",
                answer=code.replace("\r\n", "\n"),
                grader="code",
                grading_data=canonical_json(program),
                source=where,
            )
        )
    return tuple(problems)


BENCHMARK = Benchmark(
    name="mbpp_sanitized",
    title="MBPP sanitized",
    licence="CC-BY-4.0",
    source="google-research/google-research mbpp/sanitized-mbpp.json (commit 30adf0e)",
    graders=("code",),
    default_release="google",
    releases={
        "google": Release(
            name="google",
            files=(
                ReleaseFile(
                    path=_FILE,
                    url="https://raw.githubusercontent.com/google-research/google-research/"
                    "30adf0ec5f35f9609c2f1d896005e184195d9146/mbpp/sanitized-mbpp.json",
                    mirrors=(
                        "https://raw.githubusercontent.com/patdfb/TPC-EES/"
                        "7036e20c0ff3e9bcc2de60545dadd8c705599ecf/mbpp/sanitized-mbpp.json",
                    ),
                    sha256="ca95deaa9a01ef0a6f439f88bcf0dd3db3563d22f22aad6cae04ebb9a8d8c8e9",
                ),
            ),
            note="Of 427 hand-checked tasks the 257 of the test range; the statement shows the assertions.",
            rows=257,
        )
    },
    Settings=MbppSettings,
    read=read,
)
