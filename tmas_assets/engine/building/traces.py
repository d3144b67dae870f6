"""Traces from stored cells: the rounds of a question's `mas_tts` cells (repeat 0) with their calls, as one `TeamTrace`.

Failed requests are no answers and lie apart in the call log; a trace tells them too. Leaves out how the cells are made and
what a trace must hold to be kept.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from resources.calls.call_log import CallLog
from resources.parquet_store import StoredFile
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.grades import grader_of
from tmas_assets.records import Call, Grade, Question, Round, TeamTrace, Trace
from tmas_assets.strategies.mas_tts import STRATEGY
from tmas_assets.strategies.mas_tts.account import traces_in
from tmas_assets.training.team_traces import LastCell, TraceFault, team_trace

REPEAT = 0


@dataclass(frozen=True)
class StoredTraces:
    """What was found of one attempt."""

    traces: tuple[TeamTrace, ...]
    """In the order of the questions."""
    unfinished: tuple[str, ...]
    """Ids of the questions whose cells are not all there and graded: not run yet, or stopped by budget or endpoint."""


def stored_traces(cells: CellStore, log: CallLog, questions: Iterable[Question], *, attempt: int) -> StoredTraces:
    """Traces of one attempt, one question in memory after another. Raises TraceFault, StoreFault, CallLogError."""
    traces: list[TeamTrace] = []
    unfinished: list[str] = []
    for question in questions:
        trace = stored_trace(cells, log, question, attempt=attempt)
        if trace is None:
            unfinished.append(question.candidate.problem.id)
        else:
            traces.append(trace)
    return StoredTraces(tuple(traces), tuple(unfinished))


def stored_trace(cells: CellStore, log: CallLog, question: Question, *, attempt: int) -> TeamTrace | None:
    """The question's trace; None while one of its cells is not whole, not graded, or was made from another past.

    `cells`: of the attempt's experiment. Raises TraceFault where the call log lacks a call, StoreFault where a cell is torn,
    CallLogError.
    """
    if cells.experiment.strategy.name != STRATEGY.name:
        raise TraceFault(
            f"{cells.experiment.name}: strategy {cells.experiment.strategy.name} gives no traces of a team; traces are made of mas_tts"
        )
    found = _rounds(cells, question)
    if found is None:
        return None
    rounds, files = found
    grades = cells.store.read(
        cells.address("benchmark_scores", cells.experiment.iterations - 1, question.candidate.problem), Grade
    )
    return team_trace(
        question,
        attempt,
        rounds,
        calls_of(log, rounds),
        grades,
        files=files,
    )


def _rounds(cells: CellStore, question: Question) -> tuple[tuple[Round, ...], LastCell] | None:
    """Rounds of all iterations, each made from the one before, and the digests of the last one's files."""
    problem, before = question.candidate.problem, None
    rounds: list[Round] = []
    graded: StoredFile | None = None
    for iteration in range(cells.experiment.iterations):
        files = cells.files(iteration, problem)
        if files is None or not files.follows(before):
            return None
        graded = cells.grades_file(iteration, problem, files.rollouts, grader_of(problem, None))
        rounds += [made for made in cells.read(iteration, problem)[0] if made.repeat == REPEAT]
        before = files
    if before is None or graded is None:
        return None
    return tuple(rounds), LastCell(before.rollouts.digest, before.memory_bank.digest, graded.digest)


def calls_of(log: CallLog, rounds: Iterable[Round]) -> Mapping[str, Call]:
    """The calls that the records were made from, by key: answers, and failures where the record tells of one."""
    traces = {trace.call: trace for made in rounds for trace in traces_in(made)}
    calls = {call.key: call for call in log.calls(key for key, trace in traces.items() if not _failed(trace))}
    for call in log.failures(key for key, trace in traces.items() if _failed(trace)):
        if call.key not in calls or call.trace == traces[call.key]:
            calls[call.key] = call  # of several failures under one key the last that the record tells of
    return calls


def _failed(trace: Trace) -> bool:
    return trace.status == "failed"
