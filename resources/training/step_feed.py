"""The figures of a running trainer's steps, each once and in order: from its Pipes messages, or from the file that it appends them to.

The file is read in any case at the end, so that no step is lost with a message. A trainer that goes on after a kill writes it anew
without the steps that it does again, so it is known by its inode, and lines that stood there before are of an earlier trainer.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from dagster import PipesSession
from pydantic import ValidationError

from resources.training.trainer_faults import Fault, TrainerFault
from tmas_assets.records.trainer import StepFigures

OnStep = Callable[[StepFigures], None]


class StepFeed:
    """Made before the trainer starts: what the file holds by then is of an earlier one."""

    def __init__(self, figures: Path, session: PipesSession | None, on_step: OnStep) -> None:
        self.figures, self.session, self.on_step = figures, session, on_step
        self.last: int | None = None
        """Last step told."""
        self._messages = 0
        self._file, written = _whole(figures)
        self._read, self._rest = len(written), b""
        self._before, self._kept = frozenset(written.splitlines()), frozenset[bytes]()

    def look(self, *, ended: bool = False) -> bool:
        """Tell the steps that have come since; True when there were any. Raises TrainerFault for figures that are none."""
        before = self.last
        if self.session is not None:
            for step in self._told(self.session):
                self._tell(step)
        if self.session is None or ended:
            for step in self._written():
                self._tell(step)
        return self.last != before

    def _tell(self, step: StepFigures) -> None:
        if self.last is None or step.step > self.last:
            self.last = step.step
            self.on_step(step)

    def _told(self, session: PipesSession) -> Iterator[StepFigures]:
        messages = session.get_custom_messages()
        new, self._messages = messages[self._messages :], len(messages)
        for message in new:
            if isinstance(message, dict) and "step" in message:
                yield _figures(message["step"], "Pipes message")

    def _written(self) -> Iterator[StepFigures]:
        if not self.figures.exists():
            return
        with self.figures.open("rb") as file:
            if (inode := os.fstat(file.fileno()).st_ino) != self._file:
                self._file, self._read, self._rest, self._kept = inode, 0, b"", self._before
            file.seek(self._read)
            new = file.read()
        self._read += len(new)
        *whole, self._rest = (self._rest + new).split(b"\n")
        for line in whole:
            if line not in self._kept:
                yield _figures(line, str(self.figures))


def _whole(figures: Path) -> tuple[int | None, bytes]:
    """Inode and bytes; (None, nothing) where there is no file."""
    try:
        with figures.open("rb") as file:
            return os.fstat(file.fileno()).st_ino, file.read()
    except FileNotFoundError:
        return None, b""


def _figures(given: Any, where: str) -> StepFigures:
    try:
        return StepFigures.model_validate_json(given) if isinstance(given, bytes) else StepFigures.model_validate(given, strict=False)
    except ValidationError as error:
        raise TrainerFault(Fault.OTHER, f"{where} holds no figures of a step: {given!r:.300}. The trainer's code is another than ours.") from error
