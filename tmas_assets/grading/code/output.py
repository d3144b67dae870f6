"""Does a program's output say what it should? Lines are compared word by word; leaves out how it was made."""

import math

from tmas_assets.grading.code.data import CodeOutput


def difference(printed: str, wanted: CodeOutput) -> str | None:
    """Where the two differ first, None where they do not. Blanks within a line and empty lines around all do not count.

    >>> difference("1  2 \\n\\n", CodeOutput(stdin="", stdout="1 2")) is None
    True
    """
    lines, expected = _lines(printed), _lines(wanted.stdout)
    for number, (line, other) in enumerate(zip(lines, expected, strict=False), start=1):
        if len(line) != len(other) or not all(
            _same(word, right, wanted.float_tolerance) for word, right in zip(line, other, strict=True)
        ):
            return f"line {number} is {_shown(line)}, expected {_shown(other)}"
    if len(lines) != len(expected):
        return f"{len(lines)} lines, expected {len(expected)}"
    return None


def _lines(text: str) -> list[list[str]]:
    lines = [line.split() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


def _same(word: str, right: str, tolerance: float | None) -> bool:
    if word == right or tolerance is None:
        return word == right
    if _whole(word) and _whole(right):
        return _plain(word) == _plain(right)  # not as floats, which hold 16 digits
    value, expected = _number(word), _number(right)
    if value is None or expected is None:
        return False
    return math.isclose(value, expected, rel_tol=tolerance, abs_tol=tolerance)


def _whole(word: str) -> bool:
    return word.isascii() and word.lstrip("+-").isdigit() and len(word) - len(word.lstrip("+-")) <= 1


def _plain(word: str) -> str:
    sign = "-" if word.startswith("-") else ""
    digits = word.lstrip("+-").lstrip("0")
    return sign + digits if digits else "0"


def _number(word: str) -> float | None:
    try:
        return float(word) if word.isascii() and "_" not in word else None
    except ValueError:
        return None


def _shown(line: list[str]) -> str:
    return repr(" ".join(line)[:80])
