"""What a decision is held to where no gold answer exists: pure functions of the hypothesis and what was said.

Each check is read off the findings anew and never believed from the decision. Leaves out what Dagster is told of
them (`tmas_assets/assets/decision_evaluations.py`), where the calculations are also run once more.
"""

from collections.abc import Iterable, Sequence

from tmas_assets.engine.decision_numbers import counted, unexplained
from tmas_assets.records import ASSUMPTION, Finding, Hypothesis
from tmas_assets.reports.decision_report import Check, Outcome, RepeatReport, Voice
from tmas_assets.strategies.team_decision.consensus import contradictions

SCHEMA, BACKED, COVERED = "schema_complete", "claims_backed", "claims_covered"
ARITHMETIC, EXPLAINED, CONTRADICTIONS = "arithmetic_recomputed", "numbers_explained", "contradictions_listed"
CHECKS = {
    SCHEMA: "Every seat has a readable finding, and the CEO a readable decision.",
    BACKED: "Every finding rests on evidence that is there, or on assumptions that are marked as such; not all on assumptions.",
    COVERED: "Every claim of the plan is covered by a finding.",
    ARITHMETIC: "Every calculation was computed again from its formula and inputs, and comes out as it was said to.",
    EXPLAINED: "Every number in findings and decision is in the evidence, a claim, a calculation or a marked assumption.",
    CONTRADICTIONS: "Every contradiction between findings is listed in the decision.",
}
GRAVE = (CONTRADICTIONS,)
"""What only we could break: whatever models say, these pass."""


def checks(hypothesis: Hypothesis, repeats: Sequence[RepeatReport]) -> tuple[Check, ...]:
    """All of them, over all repeats, in the order of `CHECKS`."""
    return (_schema(repeats), _backed(hypothesis, repeats), _covered(repeats), _arithmetic(repeats),
            _explained(hypothesis, repeats), _contradictions(repeats))  # fmt: skip


def _check(name: str, repeats: Sequence[RepeatReport], offences: Iterable[str], said: str) -> Check:
    """What was found in what is there; a record that lacks rounds has passed nothing yet."""
    broken = tuple(offences)
    whole: Outcome = "passed" if all(map(_ended, repeats)) and repeats else "not yet"
    worst: Outcome = "failed" if name in GRAVE else "warning"
    return Check(name=name, outcome=worst if broken else whole, said=said, offences=broken)


def _ended(one: RepeatReport) -> bool:
    return one.stopped is not None


def _experts(one: RepeatReport) -> list[Finding]:
    """Findings of experts that stand, in order of seat: the red team is none."""
    standing = {voice.seat: voice.finding for voice in one.standing if voice.finding is not None}
    return [standing[seat.name] for seat in one.experts if seat.name in standing]


def _schema(repeats: Sequence[RepeatReport]) -> Check:
    offences: list[str] = []
    seats = waiting = 0
    for one in repeats:
        heard = {voice.seat for voice in one.standing}
        asked = [*(seat.name for seat in one.experts), *(voice.seat for voice in one.lost)]
        seats += len(set(asked))
        lost = {voice.seat for voice in one.lost}
        missing = [name for name in dict.fromkeys(asked) if name not in heard]
        unread = [name for name in missing if _ended(one) or name in lost]
        waiting += len(missing) - len(unread) + (one.decision is None and not _ended(one))
        offences += [f"r{one.repeat}: {name} has no readable finding" for name in unread]
        if one.plan is not None and one.plan.fault is not None:
            offences.append(f"r{one.repeat}: no plan of the CEO could be read: {one.plan.fault}")
        if not one.decision.made if one.decision is not None else _ended(one):
            offences.append(f"r{one.repeat}: no decision of the CEO")
    said = f"{seats} seats and {len(repeats)} decisions, {len(offences)} missing or unreadable"
    return _check(SCHEMA, repeats, offences, said + (f", {waiting} not made yet" if waiting else ""))


def _backed(hypothesis: Hypothesis, repeats: Sequence[RepeatReport]) -> Check:
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
    said = f"{cited} pointers to evidence, {marked} marked assumptions, {len(offences)} findings or pointers without either"
    if not cited and any(one.standing for one in repeats):
        offences.append("no finding points to any evidence that is there: all rests on assumptions")
    return _check(BACKED, repeats, offences, said)


def _sources(finding: Finding) -> list[str]:
    return [*(cited.source for cited in finding.evidence), *(put.source for one in finding.calculations for put in one.inputs)]


def _covered(repeats: Sequence[RepeatReport]) -> Check:
    offences: list[str] = []
    claims = waiting = 0
    for one in repeats:
        covered = {claim for finding in _experts(one) for claim in finding.claims}
        asked = one.plan.claims if one.plan is not None else ()
        claims += len(asked)
        left = [f"r{one.repeat} {claim.id}: {claim.text}" for claim in asked if claim.id not in covered]
        waiting += 0 if _ended(one) else len(left)
        offences += left if _ended(one) else []
    return _check(COVERED, repeats, offences, f"{claims - len(offences) - waiting} of {claims} claims covered")


def _arithmetic(repeats: Sequence[RepeatReport]) -> Check:
    offences: list[str] = []
    corrected = total = lost = 0
    for _, voice in _voices(repeats):
        for one in voice.finding.calculations if voice.finding else ():
            total += 1
            if one.status == "corrected":
                corrected += 1
                offences.append(f"{voice.turn} {one.name}: said {_number(one.claimed)}, is {_number(one.result)}")
            elif one.status in ("unchecked", "refused", "failed"):
                lost += 1
                offences.append(f"{voice.turn} {one.name}: {one.status}: {one.how}")
    return _check(ARITHMETIC, repeats, offences, f"{total - lost} of {total} calculations computed again, {corrected} corrected")


def _number(value: float | None) -> str:
    return "nothing" if value is None else f"{value:.6g}"


def _voices(repeats: Sequence[RepeatReport]) -> Iterable[tuple[RepeatReport, Voice]]:
    return ((one, voice) for one in repeats for voice in one.standing)


def _explained(hypothesis: Hypothesis, repeats: Sequence[RepeatReport]) -> Check:
    offences = [each for one in repeats for each in unexplained(hypothesis, one)]
    looked_at = sum(map(counted, repeats))
    return _check(EXPLAINED, repeats, offences, f"{looked_at} numbers in words, {len(offences)} of them from nowhere")


def _contradictions(repeats: Sequence[RepeatReport]) -> Check:
    offences: list[str] = []
    found = 0
    for one in repeats:
        if one.decision is None:
            continue
        there = contradictions(_experts(one))
        found += len(there)
        offences += [f"r{one.repeat}: {each.text}" for each in there if each not in one.decision.contradictions]
    return _check(CONTRADICTIONS, repeats, offences, f"{found} contradictions between findings, {found - len(offences)} of them listed")
