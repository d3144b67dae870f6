"""Answers that ended at the token limit stay below the experiment's threshold, iteration by iteration (HAZARDS V02, T09).

What repeats an earlier answer is not counted again. Leaves out other roles: a reply of theirs that is cut off breaks its format.
"""

import polars as pl

from tmas_assets.engine.score_checks.evidence import Evidence, answer_id
from tmas_assets.records import REPEATED
from tmas_assets.records.finding import LONGEST_SAMPLE, Finding, Measure, Offence, finding_of

PROMISE = "truncations_below_threshold"
SAID = "In no iteration do more answers end at the token limit than the experiment's threshold allows."


def check_truncations(seen: Evidence) -> Finding:
    threshold = seen.cells.experiment.thresholds.truncated
    own = seen.gathered.frames["rollouts"].filter(~pl.col("branch").is_in(REPEATED))
    cut = own.filter(pl.col("trace").struct.field("status") == "truncated")
    totals = dict(own.group_by("iteration").len().sort("iteration").rows())
    counts = dict(cut.group_by("iteration").len().rows())
    over = {t: total for t, total in totals.items() if counts.get(t, 0) > threshold * total}
    offences = [Offence(id=f"t{t:02d}", what=f"{counts[t]} of {total} answers ({counts[t] / total:.1%})") for t, total in over.items()]
    sample = cut.filter(pl.col("iteration").is_in(list(over))).select("problem", "id").head(LONGEST_SAMPLE).iter_rows()
    said = f"{len(cut)} of {len(own)} answers ended at the token limit; at most {threshold:.1%} in an iteration"
    return finding_of(
        PROMISE, said, len(own), offences, severity="warn", listed=[Offence(id=answer_id(*row), what="truncated") for row in sample],
        measures=[Measure(name="truncated", value=len(cut) / len(own))] if len(own) else [],
        cure="Raise sampling.max_tokens of the solving role (and max_model_len of a managed server), or shorten what it is shown; a cut "
        "answer counts as wrong",
    )  # fmt: skip
