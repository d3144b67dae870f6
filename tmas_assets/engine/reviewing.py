"""A person's word on a stored decision: which plan or reply it means, whether its text can be read, and the record of it.

Asks no model; the next run does what follows from it. Leaves out where the word comes from: command line, or the UI.
"""

import json
from collections.abc import Sequence
from datetime import datetime

from tmas_assets.agents.decision import choice, finding, order, plan
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.decisions import course_of, decision_settings, turns_of
from tmas_assets.engine.reviews import review_digest, written
from tmas_assets.records import (
    RED_TEAM,
    Amendment,
    Approval,
    ChatRequest,
    Expert,
    Finding,
    Problem,
    Round,
    Sampling,
    Turn,
)
from tmas_assets.strategies.team_decision.state import seat_of, state_of


class ReviewFault(ValueError):
    """A word that cannot be taken; the text says what was meant, what there is, and what to do."""


def approve(cells: CellStore, problem: Problem, *, who: str, when: datetime, why: str) -> tuple[Approval, ...]:
    """Leave to go on from the plans that stand, one a repeat. Raises ReviewFault where there is none, or all have it."""
    course = course_of(cells, problem)
    if not course.length:
        raise ReviewFault(
            f"{problem.id} has no plan under the present settings yet: make it with "
            f"`tmas run {cells.experiment.name} --iterations 0..0 -p {problem.id}`, read it, then approve"
        )
    review = cells.reviews.of(problem)
    plans = [past[0] for past in course.rounds.values()]
    given = tuple(
        Approval(problem=problem.id, plan=review_digest(made), who=_name(who), when=when, why=why)
        for made in plans
        if review.approval_of(made) is None
    )
    if not given:
        raise ReviewFault(f"the plan of {problem.id} is approved already, by {', '.join(one.who for one in review.approvals)}")
    for one in given:
        cells.reviews.add(problem, one)
    return given


def amend(
    cells: CellStore, problem: Problem, reply: str, *, text: str | None, who: str, when: datetime, why: str
) -> Amendment:
    """Put `text` in the place of a reply, or have it asked anew where there is none. Raises ReviewFault for a reply that is
    not there and a text that its role's reader cannot read."""
    iteration, turn = find_reply(turns_of(cells, problem), reply, problem)
    if turn.trace is None:
        raise ReviewFault(f"{turn.id} was made without a reply; amend {turn.id.replace('_instead', '')} in its place")
    if text is not None and (fault := unreadable(cells, problem, iteration, turn, text)) is not None:
        raise ReviewFault(f"the text for {turn.id} cannot be read as its {turn.kind}: {fault}. Nothing was changed.")
    if text is not None and _plain(text) in map(_plain, _standing(cells, problem, turn)):
        raise ReviewFault(
            f"the text for {turn.id} is what stands there already; nothing was changed. To have the reply asked anew use "
            f"`tmas decision again {cells.experiment.name} {problem.id} {turn.id}`"
        )
    before = [one for one in cells.reviews.of(problem).amendments if one.sample == turn.id]
    made = Amendment(
        problem=problem.id,
        problem_digest=problem.digest,
        iteration=iteration,
        sample=turn.id,
        text=text,
        attempt=0 if text is not None else 1 + max((one.attempt for one in before), default=0),
        replaces=turn.trace.call,
        who=_name(who),
        when=when,
        why=why,
    )
    cells.reviews.add(problem, made)
    return made


def _standing(cells: CellStore, problem: Problem, turn: Turn) -> Sequence[str]:
    """The texts of a reply that the next run takes: a person's last one, and what is stored where nothing replaces it."""
    last = cells.reviews.of(problem).in_force.get(turn.id)
    replaced = last is not None and turn.trace is not None and last.replaces == turn.trace.call
    return [text for text in (last.text if last else None, None if replaced else (turn.data or turn.text)) if text is not None]


def _plain(text: str) -> object:
    """What a text says, however its JSON is spaced."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()


def find_reply(turns: Sequence[tuple[int, Turn]], reply: str, problem: Problem) -> tuple[int, Turn]:
    """The turn of this id, or the only one of this seat (`plan`, `decision`, an expert's name). Raises ReviewFault."""
    asked = [(iteration, turn) for iteration, turn in turns if turn.trace is not None]
    found = [one for one in asked if one[1].id == reply] or [one for one in asked if _called(one[1]) == reply]
    if len(found) == 1:
        return found[0]
    if not asked:
        raise ReviewFault(f"{problem.id} has no reply under the present settings yet; run it first")
    several = found or asked
    kind = "several replies are called" if found else "no reply is called"
    raise ReviewFault(f"{kind} {reply!r} in {problem.id}; name one of {', '.join(turn.id for _, turn in several)}")


def _called(turn: Turn) -> str:
    return "decision" if turn.kind == "Decision" else seat_of(turn)


def unreadable(cells: CellStore, problem: Problem, iteration: int, turn: Turn, text: str) -> str | None:
    """Why the role's own reader cannot read `text`; None where it can."""
    request = ChatRequest(role=turn.role, messages=(), sampling=Sampling(), seed=0, sample=turn.id)
    call = written(request, "nobody", datetime.min, text, cells.experiment.name)
    settings = decision_settings(cells)
    if turn.kind == "Plan":
        return plan.read(
            call, experts=settings.roster, claims=settings.max_claims, recruits=settings.max_extra_experts
        ).parse_error
    if turn.kind == "Order":
        return order.read(call).parse_error
    if turn.kind == "Decision":
        return choice.read(call).parse_error
    state = state_of(_rounds(cells, problem, iteration, turn))
    argues = Finding.model_validate_json(turn.data).argues if turn.data is not None else None
    seat = next((one for one in state.experts if one.name == seat_of(turn)), Expert(name=RED_TEAM, remit="the opposite"))
    return finding.read(call, problem, seat=seat, claims=state.plan.claims, argues=argues).parse_error


def _rounds(cells: CellStore, problem: Problem, iteration: int, turn: Turn) -> list[Round]:
    """The rounds of the turn's repeat up to its own, as they are stored."""
    stored = [one for t in range(iteration + 1) for one in cells.read(t, problem)[0]]
    return [one for one in stored if any(one.repeat == had.repeat and turn in had.memory.turns for had in stored)]


def _name(who: str) -> str:
    if not (name := " ".join(who.split())):
        raise ReviewFault("who: say who decides; the record names a person for good")
    return name
