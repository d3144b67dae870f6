"""Run the engine inside a Dagster step: the event loop in its own thread, Dagster's events in the step's own.

The step's thread is the only one that writes to the event log, and it is the one Dagster interrupts; the engine
never waits for either. What runs is a campaign (`drive`), or requests by themselves (`ask_all`). Leaves out which cells are
wanted and what became of them: `running.py`.
"""

import asyncio
import logging
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from resources.chat.client import BudgetReached, EndpointUnavailable, Spend
from resources.claims import Claims
from resources.deployment import Deployment
from tmas_assets.assets.faults import PERMANENT, graders_of, permanent
from tmas_assets.engine import progress
from tmas_assets.engine.campaign import Campaign, Outcome
from tmas_assets.engine.cells import CellStore, FinishedCell, FoundCell
from tmas_assets.engine.collector import rare_collections
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.judging import Judge
from tmas_assets.engine.team import EngineTeam, open_team
from tmas_assets.records import JUDGE, Call, ChatRequest, Experiment, Problem

_log = logging.getLogger("tmas")
_TICK = 0.5
"""Seconds between two looks at the progress."""


@dataclass(frozen=True)
class Scope:
    iterations: range
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Asked:
    """The calls of requests that were asked by themselves, in their order; None for what was not answered."""

    calls: tuple[Call | None, ...]
    budget: str | None
    """The cap that was reached, None when none was."""
    unavailable: str | None
    """Why the endpoint could not be reached, None when it could."""


Event = FinishedCell | FoundCell
Log = Callable[[Event], None]
_Work = Callable[[EngineTeam, Graders], Awaitable[None]]


def drive(
    deployment: Deployment, experiment: Experiment, scopes: Sequence[Scope], *, run: str, redo: bool, log: Log
) -> Outcome:
    """Run the scopes in order and hand every finished cell to `log` in the calling thread.

    Raises `dg.Failure` for faults, and what interrupts the calling thread after the engine has put its work down.
    """
    engine = _Engine(deployment, experiment, sum(len(scope.iterations) * len(scope.problems) for scope in scopes), run)
    # before anything is paid for that could not be graded
    engine.graders_needed = {problem.grader for scope in scopes for problem in scope.problems}

    async def campaigns(team: EngineTeam, graders: Graders) -> None:
        cells = CellStore(deployment.store(), team.experiment, team.solving)  # of the very models that are asked
        judge = Judge.of(experiment, team.model(JUDGE), team.ask)
        with Claims(Path(deployment.home) / "claims" / f"{experiment.name}-{cells.variant}") as claims:
            for scope in scopes:
                campaign = Campaign(
                    cells,
                    team,
                    graders,
                    judge,
                    iterations=scope.iterations,
                    problems=scope.problems,
                    on_made=engine.events.put,
                    on_found=engine.events.put,
                    redo=redo,
                    outcome=engine.outcome,
                    claims=claims,
                )
                await campaign.run()

    engine.through(campaigns, log)
    return engine.outcome


def ask_all(deployment: Deployment, experiment: Experiment, requests: Sequence[ChatRequest], *, run: str) -> Asked:
    """Ask `requests` side by side, each once: the call log is read first. A budget that is reached, or an endpoint that
    is gone, leaves the rest unanswered and is said. Raises `dg.Failure` for faults as `drive` does."""
    engine = _Engine(deployment, experiment, len(requests), run)
    calls: list[Call | None] = [None] * len(requests)
    gone: list[str] = []

    async def ask(team: EngineTeam, at: int) -> None:
        try:
            calls[at] = await team.ask(requests[at])
        except BudgetReached as reached:
            engine.outcome.budget = str(reached)
        except EndpointUnavailable as fault:
            gone.append(str(fault))
        else:
            engine.outcome.made += 1

    async def asking(team: EngineTeam, graders: Graders) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for at in range(len(requests)):
                    group.create_task(ask(team, at))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None

    engine.through(asking, lambda event: None)
    return Asked(tuple(calls), engine.outcome.budget, gone[0] if gone else None)


class _Engine:
    def __init__(self, deployment: Deployment, experiment: Experiment, size: int, run: str) -> None:
        """`size`: cells or requests in all, for those who watch."""
        self.deployment, self.experiment, self.size, self.run = deployment, experiment, size, run
        self.graders_needed: set[str] = set()
        self.events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self.spend = Spend(experiment.budget)
        self.outcome = Outcome()
        self.error: BaseException | None = None
        self.began = time.monotonic()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.task: asyncio.Task[None] | None = None
        self.ready = threading.Event()

    def through(self, work: _Work, log: Log) -> None:
        """Do `work` in a thread of its own; what it reports goes to `log` in this one."""
        thread = threading.Thread(target=self._main, args=(work,), name=f"engine {self.experiment.name}")
        thread.start()
        try:
            running = True
            while running:
                try:
                    event = self.events.get(timeout=_TICK)
                except queue.Empty:
                    self.tell()
                    continue
                running = event is not None
                if event is not None:
                    log(event)
                    self.tell()
        except BaseException:
            _log.warning(
                "%s: interrupted; %d requests were in flight and are given up, %d cells were made. Run again to go on: "
                "finished cells and calls are kept.",
                self.experiment.name,
                self.spend.in_flight,
                self.outcome.made,
            )
            raise
        finally:
            self._stop()
            thread.join()
        self.tell()
        if isinstance(self.error, PERMANENT):
            raise permanent(self.error) from self.error
        if self.error is not None:
            raise self.error

    def _main(self, work: _Work) -> None:
        try:
            with rare_collections():
                asyncio.run(self._run(work))
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 - raised again in the step's thread
            self.error = error
        finally:
            self.ready.set()
            self.events.put(None)

    async def _run(self, work: _Work) -> None:
        self.loop, self.task = asyncio.get_running_loop(), asyncio.current_task()
        self.ready.set()
        with graders_of(self.deployment) as graders:
            graders.require(self.graders_needed)
            async with open_team(self.experiment, self.deployment, self.spend, graders, run=self.run) as team:
                await work(team, graders)

    def _stop(self) -> None:
        """Put the work down: nothing new is asked; replies in flight are given up."""
        self.ready.wait()
        if self.loop is not None and self.task is not None and not self.task.done():
            self.loop.call_soon_threadsafe(self.task.cancel)

    def tell(self) -> None:
        spend = self.spend
        progress.tell(
            progress.Progress(
                cells=self.size,
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
