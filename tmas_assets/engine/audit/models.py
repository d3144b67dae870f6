"""The models of a chain: folders hashed anew and compared with the identity that calls are keyed by; checkpoints with what is stated in them.

What an external server answers with is `declared`: nothing here can recompute it. Leaves out what a checkpoint was trained on (`training.py`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from partitions.keys import iteration_key, iteration_of
from resources.serving.default_model import NAME as BUNDLED
from resources.serving.default_model import default_folder
from resources.serving.model_folder import (
    MANIFEST,
    RECORDS,
    FileDigest,
    ModelFolderTorn,
    manifest,
    records_of,
    stated_manifest,
)
from resources.serving.vllm_command import weight_arguments
from resources.training.checkpoints import CHECKPOINT, Checkpoints, is_name
from tmas_assets.engine.audit.files import plain_node
from tmas_assets.engine.seal import models_key
from tmas_assets.records import (
    OUTCOME,
    AuditFault,
    AuditNode,
    Checkpoint,
    Endpoint,
    ManagedServer,
    SealedFile,
    TrainerOutcome,
    digest,
)
from tmas_assets.records.experiment import NAME
from tmas_assets.records.review import PERSON

_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class FoundModel:
    node: AuditNode
    checkpoint: Checkpoint | None = None
    """As it states itself, where it is one."""


@dataclass(frozen=True)
class Models:
    """`sealed`: files of model folders as they were when the score was made, by what they are sealed under. `endpoints`: where models may be."""

    score: str
    home: Path
    sealed: Mapping[str, Sequence[SealedFile]]
    endpoints: Mapping[str, Endpoint]
    """By identity where a score says it."""
    others: Sequence[Endpoint] = ()
    """Of the location's data sets and experiments: a model may be behind one of them."""

    def find(self, identity: str) -> FoundModel:
        name = f"model {identity}"
        endpoint = self.endpoints.get(identity)
        if identity.startswith(PERSON):
            return FoundModel(self._declared(name, "a person wrote it"))
        if endpoint is not None and endpoint.managed is not None:
            return self._folder(identity, self._place(endpoint.managed), endpoint.managed)
        if endpoint is None and _DIGEST.fullmatch(identity):
            return self._search(identity)
        return FoundModel(self._declared(name, "a server of somebody else's: its name and revision are declared and cannot be recomputed"))

    def named(self, base: str, identity: str) -> FoundModel:
        """The model that a training run says it started from."""
        managed = ManagedServer(model=base)
        if is_name(base) and "@" in base:
            training, _, iteration = base.partition("@")
            managed = ManagedServer(model=training, iteration=iteration_of(iteration))
        return self._folder(identity, self._place(managed), managed)

    def _declared(self, name: str, said: str) -> AuditNode:
        return plain_node(self.score, name, "model", group="models", standing="declared", said=said)

    def _place(self, managed: ManagedServer) -> Path:
        if managed.model == BUNDLED:
            return default_folder(self.home)
        if NAME.fullmatch(managed.model) and isinstance(managed.iteration, int):
            return Checkpoints(self.home).folder(managed.model, managed.iteration)
        return Path(managed.model).expanduser().resolve()

    def _search(self, identity: str) -> FoundModel:
        """Behind any endpoint that the location states, or among the checkpoints, by its identity alone."""
        if (found := Checkpoints(self.home).stating(identity)) is not None:
            return self._folder(identity, found.folder, ManagedServer(model=found.folder.parent.name, iteration=found.checkpoint.iteration))
        managed = [one.managed for one in self.others if one.managed is not None]
        for one in [ManagedServer(), *managed]:
            if (place := self._place(one)).is_dir() and _identity(manifest(place), one) == identity:
                return self._folder(identity, place, one)
        return FoundModel(plain_node(
            self.score, f"model {identity}", "model", group="models", standing="missing", said="no model here has this identity",
            cure="Bring its folder back, or state the endpoint that serves it.",
        ))  # fmt: skip

    def _folder(self, identity: str, folder: Path, managed: ManagedServer) -> FoundModel:
        name, trained = f"model {identity}", is_name(managed.model) and managed.model != BUNDLED
        label = f"{managed.model}@{iteration_key(managed.iteration)}" if trained and isinstance(managed.iteration, int) else managed.model
        cure = f"`tmas train {managed.model}` makes it again, as another one." if trained else "Put the folder back as it was."
        if not folder.is_dir():
            return FoundModel(plain_node(
                self.score, name, "model", group=f"model {label}", standing="missing", said=f"{label}: there is no folder {folder.name}", cure=cure,
            ))  # fmt: skip
        files = manifest(folder)
        there = _identity(files, managed)
        faults = list(self._changed(identity, folder, files, label))
        if there != identity and not faults:
            faults.append(AuditFault(what=label, field="identity", recorded=identity, found=there))
        # what stands in a file that was changed leads nowhere
        stated = _stated(folder) if trained and not any(fault.what == f"{label} {CHECKPOINT}" for fault in faults) else None
        if trained and not faults:
            faults += _disagreeing(folder, stated, managed, identity)
        return FoundModel(plain_node(
            self.score, name, "model", group=f"model {label}", asset=f"{managed.model}/{stated.kind}_checkpoint" if stated else "", digest=there,
            count=len(files), faults=faults, said="its files are other ones than recorded" if faults else "", cure=cure,
        ), stated)  # fmt: skip

    def _changed(self, identity: str, folder: Path, files: Sequence[FileDigest], label: str) -> Iterator[AuditFault]:
        """Against the seal, else against the folder's own manifest."""
        sealed = self.sealed.get(models_key(identity), ())
        was = {one.partition: one.digest for one in sealed if one.partition not in RECORDS}
        if not was and (folder / MANIFEST).is_file():
            try:
                was = {one.name: one.sha256 for one in stated_manifest(folder)}
            except ModelFolderTorn as torn:
                yield AuditFault(what=f"{label} {MANIFEST}", field="bytes", recorded="a manifest", found=str(torn))
        there = {one.name: one.sha256 for one in files}
        pairs = [(name, was.get(name), there.get(name)) for name in sorted(was.keys() | there.keys())] if was else []
        beside = {one.name: one.sha256 for one in records_of(folder)}
        pairs += [(one.partition, one.digest, beside.get(one.partition)) for one in sealed if one.partition in RECORDS]
        for name, recorded, found in pairs:
            if recorded != found:
                yield AuditFault(what=f"{label} {name}", field="bytes", recorded=recorded or "no such file", found=found or "no such file")


def _identity(files: Sequence[FileDigest], managed: ManagedServer) -> str:
    found, arguments = digest([file.model_dump() for file in files]), weight_arguments(managed)
    return digest([found, arguments]) if arguments else found


def _stated(folder: Path) -> Checkpoint | None:
    try:
        return Checkpoint.model_validate_json((folder / CHECKPOINT).read_bytes())
    except (OSError, ValidationError):
        return None


def _disagreeing(folder: Path, stated: Checkpoint | None, managed: ManagedServer, identity: str) -> Iterator[AuditFault]:
    """What stands in a checkpoint's folder, against each other."""
    if stated is None:
        yield AuditFault(what=CHECKPOINT, field="bytes", recorded="a checkpoint's record", found="nothing that can be read as one")
        return
    if (stated.training, stated.iteration) != (managed.model, managed.iteration):
        yield AuditFault(what=CHECKPOINT, field="training", recorded=f"{managed.model}@{managed.iteration}", found=f"{stated.training}@{stated.iteration}")
    if stated.digest != identity and not weight_arguments(managed):
        yield AuditFault(what=CHECKPOINT, field="digest", recorded=identity, found=stated.digest)
    try:
        outcome = TrainerOutcome.model_validate_json((folder / OUTCOME).read_bytes())
    except (OSError, ValidationError) as error:
        yield AuditFault(what=OUTCOME, field="bytes", recorded="how the trainer ended", found=" ".join(str(error).split())[:160])
        return
    for field, there in (("steps", outcome.step), *((name, getattr(outcome, name)) for name in ("seconds", "processes", "device", "parameters", "packages"))):
        if getattr(stated, field) != there:
            yield AuditFault(what=CHECKPOINT, field=field, recorded=str(getattr(stated, field)), found=f"{there} in {OUTCOME}")
