"""Run many cells in one process: problems and repeats side by side, each going through its iterations alone.

No barrier: nothing waits for another problem, and a repeat's next iteration starts when its own memory is ready.
A cell is written when all its repeats are there, then graded. Finished cells are found and not made again, unless
their own past was made again since; their grades are made again where the grader is newer. What stops early leaves whole cells and a call log behind, so that running again repeats only what was in flight.
Leaves out Dagster, progress bars and where requests go.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from resources.chat.client import BudgetReached, EndpointUnavailable
from resources.claims import Claims
from resources.parquet_store import StoreFault
from tmas_assets.engine.cells import CellStore, FinishedCell, FoundCell, StoredCell
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.grades import grade_cell, grader_of
from tmas_assets.engine.judging import Judge
from tmas_assets.engine.reviews import Review, ReviewedTeam
from tmas_assets.engine.team import EngineTeam
from tmas_assets.records import REPEATED, Problem, Round
from tmas_assets.strategies import AwaitsApproval, Here, Team, settings_of, strategy
from tmas_assets.strategies.step import next_round

_TURNS = 3
"""Turns of the event loop in which a problem's first requests are made: its repeats, their steps, the look-ups. One
problem after another makes them: else none would be out before the last was made."""
_SHARE = 5
"""While more requests wait than go out at once, making others takes so much of the loop's time: one part in five. The
rest is for replies, since a request goes out when one came in."""


@dataclass(frozen=True)
class Stopped:
    """A problem that did not get through: the iteration it stopped in and why."""

    problem: str
    iteration: int
    reason: str
    by_budget: bool = False
    waits: bool = False
    """For a person's approval: nothing is wrong."""


@dataclass
class Outcome:
    """What a campaign did; filled while it runs."""

    made: int = 0
    found: int = 0
    stopped: list[Stopped] = field(default_factory=list)
    budget: str | None = None
    """The cap that was reached, None when none was."""
    judge_down: str | None = None
    """Why the judge could not be asked: cells are made, and some of their answers wait for it."""


class MissingPast(RuntimeError):
    """Iteration t was asked for while t-1 is neither there nor part of the request."""


class NothingAnswered(RuntimeError):
    """Every candidate of a round was refused by the endpoint: there is no answer to store, grade or go on from."""


class Campaign:
    """One experiment's cells over `iterations` x `problems`."""

    def __init__(
        self,
        cells: CellStore,
        team: EngineTeam,
        graders: Graders,
        judge: Judge | None = None,
        *,
        iterations: range,
        problems: Sequence[Problem],
        on_made: Callable[[FinishedCell], None],
        on_found: Callable[[FoundCell], None] = lambda cell: None,
        redo: bool = False,
        outcome: Outcome | None = None,
        claims: Claims | None = None,
    ) -> None:
        """`on_made` and `on_found` are called in the event loop and must return at once. `redo` makes whole
        cells again (from the call log, where it has the replies) and still needs no call for the past."""
        self.cells, self.team, self.graders, self.judge = cells, team, graders, judge
        self.iterations, self.problems, self.redo = iterations, tuple(problems), redo
        self.on_made, self.on_found = on_made, on_found
        experiment = cells.experiment
        self.repeats = range(experiment.repeats)
        self.strategy = strategy(experiment.strategy.name)
        self.settings = settings_of(experiment.strategy)
        self.outcome = outcome or Outcome()
        self.claims = claims
        self.starting = asyncio.Lock()
        """Held by the problem that makes its first requests."""

    def check_past(self) -> None:
        """Raises MissingPast before anything is asked or written."""
        first = self.iterations.start
        if first == 0:
            return
        missing = [p.id for p in self.problems if not self._has(first - 1, p)]
        if missing:
            raise MissingPast(
                f"{self.cells.experiment.name}: iteration t{first:02d} was asked for, and t{first - 1:02d} is missing for "
                f"{len(missing)} of {len(self.problems)} problems ({', '.join(missing[:5])}) under settings "
                f"{self.cells.variant}. Start the range at the first missing iteration, or materialize it first."
            )

    def _has(self, iteration: int, problem: Problem) -> bool:
        try:
            return self.cells.files(iteration, problem) is not None
        except StoreFault:
            return True  # a torn file stops its own problem, with its own words

    async def run(self) -> Outcome:
        """Raises MissingPast, StoreFault (the store cannot be written) and what the team raises for a whole run."""
        await asyncio.to_thread(self.check_past)
        try:
            async with asyncio.TaskGroup() as group:
                for problem in self.problems:
                    group.create_task(self._problem(problem))
        except BaseExceptionGroup as failures:
            raise failures.exceptions[0] from None
        self.outcome.judge_down = self.judge.down if self.judge is not None else None
        return self.outcome

    async def make_first(self) -> None:
        """Let the first requests of a problem be made; see `_TURNS` and `_SHARE`."""
        now = asyncio.get_running_loop().time
        began = now()
        for _ in range(_TURNS):
            await asyncio.sleep(0)
        if self.team.supplied:
            await asyncio.sleep((_SHARE - 1) * (now() - began))

    async def _problem(self, problem: Problem) -> None:
        line = _ProblemLine(self, problem)
        try:
            async with self.claims.claim(problem.id) if self.claims else nullcontext():
                await line.run()
        except BudgetReached as reached:
            self.outcome.budget = str(reached)
            self.outcome.stopped.append(Stopped(problem.id, line.at, str(reached), by_budget=True))
        except AwaitsApproval as waiting:
            self.outcome.stopped.append(Stopped(problem.id, line.at, str(waiting), waits=True))
        except (EndpointUnavailable, UnreadableCell, NothingAnswered) as error:
            self.outcome.stopped.append(Stopped(problem.id, line.at, str(error)))


class UnreadableCell(RuntimeError):
    """A past cell of one problem that cannot be read; the other problems go on."""


class _ProblemLine:
    """One problem's way through the iterations."""

    def __init__(self, campaign: Campaign, problem: Problem) -> None:
        self.campaign, self.problem = campaign, problem
        self.at = campaign.iterations.start
        """The first iteration that is not complete."""
        self.previous: StoredCell | None = None
        self.rounds: dict[int, list[Round]] = {}
        self.writing = asyncio.Lock()
        self.finishing: list[asyncio.Task[None]] = []
        self.waiting: AwaitsApproval | None = None
        """Of the first repeat that waits; the others go on until they wait as well."""

    async def run(self) -> None:
        campaign = self.campaign
        if not campaign.redo:
            before = await self._files(self.at - 1) if self.at > 0 else None
            while self.at < campaign.iterations.stop:
                files = await self._files(self.at)
                if files is None or not files.follows(before):
                    break
                await self._found(self.at, files)
                before = files
                self.at += 1
        if self.at == campaign.iterations.stop:
            return
        past, start = await self._past(), self.at
        team = ReviewedTeam(campaign.team, self.problem, await self._review())
        try:
            try:
                async with asyncio.TaskGroup() as group, campaign.starting:
                    for repeat in campaign.repeats:
                        group.create_task(self._repeat(team, repeat, start, past.get(repeat, ())))
                    await campaign.make_first()
            except BaseExceptionGroup as failures:
                # a cell whose rounds were all there is kept, also when a later round failed
                await asyncio.gather(*self.finishing, return_exceptions=True)
                raise failures.exceptions[0] from None
            await asyncio.gather(*self.finishing)
            if self.waiting is not None:
                raise self.waiting
        finally:
            for finishing in self.finishing:
                finishing.cancel()
            await asyncio.gather(*self.finishing, return_exceptions=True)

    async def _past(self) -> dict[int, tuple[Round, ...]]:
        """By repeat, the earlier rounds that the strategy looks back on, oldest first."""
        back = self.campaign.strategy.looks_back
        past: dict[int, tuple[Round, ...]] = {}
        for iteration in range(0 if back is None else max(0, self.at - back), self.at):
            rounds, self.previous = await self._read(iteration)
            for one in rounds:
                past[one.repeat] = (*past.get(one.repeat, ()), one)
        return past

    async def _review(self) -> Review:
        try:
            return await asyncio.to_thread(self.campaign.cells.reviews.of, self.problem)
        except StoreFault as fault:
            raise UnreadableCell(str(fault)) from fault

    async def _files(self, iteration: int) -> StoredCell | None:
        try:
            return await asyncio.to_thread(self.campaign.cells.files, iteration, self.problem)
        except StoreFault as fault:
            raise UnreadableCell(str(fault)) from fault

    async def _read(self, iteration: int) -> tuple[tuple[Round, ...], StoredCell]:
        try:
            return await asyncio.to_thread(self.campaign.cells.read, iteration, self.problem)
        except StoreFault as fault:
            raise UnreadableCell(str(fault)) from fault

    async def _found(self, iteration: int, files: StoredCell) -> None:
        """A whole cell: grade it where its grades are missing, of other rollouts, or older than the grader."""
        campaign, cells, problem = self.campaign, self.campaign.cells, self.problem
        try:
            grades = await asyncio.to_thread(
                cells.grades_file, iteration, problem, files.rollouts, grader_of(problem, campaign.judge)
            )
        except StoreFault as fault:
            raise UnreadableCell(str(fault)) from fault
        if grades is None:
            rounds, files = await self._read(iteration)
            _, grades = await grade_cell(cells, campaign.graders, campaign.judge, iteration, problem, rounds, files)
        campaign.outcome.found += 1
        campaign.on_found(FoundCell(iteration, problem, files, grades))

    async def _repeat(self, team: Team, repeat: int, start: int, past: tuple[Round, ...]) -> None:
        campaign, cells = self.campaign, self.campaign.cells
        back = campaign.strategy.looks_back
        for iteration in range(start, campaign.iterations.stop):
            for finished in self.finishing:
                if finished.done():
                    finished.result()  # a cell that could not be written ends the line before it asks for more
            here = Here(cells.experiment.seed, repeat, iteration, cells.strategy_digest)
            try:
                last = await next_round(campaign.strategy, self.problem, past, here, team, campaign.settings)
            except AwaitsApproval as waiting:
                self.waiting = waiting
                return
            _refuse_silence(last)
            past = (*past, last) if back is None else (*past, last)[-back:]
            gathered = self.rounds.setdefault(iteration, [])
            gathered.append(last)
            if len(gathered) == len(campaign.repeats):
                self.at = iteration + 1
                earlier = self.finishing[-1:]
                self.finishing.append(asyncio.create_task(self._finish(iteration, self.rounds.pop(iteration), earlier)))

    async def _finish(self, iteration: int, rounds: list[Round], earlier: Sequence["asyncio.Task[None]"]) -> None:
        campaign, cells = self.campaign, self.campaign.cells
        ordered = tuple(sorted(rounds, key=lambda one: one.repeat))
        async with self.writing:  # first come, first served: cells are written in order of iteration
            before = self.previous.memory_bank.digest if self.previous else None
            files = await asyncio.to_thread(cells.write, iteration, self.problem, ordered, self.previous)
            self.previous = files
        grades, grades_file = await grade_cell(cells, campaign.graders, campaign.judge, iteration, self.problem, ordered, files)
        if earlier:  # told in order, however long its grades took: what is told later counts as newer
            await asyncio.wait(earlier)
        campaign.outcome.made += 1
        campaign.on_made(FinishedCell(iteration, self.problem, ordered, files, grades, grades_file, before))


def _refuse_silence(made: Round) -> None:
    """A cell without one answer would count as finished and never be asked again, also after the cause is mended.

    A problem that is too long for the model's window stays so: its failed rollouts are the result. A round without
    rollouts of its own is what its turns are.
    """
    solved = [rollout.trace for rollout in made.rollouts if rollout.branch not in REPEATED]
    asked = solved or [turn.trace for turn in made.memory.turns if turn.trace is not None]
    refusals = [trace.failure for trace in asked if trace.status == "failed"]
    if len(refusals) == len(asked) and any(one and one.boundary == "request" for one in refusals):
        last = next(one for one in refusals if one and one.boundary == "request")
        raise NothingAnswered(
            f"all {len(refusals)} {'candidates' if solved else 'requests'} of repeat {made.repeat} were refused; last: "
            f"{last.kind}: {last.detail}. The cell was not stored. Mend the endpoint or the request."
        )
