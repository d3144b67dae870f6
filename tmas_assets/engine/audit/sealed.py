"""Reads the seal of a score and tells whether it may be believed; names the score that is meant.

Leaves out the files that it names.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from partitions.keys import KeyFault, iteration_key, iteration_of
from resources.parquet_store import Address, ParquetStore, StoreFault
from tmas_assets.engine.audit.files import NOT_READABLE, look, plain_node
from tmas_assets.engine.seal import ROWS, SCORES, SEALED, SIDECAR, SUMMARY, rows_digest, sealed_at, sealed_partitions
from tmas_assets.records import AuditFault, AuditNode, Score, SealedFile, digest_bytes

_DIGITS = re.compile(r"[0-9a-f]{8,64}")
_NO_EVENT = "no event of Dagster names this seal, so nothing but the files themselves vouches for it"
Key = tuple[str, str, str]
"""Asset, variant and partition of a sealed file."""


class UnknownScore(ValueError):
    """No score is meant by this; the text says which there are."""


@dataclass(frozen=True)
class ScoreName:
    experiment: str
    variant: str
    iteration: int | None = None


@dataclass(frozen=True)
class Seal:
    node: AuditNode
    files: Mapping[Key, SealedFile]
    """Empty where the seal is not believed."""


def score_of(store: ParquetStore, said: str, experiments: Iterable[str]) -> ScoreName:
    """`demo` (its last summary), `demo/t03`, `demo@ab12` (under those settings), or first digits of the digest of a file of scores, which is
    looked for under `experiments`. Raises UnknownScore."""
    name, _, at = said.partition("/")
    experiment, _, settings = name.partition("@")
    if not settings and not at and _DIGITS.fullmatch(said) and not list(sealed_partitions(store, said)):
        return _by_digest(store, said, experiments)
    found = sorted(sealed_partitions(store, experiment))
    own = [one for one in found if one.startswith(settings)]
    if not own:
        there = f"it has scores under {', '.join(found)}" if found else f"it has none yet; `tmas run {experiment}` makes one"
        raise UnknownScore(f"no score {name}: {there}")
    if settings and len(own) > 1:
        raise UnknownScore(f"{name} may be any of {', '.join(f'{experiment}@{one}' for one in own)}: give more of the digits")
    try:
        iteration = iteration_of(at) if at else None
    except KeyFault as fault:
        raise UnknownScore(f"{said}: {fault}") from fault
    variant = max(own, key=lambda one: (sealed_at(store, experiment, one), one))
    if iteration is not None:
        _require_scored(store, experiment, variant, iteration)
    return ScoreName(experiment, variant, iteration)


def _require_scored(store: ParquetStore, experiment: str, variant: str, iteration: int) -> None:
    """An iteration without a score has no chain that could be intact."""
    try:
        scores = store.read(Address((experiment, SUMMARY), (SCORES,), variant), Score)
    except StoreFault:
        return  # gone or changed, which the audit will say
    if iteration not in (there := [score.iteration for score in scores]):
        keys = ", ".join(map(iteration_key, there)) or "no iteration"
        raise UnknownScore(f"no score {experiment}/{iteration_key(iteration)}: under {variant} it has scores of {keys}")


def _by_digest(store: ParquetStore, digits: str, experiments: Iterable[str]) -> ScoreName:
    for experiment in experiments:
        for variant in sealed_partitions(store, experiment):
            looked = look(store, Address((experiment, SUMMARY), (SCORES,), variant))
            if looked.digest is not None and looked.digest.startswith(digits):
                return ScoreName(experiment, variant)
    raise UnknownScore(f"no file of scores has a digest that begins with {digits}, and no experiment has that name")


def read_seal(store: ParquetStore, score: str, name: ScoreName, anchor: str | None) -> Seal:
    """`anchor`: digest of the seal by Dagster's event, None where there is no event."""
    address = Address((name.experiment, SUMMARY), (SEALED,), name.variant)
    looked, label = look(store, address), f"{name.experiment}/{SUMMARY} {SEALED}"
    cure = f"`tmas report {name.experiment}` sums up and seals what is there now."
    asset = f"{name.experiment}/{SUMMARY}"
    if looked.data is None:
        return Seal(plain_node(score, label, "seal", group=asset, asset=asset, standing="missing", said=looked.fault or "the score was never sealed", cure=cure), {})
    faults = list(_faults(store, address, label, str(looked.digest), anchor))
    rows: tuple[SealedFile, ...] = ()
    try:
        rows = tuple(SealedFile.model_validate(row) for row in looked.columns())
        stated = looked.parent(ROWS)
    except (*NOT_READABLE, ValidationError) as error:
        faults.append(AuditFault(what=label, field="rows", recorded="sealed files", found=" ".join(str(error).split())[:160]))
    else:
        if stated != (there := rows_digest(rows)):
            faults.append(AuditFault(what=label, field="rows", recorded=stated or "none", found=there))
    node = plain_node(
        score, label, "seal", group=asset, asset=asset, digest=looked.digest, count=len(rows), faults=faults, cure=cure,
        said="it is not the seal that was written, so it is not believed" if faults else "" if anchor is not None else _NO_EVENT,
    )  # fmt: skip
    return Seal(node, {} if faults else {(row.asset, row.variant, row.partition): row for row in rows})


def _faults(store: ParquetStore, address: Address, label: str, found: str, anchor: str | None) -> Iterator[AuditFault]:
    try:
        beside = store.beside((*address.asset, address.variant), SIDECAR)
    except StoreFault as fault:
        beside = str(fault).encode()
    if beside is None or beside != f"{found}\n".encode():
        was = "no such file" if beside is None else beside.decode("utf-8", "replace").strip()[:80]
        yield AuditFault(what=f"{label} and {SIDECAR} beside it", field="bytes", recorded=f"{was} ({SIDECAR}, {digest_bytes(beside or b'')[:12]})", found=found)
    if anchor is not None and anchor != found:
        yield AuditFault(what=label, field="bytes", recorded=f"{anchor} (Dagster's event)", found=found)
