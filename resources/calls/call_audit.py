"""Whether logged calls are what was logged, and what records say that they were made of.

Of each call: the text has the digest that was kept with it, the key is that of its request and model, the columns beside it say the
same, and the record's trace is the call's. Reads in batches, so a log of any length fits. Leaves out whose records they are.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa
from pydantic import ValidationError

from resources.calls.call_log import LOOKED_UP, row_of
from resources.calls.call_store import CallStore, calls, failures
from tmas_assets.records import Call, Trace, digest, digest_bytes
from tmas_assets.records.review import PERSON


class Told(NamedTuple):
    """A call as a record tells of it."""

    trace: Trace
    model: str


NO_DIGEST = "digest"
"""The field of a call that was logged without one, by an older version of this project beside this one, and is else what its record says."""


class CallFault(NamedTuple):
    """`field` is empty where there is no such call."""

    key: str
    role: str
    field: str
    recorded: str
    found: str


class CallAudit:
    """Safe to use from several threads. Raises CallLogError where the log cannot be opened or read."""

    def __init__(self, url: str) -> None:
        self._store = CallStore(url)

    def close(self) -> None:
        self._store.close()

    def faults(self, told: Iterable[Told]) -> Iterator[CallFault]:
        """One a call at most, the first that is found."""
        rest = iter(told)
        while some := list(islice(rest, LOOKED_UP)):
            for table, own in ((calls, [one for one in some if one.trace.status != "failed"]),
                               (failures, [one for one in some if one.trace.status == "failed"])):  # fmt: skip
                found = self._rows(table, {one.trace.call for one in own})
                for one in own:
                    if (fault := _fault(one, found.get(one.trace.call, []))) is not None:
                        yield fault

    def _rows(self, table: sa.Table, keys: set[str]) -> dict[str, list[Any]]:
        """By key; a request may have failed in several runs."""
        found: dict[str, list[Any]] = {}
        if keys:
            query = sa.select(table).where(table.c.key.in_(sa.bindparam("keys", expanding=True)))
            with self._store.reading() as connection:
                for row in connection.execute(query, {"keys": sorted(keys)}).mappings():
                    found.setdefault(row["key"], []).append(row)
        return found


def _fault(told: Told, rows: list[Any]) -> CallFault | None:
    """Of several rows one that fits counts, with its digest before without; where none fits, the first."""
    faults = [_fault_in(told, row) for row in rows]
    if not faults:
        return CallFault(told.trace.call, told.trace.role, "", told.trace.reply, "no such call in the log")
    if None in faults:
        return None
    return next((fault for fault in faults if fault is not None and fault.field == NO_DIGEST), faults[0])


def _fault_in(told: Told, row: Any) -> CallFault | None:
    def fault(field: str, recorded: object, found: object) -> CallFault:
        return CallFault(told.trace.call, told.trace.role, field, str(recorded), str(found))

    if (found := digest_bytes(row["body"].encode())) != row["digest"] and row["digest"] is not None:
        return fault("body", row["digest"], found)
    try:
        call = Call.model_validate_json(row["body"])
    except ValidationError as error:
        return fault("body", "a call", " ".join(str(error).split())[:200])
    if (key := _key(call)) != row["key"] or call.key != key:
        return fault("key", row["key"], key)
    stated = row_of(call)
    for column, value in stated.items():
        if row[column] != value and (column != "digest" or row["digest"] is not None):
            return fault(f"column {column}", value, row[column])
    if "id" in row and row["id"] != stated["digest"]:
        return fault("column id", stated["digest"], row["id"])
    trace = call.trace
    for field in Trace.model_fields:
        if getattr(trace, field) != getattr(told.trace, field):
            return fault(f"trace.{field}", getattr(told.trace, field), getattr(trace, field))
    if call.model != told.model:
        return fault("model", told.model, call.model)
    return None if row["digest"] is not None else fault(NO_DIGEST, "none", found)


def _key(call: Call) -> str:
    asked = call.request.key(call.model)
    return digest([asked, digest(call.answer)]) if call.model.startswith(PERSON) else asked
