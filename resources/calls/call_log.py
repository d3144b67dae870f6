"""The log of all calls: what was answered is written durably before it is used, and read before anything is asked.

Look-ups and writes that wait at the same time share one query or one transaction. Several processes may use one log.
Leaves out the database (`call_store.py`) and the batching (`batches.py`).
"""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa
from pydantic import ValidationError

from resources.calls.batches import Batches
from resources.calls.call_store import CallLogError, CallStore, calls, failures
from tmas_assets.records import Call, RoleTokens, digest_bytes

__all__ = ["CallLog", "CallLogError"]

LOOKED_UP = 500
"""Keys in one query."""
_FOUND = sa.select(calls.c.key, calls.c.body).where(calls.c.key.in_(sa.bindparam("keys", expanding=True)))

_FAILED = (
    sa.select(failures.c.key, failures.c.body)
    .where(failures.c.key.in_(sa.bindparam("keys", expanding=True)))
    .order_by(failures.c.finished_at, failures.c.id)
)


def _usage(table: sa.Table) -> sa.Select[Any]:
    """Without the bodies, which are nearly all of the log."""
    columns = (table.c.key, table.c.role, table.c.prompt_tokens, table.c.completion_tokens)
    return sa.select(*columns).where(table.c.key.in_(sa.bindparam("keys", expanding=True)))


class LoggedUsage(NamedTuple):
    """What a logged reply took. None is unknown."""

    key: str
    role: str
    prompt_tokens: int | None
    completion_tokens: int | None


class CallLog:
    """Async for runs (`get`, `put`, `put_failure`), sync for audits (`calls`, `usage`, `totals`).

    `url` is `sqlite:///path` or `postgresql+psycopg2://...`. Raises `CallLogError` when it cannot be opened, read or
    written. First writer wins: a key keeps its first call, whoever writes later.
    """

    def __init__(self, url: str) -> None:
        self._store = CallStore(url)
        self._insert_call = self._store.insert_new(calls)
        self._insert_failure = self._store.insert_new(failures)
        self._reader: Batches[str, str | None] = Batches("call-log-reader", self._look_up)
        self._writer: Batches[tuple[bool, dict[str, Any]], str | None] = Batches("call-log-writer", self._write)

    async def get(self, key: str) -> Call | None:
        """The call with this key, or None."""
        body = await self._reader.do(key)
        return None if body is None else self._parsed(key, body)

    async def put(self, call: Call) -> Call:
        """Write a call durably; returns the one that is in the log, which is another's if that came first."""
        if call.status == "failed":
            raise ValueError(f"call {call.key} failed: a failure is no answer; use put_failure")
        earlier = await self._writer.do((True, row_of(call)))
        return call if earlier is None else self._parsed(call.key, earlier)

    async def put_failure(self, call: Call) -> None:
        """Write a permanent failure durably, for accounting; `get` never serves it."""
        if call.status != "failed":
            raise ValueError(f"call {call.key} has status {call.status}: only failed calls go here; use put")
        await self._writer.do((False, row_of(call)))

    def calls(self, keys: Iterable[str]) -> Iterator[Call]:
        """The calls with these keys, in their order; keys that are not in the log are left out."""
        rest = iter(keys)
        while some := list(islice(rest, LOOKED_UP)):
            for key, body in zip(some, self._look_up(some), strict=True):
                if body is not None:
                    yield self._parsed(key, body)

    def failures(self, keys: Iterable[str]) -> Iterator[Call]:
        """The permanent failures under these keys, by key in their order, the earliest first: a request may have failed in
        several runs."""
        rest = iter(keys)
        while some := list(islice(rest, LOOKED_UP)):
            found: dict[str, list[Call]] = {}
            with self._store.reading() as connection:
                for key, body in connection.execute(_FAILED, {"keys": list(set(some))}):
                    found.setdefault(key, []).append(self._parsed(key, body))
            for key in some:
                yield from found.pop(key, ())

    def usage(self, keys: Iterable[str], *, failed: bool = False) -> Iterator[LoggedUsage]:
        """What the calls with these keys took, in any order, without reading the replies; keys that are not in the log are left out.
        `failed`: of the permanent failures under these keys, each once a failure."""
        query, rest = _usage(failures if failed else calls), iter(keys)
        while some := list(islice(rest, LOOKED_UP)):
            with self._store.reading() as connection:
                yield from (LoggedUsage(*row) for row in connection.execute(query, {"keys": some}))

    def totals(self, experiment: str | None = None) -> tuple[RoleTokens, ...]:
        """Tokens paid by role, of one experiment or of all: answers, and failures that came as a reply."""
        totals: dict[str, list[int]] = {}
        with self._store.reading() as connection:
            for table in (calls, failures):
                known = table.c.prompt_tokens.is_not(None) & table.c.completion_tokens.is_not(None)
                query = sa.select(
                    table.c.role,
                    sa.func.count(),
                    sa.func.coalesce(sa.func.sum(sa.case((known, table.c.prompt_tokens))), 0),
                    sa.func.coalesce(sa.func.sum(sa.case((known, table.c.completion_tokens))), 0),
                    sa.func.coalesce(sa.func.sum(sa.case((known, 0), else_=1)), 0),
                ).group_by(table.c.role)
                if table is failures:
                    query = query.where(table.c.boundary == "model")
                if experiment is not None:
                    query = query.where(table.c.experiment == experiment)
                for role, *counts in connection.execute(query):
                    sums = totals.setdefault(role, [0, 0, 0, 0])
                    totals[role] = [before + int(count) for before, count in zip(sums, counts, strict=True)]
        return tuple(
            RoleTokens(role=role, calls=count, prompt_tokens=prompt, completion_tokens=completion, unknown=unknown)
            for role, (count, prompt, completion, unknown) in sorted(totals.items())
        )

    async def aclose(self) -> None:
        """`close`, without holding up the event loop."""
        await asyncio.to_thread(self.close)

    def close(self) -> None:
        """Finish what is being written and let go of the database."""
        self._writer.close()
        self._reader.close()
        self._store.close()

    def _look_up(self, keys: Sequence[str]) -> list[str | None]:
        def work() -> dict[str, str]:
            with self._store.reading() as connection:
                return {key: body for key, body in connection.execute(_FOUND, {"keys": list(set(keys))})}

        found: dict[str, str] = self._store.again_if_disconnected(work)
        return [found.get(key) for key in keys]

    def _write(self, jobs: Sequence[tuple[bool, dict[str, Any]]]) -> list[str | None]:
        """Write one batch; for each job the body that is in the log instead of its own, or None."""
        answers: dict[str, dict[str, Any]] = {}
        for answer, row in jobs:
            if answer:
                answers.setdefault(row["key"], row)
        failed = [{"id": row["digest"], **row} for answer, row in jobs if not answer]
        # Sorted, so that two processes that write the same keys never wait for each other crosswise.
        rows = [answers[key] for key in sorted(answers)]

        def work() -> dict[str, str]:
            with self._store.writing() as connection:
                if failed:
                    connection.execute(self._insert_failure, failed)
                if not rows:
                    return {}
                new = set(connection.execute(self._insert_call, rows).scalars())
                known = [key for key in answers if key not in new]
                found = connection.execute(_FOUND, {"keys": known}) if known else ()
                return {key: answers[key]["body"] for key in new} | {key: body for key, body in found}

        logged: dict[str, str] = self._store.again_if_disconnected(work)
        return [None if not answer or logged[row["key"]] is row["body"] else logged[row["key"]] for answer, row in jobs]

    def _parsed(self, key: str, body: str) -> Call:
        try:
            return Call.model_validate_json(body)
        except ValidationError as error:
            raise CallLogError(
                f"call log {self._store.shown}: the call {key} cannot be read as a call: {error}. It was written by "
                f"another version or changed by hand; nothing was deleted. Delete that row to have it asked again."
            ) from error


def row_of(call: Call) -> dict[str, Any]:
    """The columns of a logged call, by name."""
    return {
        "key": call.key,
        "experiment": call.experiment,
        "role": call.request.role,
        "status": call.status,
        "boundary": call.failure.boundary if call.failure is not None else None,
        "prompt_tokens": call.usage.prompt_tokens,
        "completion_tokens": call.usage.completion_tokens,
        "finished_at": call.finished_at.isoformat(),
        "body": (body := call.model_dump_json()),
        "digest": digest_bytes(body.encode()),
    }
