"""Trainer states on disk (`checkpoint-<step>` folders): which of them are whole, which are torn and why, and which to go on from.

A state is whole when its mark, `whole.json`, is there and every file it lists has the size it lists: the mark is written after
all processes have written their part. Leaves out what is in a state, and trainers: this module reads files and imports nothing heavy.
"""

import re
import shutil
from collections.abc import Container
from pathlib import Path
from typing import NamedTuple

from pydantic import ValidationError

from resources.whole_file import whole_file
from tmas_assets.engine.training.faults import TrainerRefusal
from tmas_assets.records.base import Record

MARK = "whole.json"
KEPT = 2
"""Newest whole states that stay: the newest, and the one before, in case the newest is lost."""
_FOLDER = re.compile(r"checkpoint-(\d+)")


class StateFile(Record):
    name: str
    """Path inside the folder, with forward slashes."""
    size: int
    """Bytes."""


class StateMark(Record):
    step: int
    """Optimizer steps done."""
    processes: int
    """That wrote the state, and have to read it."""
    files: tuple[StateFile, ...]


class State(NamedTuple):
    folder: Path
    step: int
    mark: StateMark | None
    fault: str | None
    """Why it is torn; None for a whole one."""


def states(folder: Path) -> tuple[State, ...]:
    """Every state under `folder`, by step; none where there is no such folder."""
    found = [(int(match[1]), path) for path in folder.glob("checkpoint-*") if (match := _FOLDER.fullmatch(path.name))]
    return tuple(look(path) for _, path in sorted(found))


def newest_whole(folder: Path) -> State | None:
    return max((state for state in states(folder) if state.fault is None), key=lambda state: state.step, default=None)


def torn(folder: Path) -> tuple[State, ...]:
    return tuple(state for state in states(folder) if state.fault is not None)


def look(folder: Path) -> State:
    """One state. Raises ValueError for a folder that is not called `checkpoint-<step>`."""
    named = _FOLDER.fullmatch(folder.name)
    if not named:
        raise ValueError(f"{folder} is no trainer state: those are folders called checkpoint-<step>")
    step = int(named[1])
    try:
        mark = StateMark.model_validate_json((folder / MARK).read_bytes())
    except FileNotFoundError:
        return State(folder, step, None, f"{MARK} is missing: writing it did not end" if folder.is_dir() else "there is no such folder")
    except (OSError, ValidationError) as error:
        return State(folder, step, None, f"{MARK} cannot be read: {error}")
    return State(folder, step, mark, _fault(folder, step, mark))


def require(folder: Path, processes: int) -> StateMark:
    """The mark of a state that `processes` processes can go on from. Raises TrainerRefusal.

    DeepSpeed spreads the optimizer over the processes; another number of them reads it wrong or runs out of memory
    (deepspeedai/DeepSpeed#1111).
    """
    state = look(folder)
    if state.mark is None or state.fault is not None:
        raise TrainerRefusal(f"trainer state {folder} is torn: {state.fault}. Go on from an older one, or start the iteration afresh.")
    if state.mark.processes != processes:
        raise TrainerRefusal(
            f"trainer state {folder} was saved by {state.mark.processes} processes, and {processes} would go on from it. Launch "
            f"{state.mark.processes} processes, or start the iteration afresh."
        )
    return state.mark


def mark_whole(folder: Path, step: int, processes: int) -> None:
    """Write the mark, last of all. Raises OSError."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MARK)
    files = tuple(StateFile(name=path.relative_to(folder).as_posix(), size=path.stat().st_size) for path in paths)
    with whole_file(folder / MARK) as file:
        file.write(StateMark(step=step, processes=processes, files=files).model_dump_json(indent=1).encode())


def remove(folder: Path) -> None:
    """The mark goes first, so that a removal cut short leaves a torn state. Raises OSError."""
    (folder / MARK).unlink(missing_ok=True)
    shutil.rmtree(folder)


def prune(folder: Path, kept: Container[int] = ()) -> tuple[State, ...]:
    """Remove all but the newest `KEPT` whole states and the steps in `kept`; what was removed. A torn one is removed once a newer
    whole one stands."""
    whole = [state for state in states(folder) if state.fault is None]
    newest = {state.step for state in whole[-KEPT:]}
    latest = max(newest, default=-1)
    gone = tuple(
        state for state in states(folder)
        if state.step not in newest and state.step not in kept and (state.fault is None or state.step < latest)
    )  # fmt: skip
    for state in gone:
        remove(state.folder)
    return gone


def _fault(folder: Path, step: int, mark: StateMark) -> str | None:
    if mark.step != step:
        return f"{MARK} is of step {mark.step}"
    if not mark.files:
        return f"{MARK} lists no file"
    for file in mark.files:
        path = folder / file.name
        if not path.is_file():
            return f"{file.name} is missing"
        if (size := path.stat().st_size) != file.size:
            return f"{file.name} has {size} bytes, written were {file.size}"
    return None
