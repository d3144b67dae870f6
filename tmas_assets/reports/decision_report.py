"""One decision as a page: the record of what it shows, and the registers that are read off its findings.

Leaves out gathering it (`engine/decisions.py`) and laying it out (`decision.html.jinja`, `decision_markdown.py`).
"""

from collections.abc import Iterable
from datetime import datetime
from itertools import zip_longest
from typing import Literal

from tmas_assets.records import (
    ASSUMPTION,
    Approval,
    Calculation,
    CompletionStatus,
    Decision,
    Expert,
    Finding,
    Flips,
    Hypothesis,
    Order,
    ParseStatus,
    Plan,
    Record,
    RoleTokens,
)
from tmas_assets.records.decision import Level
from tmas_assets.records.review import PERSON
from tmas_assets.reports.page import render_page
from tmas_assets.reports.report_rows import InputDigest, ModelUse

Outcome = Literal["passed", "warning", "failed", "not yet"]
"""`warning` says how good the decision is, `failed` that the record cannot be relied on, `not yet` that what is looked at is not
made."""
_WEIGHT: dict[Level, int] = {"low": 1, "medium": 2, "high": 3}


def person_of(model: str | None) -> str | None:
    """Who wrote a reply in the place of a model; None where a model did."""
    return model.removeprefix(PERSON) if model is not None and model.startswith(PERSON) else None


class Voice(Record):
    """What one seat said in one round, readable or not."""

    seat: str
    round: int
    turn: str
    finding: Finding | None
    parse_error: str | None
    model: str
    call: str
    """Key of the call in the log."""

    @property
    def person(self) -> str | None:
        """Who wrote it in the place of a model; None where a model did."""
        return person_of(self.model)

    @property
    def label(self) -> str:
        """The seat, with the mark of a person."""
        return self.seat if self.person is None else f"{self.seat} (written by {self.person})"


class RepeatReport(Record):
    """One independent run of the whole team."""

    repeat: int
    plan: Plan | None
    plan_turn: str
    approval: Approval | None
    """Of this very plan."""
    experts: tuple[Expert, ...]
    orders: tuple[Order, ...]
    voices: tuple[Voice, ...]
    decision: Decision | None
    stopped: str | None
    plan_by: str | None = None
    """The person who wrote the plan; None where a model did. So with the orders and the decision."""
    orders_by: tuple[str | None, ...] = ()
    """One an order."""
    decision_by: str | None = None

    @property
    def standing(self) -> tuple[Voice, ...]:
        """The last readable finding of each seat, in the order in which seats first spoke."""
        last: dict[str, Voice] = {}
        for voice in self.voices:
            if voice.finding is not None:
                last[voice.seat] = voice
        return tuple(last[seat] for seat in dict.fromkeys(voice.seat for voice in self.voices) if seat in last)

    def person(self, seat: str) -> str | None:
        """Who wrote the finding of a seat that stands; None where a model did, or there is none."""
        return next((voice.person for voice in self.standing if voice.seat == seat), None)

    def signed(self, seat: str) -> str:
        """A seat's name, with the mark of a person where one wrote the finding that stands."""
        return next((voice.label for voice in self.standing if voice.seat == seat), seat)

    @property
    def signed_orders(self) -> tuple[tuple[Order, str | None], ...]:
        """Each order with the person who wrote it."""
        return tuple(zip_longest(self.orders, self.orders_by[: len(self.orders)]))

    @property
    def lost(self) -> tuple[Voice, ...]:
        return tuple(voice for voice in self.voices if voice.finding is None)


class AssumptionLine(Record):
    text: str
    seats: tuple[str, ...]


class RiskLine(Record):
    text: str
    seat: str
    likelihood: Level
    impact: Level


class CalculationLine(Record):
    seat: str
    calculation: Calculation


class AuditLine(Record):
    """One turn: who was asked, what came of it, and under which key the call log holds it."""

    turn: str
    role: str
    kind: str
    parse: ParseStatus
    model: str | None
    call: str | None
    status: CompletionStatus | None
    prompt_tokens: int | None
    completion_tokens: int | None


class Intervention(Record):
    """What a person did."""

    what: Literal["approved the plan", "wrote", "asked anew"]
    turn: str
    who: str
    when: datetime
    why: str
    in_force: bool
    """Whether it still counts: a later one of the same reply, or another plan, takes its place."""


class Check(Record):
    """One of the checks a decision is held to in the place of a gold answer."""

    name: str
    outcome: Outcome
    said: str
    offences: tuple[str, ...] = ()


class Cost(Record):
    """What the replies that stand in the record cost."""

    total: float
    """In the currency of the settings' prices."""
    how: str
    """The prices it was computed with."""


class DecisionReport(Record):
    """All that is shown of one hypothesis."""

    experiment: str
    problem: str
    problem_digest: str
    hypothesis: Hypothesis
    status: str
    """`decided`, or what is missing and what to do."""
    partial: str | None = None
    """What the report lacks: rounds that were not made, or that a cap cut off; None where it lacks nothing."""
    repeats: tuple[RepeatReport, ...]
    flips: Flips
    checks: tuple[Check, ...]
    tokens: tuple[RoleTokens, ...]
    """By role, of every reply that stands in the record; a person's cost none."""
    cost: Cost | None = None
    """None without prices."""
    models: tuple[ModelUse, ...]
    people: tuple[Intervention, ...]
    audit: tuple[AuditLine, ...]
    digests: tuple[InputDigest, ...]

    @property
    def first(self) -> RepeatReport | None:
        """The first repeat that decided as most did; without a decision the first one."""
        decided = (one for one in self.repeats if one.decision and one.decision.made)
        agreeing = (one for one in decided if one.decision and one.decision.decision == self.flips.commonest)
        return next(agreeing, self.repeats[0] if self.repeats else None)


def assumptions(voices: Iterable[Voice]) -> tuple[AssumptionLine, ...]:
    """Whatever no evidence backs: named assumptions, statements and inputs whose source is one; each text once."""
    found: dict[str, tuple[str, list[str]]] = {}
    for voice in voices:
        for text in _assumed(voice.finding) if voice.finding else ():
            seats = found.setdefault(" ".join(text.casefold().split()), (text, []))[1]
            if voice.label not in seats:
                seats.append(voice.label)
    return tuple(AssumptionLine(text=text, seats=tuple(seats)) for text, seats in found.values())


def _assumed(finding: Finding) -> Iterable[str]:
    yield from finding.assumptions
    yield from (cited.text for cited in finding.evidence if cited.source == ASSUMPTION)
    for one in finding.calculations:
        yield from (f"{one.name}: {put.name} = {put.value:g}" for put in one.inputs if put.source == ASSUMPTION)


def risks(voices: Iterable[Voice]) -> tuple[RiskLine, ...]:
    """The gravest first: by likelihood times impact, then impact, then as said."""
    lines = [
        RiskLine(text=risk.text, seat=voice.label, likelihood=risk.likelihood, impact=risk.impact)
        for voice in voices
        for risk in (voice.finding.risks if voice.finding else ())
    ]
    return tuple(sorted(lines, key=lambda one: (-_WEIGHT[one.likelihood] * _WEIGHT[one.impact], -_WEIGHT[one.impact])))


def calculations(voices: Iterable[Voice]) -> tuple[CalculationLine, ...]:
    return tuple(
        CalculationLine(seat=voice.label, calculation=one)
        for voice in voices
        for one in (voice.finding.calculations if voice.finding else ())
    )


def decision_page(report: DecisionReport) -> str:
    """The whole page as HTML text, to be written as UTF-8. Text of models, people and files is shown, never read as HTML."""
    first = report.first
    standing = first.standing if first else ()
    return render_page(
        "decision.html.jinja",
        up="../",
        report=report,
        first=first,
        standing=standing,
        assumptions=assumptions(standing),
        risks=risks(standing),
        calculations=calculations(standing),
    )
