"""A file of the store as an audit looks at it: read once, hashed, compared with what was recorded of it; read further only where that holds.

Leaves out which files there should be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from resources.parquet_store import Address, MissingFile, Parent, ParquetStore, StoreFault, made_from_of
from tmas_assets.records import AuditFault, AuditNode, NodeKind, Record, SealedFile, Standing, digest_bytes
from tmas_assets.records.schema import arrow_schema

SHOWN = 5
"""Faults that a node lists; the rest are counted."""
NOT_READABLE = (pa.ArrowException, OSError, ValueError)
"""What reading a parquet file of any bytes may raise."""


def file_id(address: Address) -> str:
    """`demo/rollouts t00/a`, as people say it: the settings are those of the score."""
    return f"{'/'.join(address.asset)} {'/'.join(address.partition)}"


@dataclass(frozen=True)
class Looked:
    """A file's bytes, None where there is none."""

    address: Address
    data: bytes | None
    fault: str = ""
    """Why it could not be read from the store."""

    @cached_property
    def digest(self) -> str | None:
        return None if self.data is None else digest_bytes(self.data)

    @cached_property
    def _parquet(self) -> pq.ParquetFile:
        return pq.ParquetFile(pa.BufferReader(self.data))

    @cached_property
    def rows(self) -> int:
        return int(self._parquet.metadata.num_rows)

    @cached_property
    def made_from(self) -> tuple[Parent, ...]:
        """What the file says it was made from."""
        return made_from_of(self._parquet.schema_arrow)

    def parent(self, name: str) -> str | None:
        return dict(self.made_from).get(name)

    def columns(self, *names: str) -> list[dict[str, Any]]:
        """The rows, of these columns or of all."""
        rows: list[dict[str, Any]] = self.table(*names).to_pylist()
        return rows

    def table(self, *names: str) -> pa.Table:
        table = self._parquet.read(columns=list(names) or None, use_threads=False)
        return table.replace_schema_metadata(None)

    def other_form(self, record: type[Record]) -> str | None:
        """What it holds where this version of the project does not read it as `record`; None where it does."""
        schema = self._parquet.schema_arrow
        facts = {key.decode(): value.decode("utf-8", "replace") for key, value in (schema.metadata or {}).items()}
        held, version = facts.get("tmas.record"), facts.get("tmas.schema_version")
        same = (held, version) == (record.__name__, str(record.SCHEMA_VERSION)) and schema.remove_metadata().equals(arrow_schema(record))
        return None if same else f"{held} in version {version}"

    def unreadable(self) -> str | None:
        """Why it is no parquet file of ours; None where it is. Looks at footer and facts."""
        try:
            self.rows, self.made_from  # noqa: B018 - read here, kept for later
        except NOT_READABLE as error:
            return f"no readable parquet file: {' '.join(str(error).split())[:160]}"
        return None


def look(store: ParquetStore, address: Address) -> Looked:
    try:
        return Looked(address, store.whole(address))
    except MissingFile:
        return Looked(address, None)
    except StoreFault as fault:
        return Looked(address, None, str(fault))


@dataclass(frozen=True)
class Expected:
    """What a file should be. `digest`: None where nobody recorded it."""

    digest: str | None
    by: str = ""
    """Who recorded it."""
    asset: str = ""
    group: str = ""
    cure: str = ""
    parents: tuple[str, ...] = ()
    links: Mapping[str, str | None] | None = None
    """Digests that the inputs have, by the names the file gives them; None for one that it must not name."""
    record: type[Record] | None = None
    """What its rows are."""


def is_intact(looked: Looked, recorded: str | None, record: type[Record] | None = None) -> bool:
    """Whether it may be read further: it is as recorded, or nobody recorded it and it can be read; and its rows are of `record`, where one is given."""
    if looked.data is None or (looked.unreadable() is not None if recorded is None else looked.digest != recorded):
        return False
    return record is None or looked.other_form(record) is None


def file_node(score: str, looked: Looked, expected: Expected, known: Mapping[str, SealedFile]) -> AuditNode:
    """`known`: sealed files by digest, to tell a file that was put in another's place."""
    faults: list[AuditFault] = []
    name, cure = file_id(looked.address), expected.cure
    standing: Standing = "intact"
    said = ""
    if looked.data is None:
        standing, said = "missing", looked.fault or "there is no such file"
    elif expected.digest is not None and looked.digest != expected.digest:
        other = known.get(str(looked.digest))
        torn = looked.unreadable()
        said = f"it is the file of {other.id}" if other is not None else torn or "its bytes are other ones than recorded"
        faults.append(AuditFault(what=name, field="bytes", recorded=f"{expected.digest} ({expected.by})", found=str(looked.digest)))
    elif expected.digest is None and (torn := looked.unreadable()) is not None:
        said = torn
        faults.append(AuditFault(what=name, field="bytes", recorded="a parquet file", found=torn))
    elif expected.record is not None and (held := looked.other_form(expected.record)) is not None:
        said, cure = "another version of this project wrote it, and this one cannot read it", "Run again: what is of another form is made anew, and the call log answers."
        wanted = f"{expected.record.__name__} in version {expected.record.SCHEMA_VERSION}"
        faults.append(AuditFault(what=name, field="form", recorded=wanted, found=held))
    else:
        faults += _links(name, looked, expected.links or {})
        said = "made from other inputs than there are" if faults else ""
    return AuditNode(
        score=score, id=name, kind="file", group=expected.group or "/".join(looked.address.asset), asset=expected.asset,
        standing="changed" if faults else standing, digest=looked.digest,
        count=looked.rows if looked.data is not None and not faults else 0, said=said, faults=tuple(faults[:SHOWN]),
        more=max(0, len(faults) - SHOWN), cure=cure if faults or standing != "intact" else "", parents=expected.parents,
    )  # fmt: skip


def _links(name: str, looked: Looked, links: Mapping[str, str | None]) -> list[AuditFault]:
    stated = dict(looked.made_from)
    return [
        AuditFault(what=name, field=f"made from {link}", recorded=stated.get(link) or "none", found=there or "none")
        for link, there in links.items()
        if stated.get(link) != there
    ]


def plain_node(
    score: str, name: str, kind: NodeKind, *, group: str = "", asset: str = "", standing: Standing | None = None, digest: str | None = None, count: int = 0,
    said: str = "", faults: Sequence[AuditFault] = (), cure: str = "", parents: Sequence[str] = (),
) -> AuditNode:  # fmt: skip
    """A node that is no file of the store. `standing`: `changed` where there are faults, unless one is given."""
    found: Standing = standing or ("changed" if faults else "intact")
    return AuditNode(
        score=score, id=name, kind=kind, group=group or name, asset=asset, standing=found, digest=digest, count=count, said=said,
        faults=tuple(faults[:SHOWN]), more=max(0, len(faults) - SHOWN), cure=cure if found in ("missing", "changed") else "",
        parents=tuple(parents),
    )  # fmt: skip
