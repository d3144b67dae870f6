"""Run the engine inside a Dagster step: the event loop in its own thread, Dagster's events in the step's own.

The step's thread is the only one that writes to the event log, and it is the one Dagster interrupts; the engine
never waits for either. Faults become `Failure`s that say whether another try can help.
"""

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from partitions.keys import CellKey
from resources.calls.call_log import CallLogError
from resources.chat.client import MissingApiKey, Spend
from resources.claims import Claims
from resources.deployment import Deployment
from resources.encoding.bundled_encoder import EncoderFault
from resources.parquet_store import MissingFile, StoreFault
from resources.sandbox.bubblewrap import SandboxFault
from resources.serving.default_model import DefaultModelError
from resources.serving.vllm_server import ServerError
from tmas_assets.benchmarks import asset_name
from tmas_assets.engine import progress
from tmas_assets.engine.campaign import Campaign, MissingPast, Outcome
from tmas_assets.engine.cells import CellStore, FinishedCell, FoundCell
from tmas_assets.engine.collector import rare_collections
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.judging import Judge
from tmas_assets.engine.problems import ProblemTable, UnknownProblem, read_table
from tmas_assets.engine.team import EndpointRefuses, TooManyFailures, identities, open_team
from tmas_assets.records import JUDGE, Experiment, Problem

PERMANENT = (
    MissingPast,
    UnknownProblem,
    StoreFault,
    CallLogError,
    TooManyFailures,
    EndpointRefuses,
    MissingApiKey,
    ServerError,
    DefaultModelError,
    SandboxFault,
    EncoderFault,
)
"""Faults that stay until somebody mends something."""
_log = logging.getLogger("tmas")
_TICK = 0.5
"""Seconds between two looks at the progress."""


@dataclass(frozen=True)
class Scope:
    iterations: range
    problems: tuple[Problem, ...]


Event = FinishedCell | FoundCell
Log = Callable[[Event], None]


def permanent(error: Exception) -> dg.Failure:
    """A fault that no retry cures, for the step and for the run."""
    return dg.Failure(description=str(error), allow_retries=False)


def table_of(deployment: Deployment, experiment: Experiment) -> ProblemTable:
    try:
        return read_table(deployment.store(), asset_name(experiment.benchmark))
    except MissingFile as fault:
        hint = f"Nothing was run yet: `tmas run {experiment.name}` or its campaign job does this first."
        raise dg.Failure(description=f"{fault} {hint}", allow_retries=False) from fault
    except StoreFault as fault:
        raise permanent(fault) from fault


def cells_of(deployment: Deployment, experiment: Experiment) -> CellStore:
    """Raises a `Failure` where a model we serve is missing, since its digest is part of where the cells lie."""
    try:
        return CellStore(deployment.store(), experiment, identities(experiment, deployment.vllm()))
    except PERMANENT as fault:
        raise permanent(fault) from fault


def graders_of(deployment: Deployment) -> Graders:
    return Graders(max_workers=deployment.grading_workers, isolation=deployment.isolation)


def drive(
    deployment: Deployment, experiment: Experiment, scopes: Sequence[Scope], *, run: str, redo: bool, log: Log
) -> Outcome:
    """Run the scopes in order and hand every finished cell to `log` in the calling thread.

    Raises `dg.Failure` for faults, and what interrupts the calling thread after the engine has put its work down.
    """
    events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
    engine = _Engine(deployment, experiment, scopes, run, redo, events.put)
    thread = threading.Thread(target=engine.main, args=(events,), name=f"engine {experiment.name}")
    thread.start()
    try:
        running = True
        while running:
            try:
                event = events.get(timeout=_TICK)
            except queue.Empty:
                engine.tell()
                continue
            running = event is not None
            if event is not None:
                log(event)
                engine.tell()
    except BaseException:
        _log.warning(
            "%s: interrupted; %d requests were in flight and are given up, %d cells were made. Run again to go on: "
            "finished cells and calls are kept.",
            experiment.name,
            engine.spend.in_flight,
            engine.outcome.made,
        )
        raise
    finally:
        engine.stop()
        thread.join()
    engine.tell()
    return engine.result()


class _Engine:
    def __init__(
        self,
        deployment: Deployment,
        experiment: Experiment,
        scopes: Sequence[Scope],
        run: str,
        redo: bool,
        put: Callable[[Event], None],
    ) -> None:
        self.deployment, self.experiment, self.scopes = deployment, experiment, scopes
        self.run, self.redo, self.put = run, redo, put
        self.spend = Spend(experiment.budget)
        self.outcome = Outcome()
        self.error: BaseException | None = None
        self.began = time.monotonic()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.task: asyncio.Task[None] | None = None
        self.ready = threading.Event()

    def main(self, events: "queue.SimpleQueue[Event | None]") -> None:
        try:
            with rare_collections():
                asyncio.run(self._run())
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - raised again in the step's thread
            self.error = error
        finally:
            self.ready.set()
            events.put(None)

    async def _run(self) -> None:
        self.loop, self.task = asyncio.get_running_loop(), asyncio.current_task()
        self.ready.set()
        cells = await asyncio.to_thread(cells_of, self.deployment, self.experiment)
        file = Path(self.deployment.home) / "claims" / f"{self.experiment.name}-{cells.variant}"
        with graders_of(self.deployment) as graders, Claims(file) as claims:
            # before anything is paid for that could not be graded
            graders.require(problem.grader for scope in self.scopes for problem in scope.problems)
            async with open_team(self.experiment, self.deployment, self.spend, graders, run=self.run) as team:
                judge = Judge.of(self.experiment, team.model(JUDGE), team.ask)
                for scope in self.scopes:
                    campaign = Campaign(
                        cells,
                        team,
                        graders,
                        judge,
                        iterations=scope.iterations,
                        problems=scope.problems,
                        on_made=self.put,
                        on_found=self.put,
                        redo=self.redo,
                        outcome=self.outcome,
                        claims=claims,
                    )
                    await campaign.run()

    def stop(self) -> None:
        """Put the work down: nothing new is asked; replies in flight are given up."""
        self.ready.wait()
        if self.loop is not None and self.task is not None and not self.task.done():
            self.loop.call_soon_threadsafe(self.task.cancel)

    def tell(self) -> None:
        spend = self.spend
        progress.tell(
            progress.Progress(
                cells=sum(len(scope.iterations) * len(scope.problems) for scope in self.scopes),
                done=self.outcome.made + self.outcome.found,
                found=self.outcome.found,
                calls=spend.finished,
                cached=spend.hits,
                in_flight=spend.in_flight,
                retries=spend.retries.total(),
                failures=spend.failures,
                prompt_tokens=spend.prompt_tokens,
                completion_tokens=spend.completion_tokens,
                seconds=time.monotonic() - self.began,
                experiment=self.experiment.name,
                partial=self.outcome.budget,
            )
        )

    def result(self) -> Outcome:
        if self.error is None:
            return self.outcome
        if isinstance(self.error, PERMANENT):
            raise permanent(self.error) from self.error
        raise self.error


def check_outcome(experiment: Experiment, outcome: Outcome, *, whole: bool = False) -> None:
    """Raises a `Failure` where problems stopped for another reason than the budget or a person they wait for; with
    `whole`, for any reason."""
    stopped = [one for one in outcome.stopped if whole or not (one.by_budget or one.waits)]
    if not stopped and outcome.judge_down is not None:
        raise dg.Failure(
            description=f"{experiment.name}: {outcome.made} cells were made and {outcome.found} found, and answers that the "
            f"rules left undecided wait for a judgement. {outcome.judge_down} Nothing that was solved is asked again."
        )
    if not stopped:
        return
    first = stopped[0]
    count = "1 problem" if len(stopped) == 1 else f"{len(stopped)} problems"
    raise dg.Failure(
        description=(
            f"{experiment.name}: {count} stopped early, {outcome.made} cells were made and "
            f"{outcome.found} found. First: problem {first.problem!r} at t{first.iteration:02d}: {first.reason} "
            "Run again: finished cells and calls are kept."
        ),
        allow_retries=not (first.by_budget or first.waits),
    )


def run_cells(
    deployment: Deployment, experiment: Experiment, wanted: Sequence[CellKey], *, run: str, log: Log
) -> Outcome:
    """Make `wanted` again, in order of iteration; replies that the call log holds are not asked for.

    Raises a `Failure` where one of them was not made, also by the budget: what is materialized is there.
    """
    table = table_of(deployment, experiment)
    try:
        scopes = _scopes(table, wanted)
    except UnknownProblem as unknown:
        raise permanent(unknown) from unknown
    outcome = drive(deployment, experiment, scopes, run=run, redo=True, log=log)
    check_outcome(experiment, outcome, whole=True)
    return outcome


def _scopes(table: ProblemTable, wanted: Sequence[CellKey]) -> list[Scope]:
    """Runs of consecutive iterations, each with the problems that ask for exactly them."""
    asked: dict[str, list[int]] = {}
    for cell in wanted:
        asked.setdefault(cell.problem, []).append(cell.iteration)
    groups: dict[tuple[int, int], list[Problem]] = {}
    for key, iterations in asked.items():
        problem = table.by_key(key)
        start = last = min(iterations)
        for iteration in [*sorted(iterations)[1:], None]:
            if iteration is not None and iteration == last + 1:
                last = iteration
                continue
            groups.setdefault((start, last + 1), []).append(problem)
            if iteration is not None:
                start = last = iteration
    return [Scope(range(*bounds), tuple(problems)) for bounds, problems in sorted(groups.items())]
