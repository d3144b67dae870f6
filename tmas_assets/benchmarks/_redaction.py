"""Takes what must not leave the house out of a hypothesis, before anything is made of it.

Patterns stand in a file of their own, which is read and never stored or shown: a pattern is often the secret itself. No
message of a fault shows a pattern or what it matched.
"""

import re
from collections.abc import Sequence

from tmas_assets.benchmarks._contract import BenchmarkError
from tmas_assets.benchmarks._tables import decode
from tmas_assets.records import Hypothesis

PLACE = "[redacted]"
Pattern = re.Pattern[str]


def patterns(data: bytes, path: str) -> tuple[Pattern, ...]:
    """One regular expression a line; blank lines and lines that start with # say nothing. Raises BenchmarkError."""
    found = []
    for number, line in enumerate(decode(data, path).splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            pattern = re.compile(text)
        except (re.error, RecursionError, OverflowError):
            raise BenchmarkError(f"{path} line {number}: not a regular expression; escape its marks with a backslash") from None
        if pattern.search(""):
            raise BenchmarkError(f"{path} line {number}: matches the empty text, so it would be put everywhere; ask for a character at least")
        found.append(pattern)
    return tuple(found)


def names_match(names: Sequence[str], hidden: Sequence[Pattern]) -> bool:
    """Whether a name, which cannot be redacted since partitions and reports are called by it, holds what a pattern hides."""
    return any(pattern.search(name) for name in names for pattern in hidden)


def redacted(hypothesis: Hypothesis, hidden: Sequence[Pattern]) -> Hypothesis:
    """The same with `PLACE` for every match in any of its texts; ids stay."""

    def plain(text: str) -> str:
        for pattern in hidden:
            text = pattern.sub(PLACE, text)
        return text

    def each(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(plain(text) for text in texts)

    evidence = tuple(
        piece.model_copy(update={"title": plain(piece.title), "text": plain(piece.text), "source": plain(piece.source)})
        for piece in hypothesis.evidence
    )
    return hypothesis.model_copy(update={
        "statement": plain(hypothesis.statement),
        "goal": plain(hypothesis.goal),
        "success_criteria": each(hypothesis.success_criteria),
        "constraints": each(hypothesis.constraints),
        "options": each(hypothesis.options),
        "owner": plain(hypothesis.owner),
        "language": plain(hypothesis.language),
        "evidence": evidence,
    })
