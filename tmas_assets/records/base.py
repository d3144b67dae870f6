"""What every record shares: frozen, closed, and with a digest of its canonical JSON.

Leaves out storage: `schema.py` derives the parquet schema, `resources/parquet_store.py` reads and writes.
"""

import hashlib
import json
from typing import ClassVar

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen row. `SCHEMA_VERSION` goes up whenever a field is added, dropped or changes its meaning."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    SCHEMA_VERSION: ClassVar[int] = 1


def canonical_json(value: object) -> str:
    """One spelling per value: sorted keys, no blanks, non-ASCII kept. `value` holds JSON types only."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_bytes(data: bytes) -> str:
    """SHA-256 of `data`, 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON of a record or of JSON types; lone surrogates count as their own bytes."""
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    return digest_bytes(canonical_json(plain).encode("utf-8", "surrogatepass"))
