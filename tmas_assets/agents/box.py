"""Finds the content of the last complete box of a text; leaves out what it means."""

import re

_BEGINNING = re.compile(r"\\boxed\s*\{")


def last_box(text: str) -> str | None:
    r"""Content of the last `\boxed{...}` that closes, braces counted and escaped ones not; None without one."""
    for match in reversed([*_BEGINNING.finditer(text)]):
        depth = 1
        for brace in re.finditer(r"\\.|[{}]", text[match.end() :], re.DOTALL):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if depth == 0:
                return text[match.end() : match.end() + brace.start()].strip()
    return None
