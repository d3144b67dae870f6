"""A strategy once more on the replies of a finished run, in virtual time: how long would an engine without overhead take?

The same strategy code asks the same requests; each reply comes from the call log and takes the seconds it took then. With
no limit on requests at once, the time that passes is the critical path: the longest chain of replies that wait for each
other. With the limit and the engine's own order, it is what that order can reach. Between two replies no time passes.
"""

import asyncio
import selectors
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from resources.calls.call_log import CallLog
from resources.chat.limits import Gate
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.voting import Voting
from tmas_assets.records import Call, ChatRequest, Experiment, Problem, Round, Sampling
from tmas_assets.strategies import Here, Ran, settings_of, strategy, strategy_digest
from tmas_assets.strategies.step import next_round


class OtherRequest(RuntimeError):
    """The strategy asks what the run did not ask: it depends on more than its replies."""


_THREADS_SECONDS = 60.0


class _Clock(selectors.DefaultSelector):
    """Waits for threads alone, and lets the time of everything else pass at once."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            if not (found := super().select(_THREADS_SECONDS)):
                raise RuntimeError("everybody waits and nothing is on its way")
            return found
        self.now += timeout
        return super().select(0)


class _VirtualTime(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _Clock()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now

    def run_in_executor(self, executor, func, *args):  # type: ignore[no-untyped-def]
        """At once and in place: what a thread works on takes no virtual time."""
        done = self.create_future()
        done.set_result(func(*args))
        return done


class Replay:
    """`experiment` on `problems`, whose run with models of identity `model` is in `log`."""

    def __init__(
        self, experiment: Experiment, problems: Sequence[Problem], model: str, log: CallLog, graders: Graders
    ) -> None:
        self.experiment, self.problems, self.model, self.log, self.graders = experiment, problems, model, log, graders
        self.calls: dict[str, Call] = {}
        """Those asked so far, by key."""

    def seconds(self, limit: int | None) -> float:
        """Virtual seconds to the last reply. Raises OtherRequest."""
        with asyncio.Runner(loop_factory=_VirtualTime) as runner:
            return runner.run(self._run(limit))

    async def _run(self, limit: int | None) -> float:
        team = _RecordedTeam(self, None if limit is None else Gate(limit))
        repeats = range(self.experiment.repeats)
        await asyncio.gather(*(self._line(team, problem, repeat) for problem in self.problems for repeat in repeats))
        return asyncio.get_running_loop().time()

    async def _line(self, team: "_RecordedTeam", problem: Problem, repeat: int) -> None:
        asked = self.experiment
        method, settings, digest = strategy(asked.strategy.name), settings_of(asked.strategy), strategy_digest(asked.strategy)
        past: tuple[Round, ...] = ()
        for iteration in range(asked.iterations):
            here = Here(asked.seed, repeat, iteration, digest)
            past = (*past, await next_round(method, problem, past, here, team, settings))
            past = past if method.looks_back is None else past[-method.looks_back :]

    def call(self, request: ChatRequest) -> Call:
        key = request.key(self.model)
        if key not in self.calls:
            found = next(self.log.calls([key]), None)
            if found is None:
                raise OtherRequest(
                    f"{self.experiment.strategy.name} asks {request.role} {request.sample}, which is not in the log of the run"
                )
            self.calls[key] = found
        return self.calls[key]


class _RecordedTeam:
    """`tmas_assets.strategies.Team` over recorded calls."""

    def __init__(self, replay: Replay, gate: Gate | None) -> None:
        self._replay, self._gate = replay, gate
        self._voting = Voting(replay.graders)
        self._coming: dict[str, asyncio.Task[Call]] = {}

    def sampling(self, role: str) -> Sampling:
        return self._replay.experiment.sampling(role)

    def structured(self, role: str) -> bool:
        asked = self._replay.experiment
        return asked.endpoints[asked.endpoint_of(role)].structured_output

    async def ask(self, request: ChatRequest) -> Call:
        call = self._replay.call(request)
        if call.key not in self._coming:  # equal requests share a reply, as in the chat client
            self._coming[call.key] = asyncio.create_task(self._reply(call, request.priority))
        return await self._coming[call.key]

    async def _reply(self, call: Call, priority: int) -> Call:
        if self._gate is None:
            await asyncio.sleep(call.seconds)
            return call
        await self._gate.acquire(self._gate.ticket(priority))
        await asyncio.sleep(call.seconds)
        self._gate.release()
        return call

    async def classes(self, problem: Problem, answers: Sequence[str | None]) -> tuple[int | None, ...] | None:
        return self._voting.classes(problem, answers)

    async def run_code(self, program: str, stdin: str = "") -> Ran:
        with ThreadPoolExecutor(1) as aside:  # virtual time waits for no real one
            return aside.submit(asyncio.run, self._replay.graders.run_code(program, stdin)).result()

    async def require_approval(self, made: Round) -> None:
        """Everything is approved."""
