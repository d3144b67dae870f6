"""Reads replies of lines such as `Label: value`, the free form of roles that return a record.

Pure. Exact: only known labels count, at the beginning of a line. A line without a label goes on with the line before it, one
with a label that is not known, or a quotation (`>`), ends it. Leaves out what a value means.
"""

import re
from collections.abc import Collection, Mapping

_LINE = re.compile(r"^[\s#*_+-]*([A-Za-z][A-Za-z ]{0,29}?)[\s*_]*:[\s*_]*(.*)$")


class LabelError(ValueError):
    """A label that must stand once is missing, or stands twice with different values."""


def labelled(text: str, labels: Collection[str], *, cut: bool = False) -> Mapping[str, tuple[str, ...]]:
    """Values by label in order; labels are told in lower case and found in any. Labels without a line have no entry.

    `cut`: whether the reply was cut off; then the value it ends with may go on, and is left out."""
    found: dict[str, list[str]] = {}
    last: list[str] | None = None
    for line in text.splitlines():
        match = _LINE.match(line)
        label = match[1].lower() if match else ""
        if match and label in labels:
            last = found.setdefault(label, [])
            last.append(match[2].strip().rstrip("*_").rstrip())
        elif match or not line.strip() or line.lstrip().startswith(">"):
            last = None
        elif last:
            last[-1] = f"{last[-1]} {line.strip()}".strip()
    if cut and last:
        last.pop()
    return {label: tuple(value for value in values if value) for label, values in found.items()}


def once(found: Mapping[str, tuple[str, ...]], label: str) -> str:
    """The one value of `label`. Raises LabelError: of two different ones neither is guessed."""
    values = set(found.get(label, ()))
    if len(values) != 1:
        said = f"stands {len(values)} times with different values" if values else "is missing"
        raise LabelError(f"the line `{label.capitalize()}: ...` {said}")
    return values.pop()


def parts(value: str, count: int) -> tuple[str, ...]:
    """`value` cut at `|` into at most `count` parts, the missing ones empty."""
    cut = [part.strip() for part in value.split("|", count - 1)]
    return tuple(cut + [""] * (count - len(cut)))
