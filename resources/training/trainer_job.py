"""Runs a trainer's plan: its processes started by the launcher of the settings, watched, and ended whatever becomes of us.

    outcome = TrainerJob(scratch=..., python=...).run(plan, folder, environment=deployment.environment(), context=context, on_step=...)

Streams each step's figures, through Dagster Pipes where a Dagster context is given. Knows nothing of what is trained, and
registers no checkpoint.
"""

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TextIO

from dagster import (
    AssetExecutionContext,
    OpExecutionContext,
    PipesFileContextInjector,
    PipesFileMessageReader,
    PipesSession,
    open_pipes_session,
)
from pydantic import JsonValue

from resources.serving.server_probe import free_port, is_free
from resources.training import launchers
from resources.training.interpreter import Interpreter, able_interpreter, needed_by
from resources.training.kernel_cache import kernel_caches, used_by_a_trainer
from resources.training.step_feed import OnStep, StepFeed
from resources.training.trainer_faults import ADVICE, Fault, TrainerFault, diagnose, last_words, told_death
from resources.training.trainer_process import TrainerProcess
from tmas_assets.records.base import Record, canonical_json
from tmas_assets.records.trainer import OUTCOME, TrainerOutcome, TrainerPlan

PLAN, LOG, LAUNCH = "plan.json", "trainer.log", "launch.json"
POLL_SECONDS = 0.1
PORT_ATTEMPTS = 3
Context = AssetExecutionContext | OpExecutionContext


class TrainerJob(Record):
    """How this machine runs trainers."""

    scratch: str
    """Kernel caches lie below it: a folder on this machine's own disk."""
    python: str = sys.executable
    """Interpreter of the trainer's environment, where the training names none."""
    program: tuple[str, ...] = launchers.PROGRAM
    """What the launcher starts: `--module NAME` or a script; called with the plan's file."""

    def run(
        self, plan: TrainerPlan, folder: Path, *, environment: Mapping[str, str], context: Context | None = None,
        on_step: OnStep = lambda step: None, echo: bool = True,
    ) -> TrainerOutcome:  # fmt: skip
        """Train and return how it ended, `finished` or `asked to end` (SIGTERM reached the trainer, and its state is saved).

        `folder` is of this run: plan, command, log, logs of the ranks. `environment` is the deployment's; secrets go to the
        processes in it and nowhere else. `on_step` is called in this thread. `echo`: with
        a Dagster context, the log's lines go to its compute logs as well. Whatever ends this call early, Dagster's interruption
        too, asks the trainer to end, gives it `launch.grace_seconds`, kills what is left, and passes on. With a
        Dagster asset's context the asset has to return its results. Raises TrainerFault.
        """
        launch = plan.training.launch
        folder.mkdir(parents=True, exist_ok=True)
        (folder / PLAN).write_text(plan.model_dump_json(indent=1))
        bare = launchers.launch_environment(os.environ, environment, launch, {})
        python = able_interpreter(launch.python or self.python, launch, bare, needed_by(plan.training))
        caches = kernel_caches(Path(self.scratch).resolve(), python.version("torch"))
        for attempt in range(1, PORT_ATTEMPTS + 1):
            port = self._port(plan)
            command = launchers.launch_command(
                launch, python.path, self.program, folder / PLAN, port, os.environ.get("CUDA_VISIBLE_DEVICES")
            )
            accelerate = launchers.accelerate_config(launch, plan.training.optimisation.precision, port)
            (folder / launchers.ACCELERATE_CONFIG).write_text(canonical_json(accelerate))
            _record(folder, command, caches, python)
            given = launchers.launch_environment(os.environ, environment, launch, caches)
            if launch.hostfile is not None:
                _reach_other_nodes(folder, given)
            try:
                return self._once(plan, folder, command, given, Path(caches["TORCH_EXTENSIONS_DIR"]), context, on_step, echo)
            except TrainerFault as fault:
                # between the choice of a free port and its use another process may have taken it
                if fault.kind is not Fault.PORT_TAKEN or launch.port is not None or attempt == PORT_ATTEMPTS:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _once(
        self, plan: TrainerPlan, folder: Path, command: list[str], environment: dict[str, str], extensions: Path,
        context: Context | None, on_step: OnStep, echo: bool,
    ) -> TrainerOutcome:  # fmt: skip
        launch = plan.training.launch
        out = sys.stdout if context is not None and echo else None
        outcome = Path(plan.output) / OUTCOME
        outcome.unlink(missing_ok=True)  # of an earlier launch; from now on the folder is not whole
        with contextlib.ExitStack() as stack:
            held = stack.enter_context(used_by_a_trainer(extensions))
            session = stack.enter_context(_pipes(context, folder))
            feed = StepFeed(Path(plan.figures), session, on_step)
            process = TrainerProcess(
                command, environment | dict(session.get_bootstrap_env_vars() if session else {}), folder / LOG,
                ranks=launch.processes, grace=launch.grace_seconds, inherited=held,
            )  # fmt: skip
            stack.callback(process.end)
            try:
                status = _watch(plan, process, feed, out)
            except BaseException:
                process.ask_to_end()
                if context is not None:
                    context.log.info(_became(plan, outcome))
                raise
        process.end()
        _show(process, out)
        feed.look(ended=True)  # the session is closed, so every message has been read
        log = process.written()
        if outcome.exists():
            ended = TrainerOutcome.model_validate_json(outcome.read_bytes())
            # a launcher also asks the others to end when one rank has died
            if ended.ended == "finished" or not told_death(log):
                return ended
        kind, found, death = diagnose(status, log, process.ranks.first_dead, process.memory_kills())
        raise TrainerFault(kind, _told(plan, feed, process, found, ADVICE[kind], death.rank if death else None))

    def _port(self, plan: TrainerPlan) -> int:
        stated = plan.training.launch.port
        if stated is not None and not is_free(stated):
            text = f"Training {plan.training.name} is to meet on port {stated}, and another process listens there."
            raise TrainerFault(Fault.PORT_TAKEN, f"{text} {ADVICE[Fault.PORT_TAKEN]}")
        return stated or free_port()


def _became(plan: TrainerPlan, outcome: Path) -> str:
    """What came of asking the trainer to end."""
    name = f"{plan.training.name}, iteration {plan.iteration}"
    if not outcome.exists():
        grace = f"did not say within {plan.training.launch.grace_seconds:g} s that its state is saved"
        return f"{name}: the trainer was asked to end and {grace}; a new run goes on from the last whole one"
    step = TrainerOutcome.model_validate_json(outcome.read_bytes()).step
    return f"{name}: the trainer was asked to end and has saved its state after step {step}; a new run goes on from there"


def _watch(plan: TrainerPlan, process: TrainerProcess, feed: StepFeed, out: TextIO | None) -> int:
    """Until it ends; its exit status. Raises TrainerFault when it makes no progress."""
    limit = plan.training.launch.stall_seconds
    last = time.monotonic()
    while (status := process.ended()) is None:
        _show(process, out)
        if feed.look():
            last = time.monotonic()
        elif time.monotonic() - last > limit:
            found = f"no step ended for {limit:g} s"
            raise TrainerFault(Fault.STALLED, _told(plan, feed, process, found, ADVICE[Fault.STALLED], None))
        time.sleep(POLL_SECONDS)
    return status


def _show(process: TrainerProcess, out: TextIO | None) -> None:
    """The log's new lines."""
    if out is not None:
        out.write(process.new_lines())


def _told(plan: TrainerPlan, feed: StepFeed, process: TrainerProcess, found: str, advice: str, rank: int | None) -> str:
    step = f"after step {feed.last}" if feed.last is not None else "before its first step ended"
    words = last_words(process.written(), rank)
    return f"Training {plan.training.name}, iteration {plan.iteration}, {step}: {found}. {advice}\nLog {process.log}:\n{words}"


def _reach_other_nodes(folder: Path, environment: Mapping[str, str]) -> None:
    if shutil.which("pdsh") is None:
        text = "launch.hostfile: deepspeed reaches the other nodes through pdsh, and there is none on this machine."
        raise TrainerFault(Fault.LAUNCH, f"{text} Install it (Debian: pdsh) with ssh keys for every node, or leave the hostfile out.")
    (folder / ".deepspeed_env").write_text(launchers.for_other_nodes(environment))


def _record(folder: Path, command: list[str], caches: Mapping[str, str], python: Interpreter) -> None:
    body: dict[str, JsonValue] = {"command": list(command), "caches": dict(caches), "packages": dict(python.versions)}
    (folder / LAUNCH).write_text(canonical_json(body))


@contextlib.contextmanager
def _pipes(context: Context | None, folder: Path) -> Iterator[PipesSession | None]:
    if context is None:
        yield None
        return
    with open_pipes_session(
        context=context,
        context_injector=PipesFileContextInjector(str(folder / "pipes_context.json")),
        message_reader=PipesFileMessageReader(str(folder / "pipes_messages.jsonl")),
    ) as session:
        yield session
