"""A real Postgres server for tests, started where its programs are found: `postgres_url` gives a fresh database.

Import the fixtures into the test module that uses them. On a machine without Postgres such tests are skipped, except
in CI, where its absence is a failure.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg2
import pytest


@dataclass
class PostgresServer:
    """One cluster in a folder of its own, reachable through a socket there; `start` and `stop` may alternate."""

    programs: Path
    folder: Path
    user: str | None
    """The account it runs under: Postgres refuses to run as root."""
    durable: bool = False
    """Whether it waits for the disk, as one in use does."""
    process: "subprocess.Popen[bytes] | None" = None

    def url(self, database: str) -> str:
        return f"postgresql+psycopg2://postgres@/{database}?host={self.folder}"

    def connect(self, database: str = "postgres") -> "psycopg2.extensions.connection":
        connection = psycopg2.connect(host=str(self.folder), user="postgres", dbname=database)
        connection.autocommit = True
        return connection

    def initialise(self) -> None:
        command = [str(self.programs / "initdb"), "-D", str(self.folder / "data"), "-U", "postgres", "--auth=trust",
                   "--encoding=UTF8", "--locale=C", "--no-sync"]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, user=self.user, cwd=self.folder, timeout=120)

    def start(self) -> None:
        command = [str(self.programs / "postgres"), "-D", str(self.folder / "data"), "-k", str(self.folder),
                   "-c", "listen_addresses=", "-c", f"fsync={'on' if self.durable else 'off'}"]  # fmt: skip
        with (self.folder / "log").open("ab") as output:
            self.process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, user=self.user, cwd=self.folder
            )
        deadline = time.monotonic() + 60
        while True:
            try:
                self.connect().close()
                return
            except psycopg2.OperationalError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"postgres did not start: {(self.folder / 'log').read_text()}") from None
                time.sleep(0.05)

    def stop(self, signum: signal.Signals = signal.SIGINT) -> None:
        """Cut clients off and end in order, or with SIGQUIT at once."""
        if self.process is not None:
            self.process.send_signal(signum)
            self.process.wait(timeout=30)
            self.process = None


def server_programs() -> Path | None:
    """The folder of `initdb` and `postgres`, None where they are not installed."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


def _account() -> str | None:
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@contextmanager
def running_server(programs: Path, *, durable: bool = False) -> Iterator[PostgresServer]:
    """An empty cluster, gone with all its files at the end of the block."""
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short: the name of a socket has at most 107 bytes
    account = _account()
    if account is not None:
        shutil.chown(folder, account)
    server = PostgresServer(programs, folder, account, durable)
    try:
        server.initialise()
        server.start()
        yield server
    finally:
        server.stop(signal.SIGQUIT)
        shutil.rmtree(folder)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    programs = server_programs()
    if programs is None:
        missing = "initdb and postgres are not installed (apt-get install postgresql)"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    with running_server(programs) as server:
        yield server


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """URL of an empty database."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    with closing(postgres_server.connect()) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    return postgres_server.url(name)
