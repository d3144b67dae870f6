"""What the rounds of every strategy are made of: where a request stands, its seed, and the records of its reply.

A strategy makes a `Step` for its round, asks through it and closes it with `round`. Leaves out what is asked.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from tmas_assets.agents import solution
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.records import (
    BankWrite,
    Branch,
    Call,
    MemoryEntry,
    MemorySnapshot,
    ParseStatus,
    Problem,
    Record,
    Rollout,
    Round,
    Summary,
    Turn,
    Verification,
    canonical_json,
    digest,
)
from tmas_assets.records.seeds import seed_of
from tmas_assets.strategies import Here, Strategy, Team

T = TypeVar("T")
LONGEST = 64
"""More than the steps of one round that wait for each other."""


async def together(steps: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Results in order; the first failure cancels the rest, so that nothing is asked for a round that is lost."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(step) for step in steps]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in tasks]


@dataclass(frozen=True)
class Step:
    """One round of a strategy on one problem: what every request and record of it needs to know."""

    problem: Problem
    past: tuple[Round, ...]
    here: Here
    team: Team

    @property
    def name(self) -> str:
        return f"r{self.here.repeat}t{self.here.iteration:02d}"

    @property
    def last(self) -> Round | None:
        return self.past[-1] if self.past else None

    @property
    def entries(self) -> tuple[MemoryEntry, ...]:
        """Of both banks after the last round."""
        return self.past[-1].memory.entries if self.past else ()

    @property
    def memory_digest(self) -> str | None:
        return digest(self.past[-1].memory) if self.past else None

    def seed(self, *place: int | str) -> int:
        """Seed of a draw at `place` in this round."""
        here = self.here
        return seed_of(here.seed, self.problem.digest, here.repeat, here.iteration, *place)

    def ask(self, role: str, place: str, *, to_go: int = 0) -> Ask:
        """Where the request of `role` at `place` stands (`c3`, `c3v1`; unique in its role and round).

        `to_go`: steps of the round that wait for this one. Who lags goes first, then what is nearest to its end: the
        shortest makespan of the orders simulated.
        """
        return Ask(
            sampling=self.team.sampling(role),
            seed=self.seed(role, place),
            sample=f"{self.name}{place}/{role}",
            affinity=self.problem.digest,
            priority=self.here.iteration * LONGEST + to_go,
            structured=self.team.structured(role),
        )

    def rollout(
        self, candidate: int, branch: Branch, ask: Ask, call: Call, *, text: str, answer: str | None,
        parents: Sequence[str] = (), shows_memory: bool = False,
    ) -> Rollout:  # fmt: skip
        """`parents`: ids of the earlier rollouts that the prompt showed."""
        return Rollout(
            id=f"{self.name}c{candidate}",
            problem=self.problem.id,
            problem_digest=self.problem.digest,
            repeat=self.here.repeat,
            iteration=self.here.iteration,
            candidate=candidate,
            branch=branch,
            parents=tuple(parents),
            memory_digest=self.memory_digest if shows_memory else None,
            text=text,
            answer=answer,
            strategy_digest=self.here.strategy_digest,
            model=call.model,
            seed=ask.seed,
            trace=call.trace,
        )

    async def solve(self, candidate: int, *, proof: bool = False, limits: Limits, to_go: int = 0) -> Rollout:
        """One plain candidate: the same request in every strategy, so that they share its reply."""
        ask = self.ask(solution.ROLE, f"c{candidate}", to_go=to_go)
        call = await self.team.ask(
            solution.ask(self.problem, ask, proof=proof, branch="plain", shown=(), memory=(), limits=limits)
        )
        found = solution.read(call, proof=proof)
        return self.rollout(candidate, "plain", ask, call, text=found.text, answer=found.answer)

    def repeated(self, rollout: Rollout, candidate: int, branch: Branch) -> Rollout:
        """`rollout` once more without a call: `kept` in a later round, or `chosen` as the strategy's answer."""
        here = {"repeat": self.here.repeat, "iteration": self.here.iteration, "candidate": candidate, "branch": branch}
        return rollout.model_copy(update={**here, "id": f"{self.name}c{candidate}", "parents": (rollout.id,)})

    def check(
        self, rollout: Rollout, number: int, call: Call, *, score: float | None, critique: str, parse: ParseStatus,
        parse_error: str | None, about: str | None = None,
    ) -> Verification:  # fmt: skip
        """Check `number` of a rollout; numbers count over all roles that check it."""
        return Verification(
            id=f"{rollout.id}v{number}",
            problem=self.problem.id,
            rollout=rollout.id,
            repeat=self.here.repeat,
            iteration=self.here.iteration,
            check=number,
            score=score,
            critique=critique,
            parse=parse,
            parse_error=parse_error,
            about=about,
            strategy_digest=self.here.strategy_digest,
            model=call.model,
            trace=call.trace,
        )

    def turn(
        self, role: str, place: str, *, kind: str, data: Record | None, call: Call | None, parse: ParseStatus = "parsed",
        parse_error: str | None = None, text: str = "", about: Sequence[str] = (),
    ) -> Turn:  # fmt: skip
        """`place` as in `ask`; `call` is None for what no model did."""
        return Turn(
            id=f"{self.name}{place}/{role}",
            role=role,
            kind=kind,
            data=None if data is None else canonical_json(data.model_dump(mode="json")),
            text=text,
            about=tuple(about),
            parse=parse,
            parse_error=parse_error,
            model=call.model if call else None,
            trace=call.trace if call else None,
        )

    def round(
        self,
        rollouts: Sequence[Rollout],
        *,
        verifications: Sequence[Verification] = (),
        summaries: Sequence[Summary] = (),
        entries: tuple[MemoryEntry, ...] | None = None,
        writes: Sequence[BankWrite] = (),
        turns: Sequence[Turn] = (),
        stopped: str | None = None,
    ) -> Round:
        """The finished round. `entries`: the banks after it, unchanged where none are given."""
        return Round(
            problem=self.problem.id,
            repeat=self.here.repeat,
            iteration=self.here.iteration,
            rollouts=tuple(rollouts),
            verifications=tuple(verifications),
            summaries=tuple(summaries),
            memory=MemorySnapshot(
                problem=self.problem.id,
                problem_digest=self.problem.digest,
                repeat=self.here.repeat,
                iteration=self.here.iteration,
                previous_digest=self.memory_digest,
                entries=self.entries if entries is None else entries,
                writes=tuple(writes),
                turns=tuple(turns),
                stopped=stopped,
                strategy_digest=self.here.strategy_digest,
            ),
        )


async def next_round(
    strategy: Strategy, problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Record
) -> Round:
    """The round after `past`; once the strategy has stopped, its rollouts again and nothing asked."""
    last = past[-1] if past else None
    if last is None or last.memory.stopped is None:
        return await strategy.iterate(problem, past, here, team, settings)
    step = Step(problem, past, here, team)
    kept = [
        step.repeated(rollout, rollout.candidate, "chosen" if rollout.branch == "chosen" else "kept")
        for rollout in last.rollouts
    ]
    return step.round(kept, stopped=last.memory.stopped)
