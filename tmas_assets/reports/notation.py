"""How figures are printed, the same in the terminal, in Markdown and on the pages. Leaves out layout."""

import re
from collections.abc import Iterable
from typing import NamedTuple, Protocol

from tmas_assets.records import RoleTokens, Score


class Bounded(Protocol):
    """What has an interval: a score, a figure, an agreement."""

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


ABSENT = "–"
_MARKS = re.compile(r"([\\`*_{}\[\]<>()#+!|~&$@]|(?<=:)/(?=/)|(?<=[wW]{3})\.)")
"""Also what would make a link of an address: other marks in it are escaped, which would lead the link astray."""
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufeff]")


def percent(share: float | None, digits: int = 2) -> str:
    """A share in [0, 1] as a percentage without its sign: 0.405 is `40.50`."""
    return ABSENT if share is None else f"{100 * share:.{digits}f}"


def bounds(score: Bounded) -> str:
    """The interval as `28.4 – 52.9`, in percent."""
    return ABSENT if score.low is None or score.high is None else f"{percent(score.low, 1)} – {percent(score.high, 1)}"


def per_problem(score: Score) -> str:
    """How many answers stand behind a score, `50 × 32`; `50 × 4 chosen` where they are those the strategy chose."""
    chosen = " chosen" if score.chosen else ""
    return f"{score.problems:,} × {score.answers // score.problems:,}{chosen}" if score.problems else "0"


def untrusted(score: Score) -> str:
    """The warning that goes with a score whose answers ran without a sandbox; empty where all ran in one."""
    if not score.unsandboxed:
        return ""
    return (
        f"Not to be trusted: iteration {score.iteration} of {score.experiment} ran the code of {score.unsandboxed:,} of "
        f"{score.answers:,} answers without a sandbox, so they could have forged their verdicts. Install bubblewrap, "
        "take the setting away that allows this, and grade again."
    )


def count(number: int) -> str:
    return f"{number:,}"


def short_count(number: float) -> str:
    """Three significant digits and K, M or B: 1,250,000 is `1.25 M`."""
    for unit, size in (("B", 1e9), ("M", 1e6), ("K", 1e3)):
        if number >= 0.9995 * size:  # from here on three digits round up to one of this unit
            return f"{number / size:.3g} {unit}"
    return f"{number:.3g}"


def total_tokens(rows: Iterable[RoleTokens]) -> RoleTokens:
    """All roles in one row, with the role `all`."""
    every = tuple(rows)
    return RoleTokens(
        role="all",
        calls=sum(row.calls for row in every),
        prompt_tokens=sum(row.prompt_tokens for row in every),
        completion_tokens=sum(row.completion_tokens for row in every),
        unknown=sum(row.unknown for row in every),
    )


def tokens_known(row: RoleTokens) -> str:
    """Prompt and completion tokens together; `≥` where calls of unknown usage are in no sum."""
    return ("≥ " if row.unknown else "") + count(row.prompt_tokens + row.completion_tokens)


class Cost(Protocol):
    """Tokens a problem, with the number of calls that are in no sum."""

    @property
    def tokens(self) -> float: ...

    @property
    def usage_unknown(self) -> int: ...


def tokens_spent(cost: Cost) -> str:
    """`12.3 K`; `≥` where calls of unknown usage are in no sum."""
    return ("≥ " if cost.usage_unknown else "") + short_count(cost.tokens)


class Cut(NamedTuple):
    text: str
    left_out: int
    """Characters."""


def cut(text: str, most: int) -> Cut:
    """The first `most` characters; an ending of a few is not worth cutting off."""
    return Cut(text, 0) if len(text) <= 1.02 * most else Cut(text[:most], len(text) - most)


def printable(text: str) -> str:
    """Control characters, lone surrogates and direction overrides shown as U+FFFD; newlines and tabs stay."""
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n"))


def markdown_cell(text: str) -> str:
    """`text` as one cell of a Markdown table: no mark, pipe, tag or line break of it is read as such."""
    return _MARKS.sub(r"\\\1", " ".join(printable(text).split()))
