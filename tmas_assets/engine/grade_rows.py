"""Grades a file of answers: a JSON object a line in, a JSON object a line out, in order, none lost.

Blank lines are passed over. In: `id`, `kind` (math, integer, choice, code, parse), `gold`, `response`. Out: `id`, `outcome`, `extracted`, `seconds`,
and `reason` where there is more to say. A line that cannot be graded comes out as failed with the reason. The same
graders and readers as the assets use. Memory does not grow with the file.
"""

import json
import re
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from pydantic import JsonValue

from resources.sandbox.limits import Isolation
from resources.whole_file import whole_file
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.parse_targets import TARGETS, parse
from tmas_assets.engine.voting import VoteBroken, Voting
from tmas_assets.records import Outcome, Problem, Verdict, canonical_json

KINDS = ("math", "integer", "choice", "code", "parse")
_AHEAD = 64
"""Rows read ahead of the one whose verdict is next."""
_PLACE = re.compile(r"^line \d+: ")
_REASON_SHOWN, _REASONS_KEPT = 200, 10_000
"""Characters of a reason, and how many different ones are counted."""


@dataclass(frozen=True)
class GradedRow:
    id: str
    outcome: Outcome
    """Of a parse row: right where a value was read, wrong where the text holds none."""
    extracted: JsonValue
    """What was read as the answer; of a parse row, the value."""
    seconds: float
    """By the clock, from when the row was handed over to its verdict."""
    reason: str | None

    def line(self) -> str:
        """JSON, escaped, so that no character of an answer (U+2028, a lone surrogate) can break a line."""
        row = {"id": self.id, "outcome": self.outcome, "extracted": self.extracted, "seconds": round(self.seconds, 6)}
        return json.dumps(row if self.reason is None else {**row, "reason": self.reason}, ensure_ascii=True)


class _Refused(ValueError):
    """A row that cannot be graded: `kind: detail`."""


class GradedFile(NamedTuple):
    outcomes: Counter[str]
    """Rows by outcome."""
    reasons: tuple[tuple[str, int], ...]
    """The most frequent reasons of failed rows, without their line numbers."""


def grade_file(
    path_in: Path, path_out: Path, *, max_workers: int = 2, seconds: float = 2.0, isolation: Isolation = "bubblewrap"
) -> GradedFile:
    """Grade every line of `path_in` into `path_out`, which appears whole or not at all.

    `seconds`: CPU time that one comparison may use. `isolation`: what code runs in. Raises OSError where a file cannot be read or written.
    """
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    path_out = path_out.resolve()
    if path_out.exists() and (path_in.samefile(path_out) or not path_out.is_file()):
        what = "the file that is read" if path_in.samefile(path_out) else "no ordinary file"
        raise FileExistsError(f"{path_out} is {what}; name another one to write")
    with (
        whole_file(path_out) as out,
        path_in.open("rb") as lines,
        Graders(max_workers, seconds, isolation) as graders,
    ):
        for row in grade_rows(lines, graders, max_workers):
            counts[row.outcome] += 1
            if row.outcome == "failed" and row.reason and len(reasons) < _REASONS_KEPT:
                reasons[_PLACE.sub("", row.reason)[:_REASON_SHOWN]] += 1
            out.write(f"{_line(row)}\n".encode())
    return GradedFile(counts, tuple(reasons.most_common(3)))


def grade_rows(lines: Iterable[bytes], graders: Graders, max_workers: int = 2) -> Iterator[GradedRow]:
    """One row for each line that is not blank, in order. No more rows are with the workers at once than there are workers, so that
    `seconds` is the work on a row and not its place in a queue."""
    work = _Work(graders)
    waiting: deque[Future[GradedRow]] = deque()
    working: set[Future[GradedRow]] = set()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        row = work.graded(number, line)
        waiting.append(row)
        working.add(row)
        working = {row for row in working if not row.done()}
        if len(working) >= max_workers:
            working = wait(working, return_when=FIRST_COMPLETED).not_done
        while waiting and (waiting[0].done() or len(waiting) >= _AHEAD):
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


class _Work:
    def __init__(self, graders: Graders) -> None:
        self._graders = graders
        self._voting = Voting(graders)
        self._started = False
        """Whether the workers of comparisons are up."""

    def graded(self, number: int, line: bytes) -> "Future[GradedRow]":
        name = f"line {number}"
        settled: Future[GradedRow] = Future()
        started = time.perf_counter()
        try:
            row = _object(number, line)
            name = _name(row.get("id"))
            if row.get("kind") == "parse":
                settled.set_result(_parsed(name, row, self._voting, started))
                return settled
            problem, response = _problem(name, row), _response(row)
            asked = self._graders.submit(problem, response)
        except _Refused as refused:
            settled.set_result(GradedRow(name, "failed", None, time.perf_counter() - started, f"line {number}: {refused}"))
            return settled
        if not self._started and problem.grader in ("math", "integer") and not asked.done():
            # The first comparison also starts the workers. It is asked again, so that `seconds` is the row's own.
            asked.result()
            self._started, started = True, time.perf_counter()
            asked = self._graders.submit(problem, response)

        def settle(done: "Future[Verdict]") -> None:
            took = time.perf_counter() - started
            if done.cancelled():
                settled.set_exception(CancelledError())
            elif (error := done.exception()) is not None:
                # of this row alone: the others are graded all the same
                settled.set_result(GradedRow(name, "failed", None, took, f"{type(error).__name__}: {error}"))
            else:
                settled.set_result(_row(name, done.result(), took))

        asked.add_done_callback(settle)
        return settled


def _object(number: int, line: bytes) -> dict[str, JsonValue]:
    try:
        value = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except (ValueError, RecursionError) as error:
        raise _Refused(f"not JSON: {error}") from error
    if not isinstance(value, dict):
        raise _Refused(f"holds {type(value).__name__}, expected an object")
    return value


def _name(id_: JsonValue) -> str:
    if isinstance(id_, str | int) and not isinstance(id_, bool):
        return str(id_)
    raise _Refused(f"id is {id_!r:.200}, expected text")


def _response(row: dict[str, JsonValue]) -> str:
    response = row.get("response")
    if not isinstance(response, str):
        raise _Refused(f"response is {response!r:.200}, expected text")
    return response


def _parsed(name: str, row: dict[str, JsonValue], voting: Voting, started: float) -> GradedRow:
    target = row.get("gold")
    if target not in TARGETS:
        raise _Refused(f"gold is {target!r:.200}, expected a parse target: {', '.join(TARGETS)}")
    try:
        found = parse(str(target), _response(row), voting)
    except VoteBroken as broken:
        raise _Refused(str(broken)) from broken
    outcome: Outcome = "wrong" if found.value is None else "right"
    return GradedRow(name, outcome, found.value, time.perf_counter() - started, found.reason)


def _problem(name: str, row: dict[str, JsonValue]) -> Problem:
    """The row as a problem of a benchmark that has the same grader."""
    kind, gold = row.get("kind"), row.get("gold")
    if kind not in KINDS:
        raise _Refused(f"kind {kind!r:.200} has no grader; known: {', '.join(KINDS)}")
    answer: str = ""
    grading_data = ""
    if kind == "code":
        if not isinstance(gold, dict):
            raise _Refused(f"gold is {gold!r:.200}, expected an object with tests, or stdin and stdout")
        grading_data = _json(gold)
    elif kind == "choice" and isinstance(gold, dict):
        answer = _gold(gold.get("answer"))
        grading_data = _json({"options": gold.get("options")})
    else:
        answer = _gold(gold)
    return Problem(benchmark="rows", release="", id=name, statement="", answer=answer, grader=str(kind),
                   grading_data=grading_data)


def _json(value: JsonValue) -> str:
    try:
        return canonical_json(value)
    except ValueError as error:  # NaN and Infinity, which Python reads and JSON has not
        raise _Refused(f"gold {str(value)[:200]} is no JSON: {error}") from error


def _gold(value: JsonValue) -> str:
    """A gold is text; a whole number is taken too, since nothing of it is lost."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise _Refused(f"gold is {value!r:.200}, expected text")
    return value


def _row(name: str, verdict: Verdict, took: float) -> GradedRow:
    failure = verdict.failure
    reason = f"{failure.kind}: {failure.detail}" if failure else verdict.reason
    return GradedRow(name, verdict.outcome, verdict.extracted, took, reason)


def _line(row: GradedRow) -> str:
    try:
        return row.line()
    except (RecursionError, ValueError) as error:  # a value that was read and is nested too deeply to be written
        return GradedRow(row.id, "failed", None, row.seconds, f"the value cannot be written as JSON: {error}").line()
