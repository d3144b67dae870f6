"""What people decide about a problem's cells: they approve a plan, put a reply right, or have one asked for anew."""

from datetime import datetime
from typing import ClassVar

from pydantic import Field

from tmas_assets.records.base import Record

PERSON = "person: "
"""What the model of a call begins with whose reply a person wrote."""


class Approval(Record):
    """A person's leave to go on from one very plan; a changed plan needs a leave of its own."""

    SCHEMA_VERSION: ClassVar[int] = 1
    problem: str
    plan: str
    """Digest of what the approved round said, see `review_digest`."""
    who: str = Field(min_length=1)
    when: datetime
    why: str


class Amendment(Record):
    """A reply that is not to stand: a person's text takes its place, or the same role is asked once more.

    It holds for one problem text under the settings it was made under. The latest one of a sample counts.
    """

    SCHEMA_VERSION: ClassVar[int] = 1
    problem: str
    problem_digest: str
    iteration: int
    sample: str
    """Which request, as `ChatRequest.sample` and the `Turn.id` made from it say it, e.g. `r0t01finance/expert`."""
    text: str | None
    """The person's reply; None to ask the model anew."""
    attempt: int = Field(default=0, ge=0)
    """How often the model was asked anew, this time included; 0 for a person's text."""
    replaces: str
    """Key of the call whose reply stood there before."""
    who: str = Field(min_length=1)
    when: datetime
    why: str
