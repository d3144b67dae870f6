"""The rows an experiment's report is made of. Leaves out scores and tokens, which are records of their own."""

from tmas_assets.records import Bank, Record


class Setting(Record):
    """One setting as printed: a dotted name (`strategy.candidates`) and its value as text."""

    name: str
    value: str


class ModelUse(Record):
    """Which model answered which roles. `identity` is its digest where we serve it, else what the user declared."""

    model: str
    identity: str
    roles: tuple[str, ...]


class ProblemCell(Record):
    """One problem in one iteration."""

    iteration: int
    right: int
    answers: int
    """Graded answers, right ones among them; 0 where none is graded."""
    mean_verifier: float | None
    """Mean score of the parsed verifications, in [0, 1]; None where there is none."""


class ProblemRow(Record):
    """One problem over all iterations. `statement` is shown as it is, LaTeX unrendered."""

    problem: str
    statement: str
    cells: tuple[ProblemCell, ...]


class BankSize(Record):
    """Live entries of one bank after an iteration, summed over problems and repeats."""

    iteration: int
    bank: Bank
    live: int
    snapshots: int
    """Snapshots summed over, at least 1."""


class ParseErrors(Record):
    """Replies of one role that broke their format, of all replies that were there to parse."""

    role: str
    errors: int
    total: int


class InputDigest(Record):
    """A link of the lineage: what it is (`problems`, `strategy`, `rollouts t03`) and its whole digest."""

    name: str
    digest: str
