"""What the Dagster UI shows of a cell: a table of its rows, figures, then the file with path and digest.

Tables are Dagster's own and not Markdown, which the UI folds away from 1,000 characters on. Leaves out the events
that carry this: `events.py`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import dagster as dg

from partitions.keys import CellKey, problem_key
from resources.parquet_store import StoredFile
from tmas_assets.assets.events import Metadata
from tmas_assets.engine.cells import FinishedCell, FoundCell
from tmas_assets.memory import live
from tmas_assets.records import NO_GRADER, REPEATED, Grade, Rollout, Trace, Turn, Verification

LONGEST_CELL = 120
LONGEST_TABLE = 32


def files_of(cell: FoundCell) -> Mapping[str, StoredFile]:
    """The file behind each asset of a cell, by the last part of its key."""
    files = cell.files
    return {
        "rollouts": files.rollouts,
        "verifier_scores": files.verifier_scores,
        "memory_bank": files.memory_bank,
        "benchmark_scores": cell.grades_file,
    }


def of_file(stored: StoredFile) -> Metadata:
    return {
        "dagster/row_count": dg.MetadataValue.int(stored.rows),
        "path": dg.MetadataValue.path(stored.path),
        "digest": dg.MetadataValue.text(stored.digest),
        "bytes": dg.MetadataValue.int(stored.size),
    }


def partition_of(cell: FinishedCell) -> str:
    return str(CellKey(cell.iteration, problem_key(cell.problem.id)))


def cell_metadata(cell: FinishedCell) -> Mapping[str, tuple[StoredFile, Metadata]]:
    """File and metadata of each asset of a cell, by the last part of its key."""
    rollouts = [rollout for one in cell.rounds for rollout in one.rollouts]
    checks = [check for one in cell.rounds for check in one.verifications]
    summaries = [summed for one in cell.rounds for summed in one.summaries]
    writes = [write for one in cell.rounds for write in one.memory.writes]
    turns = [turn for one in cell.rounds for turn in one.memory.turns]
    stops = {f"r{one.repeat}": one.memory.stopped for one in cell.rounds if one.memory.stopped}
    entries = [entry for one in cell.rounds for entry in one.memory.entries]
    score = _mean(check.score for check in checks if check.about is None)
    verified = {"mean_verifier_score": dg.MetadataValue.float(round(score, 4))} if score is not None else {}
    scores = _scores(checks)
    outcomes = {grade.rollout: grade for grade in cell.grades}
    strategy = {"strategy_digest": dg.MetadataValue.text(cell.rounds[0].memory.strategy_digest)} if cell.rounds else {}
    return {
        "rollouts": (
            cell.files.rollouts,
            {
                "rollouts": _rollout_table(rollouts, scores, outcomes),
                **verified,
                **_tokens(rollout.trace for rollout in rollouts if rollout.branch not in REPEATED),
                **of_file(cell.files.rollouts),
                **strategy,
            },
        ),
        "verifier_scores": (
            cell.files.verifier_scores,
            {
                "scores": _check_table(checks),
                **verified,
                "parse_errors": dg.MetadataValue.int(sum(check.parse != "parsed" for check in checks)),
                **_tokens(check.trace for check in checks),
                **of_file(cell.files.verifier_scores),
            },
        ),
        "memory_bank": (
            cell.files.memory_bank,
            {
                "entries": _entry_table(cell),
                "experience_entries": dg.MetadataValue.int(len(live(tuple(entries), "experience"))),
                "guideline_entries": dg.MetadataValue.int(len(live(tuple(entries), "guideline"))),
                **verified,
                **({"turns": _turn_table(turns)} if turns else {}),
                **({"stopped": text_table(("repeat", "why"), stops.items())} if stops else {}),
                **_tokens([*(s.trace for s in summaries), *(w.trace for w in writes), *(t.trace for t in turns if t.trace)]),
                **of_file(cell.files.memory_bank),
                "previous_digest": dg.MetadataValue.text(cell.previous_digest or "none: the first iteration"),
            },
        ),
        "benchmark_scores": (
            cell.grades_file,
            {
                **_graded(cell),
                **{
                    f"outcome_{outcome}": dg.MetadataValue.int(count)
                    for outcome, count in sorted(Counter(grade.outcome for grade in cell.grades).items())
                    if outcome != "right"
                },
                **_judged(cell.grades),
                **verified,
                **of_file(cell.grades_file),
            },
        ),
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _tokens(traces: Iterable[Trace]) -> Metadata:
    """Tokens the rows were made from, each call once; a reply without usage is counted and in no sum."""
    traces = {trace.call: trace for trace in traces}.values()
    return {
        "calls": dg.MetadataValue.int(len(traces)),
        "prompt_tokens": dg.MetadataValue.int(sum(trace.prompt_tokens or 0 for trace in traces)),
        "completion_tokens": dg.MetadataValue.int(sum(trace.completion_tokens or 0 for trace in traces)),
        "usage_unknown": dg.MetadataValue.int(sum(trace.completion_tokens is None for trace in traces)),
        "calls_failed": dg.MetadataValue.int(sum(trace.status == "failed" for trace in traces)),
    }


def _scores(checks: Iterable[Verification]) -> Mapping[str, list[float]]:
    out: dict[str, list[float]] = {}
    for check in checks:
        if check.score is not None and check.about is None:
            out.setdefault(check.rollout, []).append(check.score)
    return out


def text_table(
    head: Sequence[str], rows: Iterable[Sequence[str | None]], *, longest: int = LONGEST_CELL, of: int | None = None
) -> dg.TableMetadataValue:
    """A table as the UI shows it: text of one line a cell, `longest` characters of it; a long table ends with the number of rows
    left out. `of`: how many there are where `rows` are only some."""
    rows = list(rows)
    shown = [[_line(text, longest) for text in row] for row in rows[:LONGEST_TABLE]]
    if more := (len(rows) if of is None else of) - len(shown):
        shown.append([f"… {more} more in the file", *("" for _ in head[1:])])
    return dg.MetadataValue.table(
        [dg.TableRecord(dict(zip(head, row, strict=True))) for row in shown],
        schema=dg.TableSchema([dg.TableColumn(name) for name in head]),
    )


def _line(text: str | None, longest: int) -> str:
    flat = " ".join((text or "").split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"


def _rollout_table(
    rollouts: list[Rollout], scores: Mapping[str, list[float]], grades: Mapping[str, Grade]
) -> dg.TableMetadataValue:
    return text_table(
        ("rollout", "branch", "answer", "verifier mean", "grade", "tokens"),
        (
            (
                rollout.id,
                rollout.branch,
                rollout.answer or rollout.text[-80:],
                f"{sum(found) / len(found):.2f}" if (found := scores.get(rollout.id)) else "none",
                grades[rollout.id].outcome if rollout.id in grades else "none",
                str(rollout.trace.completion_tokens) if rollout.trace.completion_tokens is not None else "unknown",
            )
            for rollout in rollouts
        ),
    )


def _check_table(checks: list[Verification]) -> dg.TableMetadataValue:
    return text_table(
        ("check", "score", "critique"),
        (
            (check.id, "none" if check.score is None else f"{check.score:g}", check.critique or check.parse_error)
            for check in checks
        ),
    )


def _entry_table(cell: FinishedCell) -> dg.TableMetadataValue:
    return text_table(
        ("entry", "kind", "state", "born", "text"),
        (
            (f"r{one.repeat}{entry.id}", entry.polarity, entry.state, f"t{entry.born:02d}", entry.text)
            for one in cell.rounds
            for entry in one.memory.entries
        ),
    )


def _turn_table(turns: list[Turn]) -> dg.TableMetadataValue:
    return text_table(("turn", "kind", "read as"), ((one.id, one.kind, one.data or one.parse_error) for one in turns))


def _graded(cell: FinishedCell) -> Metadata:
    """What has no gold is not right 0 times: nothing is said of it."""
    if cell.problem.grader == NO_GRADER:
        return {"not_graded": dg.MetadataValue.text("a question without a gold answer: there is nothing to grade")}
    right = sum(grade.outcome == "right" for grade in cell.grades)
    return {"grades": _grade_table(cell.grades), "right": dg.MetadataValue.int(right)}


def _grade_table(grades: tuple[Grade, ...]) -> dg.TableMetadataValue:
    """The columns of a judge stand there only where one was asked."""
    judged = any(grade.judgement for grade in grades)
    return text_table(
        ("rollout", "outcome", *(("rules", "judge") if judged else ()), "read as", "gold", "completion"),
        (
            (
                grade.rollout,
                grade.outcome,
                *((grade.rule_outcome, grade.judgement.outcome if grade.judgement else "") if judged else ()),
                grade.extracted,
                grade.gold,
                grade.completion,
            )
            for grade in grades
        ),
    )


def _judged(grades: Iterable[Grade]) -> Metadata:
    """What bears on how far the grades can be trusted."""
    grades = tuple(grades)
    judged = sum(grade.rule_outcome == "undecided" and grade.judgement is not None for grade in grades)
    loose = sum(grade.unsandboxed for grade in grades)
    warning = f"{loose} of {len(grades)} answers ran without a sandbox; an answer can forge its own grade"
    return {
        **({"decided_by_judge": dg.MetadataValue.int(judged)} if judged else {}),
        **({"warning": dg.MetadataValue.text(warning)} if loose else {}),
    }
