"""Simulated rounds for tests of training data: TMAS on a team in this process, graded by its boxed answer."""

import random
from collections.abc import Sequence

from tests.strategies.team import Answer, LocalTeam, go, replies
from tmas_assets.records import (
    Call,
    ChatRequest,
    Grade,
    Outcome,
    PassRate,
    Problem,
    Rollout,
    Round,
    SourceProblem,
    digest,
)
from tmas_assets.strategies.tmas import Settings
from tmas_assets.training.seen_round import SeenRound

SETTINGS = Settings(candidates=4, verifications=2, epsilon=0.5)
GOLD = "1"


def candidate(name: str = "p1", *, source: str = "sums", topic: str = "addition", gold: str | None = GOLD) -> SourceProblem:
    problem = Problem(
        benchmark="toy", release="1", id=f"{source}/{name}", statement=f"What is ${name} - {name} + 1$?", answer=gold, grader="integer",
    )  # fmt: skip
    return SourceProblem(problem=problem, source=source, licence="MIT", topic=topic)


def rate(of: SourceProblem, p: float | None = 0.5) -> PassRate:
    right = None if p is None else round(p * 8)
    return PassRate(
        problem=of.problem.id, problem_digest=of.problem.digest, model="local", samples=8 if right is not None else 0,
        right=right or 0, p=p, ungraded=0, grades_digest="g",
    )  # fmt: skip


def saying(*boxed: str) -> Answer:
    """Solutions whose boxes are drawn from these by the request; all else as `replies`."""

    async def answer(request: ChatRequest) -> str:
        if request.role != "solution":
            return str(await replies(request))
        draw = random.Random(request.seed)
        return f"We try note{draw.randrange(1000)}. \\boxed{{{draw.choice(boxed)}}}"

    return answer


def grade(rollout: Rollout, outcome: Outcome | None = None, *, rollouts_digest: str) -> Grade:
    outcome = outcome or ("right" if rollout.answer == GOLD else "wrong")
    return Grade(
        problem=rollout.problem, problem_digest=rollout.problem_digest, rollout=rollout.id, repeat=rollout.repeat,
        iteration=rollout.iteration, candidate=rollout.candidate, outcome=outcome, rule_outcome=outcome, judgement=None,
        unsandboxed=False, extracted=rollout.answer, gold=GOLD, grader="integer", grader_version="1", failure=None,
        completion=rollout.trace.status, repetitive=False, rollouts_digest=rollouts_digest,
    )  # fmt: skip


def seen(round_: Round, of: SourceProblem, *, p: float | None = 0.5, teacher: str = "teacher", outcomes: Sequence[Outcome] = ()) -> SeenRound:
    """A round as it lies in the store. `outcomes`: the grades, by candidate, where they are not those of the boxes."""
    file = digest([rollout.model_dump(mode="json") for rollout in round_.rollouts])
    said = dict(zip((rollout.id for rollout in round_.rollouts), outcomes, strict=False))
    return SeenRound(
        candidate=of, rate=rate(of, p), teacher=teacher, teacher_model=f"{teacher}-model", round=round_,
        grades=tuple(grade(rollout, said.get(rollout.id), rollouts_digest=file) for rollout in round_.rollouts),
        rollouts_digest=file, summaries_digest=digest([one.model_dump(mode="json") for one in round_.summaries]),
        memory_digest=digest(round_.memory),
    )  # fmt: skip


def simulated(
    of: SourceProblem | None = None, iterations: int = 3, *, settings: Settings = SETTINGS, team: LocalTeam | None = None,
    repeat: int = 0, p: float | None = 0.5, teacher: str = "teacher",
) -> list[SeenRound]:  # fmt: skip
    of = of or candidate()
    rounds = go(team or LocalTeam(saying("1", "2", "3")), of.problem, "tmas", settings, iterations, repeat)
    return [seen(round_, of, p=p, teacher=teacher) for round_ in rounds]


class LoggedTeam(LocalTeam):
    """Keeps every call, as the call log does. `changes`: what a call's role gets in place of the plain reply's fields."""

    def __init__(self, answer: Answer, **changes: dict[str, object]) -> None:
        super().__init__(answer)
        self.calls: dict[str, Call] = {}
        self.changes = changes

    async def ask(self, request: ChatRequest) -> Call:
        call = (await super().ask(request)).model_copy(update=self.changes.get(request.role, {}))
        self.calls[call.key] = call
        return call
