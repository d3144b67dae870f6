"""Grades a file of answers: a JSON object a line in, a JSON object a line out, in order, none lost.

In: `id`, `kind` (a grader: math, integer), `gold`, `response`. Out: `id`, `outcome`, `extracted`, `reason`. A line that
cannot be graded comes out as failed with the reason. Memory does not grow with the file.
"""

import json
import os
import tempfile
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path

from pydantic import JsonValue

from tmas_assets.grading.pool import GraderPool
from tmas_assets.records import Failure, Outcome, Problem, Record, Verdict

KINDS = ("math", "integer")
_IN_FLIGHT = 64
"""Rows given to the workers ahead of the one whose verdict is next."""


class GradedRow(Record):
    id: str
    outcome: Outcome
    extracted: str | None
    reason: str | None
    """Why the row failed, None where it did not."""


def grade_file(path_in: Path, path_out: Path, *, max_workers: int = 2, seconds: float = 2.0) -> Counter[str]:
    """Grade every line of `path_in` into `path_out`, which appears whole or not at all. Returns rows per outcome.

    `seconds`: CPU time that one row may use. Raises OSError where a file cannot be read or written.
    """
    counts: Counter[str] = Counter()
    descriptor, temporary = tempfile.mkstemp(dir=path_out.parent, prefix=f".{path_out.name}.")
    try:
        with (
            os.fdopen(descriptor, "w", encoding="utf-8") as out,
            path_in.open("rb") as lines,
            GraderPool(max_workers, seconds) as graders,
        ):
            for row in grade_rows(lines, graders):
                counts[row.outcome] += 1
                # Escaped, so that no character of an answer (U+2028, a lone surrogate) can break a line.
                out.write(json.dumps(row.model_dump(), ensure_ascii=True) + "\n")
        os.replace(temporary, path_out)
    except BaseException:
        os.unlink(temporary)
        raise
    return counts


def grade_rows(lines: Iterable[bytes], graders: GraderPool) -> Iterator[GradedRow]:
    """One row for each line, in order."""
    waiting: deque[tuple[str, Future[Verdict]]] = deque()
    for number, line in enumerate(lines, start=1):
        waiting.append(_submitted(number, line, graders))
        if len(waiting) >= _IN_FLIGHT:
            yield _row(*waiting.popleft())
    while waiting:
        yield _row(*waiting.popleft())


def _submitted(number: int, line: bytes, graders: GraderPool) -> tuple[str, "Future[Verdict]"]:
    try:
        value = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except (ValueError, RecursionError) as error:
        return f"line {number}", _refused("bad_line", f"line {number} is not JSON: {error}")
    if not isinstance(value, dict):
        return f"line {number}", _refused("bad_line", f"line {number} holds {type(value).__name__}, expected an object")
    id_ = value.get("id")
    name = str(id_) if isinstance(id_, str | int) and not isinstance(id_, bool) else f"line {number}"
    if name.startswith("line ") and name != id_:
        return name, _refused("bad_row", f"line {number}: id is {id_!r}, expected text")
    kind, response = value.get("kind"), value.get("response")
    gold = _gold(value.get("gold"))
    if kind not in KINDS:
        return name, _refused("unknown_kind", f"line {number}: kind {kind!r} has no grader; known: {', '.join(KINDS)}")
    if gold is None or not isinstance(response, str):
        what = "gold" if gold is None else "response"
        return name, _refused("bad_row", f"line {number}: {what} is {value.get(what)!r:.200}, expected text")
    problem = Problem(benchmark="rows", release="", id=name, statement="", answer=gold, grader=str(kind))
    return name, graders.submit(problem, response)


def _gold(value: JsonValue) -> str | None:
    """A gold is text; a whole number is taken too, since nothing of it is lost."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None


def _refused(kind: str, detail: str) -> "Future[Verdict]":
    refused: Future[Verdict] = Future()
    refused.set_result(Verdict(outcome="failed", failure=Failure(boundary="parse", kind=kind, detail=detail)))
    return refused


def _row(name: str, verdict: "Future[Verdict]") -> GradedRow:
    graded = verdict.result()
    failure = graded.failure
    return GradedRow(id=name, outcome=graded.outcome, extracted=graded.extracted,
                     reason=f"{failure.kind}: {failure.detail}" if failure else None)
