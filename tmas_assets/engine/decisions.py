"""Reads a hypothesis' stored rounds into its report: no model is asked, and nothing but the store is needed.

Leaves out what the report looks like and where it is written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from partitions.keys import iteration_key
from resources.parquet_store import MissingFile
from tmas_assets.engine.cells import CellStore, StoredCell
from tmas_assets.engine.decision_checks import checks
from tmas_assets.engine.reviews import Review, review_digest
from tmas_assets.engine.summary import models_used
from tmas_assets.records import Amendment, Approval, Finding, Problem, Round, Trace, Turn, hypothesis_of
from tmas_assets.reports.decision_report import (
    AuditLine,
    Cost,
    DecisionReport,
    Intervention,
    RepeatReport,
    Voice,
    person_of,
)
from tmas_assets.reports.report_rows import InputDigest
from tmas_assets.statistics import role_tokens
from tmas_assets.statistics.flips import flips
from tmas_assets.strategies import settings_of
from tmas_assets.strategies.team_decision.caps import Account
from tmas_assets.strategies.team_decision.settings import Settings, rounds
from tmas_assets.strategies.team_decision.state import decision_of, seat_of, state_of


@dataclass(frozen=True)
class Course:
    """The rounds of one problem that stand: by repeat, oldest first, up to the first cell that has to be made (again)."""

    rounds: Mapping[int, tuple[Round, ...]]
    files: tuple[StoredCell, ...]
    """By iteration, from t00 on."""

    @property
    def length(self) -> int:
        return len(self.files)

    @property
    def whole(self) -> bool:
        """Whether every repeat has come to its end."""
        return bool(self.rounds) and all(past[-1].memory.stopped is not None for past in self.rounds.values())


def course_of(cells: CellStore, problem: Problem) -> Course:
    """Raises StoreFault for a cell that cannot be read."""
    made: dict[int, tuple[Round, ...]] = {}
    files: list[StoredCell] = []
    for iteration in range(cells.experiment.iterations):
        found = cells.files(iteration, problem)
        if found is None or not found.follows(files[-1] if files else None):
            break
        for one in cells.read(iteration, problem)[0]:
            made[one.repeat] = (*made.get(one.repeat, ()), one)
        files.append(found)
    return Course(made, tuple(files))


def turns_of(cells: CellStore, problem: Problem) -> tuple[tuple[int, Turn], ...]:
    """Every stored turn with its iteration, also of cells that a person has amended since. Raises StoreFault."""
    found: list[tuple[int, Turn]] = []
    for iteration in range(cells.experiment.iterations):
        try:
            made, _ = cells.read(iteration, problem)
        except MissingFile:
            break
        found += [(iteration, turn) for one in made for turn in one.memory.turns]
    return tuple(found)


def decision_settings(cells: CellStore) -> Settings:
    settings = settings_of(cells.experiment.strategy)
    assert isinstance(settings, Settings), "only experiments with this strategy have decisions"
    return settings


def waiting_for_approval(cells: CellStore, problem: Problem, course: Course) -> tuple[int, ...]:
    """Repeats whose plan no person has approved, where the settings ask for that."""
    review = cells.reviews.of(problem)
    if not decision_settings(cells).approve_plan:
        return ()
    return tuple(repeat for repeat, past in course.rounds.items() if review.approval_of(past[0]) is None)


def report_of(cells: CellStore, problem: Problem, models: Mapping[str, str]) -> DecisionReport:
    """`models`: identity by endpoint name. Raises StoreFault."""
    course = course_of(cells, problem)
    review = cells.reviews.of(problem)
    repeats = tuple(_repeat(past, review) for _, past in sorted(course.rounds.items()))
    turns = [turn for _, past in sorted(course.rounds.items()) for one in past for turn in one.memory.turns]
    traces = [turn.trace for turn in turns if turn.trace is not None]
    hypothesis = hypothesis_of(problem)
    return DecisionReport(
        experiment=cells.experiment.name,
        problem=problem.id,
        problem_digest=problem.digest,
        hypothesis=hypothesis,
        status=_status(cells, problem, course),
        repeats=repeats,
        flips=flips([one.decision for one in repeats]),
        checks=checks(hypothesis, repeats),
        partial=_partial(cells, course, repeats),
        tokens=role_tokens({trace.call: trace for trace in traces}.values()),
        cost=_cost(decision_settings(cells), tuple({trace.call: trace for trace in traces}.values())),
        models=models_used(cells, models),
        people=_people(review, course),
        audit=tuple(_audit(turn) for turn in turns),
        digests=(
            InputDigest(name="hypothesis", digest=problem.digest),
            InputDigest(name="strategy and prompts", digest=cells.strategy_digest),
            InputDigest(name="settings", digest=cells.settings_digest),
            *(
                InputDigest(name=f"memory_bank {iteration_key(t)}", digest=files.memory_bank.digest)
                for t, files in enumerate(course.files)
            ),
        ),
    )


def _partial(cells: CellStore, course: Course, repeats: Sequence[RepeatReport]) -> str | None:
    """What a report lacks, and which caps there are: what a run that reached one leaves can be read as well as a whole one."""
    if course.whole:
        cut = [f"r{one.repeat}: {one.decision.partial}" for one in repeats if one.decision and one.decision.partial]
        return "; ".join(cut) or None
    capped = ", ".join(f"{name} {cap:g}" for name, cap in cells.experiment.budget.model_dump().items() if cap is not None)
    caps = f"; a run ends at its budget of {capped}" if capped else ""
    return f"no decision yet, {course.length} of {rounds(decision_settings(cells))} rounds are there{caps}"


def _cost(settings: Settings, traces: tuple[Trace, ...]) -> Cost | None:
    total = Account(settings, traces, lambda role: 0).cost
    if total is None:
        return None
    said = (f"{role}: {price.prompt:g} and {price.completion:g}" for role, price in sorted(settings.prices.items()))
    return Cost(total=total, how=f"for a million tokens of prompt and of completion, {'; '.join(said)}")


def _repeat(past: Sequence[Round], review: Review) -> RepeatReport:
    state = state_of(past)
    turns = [turn for one in past for turn in one.memory.turns if turn.data is not None]
    by = {kind: [person_of(turn.model) for turn in turns if turn.kind == kind] for kind in ("Plan", "Order", "Decision")}
    return RepeatReport(
        repeat=past[0].repeat,
        plan=state.plan,
        plan_turn=state.plan_turn,
        approval=review.approval_of(past[0]),
        experts=state.experts,
        orders=state.orders,
        voices=tuple(
            _voice(one.iteration, turn) for one in past for turn in one.memory.turns if turn.kind == "Finding"
        ),
        decision=decision_of(past),
        stopped=past[-1].memory.stopped,
        plan_by=by["Plan"][-1],
        orders_by=tuple(by["Order"]),
        decision_by=next(reversed(by["Decision"]), None),
    )


def _voice(iteration: int, turn: Turn) -> Voice:
    return Voice(
        seat=seat_of(turn),
        round=iteration,
        turn=turn.id,
        finding=Finding.model_validate_json(turn.data) if turn.data is not None else None,
        parse_error=turn.parse_error,
        model=turn.model or "",
        call=turn.trace.call if turn.trace else "",
    )


def _audit(turn: Turn) -> AuditLine:
    trace = turn.trace
    return AuditLine(
        turn=turn.id,
        role=turn.role,
        kind=turn.kind,
        parse=turn.parse,
        model=turn.model,
        call=trace.call if trace else None,
        status=trace.status if trace else None,
        prompt_tokens=trace.prompt_tokens if trace else None,
        completion_tokens=trace.completion_tokens if trace else None,
    )


def _people(review: Review, course: Course) -> tuple[Intervention, ...]:
    """All that people did, oldest first, also what no longer counts."""
    plans = {review_digest(past[0]): f"r{repeat}t00" for repeat, past in course.rounds.items()}

    def of(one: Approval | Amendment) -> Intervention:
        signed = {"who": one.who, "when": one.when, "why": one.why}
        if isinstance(one, Approval):
            return Intervention(what="approved the plan", turn=plans.get(one.plan, "another plan"), in_force=one.plan in plans, **signed)
        counts = review.in_force[one.sample] == one
        return Intervention(what="asked anew" if one.text is None else "wrote", turn=one.sample, in_force=counts, **signed)

    said: list[Approval | Amendment] = [*review.approvals, *review.amendments]
    return tuple(of(one) for one in sorted(said, key=lambda one: one.when))


def _status(cells: CellStore, problem: Problem, course: Course) -> str:
    name = cells.experiment.name
    again = f"`tmas run {name} -p {problem.id}` goes on"
    if course.whole:
        return "decided"
    if not course.length:
        return f"not begun: {again}"
    if course.length == 1 and waiting_for_approval(cells, problem, course):
        return f"waits for approval of its plan: `tmas decision approve {name} {problem.id} --who YOU`, then {again}"
    amended = cells.reviews.of(problem).digest_of(course.length)
    why = "a person has amended it, or it was not made yet" if amended else "it was not made yet, or what it rests on has changed"
    return f"t{course.length:02d} is to be made: {why}; {again}"
