"""Replies that break their format stay below the experiment's threshold, role by role.

Leaves out answers without a box: those are graded, and wrong.
"""

from itertools import islice

import polars as pl

from tmas_assets.engine.gathering import Gathered, bank_writes, turns
from tmas_assets.engine.score_checks.evidence import Evidence, answer_id
from tmas_assets.records import JUDGE
from tmas_assets.records.finding import LONGEST_SAMPLE, Finding, Measure, Offence, finding_of

PROMISE = "parse_errors_below_threshold"
SAID = "Of the replies of any one role, no more break their format than the experiment's threshold allows."
_COLUMNS = ("role", "iteration", "problem", "id", "parse")


def check_parse_errors(seen: Evidence) -> Finding:
    threshold = seen.cells.experiment.thresholds.parse_errors
    replies = _replies(seen.gathered)
    counts = {
        role: (errors, total)
        for role, errors, total in replies.group_by("role").agg((pl.col("parse") == "parse_error").sum(), pl.len().alias("n")).sort("role").rows()
    }
    if judged := _judged(seen.gathered):
        counts[JUDGE] = (sum(errors for errors, _ in judged.values()), sum(total for _, total in judged.values()))
    over = [role for role, (errors, total) in counts.items() if errors > threshold * total]
    offences = [
        Offence(id=role, what=f"{errors} of {total} replies ({errors / total:.1%})") for role, (errors, total) in counts.items() if role in over
    ]
    told = ", ".join(f"{role} {errors} of {total}" for role, (errors, total) in counts.items()) or "no reply had to be parsed"
    return finding_of(
        PROMISE, f"Replies that broke their format: {told}; at most {threshold:.1%} of a role", sum(total for _, total in counts.values()),
        offences, severity="warn", listed=[one for role in over for one in _sample(seen.gathered, replies, role)], measures=[Measure(name=f"parse_errors_{role}", value=e / n) for role, (e, n) in counts.items() if n],
        cure="Set structured_output: true on the endpoint where the server can, raise sampling.max_tokens of the role where replies are "
        "cut off, or give the role a stronger model; `parse_error` in the records says what was wrong",
    )  # fmt: skip


def _replies(gathered: Gathered) -> pl.DataFrame:
    """One row a reply that was there to be parsed."""
    role = pl.col("trace").struct.field("role")
    parts = [gathered.frames[kind].select(role, "iteration", "problem", "id", "parse") for kind in ("verifier_scores", "summaries")]
    writes = bank_writes(gathered).with_columns(id=pl.col("bank"))
    parts += [writes.select(role, "iteration", "problem", "id", "parse"), turns(gathered).select(role, "iteration", "problem", "id", "parse")]
    return pl.concat(parts).select(_COLUMNS).filter(pl.col("parse") != "failed")


def _judged(gathered: Gathered) -> dict[str, tuple[int, int]]:
    """Errors and replies of each judgement that a reply came for, by the call that decided it: equal answers share it."""
    found_in: dict[str, tuple[int, int]] = {}
    for grade in gathered.grades:
        if grade.judgement is not None and grade.judgement.parse != "failed":
            replies = len(grade.judgement.traces)
            found_in[grade.judgement.traces[-1].call] = (replies - (grade.judgement.parse == "parsed"), replies)
    return found_in


def _sample(gathered: Gathered, replies: pl.DataFrame, role: str) -> list[Offence]:
    if role == JUDGE:
        broken = (grade for grade in gathered.grades if grade.judgement is not None and grade.judgement.parse == "parse_error")
        names = dict.fromkeys(answer_id(grade.problem, grade.rollout) for grade in islice(broken, LONGEST_SAMPLE))
    else:
        rows = replies.filter((pl.col("role") == role) & (pl.col("parse") == "parse_error")).head(LONGEST_SAMPLE)
        names = dict.fromkeys(f"{problem} t{t:02d} {id_}" for problem, t, id_ in rows.select("problem", "iteration", "id").iter_rows())
    return [Offence(id=name, what=role) for name in names]
