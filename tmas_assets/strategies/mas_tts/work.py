"""A round in the making: its records in the order they came about, its account, and whether more may be asked.

Leaves out who is asked what.
"""

from collections.abc import Sequence
from typing import TypeVar

from tmas_assets.agents.mas_tts import critic, evaluator, team_solver
from tmas_assets.agents.mas_tts.briefing import Said
from tmas_assets.agents.mas_tts.trial import Execution
from tmas_assets.records import Call, Record, Rollout, Round, Turn, Verification
from tmas_assets.strategies.mas_tts.account import Spend, spend_of, traces_in, traces_of
from tmas_assets.strategies.mas_tts.orders import Ordered
from tmas_assets.strategies.mas_tts.settings import Settings
from tmas_assets.strategies.step import LONGEST, Step

R = TypeVar("R", bound=Record)
_GRANTED = (team_solver.ROLE, critic.ROLE)
"""Roles that the granted token limit holds for."""


class Consensus(Record):
    """How the critics voted on one version. One that failed, or could not be read, has not voted."""

    critics: int
    cast: int
    agreed: int

    @property
    def reached(self) -> bool:
        """All cast votes agree, and at least half of the critics cast one."""
        return self.critics > 0 and self.agreed == self.cast > 0 and 2 * self.cast >= self.critics


class Conclusion(Record):
    """How a round ended: kept as its last turn. The last one of a problem says whether its answer was accepted."""

    accepted: bool | None
    """By the evaluator; None where it did not judge, or could not be read. Only True is accepted."""
    consensus: bool | None
    """None where no critic was asked about the answer."""
    critics: int = 0
    """Asked about the answer; votes cast; votes for it."""
    cast: int = 0
    agreed: int = 0
    reviews: int = 0
    """How many versions the critics went through."""
    revisions: int = 0
    """Versions after the first."""
    experts_wanted: str = ""
    """Whom the evaluator would recruit."""
    ended: str
    """Why the round asked no more."""
    spent: Spend
    """On this problem and repeat, up to and with this round."""


def speaker(number: int) -> str:
    return f"Critic {number + 1}"


def found(made: Round | None, kind: type[R]) -> R | None:
    """The last turn of a round that holds such a record."""
    turns = [turn for turn in made.memory.turns if turn.kind == kind.__name__ and turn.data] if made else []
    return kind.model_validate_json(turns[-1].data or "") if turns else None


def votes(checks: Sequence[Verification]) -> Consensus:
    cast = [check.score for check in checks if check.score is not None]
    return Consensus(critics=len(checks), cast=len(cast), agreed=sum(score == 1 for score in cast))


def objections(checks: Sequence[Verification]) -> tuple[Said, ...]:
    """In order of critic; one without words is an objection too."""
    return tuple(
        Said(speaker=speaker(number), text=check.critique) for number, check in enumerate(checks) if check.score == 0
    )


class Work:
    """What one round has done so far."""

    def __init__(self, step: Step, settings: Settings) -> None:
        self.step, self.settings = step, settings
        self.drafts: list[Rollout] = []
        self.checks: list[Verification] = []
        self.turns: list[Turn] = []
        self.order: Ordered | None = None
        self.before = sum((self._spend_in(made) for made in step.past), Spend())

    @property
    def spent(self) -> Spend:
        """Up to now, all rounds."""
        granted = self.order.granted.max_tokens if self.order else None
        return self.before + spend_of(traces_of(self.drafts, self.checks, self.turns), lambda role: self._allowed(role, granted))

    @property
    def left(self) -> int | None:
        return self.left_after()

    @property
    def may_ask(self) -> bool:
        return self.left is None or self.left > 0

    def left_after(self, *calls: Call) -> int | None:
        """Tokens of the budget once `calls`, which are in no record yet, are paid; None without a budget."""
        budget = self.settings.token_budget
        asked = spend_of([call.trace for call in calls], lambda role: self._allowed(role, None))
        return None if budget is None else max(0, budget - (self.spent + asked).tokens)

    def priority(self, stages: int) -> int:
        """`to_go` of a request that so many stages of the round wait for."""
        return min(max(stages, 0), LONGEST - 1)

    def _spend_in(self, made: Round) -> Spend:
        ordered = found(made, Ordered)
        granted = ordered.granted.max_tokens if ordered else None
        return spend_of(traces_in(made), lambda role: self._allowed(role, granted))

    def _allowed(self, role: str, granted: int | None) -> int:
        own = self.step.team.sampling(role).max_tokens
        return granted if granted is not None and role in _GRANTED else own


class Before:
    """What the earlier rounds leave to this one."""

    def __init__(self, step: Step) -> None:
        last = step.last
        self.chosen = _chosen(last)
        """The answer so far, be it empty; None before the first round."""
        self.solution = self.chosen if self.chosen and self.chosen.text.strip() else None
        self.conclusion = found(last, Conclusion)
        self.ordered = found(last, Ordered)
        tried = [execution for made in step.past if (execution := found(made, Execution)) is not None]
        self.execution = tried[-1] if tried else None
        checks = _checks_of_answer(step.past)
        self.objections = objections([check for check in checks if check.trace.role == critic.ROLE])
        judged = [check for check in checks if check.trace.role == evaluator.ROLE]
        self.advice = judged[-1].critique if judged else ""


def _chosen(made: Round | None) -> Rollout | None:
    rollouts = [rollout for rollout in made.rollouts if rollout.branch == "chosen"] if made else []
    return rollouts[-1] if rollouts else None


def _checks_of_answer(past: Sequence[Round]) -> tuple[Verification, ...]:
    """Of the answer that stands, from the round that made it."""
    for made in reversed(past):
        answer = _chosen(made)
        if answer is not None and any(rollout.id in answer.parents for rollout in made.rollouts):
            return tuple(check for check in made.verifications if check.rollout in answer.parents)
    return ()
