"""RSE, recycling search experience: each answer is distilled into a bank that guides the next round (arXiv 2601.21684).

Round 0 are plain samples. After each round every answer is distilled by itself into propositions and pitfalls, neutral since
nobody knows which answer is right; one bank keeps them all, without repetitions (`memory/recycling.py`). Answers of a
later round see the whole bank, pitfalls first, under rules on how far to trust it, then the question; no earlier answer.
The paper's settings are the defaults, with one pool and three guided rounds: say `iterations: 4`.

Where this differs: a distillation reads the answer after the thinking, not the thinking, and a pitfall is a sentence, not
a form; the similarity is Jaccard's by default; the bank's lines stand in order of age. Left open
there and set here: a line joins the first head it fits; with an empty bank a round is asked the plain problem; a
distillation that fails adds nothing and loses nothing; empty answers are not distilled.
"""

from typing import Literal

from pydantic import Field

from tmas_assets.agents import distillation, guided, prompt_digests, solution
from tmas_assets.agents.asking import Limits
from tmas_assets.agents.bank_reply import BankReply
from tmas_assets.memory import Finding, Similarity, Tally, jaccard, live, recycle
from tmas_assets.records import BankWrite, Call, MemoryEntry, Problem, Record, Rollout, Round
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.step import Step, together


class Settings(Record):
    population: int = Field(default=32, ge=1)
    """Answers of every round; each costs a second call, its distillation."""
    findings: int = Field(default=4, ge=1)
    """Most propositions, and most pitfalls, that a distillation is asked for."""
    threshold: float = Field(default=0.8, gt=0, le=1)
    """Lines more alike than this are one; so are a line and a part of it."""
    similarity: Literal["jaccard"] = "jaccard"
    limits: Limits = Limits()
    """`bank_chars` bounds what a prompt shows of the bank; best supported lines go first."""


Distilled = tuple[Rollout, Call, BankReply]


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    step = Step(problem, past, here, team)
    chains = await together(_candidate(step, number, settings) for number in range(settings.population))
    read = [found for _, found in chains if found is not None]
    entries, writes = _remember(step, read, settings, jaccard)
    return step.round([rollout for rollout, _ in chains], entries=entries, writes=writes)


async def _candidate(step: Step, number: int, settings: Settings) -> tuple[Rollout, Distilled | None]:
    """Solve and distil: a chain that waits for no other candidate."""
    rollout = await _solve(step, number, settings)
    if not rollout.text.strip():
        return rollout, None
    ask = step.ask(distillation.ROLE, f"c{number}")
    request = distillation.ask(
        step.problem, ask, rollout=rollout, findings=settings.findings, limits=settings.limits
    )
    call = await step.team.ask(request)
    return rollout, (rollout, call, distillation.read(call))


async def _solve(step: Step, number: int, settings: Settings) -> Rollout:
    bank = live(step.entries, "experience")
    if not bank:
        return await step.solve(number, limits=settings.limits, to_go=1)
    ask = step.ask(solution.ROLE, f"c{number}", to_go=1)
    call = await step.team.ask(guided.ask(step.problem, ask, experience=bank, limits=settings.limits))
    found = solution.read(call, proof=False)
    return step.rollout(number, "refine", ask, call, text=found.text, answer=found.answer, shows_memory=True)


def _remember(
    step: Step, read: list[Distilled], settings: Settings, similarity: Similarity
) -> tuple[tuple[MemoryEntry, ...], list[BankWrite]]:
    """The next bank and one write a distillation, in order of candidate."""
    findings = [
        Finding(polarity=polarity, text=text, source=rollout.id)
        for rollout, _, found in read
        if found.update is not None
        for polarity, text in found.update.added
    ]
    recycled = recycle(
        step.entries,
        tuple(findings),
        bank="experience",
        iteration=step.here.iteration,
        threshold=settings.threshold,
        similarity=similarity,
    )
    writes = [
        BankWrite(
            bank="experience",
            parse=found.parse,
            parse_error=found.parse_error,
            added=tally.added,
            merged=tally.merged,
            refuted=0,
            evicted=tally.evicted,
            model=call.model,
            trace=call.trace,
        )
        for rollout, call, found in read
        for tally in [recycled.tallies.get(rollout.id, Tally())]
    ]
    return recycled.entries, writes


STRATEGY = Strategy(
    name="rse",
    title="RSE",
    source="arXiv 2601.21684",
    roles=lambda settings: (solution.ROLE, distillation.ROLE),
    Settings=Settings,
    prompts=lambda: prompt_digests((solution, guided, distillation)),
    population=lambda settings, iteration: settings.population,
    iterate=iterate,
)
