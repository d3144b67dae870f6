"""Scores samples of RL prompts: graded by their row's grader, judged for novelty where a reward needs that, rewarded.

Grades come from the pool of killable workers, so no sample hangs a trainer; a judge is asked through the call log, so a judgement
is paid once. Knows nothing of Dagster or of a trainer; usable from any thread that runs no event loop. Leaves out what a
sample earns (`tmas_assets/rewards`) and advantages, which the trainer computes.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from resources.chat.client import Spend
from resources.deployment import Deployment
from tmas_assets.agents import novelty as judge
from tmas_assets.agents.asking import Ask
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.team import EngineTeam, open_team
from tmas_assets.engine.training.row_problem import graded_problem, posed_problem
from tmas_assets.records import (
    BenchmarkChoice,
    Call,
    Experiment,
    Outcome,
    RewardChoice,
    RlRow,
    RoleSettings,
    StrategyChoice,
    Training,
    Verdict,
)
from tmas_assets.records.seeds import seed_of
from tmas_assets.rewards import Novelty, Sample, Scored, novelty, score
from tmas_assets.rewards.faults import JUDGED, faults_of
from tmas_assets.rewards.guideline_likeness import is_novel, judged_part


class ScoringFault(RuntimeError):
    """Rewards that cannot be given as they are stated."""


@dataclass(frozen=True)
class _Work:
    """A sample on its way."""

    row: RlRow
    reply: str
    truncated: bool
    way: Novelty | None
    outcome: Outcome


class Scorer:
    """Use as a context manager, one a process; its end ends the workers. Raises ScoringFault for rewards with faults."""

    def __init__(self, training: Training, deployment: Deployment, run: str) -> None:
        """`run` only spreads the retries of concurrent runs."""
        if (faults := faults_of(training)) or training.grpo is None:
            raise ScoringFault("; ".join(faults) or f"{training.name}: an {training.kind} run has no rewards")
        self._training, self._deployment, self._run = training, deployment, run
        self._choices: tuple[RewardChoice, ...] = training.grpo.rewards
        self._spend = Spend()
        self._graders = Graders(max_workers=deployment.grading_workers, isolation=deployment.isolation)
        self.unrewarded: Counter[str] = Counter()
        """Samples without a reward so far, by reason: `unparseable_gold`, `timeout`, `undecided`, `novelty unknown`, ..."""

    def require(self, rows: Sequence[RlRow]) -> None:
        """To be asked before anything is trained. Raises SandboxFault where code cannot be run here, ScoringFault for guideline rows
        whose prompt is no prompt of ours."""
        self._graders.require({row.reward_model.grader for row in rows})
        for row in rows:
            if row.extra_info.guideline and novelty(row.source, self._choices) is not None:
                try:
                    posed_problem(row)
                except ValueError as error:
                    raise ScoringFault(str(error)) from error

    def score(self, rows: Sequence[RlRow], replies: Sequence[str], truncated: Sequence[bool]) -> tuple[Scored, ...]:
        """One of each reply (thinking included) to its row, in order; `truncated`: whether it broke off at its token limit.

        What the rules cannot decide has no reward. Raises ValueError for unequal lengths, SandboxFault where code cannot be run
        here, UnknownGrader, and of the judge whatever `engine.team.EngineTeam.ask` raises, EndpointUnavailable above all.
        """
        if not len(rows) == len(replies) == len(truncated):
            raise ValueError(f"{len(rows)} rows, {len(replies)} replies and {len(truncated)} marks of truncation; give one of each a sample")
        verdicts = self._verdicts(rows, replies)
        work = [
            _Work(row=row, reply=reply, truncated=cut, way=novelty(row.source, self._choices), outcome=verdict.outcome)
            for row, reply, cut, verdict in zip(rows, replies, truncated, verdicts, strict=True)
        ]
        samples = [
            Sample(row=one.row, reply=one.reply, outcome=one.outcome, novel=new)
            for one, new in zip(work, self._novel(work), strict=True)
        ]
        scored = tuple(score(sample, self._choices) for sample in samples)
        self.unrewarded.update(
            _reason(verdict) for verdict, one in zip(verdicts, scored, strict=True) if one.total is None
        )
        return scored

    def close(self) -> None:
        self._graders.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _verdicts(self, rows: Sequence[RlRow], replies: Sequence[str]) -> list[Verdict]:
        self._graders.require({row.reward_model.grader for row in rows})
        asked = [
            self._graders.submit(problem=graded_problem(row), text=reply) for row, reply in zip(rows, replies, strict=True)
        ]
        return [verdict.result() for verdict in asked]

    def _novel(self, work: Sequence[_Work]) -> list[bool | None]:
        found: list[bool | None] = [None] * len(work)
        to_judge: list[int] = []
        for at, one in enumerate(work):
            if one.way is None or one.outcome not in ("right", "wrong"):  # which no novelty gives a reward
                continue
            if not judged_part(one.reply).strip():
                found[at] = False  # nobody need be asked
                continue
            if not (shown := one.row.extra_info.guideline):
                found[at] = True
            elif one.way.by == "judge":
                to_judge.append(at)
            else:
                statement = posed_problem(one.row).statement
                found[at] = is_novel(one.reply, [entry.text for entry in shown], statement, one.way.threshold)
        if to_judge:
            calls = asyncio.run(self._ask([work[at] for at in to_judge]))
            for at, call in zip(to_judge, calls, strict=True):
                found[at] = judge.read(call).novel
        return found

    async def _ask(self, work: Sequence[_Work]) -> list[Call]:
        asked = judge_of(self._training)
        try:
            async with (
                open_team(asked, self._deployment, self._spend, self._graders, run=self._run) as team,
                asyncio.TaskGroup() as group,
            ):
                asking = [group.create_task(self._judgement(team, one)) for one in work]
        except ExceptionGroup as several:
            raise several.exceptions[0] from several
        return [task.result() for task in asking]

    async def _judgement(self, team: EngineTeam, one: _Work) -> Call:
        """Known by what is shown, not by the sample: equal replies to a row share one judgement."""
        info, way = one.row.extra_info, one.way
        assert way is not None
        place = Ask(
            sampling=team.sampling(judge.ROLE),
            seed=seed_of(team.experiment.seed, judge.ROLE, info.prompt_digest),
            sample=judge.ROLE,
            affinity=info.prompt_digest,
            structured=team.structured(judge.ROLE),
        )
        text = judged_part(one.reply)
        return await team.ask(
            judge.ask(
                posed_problem(one.row), place, strategies=info.guideline, solution=text, cut=one.truncated, chars=way.reply_chars
            )
        )


def judge_of(training: Training) -> Experiment:
    """Who pays for judgements of novelty, at temperature 0. They are single requests, so its strategy is never run.

    Raises ScoringFault where the run names no judge.
    """
    if training.judge is None:
        raise ScoringFault(f"{training.name}: no judge to ask; give `judge`, an endpoint")
    return Experiment(
        name=f"{training.name}{JUDGED}",
        benchmark=BenchmarkChoice(name=training.data_set),
        strategy=StrategyChoice(name="single"),
        iterations=1,
        seed=training.optimisation.seed,
        endpoints={"default": training.judge},
        roles={judge.ROLE: RoleSettings(sampling={"temperature": 0.0})},
    )


def _reason(verdict: Verdict) -> str:
    if verdict.failure is not None:
        return verdict.failure.kind
    return verdict.outcome if verdict.outcome in ("undecided", "failed") else "novelty unknown"
