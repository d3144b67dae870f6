"""The file of a run's figures: JSON lines of `StepFigures`, one a step.

A step stands there once: what a run does again after a kill takes the place of what it did before. Leaves out where figures come
from; imports nothing heavy.
"""

from pathlib import Path

from pydantic import ValidationError

from resources.whole_file import whole_file
from tmas_assets.records import StepFigures

ORDER = "order.jsonl"
"""Beside the figures of SFT: the table of conversations by step, JSON lines of `StepPrompts`."""


def append(file: Path, figures: StepFigures) -> None:
    """One line, at once for every reader. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(figures.model_dump_json() + "\n")


def read_figures(file: Path) -> tuple[StepFigures, ...]:
    """Of every step, in the file's order; a last line cut by a kill is left out. Empty where there is no file."""
    if not file.exists():
        return ()
    lines = file.read_text(encoding="utf-8").splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(StepFigures.model_validate_json(line))
        except ValidationError as error:
            if number < len(lines):
                raise ValueError(f"{file} line {number} holds no figures of a step: {error}; move the file away") from error
    return tuple(found)


def keep_figures(file: Path, up_to: int) -> None:
    """Leave only steps 1 to `up_to`: those after it are done again. Raises OSError."""
    kept = [figures for figures in read_figures(file) if figures.step <= up_to]
    file.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(file) as lines:
        lines.write("".join(figures.model_dump_json() + "\n" for figures in kept).encode())
