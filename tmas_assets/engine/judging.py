"""Asks a judge about the answers that rules leave undecided, and about a drawn share of the others, to compare both.

A request is known by problem and answer, not by candidate: equal answers share one judgement, and the call log keeps
it, so none is paid for twice. `LoggedJudgements` answers from the log alone, for grading again without a model. Leaves
out prompts and reading a reply: `agents/judge.py`.
"""

import random
from collections.abc import Awaitable, Callable

from resources.calls.call_log import CallLog
from resources.chat.client import EndpointUnavailable
from tmas_assets.agents import judge
from tmas_assets.agents.asking import Ask
from tmas_assets.records import (
    JUDGE,
    Call,
    ChatRequest,
    Experiment,
    Judgement,
    JudgeSettings,
    Problem,
    Trace,
    Verdict,
    digest,
)
from tmas_assets.records.seeds import seed_of

ASKED = 3
"""Times that a judge is asked about one answer while its replies are unreadable, each time with another seed."""

AskModel = Callable[[ChatRequest], Awaitable[Call | None]]
"""None: the reply is not to be had without asking a model, and that is not wanted."""


class Judge:
    """The judge of an experiment. `model`: identity of the judging model."""

    def __init__(self, experiment: Experiment, settings: JudgeSettings, model: str, ask: AskModel) -> None:
        self._experiment, self._settings, self._model, self._ask = experiment, settings, model, ask
        self._endpoint = experiment.endpoints[settings.endpoint]
        self._sampling = experiment.sampling(JUDGE)
        self.down: str | None = None
        """Why the judge cannot be asked any more in this run."""
        self._prompt_digest = digest([judge.PROMPT.digest, judge.schema(self._sampling)])

    @classmethod
    def of(cls, experiment: Experiment, model: str, ask: AskModel) -> "Judge | None":
        """None where the experiment names no judge."""
        return cls(experiment, experiment.judge, model, ask) if experiment.judge is not None else None

    @property
    def name(self) -> str:
        """Changes with all that could change a judgement, or which answers are judged."""
        shape = [judge.VERSION, self._prompt_digest, self._sampling.model_dump(mode="json"), self._endpoint.structured_output,
                 self._settings.rubric]
        return f"judge {self._model} {digest(shape)[:12]}, audit {self._settings.audit:g}, seed {self._experiment.seed}"

    def rubric(self, problem: Problem) -> str | None:
        """What the judge is asked about answers to `problem`; None where it is not asked."""
        rubric = problem.judge or self._settings.rubric
        return None if rubric == "answer" and problem.answer is None else rubric

    def is_asked(self, problem: Problem, rollout: str, verdict: Verdict) -> bool:
        """Whether this answer is one to judge: undecided, or decided and drawn."""
        if self.rubric(problem) is None or not verdict.extracted:
            return False
        if verdict.outcome == "undecided":
            return True
        drawn = random.Random(seed_of(self._experiment.seed, "audit", problem.digest, rollout)).random()
        return verdict.outcome in ("right", "wrong") and drawn < self._settings.audit

    async def judge(self, problem: Problem, answer: str) -> Judgement | None:
        """None where the reply is not to be had: it would have to be asked for, or the endpoint is down.

        A judge that is down (`down` says why) is not asked again in this run. Raises what else asking raises.
        """
        traces: list[Trace] = []
        for time in range(ASKED):
            if self.down is not None:
                return None
            request = judge.ask(problem, self.rubric(problem) or "", answer, self._asking(problem, time))
            try:
                call = await self._ask(request)
            except EndpointUnavailable as unavailable:
                self.down = f"the judge at endpoints.{self._settings.endpoint}: {unavailable}"
                return None
            if call is None:
                return None
            traces.append(call.trace)
            read = judge.read(call)
            if read.correct is not None:
                break
        return Judgement(
            outcome="failed" if read.correct is None else "right" if read.correct else "wrong",
            model=self._model,
            prompt_digest=self._prompt_digest,
            parse=read.parse,
            parse_error=read.parse_error,
            traces=tuple(traces),
        )

    def _asking(self, problem: Problem, time: int) -> Ask:
        return Ask(
            sampling=self._sampling,
            seed=seed_of(self._experiment.seed, problem.digest, JUDGE, time),
            sample=f"{JUDGE}/{time}",
            affinity=problem.digest,
            structured=self._endpoint.structured_output,
        )


class LoggedJudgements:
    """Replies of the judge that the call log holds."""

    def __init__(self, log: CallLog, model: str) -> None:
        self._log, self._model = log, model

    async def __call__(self, request: ChatRequest) -> Call | None:
        return await self._log.get(request.key(self._model))
