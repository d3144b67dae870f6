"""One question with its gold answer, pinned by a digest of everything a solver or a grader reads from it."""

from functools import lru_cache
from typing import ClassVar

from tmas_assets.records.base import Record, digest


class Problem(Record):
    """`id` is the release's own id, any text; `partitions.keys` makes a partition key of it."""

    SCHEMA_VERSION: ClassVar[int] = 3

    benchmark: str
    release: str
    id: str
    statement: str
    answer: str | None
    """Gold as the release prints it (text, never a number: 007 keeps its zeros). None only for decisions."""
    grader: str
    """Name of the grader, see `tmas_assets.grading`: `math`, `integer`, `choice`, `code`, `reasoning_gym`, ..."""
    grading_data: str = ""
    """JSON text that the grader needs besides the gold (a generator's entry, tests, options); empty for none."""
    judge: str | None = None
    """What a judging model is asked where the rules end undecided: `answer` (does it equal the gold?), `plausible` (is
    it a sensible sentence?); None for problems that rules alone decide."""
    subject: str | None = None
    level: str | None = None
    source: str = ""
    """Where the row comes from inside the release (file and row, or generator and index)."""
    licence: str | None = None
    """Of this row, where the release states one a row; else the benchmark's holds. Not part of the digest: nobody answers or
    grades by it."""
    errata: str | None = None
    """Why this row differs from the released one, None when it does not."""

    @property
    def digest(self) -> str:
        read = (self.benchmark, self.id, self.statement, self.answer, self.grader, self.grading_data)
        return _digest(*read, self.judge) if self.judge else _digest(*read)


@lru_cache(maxsize=4096)
def _digest(*read: str | None) -> str:
    # not a cached property: model_copy would carry the old digest into the changed copy
    return digest(list(read))


class RetiredProblem(Record):
    """A problem that an earlier materialization had and the release no longer has. Its partition key stays."""

    benchmark: str
    release: str
    id: str
    problem_digest: str
    reason: str
