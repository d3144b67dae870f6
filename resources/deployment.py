"""Where this deployment keeps its files and call log and finds its data and model server: one Dagster resource.

Every field has a default for a laptop and an environment variable; nothing else in the project reads the
environment for paths. Leaves out experiments: those are YAML under `tmas_assets/defs/`.
"""

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import dagster as dg
from pydantic import Field

from resources.calls.call_log import CallLog
from resources.encoding.sentence_encoder import Encoders
from resources.parquet_store import ParquetStore
from resources.private_folder import private_folder
from resources.sandbox.limits import ISOLATIONS, Isolation
from resources.serving.vllm_server import VllmServer, home_from_environment
from resources.training.trainer_job import TrainerJob

T = TypeVar("T")
REPOSITORY = Path(__file__).resolve().parent.parent
SCRATCH = str(Path(tempfile.gettempdir()) / f"tmas-{os.getuid()}")


_VARIABLES = {
    "home": "TMAS_HOME", "store_root": "TMAS_STORE", "store_options": "TMAS_STORE_OPTIONS", "call_log_url": "TMAS_CALL_LOG",
    "data": "TMAS_DATA", "reports": "TMAS_REPORTS", "serve_python": "TMAS_SERVE_PYTHON",
    "grading_workers": "TMAS_GRADING_WORKERS", "code_isolation": "TMAS_CODE_ISOLATION", "scratch": "TMAS_SCRATCH", "linger_seconds": "TMAS_SERVER_LINGER",
}  # fmt: skip
"""Every field and the variable that states it."""
_SECRET = {field: _VARIABLES[field] for field in ("call_log_url", "store_options")}
"""Fields that may hold a password or a key, and their variables."""
_NOT_SHOWN = (*_SECRET.values(), "TMAS_STORE")
"""Variables whose faulty value no error repeats."""


class DeploymentFault(ValueError):
    """An environment variable that cannot be used; the text names it, its value (but no secret), and what it should be."""


class Deployment(dg.ConfigurableResource["Deployment"]):
    home: str = Field(description="TMAS_HOME: models, servers, downloads, and the defaults of the other folders")
    store_root: str = Field(description="TMAS_STORE: folder or fsspec URL of all asset files")
    store_options: str = Field(default="{}", repr=False, description="TMAS_STORE_OPTIONS: JSON for the fsspec file system")
    call_log_url: str = Field(repr=False, description="TMAS_CALL_LOG: SQLAlchemy URL, SQLite or Postgres")
    data: str = Field(default="", description="TMAS_DATA: folder of benchmark releases; empty to download them")
    reports: str = Field(description="TMAS_REPORTS: folder of the static HTML pages")
    serve_python: str = Field(description="TMAS_SERVE_PYTHON: interpreter of the model server's environment")
    grading_workers: int = Field(default=2, description="TMAS_GRADING_WORKERS: processes that grade")
    code_isolation: str = Field(
        default="bubblewrap", description="TMAS_CODE_ISOLATION: bubblewrap, or none to run models' code without a sandbox"
    )
    scratch: str = Field(default=SCRATCH, description="TMAS_SCRATCH: folder on a local disk for what trainers compile")
    linger_seconds: float = Field(default=300, description="TMAS_SERVER_LINGER: idle seconds before a server ends")

    @classmethod
    def from_environment(cls) -> "Deployment":
        """Raises DeploymentFault. Makes the home where there is none, for the user alone."""
        home = home_from_environment()
        with contextlib.suppress(OSError):  # whoever needs it will say that it cannot be made
            private_folder(home)
        read = os.environ.get
        return cls(
            home=str(home),
            store_root=_stated("TMAS_STORE", str(home / "store"), _no_password, "a folder or a URL without a password, which belongs into TMAS_STORE_OPTIONS"),
            store_options=_stated("TMAS_STORE_OPTIONS", "{}", _json_object, "a JSON object, e.g. {\"key\": \"...\"}"),
            call_log_url=read("TMAS_CALL_LOG", f"sqlite:///{home}/calls.sqlite"),
            data=read("TMAS_DATA", ""),
            reports=read("TMAS_REPORTS", str(home / "reports")),
            serve_python=read("TMAS_SERVE_PYTHON", str(REPOSITORY / ".venv-serve" / "bin" / "python")),
            grading_workers=_stated("TMAS_GRADING_WORKERS", "2", _at_least_one, "a whole number of processes, at least 1"),
            code_isolation=_stated("TMAS_CODE_ISOLATION", "bubblewrap", _isolation, " or ".join(ISOLATIONS)),
            scratch=read("TMAS_SCRATCH", SCRATCH),
            linger_seconds=_stated("TMAS_SERVER_LINGER", "300", _seconds, "a number of seconds, at least 0"),
        )

    @classmethod
    def for_definitions(cls) -> "Deployment":
        """The same for a code location: what may hold a password is named by its variable, so that Dagster, which
        shows and stores the configuration of its resources, never sees the value. Raises DeploymentFault."""
        stated = cls.from_environment().model_dump()
        named = {field: dg.EnvVar(variable) for field, variable in _SECRET.items() if variable in os.environ}
        return cls(**(stated | named))

    def environment(self) -> dict[str, str]:
        """Variables from which `from_environment` makes this very deployment in a child process. Passwords among them: into
        the child's environment with it, not into a file, a log or a command line."""
        stated = {field: getattr(self, field) for field in _VARIABLES}
        return {
            _VARIABLES[field]: str(value.get_value()) if isinstance(value, dg.EnvVar) else str(value)
            for field, value in stated.items()
        }

    def store(self) -> ParquetStore:
        return ParquetStore(root=self.store_root, options=json.loads(self.store_options))

    def call_log(self) -> CallLog:
        """Raises CallLogError when the log cannot be opened."""
        return CallLog(self.call_log_url)

    def vllm(self) -> VllmServer:
        return VllmServer(
            home=self.home,
            serve_python=self.serve_python,
            convert_python=sys.executable,
            linger_seconds=self.linger_seconds,
        )

    def trainer(self) -> TrainerJob:
        return TrainerJob(scratch=self.scratch)

    def encoders(self) -> Encoders:
        return Encoders(Path(self.home), sys.executable)

    @property
    def isolation(self) -> Isolation:
        return "none" if self.code_isolation == "none" else "bubblewrap"

    @property
    def data_folder(self) -> Path | None:
        return Path(self.data) if self.data else None

    @property
    def downloads(self) -> Path:
        return Path(self.home) / "downloads"


def _stated(name: str, default: str, read: Callable[[str], T], wanted: str) -> T:
    text = os.environ.get(name, default)
    try:
        return read(text)
    except ValueError as fault:
        found = "as it is cannot be used" if name in _NOT_SHOWN else f"is {text!r}"
        raise DeploymentFault(f"{name} {found} and should be {wanted}") from None if name in _NOT_SHOWN else fault


def _no_password(text: str) -> str:
    """Where files lie is shown with every asset."""
    user, at, _ = text.partition("://")[2].partition("/")[0].rpartition("@")
    if at and ":" in user:  # a user alone may stand there: abfs://container@account
        raise ValueError("password in a URL")
    return text


def _json_object(text: str) -> str:
    if not isinstance(json.loads(text), dict):
        raise ValueError("no object")
    return text


def _at_least_one(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError("too small")
    return number


def _isolation(text: str) -> str:
    if text not in ISOLATIONS:
        raise ValueError("unknown")
    return text


def _seconds(text: str) -> float:
    if not 0 <= (number := float(text)) < float("inf"):
        raise ValueError("out of range")
    return number
