"""TMAS: five agents and two memory banks around parallel candidates (arXiv 2605.10344).

Each iteration: N candidate solutions, M verifications of each, one summary of each, then the experience and the
guideline agent write the next memory side by side. After iteration 0 a candidate explores with probability
epsilon (it sees the guideline bank, to stay away from what was tried), else it refines (it sees earlier rollouts
and the experience bank). What the paper leaves open is a setting. Leaves out stopping and voting: every round is
kept, so any such rule can be replayed.
"""

import random
from typing import Literal

from pydantic import Field, field_validator

from tmas_assets.agents import experience, guideline, prompt_digests, solution, summary, verification
from tmas_assets.agents.asking import Ask, Limits
from tmas_assets.agents.bank_reply import BankReply
from tmas_assets.agents.material import fitting
from tmas_assets.memory import BankSettings, Similarity, jaccard, live, merge
from tmas_assets.records import (
    Bank,
    BankWrite,
    Branch,
    Call,
    ChatRequest,
    MemoryEntry,
    Problem,
    Record,
    Rollout,
    Round,
    Summary,
    Verification,
)
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.step import Step, together

SIMILARITIES: dict[str, Similarity] = {"jaccard": jaccard}
_STAGES = ("solution", "verification", "summary", "experience")


class Settings(Record):
    candidates: int = Field(default=8, ge=1)
    """N, candidate solutions an iteration."""
    verifications: int = Field(default=8, ge=0)
    """M, independent checks of each candidate."""
    epsilon: float = Field(default=0.2, ge=0, le=1)
    """Probability that a candidate explores, drawn for each one after iteration 0."""
    refine_from: Literal["paired", "best", "all"] = "paired"
    """Which earlier rollouts a refinement sees: the one of its own number, the best verified one, or all."""
    proof: bool = False
    """Ask for proofs instead of short answers."""
    banks: tuple[Bank, ...] = ("experience", "guideline")
    """Banks that are written and shown; leave one out, or both, for an ablation. A candidate that is drawn to explore without
    a guideline to stay away from is asked the plain problem."""
    similarity: Literal["jaccard"] = "jaccard"
    bank: BankSettings = BankSettings()
    limits: Limits = Limits()

    @field_validator("banks")
    @classmethod
    def _each_once(cls, banks: tuple[Bank, ...]) -> tuple[Bank, ...]:
        if len(set(banks)) < len(banks):
            raise ValueError("names a bank twice; name each once")
        return banks


async def iterate(
    problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings
) -> Round:
    """The round after the last one (none at iteration 0). Independent steps run side by side, none waits for a stage."""
    step = Step(problem, past, here, team)
    turn = _Turn(step, settings)
    chains = await together(turn.candidate(number) for number in range(settings.candidates))
    read = fitting(tuple((rollout, summed) for rollout, _, summed in chains if rollout.text), settings.limits)
    entries, writes = await turn.remember(read)
    return step.round(
        [rollout for rollout, _, _ in chains],
        verifications=[check for _, checks, _ in chains for check in checks],
        summaries=[summed for _, _, summed in chains if summed is not None],
        entries=entries,
        writes=writes,
    )


class SolverPrompt(Record):
    """The request of a candidate, and what of the round before it shows."""

    request: ChatRequest
    parents: tuple[str, ...]
    """Ids of the rollouts shown."""
    memory: tuple[MemoryEntry, ...]
    """Live entries of the bank that is shown; a prompt too small for all shows the best supported."""


def solver_prompt(
    problem: Problem, last: Round | None, ask: Ask, branch: Branch, candidate: int, settings: Settings
) -> SolverPrompt:
    """What candidate number `candidate` of the round after `last` is asked on this branch: at test time, and in the
    training data made from such rounds."""
    shown = _shown(last, branch, candidate, settings)
    bank: Bank | None = {"refine": "experience", "explore": "guideline"}.get(branch)  # type: ignore[assignment]
    memory = live(last.memory.entries, bank) if last is not None and bank in settings.banks else ()
    request = solution.ask(
        problem, ask, proof=settings.proof, branch=branch, shown=shown, memory=memory, limits=settings.limits
    )
    return SolverPrompt(request=request, parents=tuple(rollout.id for rollout, _ in shown), memory=memory)


def _shown(
    last: Round | None, branch: Branch, number: int, settings: Settings
) -> tuple[tuple[Rollout, Summary | None], ...]:
    if branch != "refine" or last is None:
        return ()
    summaries = {summed.rollout: summed for summed in last.summaries}
    pairs = [(rollout, summaries.get(rollout.id)) for rollout in last.rollouts if rollout.text]
    if settings.refine_from == "paired":
        pairs = [pair for pair in pairs if pair[0].candidate == number]
    elif settings.refine_from == "best":
        pairs = sorted(pairs, key=lambda pair: -(_mean(pair[1]) or 0.0))[:1]
    return fitting(tuple(pairs), settings.limits)


class _Turn:
    """One iteration on one problem under these settings."""

    def __init__(self, step: Step, settings: Settings) -> None:
        self.step, self.settings = step, settings
        self.problem, self.team, self.here = step.problem, step.team, step.here

    def _ask(self, role: str, place: str) -> Ask:
        stage = _STAGES.index(role) if role in _STAGES else len(_STAGES) - 1
        return self.step.ask(role, place, to_go=len(_STAGES) - 1 - stage)

    async def candidate(self, number: int) -> tuple[Rollout, tuple[Verification, ...], Summary | None]:
        """Solve, check, sum up: a chain that waits for no other candidate."""
        rollout = await self._solve(number)
        if not rollout.text:
            return rollout, (), None
        checks = await together(self._verify(rollout, check) for check in range(self.settings.verifications))
        return rollout, tuple(checks), await self._sum_up(rollout, tuple(checks))

    def _branch(self, number: int) -> Branch:
        if self.step.last is None:
            return "plain"
        draw = random.Random(self.step.seed("branch", number))
        return "explore" if draw.random() < self.settings.epsilon else "refine"

    async def _solve(self, number: int) -> Rollout:
        branch = self._branch(number)
        ask = self._ask(solution.ROLE, f"c{number}")
        prompt = solver_prompt(self.problem, self.step.last, ask, branch, number, self.settings)
        call = await self.team.ask(prompt.request)
        found = solution.read(call, proof=self.settings.proof)
        return self.step.rollout(
            number, branch, ask, call, text=found.text, answer=found.answer, parents=prompt.parents,
            shows_memory=bool(prompt.memory),
        )  # fmt: skip

    async def _verify(self, rollout: Rollout, check: int) -> Verification:
        ask = self._ask(verification.ROLE, f"c{rollout.candidate}v{check}")
        settings = self.settings
        call = await self.team.ask(
            verification.ask(self.problem, ask, proof=settings.proof, rollout=rollout, limits=settings.limits)
        )
        return self.step.check(rollout, check, call, **dict(verification.read(call)))

    async def _sum_up(self, rollout: Rollout, checks: tuple[Verification, ...]) -> Summary:
        ask = self._ask(summary.ROLE, f"c{rollout.candidate}")
        settings = self.settings
        call = await self.team.ask(
            summary.ask(self.problem, ask, proof=settings.proof, rollout=rollout, checks=checks, limits=settings.limits)
        )
        found = summary.read(call)
        scores = [check.score for check in checks if check.score is not None]
        return Summary(
            id=f"{rollout.id}s",
            problem=self.problem.id,
            rollout=rollout.id,
            repeat=self.here.repeat,
            iteration=self.here.iteration,
            text=found.text,
            mean_score=sum(scores) / len(scores) if scores else None,
            parse=found.parse,
            parse_error=found.parse_error,
            strategy_digest=self.here.strategy_digest,
            model=call.model,
            trace=call.trace,
        )

    async def remember(
        self, read: tuple[tuple[Rollout, Summary | None], ...]
    ) -> tuple[tuple[MemoryEntry, ...], list[BankWrite]]:
        """The next memory: both bank agents read the round at once, then their updates are merged in turn."""
        banks = self.settings.banks if read else ()  # a round without a single reply teaches nothing
        replies = await together(self._write(bank, read) for bank in banks)
        entries, writes = self.step.entries, []
        for bank, (call, found) in zip(banks, replies, strict=True):
            counts = (0, 0, 0, 0)
            if found.update is not None:
                merged = merge(
                    entries,
                    found.update,
                    bank=bank,
                    iteration=self.here.iteration,
                    sources=tuple(rollout.id for rollout, _ in read),
                    settings=self.settings.bank,
                    similarity=SIMILARITIES[self.settings.similarity],
                )
                entries, counts = merged.entries, (merged.added, merged.merged, merged.refuted, merged.evicted)
            writes.append(
                BankWrite(
                    bank=bank,
                    parse=found.parse,
                    parse_error=found.parse_error,
                    added=counts[0],
                    merged=counts[1],
                    refuted=counts[2],
                    evicted=counts[3],
                    model=call.model,
                    trace=call.trace,
                )
            )
        return entries, writes

    async def _write(self, bank: Bank, read: tuple[tuple[Rollout, Summary | None], ...]) -> tuple[Call, BankReply]:
        role = {"experience": experience, "guideline": guideline}[bank]
        shown = live(self.step.entries, bank)
        request = role.ask(
            self.problem,
            self._ask(role.ROLE, ""),
            proof=self.settings.proof,
            round_=read,
            bank=shown,
            limits=self.settings.limits,
        )
        call = await self.team.ask(request)
        return call, role.read(call, bank=shown)


def _mean(summed: Summary | None) -> float | None:
    return summed.mean_score if summed else None


STRATEGY = Strategy(
    name="tmas",
    title="TMAS",
    source="arXiv 2605.10344",
    roles=lambda settings: (solution.ROLE, verification.ROLE, summary.ROLE, experience.ROLE, guideline.ROLE),
    Settings=Settings,
    prompts=lambda: prompt_digests((solution, verification, summary, experience, guideline)),
    population=lambda settings, iteration: settings.candidates,
    iterate=iterate,
)
