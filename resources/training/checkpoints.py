"""Checkpoints of training runs on disk: registered once whole, found again by training and iteration, named torn where a byte is off.

    TMAS_HOME/checkpoints/<training>/t00     a Hugging Face folder with its manifest and, written last, `checkpoint.json`

A folder appears under its name in one step. One that takes another's place moves it aside first; who is killed in between leaves
the former one, which the next reader puts back. Leaves out training and serving.
"""

import contextlib
import json
import os
import shutil
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from partitions.keys import KeyFault, iteration_key, iteration_of
from resources.serving.file_lock import exclusive
from resources.serving.model_folder import (
    ModelFolderMissing,
    ModelFolderTorn,
    changed_files,
    model_identity,
    write_beside,
    write_manifest,
)
from resources.serving.server_files import start_time
from resources.training.trained_folder import (
    CheckpointFault,
    CheckpointMissing,
    CheckpointTorn,
    checkpoint_name,
    flush,
    require_trained,
)
from tmas_assets.records import LATEST, Checkpoint, CheckpointFacts, Iteration
from tmas_assets.records.experiment import NAME

__all__ = [
    "CheckpointFault",
    "CheckpointMissing",
    "CheckpointTorn",
    "Checkpoints",
    "Kept",
    "Registered",
    "checkpoint_name",
    "is_name",
]  # fmt: skip
CHECKPOINT = "checkpoint.json"
_LOCK, _MAKING, _ASIDE, _OWNER = ".lock", ".making", ".former-", "owner"


@dataclass(frozen=True)
class Registered:
    """A whole checkpoint and the folder that a server loads it from."""

    checkpoint: Checkpoint
    folder: Path

    @property
    def name(self) -> str:
        return checkpoint_name(self.checkpoint.training, self.checkpoint.iteration)


@dataclass(frozen=True)
class Kept:
    """What lies on disk for one iteration."""

    iteration: int
    folder: Path
    checkpoint: Checkpoint | None
    """As its `checkpoint.json` states it; None where that cannot be read."""
    torn: str | None
    """Why it cannot be used; None where it is whole."""
    superseded: str | None = None
    """Why it is not `latest`: the former iteration was trained again since."""


def is_name(model: str) -> bool:
    """Whether `model` of a managed server is a name (the bundled model's or a training run's) and no path."""
    return "/" not in model and not model.startswith((".", "~"))


@dataclass(frozen=True)
class Checkpoints:
    home: Path
    """TMAS_HOME."""

    def making(self, training: str, iteration: int) -> Path:
        """An empty folder for the model of a trainer that this process watches. Those of processes that are gone are removed.

        Raises CheckpointFault where the disk refuses, or for a name that is none.
        """
        place = self._place(training) / _MAKING / f"{_key(iteration)}-{uuid.uuid4().hex}"
        with self._settled(training), _told(training, iteration):
            _remove_orphans(place.parent)
            place.mkdir(parents=True)
            (place / _OWNER).write_text(json.dumps([os.getpid(), start_time(os.getpid())]))
            (place / "model").mkdir()
        return place / "model"

    def register(self, folder: Path, facts: CheckpointFacts) -> Registered:
        """Make the trainer's output in `folder` the checkpoint of its iteration; a former one stays until then.

        Raises CheckpointTorn where the folder is no whole model equal to the trained one; the former one then stays.
        """
        with _told(facts.training, facts.iteration):
            outcome = require_trained(folder, facts)
            flush(folder)
            identity = write_manifest(folder)
            checkpoint = Checkpoint(
                **facts.model_dump(), digest=identity, steps=outcome.step, seconds=outcome.seconds, processes=outcome.processes,
                device=outcome.device, parameters=outcome.parameters, max_difference=outcome.max_difference or 0.0,
                packages=outcome.packages,
            )  # fmt: skip
            write_beside(folder / CHECKPOINT, checkpoint.model_dump_json(indent=1).encode())
            flush(folder)
            place = self._place(facts.training)
            target, aside = place / _key(facts.iteration), place / f"{_ASIDE}{_key(facts.iteration)}"
            with self._settled(facts.training):
                if target.exists():
                    target.replace(aside)
                folder.replace(target)
                shutil.rmtree(aside, ignore_errors=True)  # what is left goes when the folder is next looked at
            if folder.parent.parent.name == _MAKING:
                shutil.rmtree(folder.parent, ignore_errors=True)
        return Registered(checkpoint, target)

    def find(self, training: str, iteration: Iteration = LATEST) -> Registered:
        """The whole checkpoint of an iteration, or the newest one: torn ones are passed over, and so are those made from a former
        iteration that was trained again since. Raises CheckpointMissing, CheckpointTorn."""
        kept = self.all(training) if iteration == LATEST else self._kept(training, [iteration])
        usable = [one for one in kept if one.torn is None and (iteration != LATEST or one.superseded is None)]
        if usable and usable[-1].checkpoint is not None:
            return Registered(usable[-1].checkpoint, usable[-1].folder)
        others = kept or self.all(training)
        there = "; ".join(f"{_key(one.iteration)} {_state(one)}" for one in others) or "none"
        wanted = checkpoint_name(training, iteration) if isinstance(iteration, int) else f"whole checkpoint of {training}"
        fault = CheckpointTorn if kept else CheckpointMissing
        raise fault(
            f"no {wanted} under {self._place(training)}; found: {there}. `tmas train {training}` makes what is missing or torn; a "
            "folder of your own is named by its path (./name)."
        )

    def of(self, name: str, digest: str) -> Registered | None:
        """The checkpoint called `demo_sft@t00` as it states itself, unchecked; None where `name` is no checkpoint's, there is none, or it
        says that it is another one than `digest`."""
        training, _, iteration = name.partition("@")
        if not NAME.fullmatch(training) or not iteration:
            return None
        folder = self._place(training) / iteration
        try:
            stated = Checkpoint.model_validate_json((folder / CHECKPOINT).read_bytes())
        except (OSError, ValidationError):
            return None
        return Registered(stated, folder) if stated.digest == digest else None

    def stating(self, digest: str) -> Registered | None:
        """The first that states this digest, of any training, unchecked; None where none does."""
        found = (self.of(checkpoint_name(one, t), digest) for one in self.trainings() for t in sorted(_iterations(self._place(one))))
        return next((one for one in found if one is not None), None)

    def folder(self, training: str, iteration: int) -> Path:
        """Where a checkpoint lies, or would. Raises CheckpointMissing for what can be neither."""
        return self._place(training) / _key(iteration)

    def all(self, training: str) -> tuple[Kept, ...]:
        """Everything that lies there, in order of iteration. Bytes are compared with the manifest of each."""
        place = self._place(training)
        return self._kept(training, sorted(_iterations(place))) if place.is_dir() else ()

    def trainings(self) -> tuple[str, ...]:
        """Names of those that have a checkpoint, whole or torn."""
        place = self.home / "checkpoints"
        known = sorted(path.name for path in place.iterdir() if NAME.fullmatch(path.name)) if place.is_dir() else []
        return tuple(name for name in known if _iterations(place / name))

    def _kept(self, training: str, iterations: Sequence[int]) -> tuple[Kept, ...]:
        place = self._place(training)
        if not place.is_dir():
            _ = [_key(iteration) for iteration in iterations]  # of one that cannot be
            return ()
        with self._settled(training):
            folders = [(iteration, place / _key(iteration)) for iteration in iterations]
            return tuple(self._look(training, iteration, folder) for iteration, folder in folders if folder.is_dir())

    def _look(self, training: str, iteration: int, folder: Path) -> Kept:
        try:
            stated = Checkpoint.model_validate_json((folder / CHECKPOINT).read_bytes())
        except FileNotFoundError:
            return Kept(iteration, folder, None, f"{CHECKPOINT} is missing: its registration never ended")
        except (OSError, ValidationError) as fault:
            return Kept(iteration, folder, None, f"{CHECKPOINT} cannot be read ({_line(fault)})")
        if (stated.training, stated.iteration) != (training, iteration):
            other = checkpoint_name(stated.training, stated.iteration)
            return Kept(iteration, folder, stated, f"{CHECKPOINT} is that of {other}")
        cache = self.home / "digests"
        try:
            changed = changed_files(folder, cache)
            found = model_identity(folder, cache)
        except (ModelFolderMissing, ModelFolderTorn, OSError) as fault:
            return Kept(iteration, folder, stated, _line(fault))
        if changed:
            return Kept(iteration, folder, stated, f"{', '.join(changed)} changed since it was registered")
        if found != stated.digest:
            return Kept(iteration, folder, stated, f"its files are {found[:12]}, registered was {stated.digest[:12]}")
        return Kept(iteration, folder, stated, None, self._superseded(stated))

    def _superseded(self, stated: Checkpoint) -> str | None:
        """Whether any iteration that it came from is another one by now: looks at what these state, not at their weights."""
        if stated.iteration == 0 or stated.base != (name := checkpoint_name(stated.training, stated.iteration - 1)):
            return None
        path = self._place(stated.training) / _key(stated.iteration - 1) / CHECKPOINT
        try:
            former = Checkpoint.model_validate_json(path.read_bytes())
        except (OSError, ValidationError):
            return None  # gone or torn: it does not say that another one took its place
        if former.digest != stated.base_digest:
            return f"{name} was trained again since: {former.digest[:12]}, it came from {stated.base_digest[:12]}"
        return self._superseded(former)

    def _place(self, training: str) -> Path:
        if not NAME.fullmatch(training):
            raise CheckpointMissing(f"{training!r} is no name of a training run: names are lower case letters, digits and _")
        return self.home / "checkpoints" / training

    @contextlib.contextmanager
    def _settled(self, training: str) -> Iterator[None]:
        """Hold the training's folder, after what a killed registration left was put right."""
        place = self._place(training)
        with exclusive(place / _LOCK):
            for aside in place.glob(f"{_ASIDE}*"):
                target = place / aside.name.removeprefix(_ASIDE)
                if target.exists():
                    shutil.rmtree(aside, ignore_errors=True)
                else:
                    aside.replace(target)
            yield


def _key(iteration: int) -> str:
    try:
        return iteration_key(iteration)
    except KeyFault as fault:
        raise CheckpointMissing(str(fault)) from fault


def _iterations(place: Path) -> set[int]:
    """Those with a folder, one that was put aside included."""
    found = set()
    for path in place.iterdir():
        with contextlib.suppress(KeyFault):
            found.add(iteration_of(path.name.removeprefix(_ASIDE)))
    return found


def _state(kept: Kept) -> str:
    if kept.torn is not None:
        return f"torn ({kept.torn})"
    return f"superseded ({kept.superseded})" if kept.superseded else "whole"


@contextlib.contextmanager
def _told(training: str, iteration: int) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise CheckpointFault(
            f"{training}@t{iteration:02d} is not registered, and what was there before stays: {error}. Free space or mend the disk "
            f"under TMAS_HOME, then `tmas train {training}` goes on."
        ) from error


def _remove_orphans(making: Path) -> None:
    for place in making.iterdir() if making.is_dir() else ():
        try:
            pid, began = json.loads((place / _OWNER).read_bytes())
        except (OSError, ValueError):
            pid, began = 0, None  # killed before it had said whose it is
        if began is None or start_time(pid) != began:
            shutil.rmtree(place, ignore_errors=True)


def _line(fault: Exception) -> str:
    return " ".join(str(fault).split())[:300]
