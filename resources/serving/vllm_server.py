"""Model servers on this machine, leased: who asks first starts one, all who ask for the same share it.

    with VllmServer(home=..., serve_python=..., convert_python=...).lease(managed) as served:
        OpenAI(base_url=served.url, ...)   # ask for served.model

Holds the promise that what answers is the model folder asked for. Sends no request of the user's.
"""

import dataclasses
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import platformdirs

from resources.serving import default_model as bundled
from resources.serving import server_files as files
from resources.serving.file_lock import exclusive
from resources.serving.model_folder import ModelFolderMissing, ModelFolderTorn, model_identity
from resources.serving.server_keeper import PACKAGES
from resources.serving.server_probe import is_free, served_models
from resources.serving.vllm_command import (
    LAUNCHER,
    forced_port,
    refused_arguments,
    serve_command,
    serve_environment,
    weight_arguments,
)
from resources.training.checkpoints import CheckpointFault, Checkpoints, CheckpointTorn, Registered, is_name
from tmas_assets.records.base import Record, digest
from tmas_assets.records.experiment import ManagedServer
from tmas_assets.records.training import LATEST

KEEPER_SECONDS = 60.0
"""A keeper that has not reported after so long is not coming."""


class Fault(StrEnum):
    BINARY_MISSING = "binary missing"
    MODEL_MISSING = "model folder missing"
    MODEL_TORN = "model folder torn"
    BAD_ARGUMENTS = "arguments refused"
    PORT_TAKEN = "port taken"
    OUT_OF_MEMORY = "out of memory"
    NOT_READY = "not ready in time"
    WRONG_MODEL = "wrong model served"
    DIED = "died"


class ServerError(RuntimeError):
    """No server as asked for. `kind` says which fault, the text what was tried, found, and what to do next."""

    def __init__(self, kind: Fault, text: str) -> None:
        super().__init__(f"{kind}: {text}")
        self.kind = kind


class ServedModel(Record):
    url: str
    """Base URL up to and with /v1."""
    model: str
    """Name to put into requests: readable, then `@` and the first 12 digits of the identity."""
    identity: str
    """SHA-256 of the model folder's manifest, 64 hexadecimal digits (see `VllmServer.identity`)."""


class VllmServer(Record):
    """How this machine serves models."""

    home: str
    """Where models, caches, logs and server folders live."""
    serve_python: str
    """Interpreter that has vllm."""
    convert_python: str
    """Interpreter that has pip, torch, transformers and gguf; makes the default model."""
    linger_seconds: float = 300.0
    """A server stays so long after its last lease."""
    start_timeout_seconds: float = 600.0
    launcher: str = LAUNCHER
    """Script that serves; called `serve FOLDER --served-model-name NAME --host HOST ... --port PORT`."""

    def identity(self, managed: ManagedServer) -> str:
        """Digest of the model folder; the default model is made if it is missing.

        Arguments that change the numbers computed from the same folder (quantization, dtype, ...) join the digest.
        Raises ServerError (model folder missing, model folder torn, arguments refused), DefaultModelError.
        """
        return self._folder_identity(managed, self.model_folder(managed))

    def model_folder(self, managed: ManagedServer) -> Path:
        """The folder that holds the model's bytes; the default model is made if it is missing. A folder in the working directory
        that is called like a training run is not looked at. Raises ServerError."""
        if managed.model == bundled.NAME:
            return bundled.default_model(Path(self.home), self.convert_python)
        found = self.checkpoint(managed)
        return found.folder.resolve() if found else Path(managed.model).expanduser().resolve()

    def checkpoint(self, managed: ManagedServer) -> Registered | None:
        """The checkpoint that `managed` names, None where it names none. Raises ServerError (model folder missing, torn)."""
        if managed.model == bundled.NAME or not is_name(managed.model):
            return None
        try:
            return Checkpoints(Path(self.home)).find(managed.model, managed.iteration)
        except CheckpointFault as fault:
            kind = Fault.MODEL_TORN if isinstance(fault, CheckpointTorn) else Fault.MODEL_MISSING
            raise ServerError(kind, f"{fault} The bundled model is called {bundled.NAME!r}.") from fault

    def pinned(self, managed: ManagedServer) -> ManagedServer:
        """The same with the number that `latest` stands for now, so that a checkpoint registered later changes nothing."""
        if managed.iteration != LATEST or (found := self.checkpoint(managed)) is None:
            return managed
        return managed.model_copy(update={"iteration": found.checkpoint.iteration})

    @contextmanager
    def lease(self, managed: ManagedServer, expected: str | None = None) -> Iterator[ServedModel]:
        """Hold a ready server of exactly this model and these flags while the block runs.

        Shared with every other holder on this machine, of any process. `expected`: identity that the model had when the
        caller began; another one is not served. Raises ServerError.
        """
        managed = self.pinned(managed)
        folder = self.model_folder(managed)
        identity = self._folder_identity(managed, folder)
        label = _label(managed, folder)
        name = f"{label}@{identity[:12]}"
        if expected not in (None, identity):
            raise ServerError(
                Fault.WRONG_MODEL,
                f"{label} in {folder} is {identity[:12]} by now and was {str(expected)[:12]} when the run began. What it answered is "
                "kept; start the run again, and it is of the new model alone.",
            )
        command = serve_command(self._interpreter(name), os.path.abspath(self.launcher), managed, folder, name)
        key = digest([command, managed.kv_cache_gib, managed.device, forced_port(managed)])[:12]
        place = Path(self.home).resolve() / "servers" / f"{label}-{key}"
        (place / files.LEASES).mkdir(parents=True, exist_ok=True)
        lease = files.Lease(os.getpid(), str(files.start_time(os.getpid())), self.linger_seconds)
        mark = place / files.LEASES / f"{os.getpid()}-{uuid.uuid4().hex}"
        files.write(mark, lease)
        try:
            spec = files.Spec(
                instance=uuid.uuid4().hex, command=command, model=name, root=str(folder), port=forced_port(managed),
                linger_seconds=self.linger_seconds, start_timeout_seconds=self.start_timeout_seconds,
            )  # fmt: skip
            url = self._ready(place, self._instance(place, spec, managed), name, folder)
            if self._folder_identity(managed, folder) != identity:
                raise ServerError(
                    Fault.WRONG_MODEL, f"{folder} changed while {name} was starting. Ask again when it has settled."
                )
            yield ServedModel(url=url, model=name, identity=identity)
        finally:
            files.write(place / files.LAST_USE, dataclasses.replace(lease, released=time.time()))
            mark.unlink(missing_ok=True)

    def _interpreter(self, name: str) -> str:
        """Absolute, since the server runs in a folder of its own; links stay, an environment is known by them."""
        found = shutil.which(Path(self.serve_python).expanduser())
        if found is None:
            raise ServerError(
                Fault.BINARY_MISSING,
                f"no interpreter {self.serve_python} to serve {name}. Run `make setup`, or correct serve_python.",
            )
        return os.path.abspath(found)

    def _folder_identity(self, managed: ManagedServer, folder: Path) -> str:
        if refused := refused_arguments(managed):
            raise ServerError(
                Fault.BAD_ARGUMENTS,
                f"extra_args {refused} cannot be given to a managed server: they name another model or address than "
                "the recorded one. Put tokenizer, template and generation settings into the model folder, or run the "
                "server yourself and give its url.",
            )
        try:
            bytes_digest = model_identity(folder, Path(self.home) / "digests")
        except ModelFolderMissing as error:
            hint = f"{error} The bundled model is called {bundled.NAME!r}."
            raise ServerError(Fault.MODEL_MISSING, hint) from error
        except ModelFolderTorn as error:
            raise ServerError(Fault.MODEL_TORN, str(error)) from error
        arguments = weight_arguments(managed)
        return digest([bytes_digest, arguments]) if arguments else bytes_digest

    def _instance(self, place: Path, spec: files.Spec, managed: ManagedServer) -> str:
        """The running start of this server, started now if there is none."""
        with exclusive(place / files.START_LOCK):
            running = files.read(place / files.SPEC, files.Spec)
            if running and files.keeper_is_alive(place):
                return running.instance
            # Asked before the start: whoever is there would answer our questions in the server's place.
            if spec.port and not is_free(spec.port):
                raise ServerError(
                    Fault.PORT_TAKEN,
                    f"extra_args ask for port {spec.port} and another process listens there. Name a free port, or "
                    "none, and one is chosen.",
                )
            files.write(place / files.SPEC, spec)
            if (place / files.LOG).exists():
                (place / files.LOG).replace(place / f"previous-{files.LOG}")
            with (place / files.KEEPER_LOG).open("wb") as log:
                started = subprocess.run(
                    [sys.executable, "-m", "resources.serving.server_keeper", str(place)],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=PACKAGES, check=False,
                    env=serve_environment(os.environ, managed, Path(self.home).resolve()),
                )  # fmt: skip
        if started.returncode != 0:
            words = files.last_lines(place / files.KEEPER_LOG)
            raise ServerError(Fault.DIED, f"The keeper of {place} ended with status {started.returncode}:\n{words}")
        return spec.instance

    def _ready(self, place: Path, instance: str, name: str, root: Path) -> str:
        """URL of the server once it answers and serves what was asked for."""
        began = time.monotonic()
        while True:
            alive = files.keeper_is_alive(place)  # looked at before its last words, so that they are not missed
            state = files.read(place / files.STATE, files.State)
            if state is None or state.instance != instance:
                state = None  # of an earlier start
            if state and state.phase == "failed":
                raise ServerError(Fault(state.fault), _told(place, name, state.sentence, state.log))
            if state and state.phase == "ready":
                url = f"http://127.0.0.1:{state.port}/v1"
                try:
                    found = served_models(url)
                except OSError:
                    found = []  # it died a moment ago; the keeper is about to notice
                if (name, str(root)) in found:
                    return url
                if found:
                    text = f"{url} serves {found}, asked for {(name, str(root))}. End that server, or ask again."
                    raise ServerError(Fault.WRONG_MODEL, text)
            if not alive:
                words = files.last_lines(place / files.KEEPER_LOG) or "no word"
                text = f"Its keeper ended first, with {words!r}. Ask again; a new one is started."
                raise ServerError(Fault.DIED, _told(place, name, text, files.last_lines(place / files.LOG)))
            if time.monotonic() - began > self.start_timeout_seconds + KEEPER_SECONDS:
                text = f"Waited {self.start_timeout_seconds:g} s."
                raise ServerError(Fault.NOT_READY, _told(place, name, text, files.last_lines(place / files.LOG)))
            time.sleep(0.1)


def _label(managed: ManagedServer, folder: Path) -> str:
    """`demo_grpo-t01`, or the folder's name."""
    named = managed.model != bundled.NAME and is_name(managed.model)
    return f"{managed.model}-{folder.name}" if named else folder.name


def _told(place: Path, name: str, sentence: str, log: str) -> str:
    lines = "\n".join(f"  {line}" for line in log.splitlines())
    return f"Starting a server for {name}: {sentence}\nLog {place / files.LOG}:\n{lines or '  (empty)'}"


def home_from_environment() -> Path:
    """TMAS_HOME, or the user's cache folder."""
    stated = os.environ.get("TMAS_HOME")
    return Path(stated).expanduser().resolve() if stated else Path(platformdirs.user_cache_dir("tmas"))
