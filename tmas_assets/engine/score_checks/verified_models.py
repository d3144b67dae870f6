"""Every model behind the cells is the one that its identity names: bytes hashed anew where we serve it, else only declared.

Leaves out hashing (`resources/serving/model_folder.py`): what was found is handed in.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from tmas_assets.engine.gathering import bank_writes, turns
from tmas_assets.engine.score_checks.evidence import Evidence, answer_id
from tmas_assets.records.finding import Finding, Offence, finding_of
from tmas_assets.reports.decision_report import person_of

PROMISE = "checkpoint_verified"
SAID = "Every model behind the cells is verified: its bytes hash to the identity in the records, or a registered checkpoint is whole."


@dataclass(frozen=True)
class Model:
    """A model that the experiment names, as it is found now."""

    name: str
    kind: Literal["folder", "checkpoint", "external"]
    identity: str | None
    """What its bytes hash to, or what was declared of it; None where it cannot be told."""
    fault: str | None = None
    """Why it cannot be verified: gone, torn, changed since it was registered."""
    revision: str | None = None
    """Of an external one, as declared."""
    judges_only: bool = False


def check_verified_models(models: Sequence[Model], seen: Evidence | None, was: str | None = None) -> Finding:
    """`seen`: None where a model is missing, so that its cells cannot be told. `was`: the identities that the last summary was made by,
    where they are other ones."""
    broken = [Offence(id=one.name, what=one.fault) for one in models if one.fault is not None]
    if was is not None:
        now = ", ".join(dict.fromkeys(one.identity[:12] if one.identity else "gone" for one in models if not one.judges_only))
        broken.append(Offence(id="summary", what=f"was made by the model {was}, which is {now} now"))
    looked_at = 0
    if seen is not None:
        counts, others = _records(seen, {one.identity for one in models if one.identity and not one.judges_only})
        looked_at, broken = counts, [*broken, *others, *_judges(seen, {one.identity for one in models})]
    declared = [
        Offence(id=one.name, what="declared by the user, and no server can be asked for its bytes" if one.revision else
                "not even a revision is declared: whatever the server serves passes for it")
        for one in models if one.kind == "external" and one.fault is None
    ]  # fmt: skip
    ours = sum(one.kind != "external" and one.fault is None for one in models)
    said = f"{ours} of {len(models)} models hash to the identity in {looked_at} records"
    if broken:
        return finding_of(
            PROMISE, said, looked_at, [*broken, *declared], broken=len(broken),
            cure="Bring the model's files back, or name another checkpoint, and run the experiment again: its cells then lie beside the old ones",
        )  # fmt: skip
    cure = "Serve the weights here (`managed`)"
    if any(one.revision is None for one in models if one.kind == "external"):
        cure = "State `revision` (commit, digest) of the endpoint's model, or serve the weights here (`managed`)"
    return finding_of(PROMISE, said, looked_at, declared, severity="warn", cure=cure)


def _records(seen: Evidence, known: set[str | None]) -> tuple[int, Iterator[Offence]]:
    """How many records name a model, and those that name one that the experiment has not."""
    frames = seen.gathered.frames
    parts = [frames[kind].select("problem", "iteration", "id", "model") for kind in ("rollouts", "verifier_scores", "summaries")]
    parts.append(bank_writes(seen.gathered).with_columns(id=pl.col("bank")).select("problem", "iteration", "id", "model"))
    parts.append(turns(seen.gathered).select("problem", "iteration", "id", "model"))
    rows = pl.concat(parts).drop_nulls("model")
    models = rows.group_by("model").agg(pl.len(), pl.first("problem"), pl.first("id")).sort("model")
    return len(rows), (
        Offence(id=answer_id(problem, id_), what=f"and {count - 1} more records name the model {model[:40]}, which the experiment has not")
        for model, count, problem, id_ in models.rows()
        if model not in known and person_of(model) is None
    )


def _judges(seen: Evidence, known: set[str | None]) -> Iterator[Offence]:
    told = set()
    for grade in seen.gathered.grades:
        judge = grade.judgement.model if grade.judgement is not None else None
        if judge is not None and judge not in known and judge not in told:
            told.add(judge)
            yield Offence(id=answer_id(grade.problem, grade.rollout), what=f"judged by {judge[:40]}, which the experiment has not")
