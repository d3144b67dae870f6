"""Parquet files, one per asset and partition, written whole and renamed; every file knows its digest and parents.

A reader sees the old bytes or the new ones, never a torn file. The data version of an asset partition is the
SHA-256 of its file. Paths go through fsspec, so `memory://x` and `s3://bucket/x` work like a local folder.
Leaves out what the rows mean and which partition follows which.
"""

import json
import os
from collections.abc import Iterator, Sequence
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem
from pydantic import Field, ValidationError

from resources.whole_file import whole_file
from tmas_assets.records.base import Record, canonical_json, digest_bytes
from tmas_assets.records.schema import arrow_schema, from_table, to_table

R = TypeVar("R", bound=Record)


class StoreFault(RuntimeError):
    """A file that is missing, cannot be read or cannot be written; the text names asset, partition and path."""


class MissingFile(StoreFault):
    """Nothing was ever written there."""


class OtherSchema(StoreFault):
    """A file of another version of this project: whole, and not to be read by this one."""


class Address(NamedTuple):
    """Where rows lie: `asset` is the asset key, `variant` the settings that shaped them, `partition` the file."""

    asset: tuple[str, ...]
    partition: tuple[str, ...]
    """Path parts made of partition keys, e.g. ("t00", "a%2Fb"); ("whole",) for an unpartitioned asset."""
    variant: str = ""

    def __str__(self) -> str:
        settings = f" (settings {self.variant})" if self.variant else ""
        return f"{'/'.join(self.asset)} {'|'.join(self.partition)}{settings}"


class Parent(NamedTuple):
    """One input of a file: what it was and its digest."""

    name: str
    digest: str


class StoredFile(NamedTuple):
    path: str
    digest: str
    """SHA-256 of the file's bytes."""
    rows: int
    size: int
    """Bytes."""
    made_from: tuple[Parent, ...] = ()
    """The inputs recorded in the file itself."""

    def parent(self, name: str) -> str | None:
        """Digest of the input of this name, None where the file has none."""
        return dict(self.made_from).get(name)


class ParquetStore(Record):
    """Files under `root`: a path or an fsspec URL. `options` go to the file system (keys, endpoint)."""

    root: str
    options: dict[str, Any] = Field(default={}, repr=False)

    @cached_property
    def _place(self) -> tuple[fsspec.AbstractFileSystem, str]:
        try:
            fs, path = fsspec.core.url_to_fs(self.root, **self.options)
        except (ImportError, OSError, TypeError, ValueError) as error:
            given = f" with options {', '.join(sorted(self.options))}" if self.options else ""
            raise StoreFault(
                f"store {self.root!r}{given} cannot be opened: {type(error).__name__}: {error}. Correct TMAS_STORE (a "
                "folder or an fsspec URL) and TMAS_STORE_OPTIONS, or install what that kind of URL needs."
            ) from error
        return fs, path.rstrip("/")

    def path(self, address: Address) -> str:
        return f"{self._place[1]}/{self.name(address)}"

    def name(self, address: Address) -> str:
        """The same below the root."""
        return "/".join([*address.asset, *([address.variant] if address.variant else []), *address.partition]) + ".parquet"

    def exists(self, address: Address) -> bool:
        return bool(self._place[0].exists(self.path(address)))

    def write(
        self, address: Address, record: type[R], rows: Sequence[R], made_from: Sequence[Parent] = ()
    ) -> StoredFile:
        """Write `rows` as the whole content of `address`. Raises StoreFault; the old file then still stands."""
        table = to_table(record, rows)
        facts = {
            "tmas.record": record.__name__,
            "tmas.schema_version": str(record.SCHEMA_VERSION),
            "tmas.made_from": canonical_json([list(parent) for parent in made_from]),
        }
        sink = BytesIO()
        pq.write_table(table.replace_schema_metadata(facts), sink, compression="zstd")
        data = sink.getvalue()
        path = self.path(address)
        try:
            self._put(path, data)
        except OSError as error:
            raise StoreFault(
                f"{address}: could not write {len(data)} bytes to {path}: {error}. What stood there before is "
                "untouched. Free space or mend the permissions and run again: calls already made are kept in "
                "the call log and are not repeated."
            ) from error
        return StoredFile(path, digest_bytes(data), len(rows), len(data), tuple(made_from))

    def folder(self, asset: tuple[str, ...]) -> str:
        """Where the files of `asset` lie."""
        return "/".join([self._place[1], *asset])

    def put_beside(self, asset: tuple[str, ...], name: str, data: bytes) -> str:
        """A file that is no table, in the folder of `asset`: a card, a picture. Its path. Raises StoreFault."""
        path = f"{self.folder(asset)}/{name}"
        try:
            self._put(path, data)
        except OSError as error:
            raise StoreFault(f"{'/'.join(asset)}: could not write {len(data)} bytes to {path}: {error}. Free space or mend the permissions.") from error
        return path

    def read(self, address: Address, record: type[R]) -> tuple[R, ...]:
        return self.read_stored(address, record)[0]

    def read_stored(self, address: Address, record: type[R]) -> tuple[tuple[R, ...], StoredFile]:
        """Rows and what is known of their file. Raises MissingFile, or StoreFault for an unreadable one."""
        table, stored = self.table(address, record)
        try:
            return from_table(record, table), stored
        except ValidationError as error:
            raise StoreFault(f"{address}: a row of {stored.path} is not a valid {record.__name__}: {error}") from error

    def table(
        self, address: Address, record: type[Record], columns: Sequence[str] | None = None
    ) -> tuple[pa.Table, StoredFile]:
        """The rows as an Arrow table with the record's own schema, for sums over many files. Raises as `read`.

        `columns`: only these are decoded; the whole schema is checked all the same.
        """
        data, path = self._bytes(address)
        try:
            # from memory, so that the digest is of the very bytes the rows came from
            file = pq.ParquetFile(pa.BufferReader(data))
            schema = file.schema_arrow
            facts = {k.decode(): v.decode() for k, v in (schema.metadata or {}).items()}
            found = (facts.get("tmas.record"), facts.get("tmas.schema_version"))
            wanted = (record.__name__, str(record.SCHEMA_VERSION))
            if found != wanted or not schema.remove_metadata().equals(arrow_schema(record)):
                raise OtherSchema(
                    f"{address}: {path} holds {found[0]} in schema version {found[1]}, this code reads {wanted[0]} in "
                    f"version {wanted[1]}{' with other columns' if found == wanted else ''}. Materialize that partition again (replies come from the call log)."
                )
            table = file.read(columns=columns, use_threads=False)
        except (pa.ArrowInvalid, OSError) as error:
            raise self._unreadable(address, path, data, error) from error
        return table.replace_schema_metadata(None), _stored(path, data, file.metadata.num_rows, schema)

    def look(self, address: Address) -> StoredFile:
        """What is known of a file, without decoding its rows. Raises MissingFile, or StoreFault for a torn one."""
        data, path = self._bytes(address)
        try:
            footer = pq.ParquetFile(pa.BufferReader(data))
        except (pa.ArrowInvalid, OSError) as error:
            raise self._unreadable(address, path, data, error) from error
        return _stored(path, data, footer.metadata.num_rows, footer.schema_arrow)

    def whole(self, address: Address) -> bytes:
        """The file's bytes. Raises MissingFile, StoreFault."""
        return self._bytes(address)[0]

    def columns(self, address: Address) -> pa.Schema:
        """The columns that the file has, whatever a record says. Raises as `look`."""
        data, path = self._bytes(address)
        try:
            return pq.ParquetFile(pa.BufferReader(data)).schema_arrow
        except (pa.ArrowInvalid, OSError) as error:
            raise self._unreadable(address, path, data, error) from error

    def made_from(self, address: Address) -> tuple[Parent, ...]:
        """The inputs recorded in the file itself."""
        return self.look(address).made_from

    def partitions(self, asset: tuple[str, ...], variant: str = "") -> Iterator[tuple[str, ...]]:
        """Partitions that have a file, sorted."""
        fs, root = self._place
        base = "/".join([root, *asset, *([variant] if variant else [])])
        found = fs.find(base) if fs.exists(base) else []
        for path in sorted(found):
            if path.endswith(".parquet"):
                yield tuple(path.removesuffix(".parquet")[len(base) :].strip("/").split("/"))

    def beside(self, asset: tuple[str, ...], name: str) -> bytes | None:
        """What `put_beside` put there; None where there is no such file. Raises StoreFault."""
        path = f"{self.folder(asset)}/{name}"
        try:
            return bytes(self._place[0].cat_file(path))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreFault(f"{'/'.join(asset)}: could not read {path}: {error}") from error

    def written(self, address: Address) -> float:
        """When the file was last written, seconds since 1970; 0 where the file system does not say. Raises MissingFile."""
        try:
            info = self._place[0].info(self.path(address))
        except FileNotFoundError as error:
            raise MissingFile(f"{address}: no file at {self.path(address)}.") from error
        found = next((info[name] for name in ("mtime", "LastModified", "last_modified", "updated", "created") if info.get(name)), 0.0)
        return float(found.timestamp() if hasattr(found, "timestamp") else found)

    def _bytes(self, address: Address) -> tuple[bytes, str]:
        path = self.path(address)
        try:
            return bytes(self._place[0].cat_file(path)), path
        except FileNotFoundError as error:
            raise MissingFile(f"{address}: no file at {path}. Materialize that partition first.") from error
        except OSError as error:
            raise StoreFault(f"{address}: could not read {path}: {error}") from error

    def _unreadable(self, address: Address, path: str, data: bytes, error: Exception) -> StoreFault:
        return StoreFault(
            f"{address}: {path} ({len(data)} bytes) is not a readable parquet file: {error}. It was torn or "
            "changed outside. Move it away and materialize that partition again; replies come from the call log."
        )

    def _put(self, path: str, data: bytes) -> None:
        fs = self._place[0]
        folder = path.rpartition("/")[0]
        if not isinstance(fs, LocalFileSystem):
            fs.makedirs(folder, exist_ok=True)
            fs.pipe_file(path, data)  # object stores put a whole object or nothing
            return
        os.makedirs(folder, exist_ok=True)
        with whole_file(Path(path)) as file:
            file.write(data)


def made_from_of(schema: pa.Schema) -> tuple[Parent, ...]:
    """The inputs that a file's own facts record. Raises ValueError where they are no such list."""
    recorded = json.loads((schema.metadata or {}).get(b"tmas.made_from", b"[]"))
    return tuple(Parent(str(name), str(digest)) for name, digest in recorded)


def _stored(path: str, data: bytes, rows: int, schema: pa.Schema) -> StoredFile:
    return StoredFile(path, digest_bytes(data), rows, len(data), made_from_of(schema))
