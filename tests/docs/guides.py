"""The guides of `docs/`, read as a newcomer does: each block goes into the file that the line before it names."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_PLACED = re.compile(r"`(?P<path>[\w./$-]+\.\w+)`:\n\n```\w+\n(?P<text>.*?)```", re.DOTALL)
_COMMAND = re.compile(r"^    ((?:tmas|dagster|sha256sum|make) .*)$", re.MULTILINE)


def guide(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def files(name: str) -> dict[str, str]:
    """Path as the guide writes it -> content."""
    return {found["path"]: found["text"] for found in _PLACED.finditer(guide(name))}


def commands(name: str) -> list[str]:
    return _COMMAND.findall(guide(name))
