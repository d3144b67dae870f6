"""What of the CEO's orders and decision is granted, and what is kept of the experts whatever the CEO says. Pure.

Hard limits bound an order. A protected expert bars a plain go by its objection, and by its silence. Dissent, scores and
contradictions come from the findings.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tmas_assets.agents.decision.choice import Chosen
from tmas_assets.agents.decision.order import Asked
from tmas_assets.agents.decision.plan import recruited
from tmas_assets.records import CHOICES, RED_TEAM, Choice, Decision, DimensionScore, Dissent, Expert, Finding, Order
from tmas_assets.strategies.team_decision.caps import Account
from tmas_assets.strategies.team_decision.consensus import consensus, contradictions, step_of
from tmas_assets.strategies.team_decision.state import State


def granted_order(asked: Asked, there: Sequence[Expert], *, recruits: int, room: bool, token_limits: Sequence[int]) -> Order:
    """`recruits`: how many may still join. `room`: whether the cap on calls has room for one more. An order that could not be
    read goes on as settings have it."""
    if asked.action is None:
        return Order(asked=None, granted="continue", reason="", clamped=f"no order could be read: {asked.parse_error}")
    granted, joins, refused = asked.action, None, []
    if asked.action == "recruit":
        found = recruited(asked.name, asked.remit, there)
        if not recruits:
            found = "no more experts may be recruited"
        elif not room:
            found = "max_calls has no room for one more"
        if isinstance(found, Expert):
            joins = found
        else:
            granted = "continue"
            refused.append(found)
    tokens = None
    if asked.tokens is not None and asked.action != "stop":
        tokens = _token_limit(asked.tokens, token_limits)
        if tokens != asked.tokens:
            refused.append(f"tokens: {asked.tokens} is none of {', '.join(map(str, token_limits)) or 'none'}")
    return Order(asked=asked.action, granted=granted, reason=asked.reason, gap=asked.gap if granted != "stop" else "",
                 recruit=joins, tokens_asked=asked.tokens, tokens=tokens, clamped="; ".join(refused) or None)  # fmt: skip


def _token_limit(asked: int, limits: Sequence[int]) -> int | None:
    """The largest choice within what was asked, else the smallest; None where there is no choice."""
    return max((limit for limit in limits if limit <= asked), default=min(limits, default=None))


@dataclass(frozen=True)
class _Granted:
    choice: Choice
    conditions: tuple[str, ...]
    clamped: str | None


def granted_decision(chosen: Chosen, state: State, *, partial: str | None, account: Account) -> Decision:
    """The decision with all that is kept beside it. One that could not be read is filled in as `need_data`, and says so."""
    granted = _granted(chosen, state)
    names = [seat.name for seat in state.experts]
    heard = state.heard
    covered = {claim for finding in heard for claim in finding.claims}
    apart = [finding for finding in heard if step_of(finding) != CHOICES.index(granted.choice)]
    red = state.said.get(RED_TEAM)
    unread = f"no decision could be read: {chosen.parse_error}" if chosen.choice is None else None
    return Decision(
        decision=granted.choice,
        asked=chosen.choice,
        reason=chosen.reason or unread or "",
        conditions=granted.conditions,
        scores=tuple(_score(state, finding) for finding in heard),
        agreed=chosen.agreed,
        dissent=tuple(_dissent(finding, granted.choice) for finding in apart if finding.verdict != "insufficient"),
        insufficient=tuple(_dissent(finding, granted.choice) for finding in apart if finding.verdict == "insufficient"),
        red_team=_dissent(red.finding, granted.choice) if red else None,
        contradictions=contradictions(heard),
        next_experiments=chosen.next_experiments,
        consensus=consensus(names, {finding.expert: finding for finding in heard}),
        uncovered=tuple(claim.id for claim in state.plan.claims if claim.id not in covered),
        clamped=granted.clamped,
        partial="; ".join(why for why in (partial, unread) if why) or None,
        calls=account.calls,
        tokens=account.tokens,
        cost=account.cost,
        aside=chosen.aside,
    )


def _granted(chosen: Chosen, state: State) -> _Granted:
    choice, conditions = chosen.choice, chosen.conditions
    if choice is None:
        return _Granted("need_data", (), None)
    if not state.heard and choice != "need_data":
        return _Granted("need_data", (), f"{choice} was asked for, and no expert was heard")
    if choice not in ("go", "go_if"):
        return _Granted(choice, conditions, None)
    protected = [seat.name for seat in state.experts if seat.protected]
    if silent := [name for name in protected if name not in state.said]:
        return _Granted("need_data", conditions, f"{choice} was asked for, and {', '.join(silent)} was not heard")
    objections = [finding for finding in state.heard if finding.expert in protected and finding.verdict == "oppose"]
    kept = tuple(f"{finding.expert}: {text}" for finding in objections for text in _terms(finding))
    why = f"go was asked for, and {', '.join(one.expert for one in objections)} opposes" if objections and choice == "go" else None
    if choice == "go" and not objections:
        return _Granted("go", conditions, None)
    conditions = (*conditions, *kept)
    if not conditions:
        return _Granted("need_data", (), "go_if was asked for without a condition")
    return _Granted("go_if", conditions, why)


def _terms(finding: Finding) -> tuple[str, ...]:
    """What an objecting expert would have to be given: its conditions, else what would change its verdict, else its reason."""
    return finding.conditions or ((finding.would_change,) if finding.would_change else (f"answer this: {finding.reason}",))


def _score(state: State, finding: Finding) -> DimensionScore:
    return DimensionScore(expert=finding.expert, verdict=finding.verdict, score=finding.score, confidence=finding.confidence,
                          round=state.said[finding.expert].round)  # fmt: skip


def _dissent(finding: Finding, choice: Choice) -> Dissent:
    return Dissent(expert=finding.expert, verdict=finding.verdict, steps=step_of(finding) - CHOICES.index(choice),
                   reason=finding.reason, assigned=finding.argues is not None)  # fmt: skip


def spelled(decision: Decision) -> str:
    """The decision in lines, as the text of the rollout that holds it."""
    lines = [f"Decision: {decision.decision}", f"Reason: {decision.reason}"]
    lines += [f"Condition: {text}" for text in decision.conditions]
    lines += [f"Agreed: {text}" for text in decision.agreed]
    lines += [f"Dissent: {one.expert} says {one.verdict}: {one.reason}" for one in decision.dissent]
    lines += [f"Lacks evidence: {one.expert}: {one.reason}" for one in decision.insufficient]
    lines += [f"Red team says {one.verdict}, as it was told to: {one.reason}" for one in (decision.red_team,) if one]
    lines += [f"No answer: {name}" for name in decision.consensus.missing]
    lines += [f"Next: {one.text}{f' ({one.cost})' if one.cost else ''}" for one in decision.next_experiments]
    lines += [f"{name}: {why}" for name, why in (("Clamped", decision.clamped), ("Partial", decision.partial)) if why]
    return "\n".join(lines)
