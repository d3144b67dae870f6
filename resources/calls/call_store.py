"""The call log's database: its tables, how SQLite and Postgres are opened, and its errors in words.

Leaves out who asks when (`call_log.py`).
"""

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from resources.calls.digest_column import STARTING, add_digests

BUSY_SECONDS = 60.0
"""How long a writer waits for the other processes' writers."""
_tables = sa.MetaData()


def _columns() -> list[sa.Column[Any]]:
    """What both tables hold: a few columns to count by, the whole call as JSON, and the SHA-256 of that text."""
    return [
        sa.Column("experiment", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("boundary", sa.Text),
        sa.Column("prompt_tokens", sa.BigInteger),
        sa.Column("completion_tokens", sa.BigInteger),
        sa.Column("finished_at", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("digest", sa.Text),
    ]


calls = sa.Table("calls", _tables, sa.Column("key", sa.Text, primary_key=True), *_columns())
failures = sa.Table(
    "failures",
    _tables,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, nullable=False),
    *_columns(),
)
sa.Index("calls_by_experiment", calls.c.experiment, calls.c.role)
sa.Index("failures_by_experiment", failures.c.experiment, failures.c.role)


class CallLogError(RuntimeError):
    """The call log cannot be opened, read or written. Nothing in it was deleted."""


class CallStore:
    """An engine with its tables made and its errors translated. Safe to make in several processes at once."""

    def __init__(self, url: str) -> None:
        parsed = _parsed(url)
        self.dialect = parsed.get_backend_name()
        self.shown = parsed.render_as_string(hide_password=True)
        if self.dialect == "sqlite":
            self._engine = self._open_sqlite(parsed)
        elif self.dialect == "postgresql":
            self._engine = sa.create_engine(parsed, pool_pre_ping=True, pool_size=4)
        else:
            raise CallLogError(f"call log url {self.shown}: {self.dialect} is not supported; use sqlite or postgresql")
        with self._translated("opened"):
            self._make_tables()

    def insert_new(self, table: sa.Table) -> sa.Executable:
        """INSERT that leaves a row with the same primary key alone and returns the primary keys that are new."""
        if self.dialect == "sqlite":
            # The same as ON CONFLICT DO NOTHING here, but SQLAlchemy compiles it once instead of every time.
            return sa.insert(table).prefix_with("OR IGNORE").returning(*table.primary_key.columns)
        return postgresql.insert(table).on_conflict_do_nothing().returning(*table.primary_key.columns)

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction, durable when the block has ended."""
        with self._translated("written"), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        with self._translated("read"), self._engine.connect() as connection:
            yield connection

    def again_if_disconnected(self, work: Callable[[], Any]) -> Any:
        """Do `work`, and once more if the database server went away under it; `work` must bear being done twice."""
        try:
            return work()
        except CallLogError as error:
            cause = error.__cause__
            if isinstance(cause, sa.exc.DBAPIError) and cause.connection_invalidated:
                return work()
            raise

    def close(self) -> None:
        self._engine.dispose()

    def _open_sqlite(self, url: sa.URL) -> sa.Engine:
        if not url.database or url.database == ":memory:":
            raise CallLogError("call log url names no file; a call log must be durable: give sqlite:///path")
        path = Path(url.database)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CallLogError(f"call log {path}: its folder cannot be made: {error}. Give another path.") from error
        if "uri" not in url.query:
            _make_private(path)
        # IMMEDIATE takes the write lock at the start, so that two writers wait for each other and never fail.
        engine = sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS, "isolation_level": "IMMEDIATE"})

        @sa.event.listens_for(engine, "connect")
        def prepare(connection: Any, _: Any) -> None:
            mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
            if mode != "wal":
                raise CallLogError(
                    f"call log {path}: this file system gives journal mode {mode!r}, not 'wal', so several processes "
                    f"cannot write safely. Put it on a local disk, or use Postgres."
                )
            connection.execute("PRAGMA synchronous=FULL")

        return engine

    def _make_tables(self) -> None:
        made: list[sa.Executable] = [CreateTable(table, if_not_exists=True) for table in _tables.sorted_tables]
        made += [CreateIndex(index, if_not_exists=True) for table in _tables.sorted_tables for index in table.indexes]
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                with self._engine.begin() as connection:
                    if self.dialect == "postgresql":
                        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(STARTING)))
                    for statement in made:
                        connection.execute(statement)
                add_digests(self._engine, _tables.sorted_tables)
                return
            except (sa.exc.OperationalError, sqlite3.OperationalError) as error:
                # Switching a new file to WAL does not wait for another process that does the same.
                if "database is locked" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    @contextmanager
    def _translated(self, tried: str) -> Iterator[None]:
        try:
            yield
        except (sa.exc.SQLAlchemyError, sqlite3.Error) as error:
            said = str(getattr(error, "orig", None) or error).strip()
            raise CallLogError(f"call log {self.shown} could not be {tried}: {said}. {self._advice(said)}") from error

    def _advice(self, said: str) -> str:
        if "not a database" in said or "malformed" in said:
            return (
                "The file is damaged or is no call log; nothing was deleted. Move it aside (with its -wal and -shm) "
                "and run again to start a new log, or save what is readable with `sqlite3 FILE .recover`."
            )
        if "locked" in said:
            return f"Another process held it for more than {BUSY_SECONDS:g} s: end that process, or use Postgres."
        if "full" in said:
            return "Make room on the disk and run again; what was logged before is intact."
        if self.dialect == "postgresql":
            return "Check that the server is up, the database exists and the user may create tables in it."
        return "Check that the path is writable; nothing was deleted."


def _parsed(url: str) -> sa.URL:
    """Raises CallLogError, which shows nothing of a URL that cannot be read: a password that is not percent-encoded ends anywhere."""
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):  # the latter for a port, and it quotes what it found
        parsed = None
    if parsed is None or "@" in (parsed.host or "") + (parsed.database or "" if parsed.password else ""):
        raise CallLogError(
            "the call log url (not shown, it may hold a password) cannot be read; give sqlite:///path or "
            "postgresql+psycopg2://user@host/database, with @ / : # ? % in a password percent-encoded (@ is %40)"
        )
    return parsed


def _make_private(path: Path) -> None:
    """An empty file for its owner alone: calls hold prompts and replies in full. One that is there stays as it is.

    SQLite takes its mode over to the files beside it."""
    with contextlib.suppress(OSError):  # there already, or SQLite is about to say why it cannot be
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
