"""Team decision: a CEO and named experts on a question without a gold (after the business example of MAS-TTS, arXiv 2504.09772).

t00: the CEO splits the hypothesis into claims and gives them to experts. t01: every expert answers alone, and a red team argues
against. t02 on: the CEO orders (continue with a gap, recruit, stop), then all question each other's findings side by side, and
the red team argues against what the experts lean to. Last: the CEO decides. Consensus is counted, dissent kept, calculations
are computed again, and limits hold whatever the CEO says (`granting.py`).

The example gives roles and nothing else. Set here: horizontal debate after independent answers; no consensus is forced; a reply that
is lost takes back nothing said before, and who was never heard is missing; speakers come in a seeded order; a cap leads
straight to a decision that says so. Leaves out approving and amending, which a team's `require_approval` and `ask` stand for.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tmas_assets.agents import prompt_digests
from tmas_assets.agents.asking import Ask
from tmas_assets.agents.decision import choice as choice_agent
from tmas_assets.agents.decision import finding as finding_agent
from tmas_assets.agents.decision import material
from tmas_assets.agents.decision import order as order_agent
from tmas_assets.agents.decision import plan as plan_agent
from tmas_assets.records import (
    RED_TEAM,
    Call,
    Claim,
    Decision,
    Expert,
    Finding,
    Order,
    ParseStatus,
    Plan,
    Problem,
    Round,
    Side,
    Turn,
)
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.step import Step, together
from tmas_assets.strategies.team_decision import settings as settings_module
from tmas_assets.strategies.team_decision.calculation import computed, computing
from tmas_assets.strategies.team_decision.caps import Account
from tmas_assets.strategies.team_decision.consensus import consensus, contradictions, opposite
from tmas_assets.strategies.team_decision.granting import granted_decision, granted_order, spelled
from tmas_assets.strategies.team_decision.settings import Settings
from tmas_assets.strategies.team_decision.state import State, state_of

CEO = plan_agent.ROLE


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    step = Step(problem, past, here, team)
    if not past:
        return step.round((), turns=await _plan(step, settings))
    if here.iteration == 1 and settings.approve_plan:
        await team.require_approval(past[0])
    return await _Work(step, settings, state_of(past)).round()


async def _plan(step: Step, settings: Settings) -> list[Turn]:
    """The CEO's plan. Where none can be read, the whole hypothesis is the one claim, for all, and the plan says so."""
    seats, claims, recruits = settings.roster, settings.max_claims, settings.max_extra_experts
    ask = step.ask(CEO, "/plan")
    request = plan_agent.ask(step.problem, ask, experts=seats, claims=claims, recruits=recruits, limits=settings.limits)
    call = await step.team.ask(request)
    found = plan_agent.read(call, experts=seats, claims=claims, recruits=recruits)
    whole = Claim(id="c1", text=step.problem.statement, experts=tuple(seat.name for seat in settings.roster))
    instead = Plan(claims=(whole,), experts=settings.roster, fault=found.parse_error)
    return _told(step, "/plan", found.plan or instead, call, found.parse, found.parse_error, about=())


def _told(
    step: Step, place: str, data: Plan | Order | Decision, call: Call, parse: ParseStatus, parse_error: str | None, *, about: Sequence[str]
) -> list[Turn]:
    """The CEO's turn; where its reply could not be read, that turn and one without a call that says what holds instead."""
    kind, parsed = type(data).__name__, parse == "parsed"
    turn = step.turn(CEO, place, kind=kind, data=data if parsed else None, call=call, parse=parse, parse_error=parse_error,
                     text="" if parsed else call.answer, about=about)  # fmt: skip
    return [turn] if parsed else [turn, step.turn(CEO, f"{place}_instead", kind=kind, data=data, call=None, about=about)]


@dataclass(frozen=True)
class _Work:
    """A round after the plan."""

    step: Step
    settings: Settings
    state: State

    async def round(self) -> Round:
        """Findings, or the decision where it is time for it or a cap leaves room for nothing else."""
        at, final = self.step.here.iteration, settings_module.rounds(self.settings) - 1
        if at >= final:
            return await self.decide([], why="decided")
        seats = len(self.state.experts) + self.settings.red_team
        if (cut := self._account().cut(seats + (at > 1))) is not None:
            return await self.decide([], why=cut, partial=cut)
        if at == 1:
            return self.step.round((), turns=await self.findings(self.state.experts, None))
        ordered, order = await self.order(rounds_left=final - at)
        if order.granted == "stop":
            return await self.decide(ordered, why=f"the CEO stopped: {order.reason or 'no reason given'}")
        seated = (*self.state.experts, *((order.recruit,) if order.recruit else ()))
        return self.step.round((), turns=[*ordered, *await self.findings(seated, order)])

    def _account(self, *turns: Turn) -> Account:
        """Up to now, with `turns` of this round."""
        traces = [*self.state.traces, *(turn.trace for turn in turns if turn.trace is not None)]
        return Account(self.settings, traces, lambda role: self.step.team.sampling(role).max_tokens)

    def _standing(self) -> order_agent.Standing:
        """What the CEO sees: findings in the seeded order of speakers, protected experts first."""
        heard = self.state.heard
        return order_agent.Standing(
            claims=self.state.plan.claims,
            findings=tuple(self._shown()),
            consensus=consensus([seat.name for seat in self.state.experts], {one.expert: one for one in heard}),
            contradictions=contradictions(heard),
        )

    def _speakers(self, seats: Sequence[Expert]) -> list[Expert]:
        """Drawn anew for every round and repeat."""
        drawn = [*seats, *([finding_agent.RED_TEAM_SEAT] if self.settings.red_team else [])]
        random.Random(self.step.seed("speakers")).shuffle(drawn)
        return drawn

    def _shown(self, *, but: str = "") -> list[Finding]:
        """Findings that stand, of all but one: none is left out, and no majority comes before a protected expert."""
        speakers = sorted(self._speakers(self.state.experts), key=lambda seat: not seat.protected)
        return [self.state.said[seat.name].finding for seat in speakers if seat.name in self.state.said and seat.name != but]

    async def order(self, rounds_left: int) -> tuple[list[Turn], Order]:
        """The CEO's order, as asked and as granted."""
        step, settings, state = self.step, self.settings, self.state
        recruits = settings.max_extra_experts - state.recruited
        account = self._account()
        means = order_agent.Means(calls=account.calls, tokens=account.tokens, left=account.left(), rounds_left=rounds_left,
                                  recruits=recruits, token_limits=settings.token_limits)  # fmt: skip
        ask = step.ask(CEO, "/order", to_go=1)
        call = await step.team.ask(order_agent.ask(step.problem, ask, standing=self._standing(), means=means, limits=settings.limits))
        asked = order_agent.read(call)
        room = account.cut(len(state.experts) + settings.red_team + 2) is None
        order = granted_order(asked, state.experts, recruits=recruits, room=room, token_limits=settings.token_limits)
        return _told(step, "/order", order, call, asked.parse, asked.parse_error, about=self._read_turns()), order

    def _read_turns(self, *, but: str = "") -> list[str]:
        return [one.turn for name, one in self.state.said.items() if name != but]

    async def findings(self, seats: Sequence[Expert], order: Order | None) -> list[Turn]:
        """One finding of every seat, side by side: alone where the seat has not seen others before, which is also how one
        who was just recruited begins."""
        side: Side = "against" if order is None else opposite(self.state.heard)
        newcomer = order.recruit.name if order is not None and order.recruit else None
        return await together(
            self._finding(seat, order=order, alone=order is None or seat.name == newcomer, side=side)
            for seat in self._speakers(seats)
        )

    async def _finding(self, seat: Expert, *, order: Order | None, alone: bool, side: Side) -> Turn:
        step, settings, claims = self.step, self.settings, self.state.plan.claims
        argues = side if seat.name == RED_TEAM else None
        mine = self.state.said.get(seat.name)
        call = await step.team.ask(
            finding_agent.ask(
                step.problem,
                self._capped(step.ask(seat.role, f"/{seat.name}"), seat, order),
                seat=seat,
                claims=claims,
                argues=argues,
                own=None if alone or mine is None else mine.finding,
                others=() if alone else self._shown(but=seat.name),
                gap=order.gap if order is not None and not alone else "",
                calculations=settings.calculations,
                limits=settings.limits,
            )
        )
        found = finding_agent.read(call, step.problem, seat=seat, claims=claims, argues=argues)
        finding = await self._computed(found.finding) if found.finding else None
        return step.turn(seat.role, f"/{seat.name}", kind="Finding", data=finding, call=call, parse=found.parse,
                         parse_error=found.parse_error, text="" if finding else call.answer,
                         about=[self.state.plan_turn, *([] if alone else self._read_turns())])  # fmt: skip

    def _capped(self, ask: Ask, seat: Expert, order: Order | None) -> Ask:
        """The answer's cap: the least of the role's, the seat's, and what the CEO set."""
        set_now = order.tokens if order is not None and order.tokens is not None else self.state.token_limit
        cap = min(limit for limit in (ask.sampling.max_tokens, seat.max_tokens, set_now) if limit is not None)
        return ask.model_copy(update={"sampling": ask.sampling.model_copy(update={"max_tokens": cap})})

    async def _computed(self, finding: Finding) -> Finding:
        """The finding with its calculations computed again; the sandbox is not asked for where there are none."""
        if not finding.calculations or not self.settings.calculations:
            return finding
        work = computing(finding.calculations)
        calculations = work.calculations
        if work.program is not None:
            calculations = computed(work, await self.step.team.run_code(work.program), tolerance=self.settings.tolerance)
        return finding.model_copy(update={"calculations": calculations})

    async def decide(self, turns: list[Turn], *, why: str, partial: str | None = None) -> Round:
        """The last round with calls: asked again where the reply cannot be read and the caps allow it. `why` it is the last."""
        step, settings = self.step, self.settings
        account = self._account(*turns)
        most = settings.decision_attempts
        if settings.max_calls is not None:
            most = max(1, min(most, settings.max_calls - account.calls))
        for attempt in range(1, most + 1):
            place = f"/decision{attempt}"
            ask = step.ask(CEO, place)
            call = await step.team.ask(
                choice_agent.ask(step.problem, ask, standing=self._standing(), cut_short=partial, limits=settings.limits)
            )
            account = replace(account, traces=(*account.traces, call.trace))
            chosen = choice_agent.read(call)
            if chosen.choice is not None or attempt == most:
                break
            turns.append(step.turn(CEO, place, kind="Decision", data=None, call=call, parse=chosen.parse,
                                   parse_error=chosen.parse_error, text=call.answer, about=self._read_turns()))  # fmt: skip
        decision = granted_decision(chosen, self.state, partial=partial, account=account)
        turns += _told(step, place, decision, call, chosen.parse, chosen.parse_error, about=self._read_turns())
        answer = step.rollout(0, "chosen", ask, call, text=spelled(decision), answer=decision.decision)
        return step.round([answer], turns=turns, stopped=why)


STRATEGY = Strategy(
    name="team_decision",
    title="Team decision",
    source="arXiv 2504.09772 (its business example); debate and limits are ours",
    roles=settings_module.roles,
    Settings=Settings,
    prompts=lambda: prompt_digests((material, plan_agent, finding_agent, order_agent, choice_agent)),
    population=lambda settings, iteration: 0,
    chooses=lambda settings: True,
    rounds=settings_module.rounds,
    looks_back=None,
    iterate=iterate,
)
