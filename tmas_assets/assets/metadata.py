"""What the Dagster UI shows of a cell: figures, path, digest, a small table; and the event that carries it.

The data version of every asset partition is the digest of its file, also where the event is logged by hand.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import dagster as dg

from partitions.keys import CellKey, problem_key
from resources.parquet_store import StoredFile
from tmas_assets.engine.cells import FinishedCell, FoundCell
from tmas_assets.memory import live
from tmas_assets.records import Grade, Rollout, Trace, Verification

Metadata = Mapping[str, dg.MetadataValue]
_VERSION = "dagster/data_version"
_OURS = "dagster/data_version_is_user_provided"


def event(
    key: dg.AssetKey, partition: str | None, stored: StoredFile, metadata: Metadata, code_version: str | None = None
) -> dg.AssetMaterialization:
    """A materialization whose data version is the file's digest."""
    tags = {_VERSION: stored.digest, _OURS: "true"}
    if code_version:
        tags["dagster/code_version"] = code_version
    return dg.AssetMaterialization(key, partition=partition, metadata=dict(metadata), tags=tags)


def last_versions(instance: dg.DagsterInstance, key: dg.AssetKey) -> Mapping[str, str]:
    """Data version of the last materialization, by partition."""
    tags = instance.event_log_storage.get_latest_tags_by_partition(
        key, dg.DagsterEventType.ASSET_MATERIALIZATION, tag_keys=[_VERSION]
    )
    return {partition: found[_VERSION] for partition, found in tags.items() if _VERSION in found}


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
        "rows": dg.MetadataValue.int(stored.rows),
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
    entries = [entry for one in cell.rounds for entry in one.memory.entries]
    score = _mean(check.score for check in checks)
    verified = {"mean_verifier_score": dg.MetadataValue.float(score)} if score is not None else {}
    scores = _scores(checks)
    outcomes = {grade.rollout: grade for grade in cell.grades}
    strategy = {"strategy_digest": dg.MetadataValue.text(cell.rounds[0].memory.strategy_digest)} if cell.rounds else {}
    return {
        "rollouts": (
            cell.files.rollouts,
            {
                **of_file(cell.files.rollouts),
                **_tokens(rollout.trace for rollout in rollouts),
                **verified,
                **strategy,
                "rollouts": dg.MetadataValue.md(_rollout_table(rollouts, scores, outcomes)),
            },
        ),
        "verifier_scores": (
            cell.files.verifier_scores,
            {
                **of_file(cell.files.verifier_scores),
                **_tokens(check.trace for check in checks),
                **verified,
                "parse_errors": dg.MetadataValue.int(sum(check.parse != "parsed" for check in checks)),
                "scores": dg.MetadataValue.md(_check_table(checks)),
            },
        ),
        "memory_bank": (
            cell.files.memory_bank,
            {
                **of_file(cell.files.memory_bank),
                **_tokens([*(s.trace for s in summaries), *(write.trace for write in writes)]),
                **verified,
                "previous_digest": dg.MetadataValue.text(cell.previous_digest or "none: the first iteration"),
                "experience_entries": dg.MetadataValue.int(len(live(tuple(entries), "experience"))),
                "guideline_entries": dg.MetadataValue.int(len(live(tuple(entries), "guideline"))),
                "entries": dg.MetadataValue.md(_entry_table(cell)),
            },
        ),
        "benchmark_scores": (
            cell.grades_file,
            {
                **of_file(cell.grades_file),
                "right": dg.MetadataValue.int(sum(grade.outcome == "right" for grade in cell.grades)),
                **{
                    f"outcome_{outcome}": dg.MetadataValue.int(count)
                    for outcome, count in sorted(Counter(grade.outcome for grade in cell.grades).items())
                },
                **verified,
                "grades": dg.MetadataValue.md(_grade_table(cell.grades)),
            },
        ),
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _tokens(traces: Iterable[Trace]) -> Metadata:
    """Tokens the rows were made from; a reply without usage is counted and in no sum."""
    traces = list(traces)
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
        if check.score is not None:
            out.setdefault(check.rollout, []).append(check.score)
    return out


def _cell(text: str | None, limit: int = 120) -> str:
    """Model text inside a Markdown table: one line, no markup."""
    if text is None:
        return ""
    flat = " ".join(text.split())
    flat = flat if len(flat) <= limit else flat[: limit - 1] + "…"
    for mark in "\\|`*_[]<>$#!":
        flat = flat.replace(mark, f"\\{mark}" if mark not in "<>" else {"<": "&lt;", ">": "&gt;"}[mark])
    return flat


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str | None]]) -> str:
    """A table as the UI renders it; cells are cut to one line and hold no markup."""
    lines = [head, ["---" for _ in head], *([_cell(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _rollout_table(rollouts: list[Rollout], scores: Mapping[str, list[float]], grades: Mapping[str, Grade]) -> str:
    return markdown_table(
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
            for rollout in rollouts[:32]
        ),
    )


def _check_table(checks: list[Verification]) -> str:
    return markdown_table(
        ("check", "score", "critique"),
        (
            (check.id, "none" if check.score is None else f"{check.score:g}", check.critique or check.parse_error)
            for check in checks[:32]
        ),
    )


def _entry_table(cell: FinishedCell) -> str:
    return markdown_table(
        ("entry", "kind", "state", "born", "text"),
        (
            (f"r{one.repeat} {entry.id}", entry.polarity, entry.state, f"t{entry.born:02d}", entry.text)
            for one in cell.rounds
            for entry in one.memory.entries[:32]
        ),
    )


def _grade_table(grades: tuple[Grade, ...]) -> str:
    return markdown_table(
        ("rollout", "outcome", "read as", "gold", "completion"),
        ((grade.rollout, grade.outcome, grade.extracted, grade.gold, grade.completion) for grade in grades[:32]),
    )
