"""What became of one request sent: an answer, a refusal with a status, or nothing whole. Values only."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Answered:
    """Status 200. `body` is the parsed JSON, or text where the reply was no JSON."""

    body: object


@dataclass(frozen=True, slots=True)
class Refused:
    """An error status with the server's own words."""

    status: int
    message: str
    retry_after: str | None


@dataclass(frozen=True, slots=True)
class Broken:
    """No whole reply came."""

    reason: Literal["connection", "timeout", "bad_body"]
    detail: str
    refused: bool = False
    """No connection could be made at all: the replica is down."""


Outcome = Answered | Refused | Broken
