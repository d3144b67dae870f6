"""What a decision is held to where no gold answer exists: pure functions of the hypothesis and what was said.

Each promise is read off the findings anew and never believed from the decision. Leaves out Dagster's checks of them
(`tmas_assets/checks/decisions.py`), which also run the calculations once more.
"""

from collections.abc import Iterable, Sequence

from tmas_assets.engine.decision_numbers import counted, unexplained
from tmas_assets.records import ASSUMPTION, Finding, Hypothesis
from tmas_assets.reports.decision_report import Promise, RepeatReport, Voice
from tmas_assets.strategies.team_decision.consensus import contradictions

SCHEMA, BACKED, COVERED = "schema_complete", "claims_backed", "claims_covered"
ARITHMETIC, EXPLAINED, CONTRADICTIONS = "arithmetic_recomputed", "numbers_explained", "contradictions_listed"
PROMISES = {
    SCHEMA: "Every seat has a readable finding, and the CEO a readable decision.",
    BACKED: "Every finding rests on evidence that is there, or on assumptions that are marked as such.",
    COVERED: "Every claim of the plan is covered by a finding.",
    ARITHMETIC: "Every calculation was computed again from its formula and inputs.",
    EXPLAINED: "Every number in findings and decision is in the evidence, a claim, a calculation or a marked assumption.",
    CONTRADICTIONS: "Every contradiction between findings is listed in the decision.",
}
GRAVE = (CONTRADICTIONS,)
"""Broken by us alone: whatever models say, these hold."""


def promises(hypothesis: Hypothesis, repeats: Sequence[RepeatReport]) -> tuple[Promise, ...]:
    """All of them, over all repeats, in the order of `PROMISES`."""
    return (_schema(repeats), _backed(hypothesis, repeats), _covered(repeats), _arithmetic(repeats),
            _explained(hypothesis, repeats), _contradictions(repeats))  # fmt: skip


def _promise(name: str, offences: Iterable[str], said: str) -> Promise:
    broken = tuple(offences)
    return Promise(name=name, kept=not broken, grave=name in GRAVE, said=said, offences=broken)


def _experts(one: RepeatReport) -> list[Finding]:
    """Findings of experts that stand, in order of seat: the red team is none."""
    standing = {voice.seat: voice.finding for voice in one.standing if voice.finding is not None}
    return [standing[seat.name] for seat in one.experts if seat.name in standing]


def _schema(repeats: Sequence[RepeatReport]) -> Promise:
    offences: list[str] = []
    seats = 0
    for one in repeats:
        heard = {voice.seat for voice in one.standing}
        asked = [*(seat.name for seat in one.experts), *(voice.seat for voice in one.lost)]
        seats += len(set(asked))
        offences += [f"r{one.repeat}: {name} has no readable finding" for name in dict.fromkeys(asked) if name not in heard]
        if one.plan is not None and one.plan.fault is not None:
            offences.append(f"r{one.repeat}: no plan of the CEO could be read: {one.plan.fault}")
        if one.decision is None or not one.decision.made:
            offences.append(f"r{one.repeat}: no decision of the CEO")
    return _promise(SCHEMA, offences, f"{seats} seats and {len(repeats)} decisions, {len(offences)} missing or unreadable")


def _backed(hypothesis: Hypothesis, repeats: Sequence[RepeatReport]) -> Promise:
    known = {piece.id for piece in hypothesis.evidence} | {ASSUMPTION}
    offences: list[str] = []
    cited = marked = 0
    for one in repeats:
        for voice in one.standing:
            if voice.finding is None:
                continue
            sources = _sources(voice.finding)
            marked += len(voice.finding.assumptions) + sources.count(ASSUMPTION)
            cited += sum(source in known and source != ASSUMPTION for source in sources)
            offences += [f"{voice.turn}: points to {source!r}, which is no evidence here" for source in sources if source not in known]
            if not sources and not voice.finding.assumptions:
                offences.append(f"{voice.turn}: says {voice.finding.verdict} without evidence or a marked assumption")
    return _promise(BACKED, offences, f"{cited} pointers to evidence, {marked} marked assumptions, {len(offences)} findings or pointers without either")


def _sources(finding: Finding) -> list[str]:
    return [*(cited.source for cited in finding.evidence), *(put.source for one in finding.calculations for put in one.inputs)]


def _covered(repeats: Sequence[RepeatReport]) -> Promise:
    offences: list[str] = []
    claims = 0
    for one in repeats:
        covered = {claim for finding in _experts(one) for claim in finding.claims}
        asked = one.plan.claims if one.plan is not None else ()
        claims += len(asked)
        offences += [f"r{one.repeat} {claim.id}: {claim.text}" for claim in asked if claim.id not in covered]
    return _promise(COVERED, offences, f"{claims - len(offences)} of {claims} claims covered")


def _arithmetic(repeats: Sequence[RepeatReport]) -> Promise:
    offences: list[str] = []
    corrected = total = 0
    for _, voice in _voices(repeats):
        for one in voice.finding.calculations if voice.finding else ():
            total += 1
            corrected += one.status == "corrected"
            if one.status in ("unchecked", "refused", "failed"):
                offences.append(f"{voice.turn} {one.name}: {one.status}: {one.how}")
    return _promise(ARITHMETIC, offences, f"{total - len(offences)} of {total} calculations computed again, {corrected} corrected")


def _voices(repeats: Sequence[RepeatReport]) -> Iterable[tuple[RepeatReport, Voice]]:
    return ((one, voice) for one in repeats for voice in one.standing)


def _explained(hypothesis: Hypothesis, repeats: Sequence[RepeatReport]) -> Promise:
    offences = [each for one in repeats for each in unexplained(hypothesis, one)]
    looked_at = sum(map(counted, repeats))
    return _promise(EXPLAINED, offences, f"{looked_at} numbers in words, {len(offences)} of them from nowhere")


def _contradictions(repeats: Sequence[RepeatReport]) -> Promise:
    offences: list[str] = []
    found = 0
    for one in repeats:
        if one.decision is None:
            continue
        there = contradictions(_experts(one))
        found += len(there)
        offences += [f"r{one.repeat}: {each.text}" for each in there if each not in one.decision.contradictions]
    return _promise(CONTRADICTIONS, offences, f"{found} contradictions between findings, {found - len(offences)} of them listed")
