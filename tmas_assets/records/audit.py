"""What an audit reads and says: the files a score was sealed with, what it was made under, and how each part of its chain stands.

Leaves out walking the chain (`tmas_assets/engine/audit/`).
"""

from typing import Literal

from tmas_assets.records.base import Record

Standing = Literal["intact", "declared", "missing", "changed"]
"""Worst last. `declared`: nothing speaks against it, and nothing here can recompute it: what an external server answers with, a call logged without a digest."""
STANDINGS: tuple[Standing, ...] = ("intact", "declared", "missing", "changed")
NodeKind = Literal["score", "seal", "file", "calls", "model", "code", "release"]


def worst(found: "tuple[Standing, ...] | list[Standing]") -> Standing:
    """Of several; `intact` for none."""
    return max(found, key=STANDINGS.index, default="intact")


class SealedFile(Record):
    """One file that a score was made from, as its bytes were when the score was made."""

    asset: str
    """Asset key with slashes; `models/<digits of the identity>` for a file of a model folder."""
    variant: str
    """Settings that the file lies under; empty for none."""
    partition: str
    """Path parts below the asset, with slashes; of a model folder, the path inside it."""
    digest: str
    """SHA-256 of the bytes."""
    rows: int
    """0 for what is no table."""

    @property
    def id(self) -> str:
        return f"{self.asset} {self.partition}"


class PromptOrigin(Record):
    role: str
    digest: str


class ModelOrigin(Record):
    endpoint: str
    """Its name in the experiment."""
    identity: str


class ScoreOrigin(Record):
    """Under what a score was made, so that it can be audited after the experiment's file says something else."""

    experiment: str
    """The `Experiment` as JSON, with checkpoints by number and without what shapes neither cells nor scores: URLs, budget, schedule."""
    form: int
    """Form of the cells' records."""
    problems: str
    """Name of the problem table: `problems/<this>`."""
    strategy_digest: str
    prompts: tuple[PromptOrigin, ...]
    models: tuple[ModelOrigin, ...]


class AuditFault(Record):
    """One thing that is not as it was recorded."""

    what: str
    """Which file or call."""
    field: str
    recorded: str
    found: str


class AuditNode(Record):
    """One file, the calls of one cell, a model, a prompt set, a grader or a release on the way from a score to where it came from."""

    score: str
    """Whose chain: `demo@<settings>`."""
    id: str
    kind: NodeKind
    group: str
    """What it is shown under."""
    asset: str
    """Key of the Dagster asset that it is part of; empty where there is none."""
    standing: Standing
    digest: str | None
    """SHA-256 found now."""
    count: int
    """Rows of a table, calls, files of a folder."""
    said: str
    """In a few words where it is not intact."""
    faults: tuple[AuditFault, ...] = ()
    """The first few."""
    more: int = 0
    """Faults beyond those."""
    cure: str = ""
    parents: tuple[str, ...] = ()
    """Ids of what it was made from."""


class Audit(Record):
    """Everything a score was made from, from the score on."""

    experiment: str
    variant: str
    iteration: int | None
    """The last one looked at; None for all."""
    value: float | None
    """Of the last iteration, as it is stored."""
    nodes: tuple[AuditNode, ...]

    @property
    def score(self) -> str:
        return f"{self.experiment}@{self.variant}"

    @property
    def standing(self) -> Standing:
        return worst([node.standing for node in self.nodes])
