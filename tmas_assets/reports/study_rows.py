"""What a study shows of its members. Leaves out its tables (`study.py`) and its plot (`study_figures.py`)."""

from typing import ClassVar, Literal

from tmas_assets.records import Point, Record
from tmas_assets.reports.standing import LeaderboardRow
from tmas_assets.statistics import PairedComparison


class MemberRow(Record):
    """One member: its settings that differ, where it stands, and how it compares with the reference (as B)."""

    SCHEMA_VERSION: ClassVar[int] = 1
    label: str
    experiment: str
    variant: str | None
    """Label of its strategy in a list of them."""
    points: tuple[Point, ...]
    standing: LeaderboardRow | None
    """None where it has no summary yet."""
    against: tuple[PairedComparison, ...]
    """None for the reference itself, and where one of the two has no graded answer."""


class StudyReport(Record):
    name: str
    description: str
    reference: str
    """Label of the member that the others are compared with."""
    each: Literal["all combinations", "one at a time"]
    axes: tuple[str, ...]
    """What is varied, in order; none where only strategies differ."""
    members: tuple[MemberRow, ...]
