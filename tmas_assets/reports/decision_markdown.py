"""A decision as Markdown: the same as the page, for a repository, a mail or a terminal. Leaves out the audit trail's keys.

All text of models, people and files is escaped, so that none of it is read as a heading, a table or a link.
"""

from collections.abc import Iterable, Sequence

from tmas_assets.records import Choice, Contradiction, Decision, Dissent
from tmas_assets.reports.decision_report import DecisionReport, RepeatReport, Voice, assumptions, calculations, risks
from tmas_assets.reports.notation import ABSENT, markdown_cell, percent, tokens_known, total_tokens

NAMED: dict[Choice, str] = {"go": "Go", "no_go": "No go", "go_if": "Go, if", "need_data": "Need data"}


def decision_markdown(report: DecisionReport) -> str:
    first = report.first
    standing = first.standing if first else ()
    lines = [f"# {_(report.problem)}: {NAMED[report.flips.commonest] if report.flips.commonest else 'no decision'}", ""]
    lines += [f"> {_(report.hypothesis.statement)}", ""]
    lines += [f"Goal: {_(report.hypothesis.goal)}", ""] if report.hypothesis.goal else []
    lines += [f"Status: {_(report.status)}. {_stability(report)}", ""]
    lines += [f"**Partial:** {_(report.partial)}.", ""] if report.partial else []
    if first is not None:
        lines += _decided(first)
        lines += _plan(first)
    lines += _table("Assumptions", ("assumption", "seats"), [(a.text, ", ".join(a.seats)) for a in assumptions(standing)])
    lines += _table("Risks", ("risk", "likelihood", "impact", "raised by"),
                    [(risk.text, risk.likelihood, risk.impact, risk.seat) for risk in risks(standing)])  # fmt: skip
    lines += _table("Calculations", ("calculation", "by", "formula", "inputs", "said", "computed", "status"), _calculations(standing))
    lines += _table("Checks", ("check", "", "what was found"),
                    [(p.name, p.outcome, "; ".join((p.said, *p.offences))) for p in report.checks])  # fmt: skip
    lines += _table("What was said", ("turn", "verdict", "score", "confidence", "reason"),
                    [_said(voice) for one in report.repeats for voice in one.voices])  # fmt: skip
    lines += _table("What people did", ("when", "who", "what", "why", "in force"),
                    [(f"{one.when:%Y-%m-%d %H:%M %Z}", one.who, f"{one.what} {one.turn}", one.why, "yes" if one.in_force else "no")
                     for one in report.people])  # fmt: skip
    total = total_tokens(report.tokens)
    lines += ["## Cost", "", f"{tokens_known(total)} tokens in {total.calls} replies.", ""]
    lines += [f"Cost {report.cost.total:.6g}: {_(report.cost.how)}.", ""] if report.cost else []
    return "\n".join(lines)


def _(text: str) -> str:
    return markdown_cell(text)


def _stability(report: DecisionReport) -> str:
    flips = report.flips
    if flips.flip_rate is None:
        return "One repeat or none decided, so nothing is known of how often the decision flips."
    counts = ", ".join(f"{NAMED[one.decision]} {one.repeats}" for one in flips.counts)
    return f"{flips.decided} of {flips.repeats} repeats decided ({counts}); {percent(flips.flip_rate, 0)} % decide otherwise than most."


def _decided(one: RepeatReport) -> list[str]:
    decision = one.decision
    if decision is None:
        return []
    lines = [f"## {NAMED[decision.decision]}{_(_by(one.decision_by))}", "", _(decision.reason), ""]
    for name, why in (("Not granted as asked", decision.clamped), ("Partial", decision.partial)):
        lines += [f"**{name}:** {_(why)}", ""] if why else []
    lines += _list("Conditions", decision.conditions)
    lines += _list("Agreed", decision.agreed)
    lines += _list("Dissent", _views(one, decision.dissent))
    lines += _list("Lacking evidence", _views(one, decision.insufficient))
    lines += _list("Red team, told to argue the opposite", _views(one, [decision.red_team] if decision.red_team else []))
    lines += _list("Contradictions", [f"{each.text}{_two(one, each)}" for each in decision.contradictions])
    lines += _list("Cheapest next experiments", [f"{each.text}{f' ({each.cost})' if each.cost else ''}" for each in decision.next_experiments])
    lines += [_consensus(decision), ""]
    return lines + _table("By dimension", ("expert", "verdict", "score of 10", "confidence"),
                          [(one.signed(score.expert), score.verdict, f"{score.score:g}", f"{score.confidence:g}") for score in decision.scores])  # fmt: skip


def _views(one: RepeatReport, views: Sequence[Dissent]) -> list[str]:
    return [f"{one.signed(each.expert)}: {each.verdict}. {each.reason}" for each in views]


def _two(one: RepeatReport, found: Contradiction) -> str:
    """Marks of people on either side of a contradiction."""
    signed = [one.signed(seat) for seat in (found.first, found.second) if one.person(seat) is not None]
    return f" [{', '.join(signed)}]" if signed else ""


def _by(person: str | None) -> str:
    return f" (written by {person})" if person is not None else ""


def _consensus(decision: Decision) -> str:
    found = decision.consensus
    spread = f"scores {found.spread:g} apart" if found.spread is not None else "no spread of scores"
    silent = f"; silent: {', '.join(found.missing)}" if found.missing else ""
    return f"{found.within_one_step} of {found.asked} experts are within one step of each other, {spread}{_(silent)}."


def _plan(one: RepeatReport) -> list[str]:
    if one.plan is None:
        return []
    approved = [f"Approved by {_(one.approval.who)} on {one.approval.when:%Y-%m-%d %H:%M %Z}.", ""] if one.approval else []
    fault = [f"**Not the CEO's plan:** {_(one.plan.fault)}", ""] if one.plan.fault else []
    table = _table(f"Plan{_(_by(one.plan_by))}", ("claim", "", "experts"),
                   [(claim.id, claim.text, ", ".join(claim.experts)) for claim in one.plan.claims])  # fmt: skip
    seats = _list("At the table", [f"{seat.name}: {' '.join((seat.remit, *seat.questions))}" for seat in one.experts])
    orders = _list("Orders of the CEO", [f"{order.granted}{_by(by)}: {order.reason}" for order, by in one.signed_orders])
    return [*table, *approved, *fault, *seats, *orders]


def _calculations(standing: Iterable[Voice]) -> list[Sequence[str]]:
    return [
        (
            one.name, line.seat, one.formula, "; ".join(f"{put.name} = {put.value:g} ({put.source})" for put in one.inputs),
            ABSENT if one.claimed is None else f"{one.claimed:g}", ABSENT if one.result is None else f"{one.result:g}", one.status,
        )
        for line in calculations(standing)
        for one in (line.calculation,)
    ]  # fmt: skip


def _said(voice: Voice) -> Sequence[str]:
    by = _by(voice.person)
    if voice.finding is None:
        return (f"{voice.turn}{by}", "not readable", "", "", voice.parse_error or "")
    said = voice.finding
    return (f"{voice.turn}{by}", said.verdict, f"{said.score:g}", f"{said.confidence:g}", said.reason)


def _list(title: str, texts: Sequence[str]) -> list[str]:
    return [f"### {title}", "", *(f"- {_(text)}" for text in texts), ""] if texts else []


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    if not rows:
        return []
    return [
        f"## {title}", "", f"| {' | '.join(head)} |", f"|{'---|' * len(head)}",
        *(f"| {' | '.join(_(text) for text in row)} |" for row in rows), "",
    ]  # fmt: skip
