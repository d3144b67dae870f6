"""MAS-TTS: a team that a lead (CEO) staffs and steers from round to round (arXiv 2504.09772, jincan333/MAS-TTS @ ae8f961).

A round, in this order: the CEO orders (continue with so many experts, tokens and a direction, or stop); the recruiter names
the experts; solver and critics discuss (`discussion.py`); code is run, words are counted (`trying.py`); the evaluator
accepts, which ends the run, or advises. The solver's versions are drafts c0, c1, ... of one answer, each naming the version
it revises as its parent; the last one that has a text is chosen. Experiment `iterations` are T, the outer rounds.

Calls of a round, where each of ceo, recruiter, evaluator is 1 if it is on, N is the number of experts, I `critic_iterations`:
    vertical     ceo + recruiter[N > 1] + 1 + v (N - 1) + r + executor + evaluator    with r <= I revisions, v <= r + 1 reviews
    horizontal   ceo + recruiter[N > 1] + p (2 (N - 1) + 1) + executor + evaluator    with p <= I passes
where v = r = 0, or one conclusion and no other call, if N = 1 or I = 0, and executor is 1 for a code problem in a round that
needs new tests. Vertical, N = 4, I = 3, everything on: 7 to 19. N = 1 with CEO and evaluator off is one call a round: plain
at first, then a revision of its own solution. A round that the CEO stops costs its call alone. A round that ends with the budget
spent is the last one.

What code and paper leave open, or do otherwise, is set so: the CEO's order is acted on, clamped (`orders.py`), and both are
kept; stop is not granted before there is a solution; an order that cannot be read grants `experts` and the smallest token
choice. It sees solution, objections, votes, verdict, spend and what is left. Its direction joins the evaluator's advice. A
critic that fails abstains; consensus needs all cast votes to agree and half of the critics to vote. The evaluator is not asked
about a round without a solution; then the earlier one stays. Nothing is retried with other sampling. Accepted or not is said
by the last `Conclusion`. All state is read from the records of earlier rounds.
"""

from typing import cast

from tmas_assets.agents import prompt_digests, solution
from tmas_assets.agents.mas_tts import briefing, ceo, critic, evaluator, executor, recruiter, team_solver
from tmas_assets.agents.mas_tts.briefing import ROLE as TEAM
from tmas_assets.agents.mas_tts.briefing import Briefing, Said
from tmas_assets.agents.mas_tts.trial import Execution
from tmas_assets.records import Problem, Rollout, Round
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.mas_tts.discussion import Discussion
from tmas_assets.strategies.mas_tts.orders import Ordered, grant, standing_order
from tmas_assets.strategies.mas_tts.settings import Settings
from tmas_assets.strategies.mas_tts.trying import tried
from tmas_assets.strategies.mas_tts.work import Before, Conclusion, Work
from tmas_assets.strategies.step import Step

__all__ = ["STRATEGY", "Conclusion", "Execution", "Ordered", "Settings", "iterate"]


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    work = Work(Step(problem, past, here, team), settings)
    before = Before(work.step)
    order = await _ordered(work, before)
    if order.granted.action == "stop":
        return _stopped(work, before)
    parts = await _staffed(work, before, order)
    discussion = Discussion(work, before, parts, order.granted.direction, order.granted.max_tokens)
    await discussion.run()
    agreed = discussion.consensus is not None and discussion.consensus.reached
    found: evaluator.Evaluated | None = None
    if discussion.current is not None:
        execution = await tried(work, before, discussion.current, agreed=agreed)
        found = await _evaluated(work, discussion.current, parts, execution)
    return _concluded(work, before, discussion, found)


async def _ordered(work: Work, before: Before) -> Ordered:
    """The order of this round, kept as its first turn."""
    step, settings = work.step, work.settings
    if not settings.ceo:
        work.order = standing_order(settings)
        work.turns.append(step.turn(TEAM, "o", kind="Ordered", data=work.order, call=None))
    else:
        ask = step.ask(ceo.ROLE, "", to_go=work.priority(2 * settings.critic_iterations + 5))
        seen = Briefing(advice=before.advice, said=before.objections)
        call = await step.team.ask(
            ceo.ask(step.problem, ask, solution=before.solution, standing=_standing(work, before), briefing=seen,
                    most_experts=settings.max_experts, choices=settings.choices, limits=settings.limits)
        )  # fmt: skip
        reply = ceo.read(call)
        work.order = grant(reply.order, settings, solved=before.solution is not None, left=work.left_after(call))
        about = [before.solution.id] if before.solution else ()
        work.turns.append(
            step.turn(ceo.ROLE, "", kind="Ordered", data=work.order, call=call, parse=reply.parse,
                      parse_error=reply.parse_error, about=about)
        )  # fmt: skip
    return work.order


def _standing(work: Work, before: Before) -> ceo.Standing:
    spent, last = work.spent, before.conclusion
    now = ceo.Standing(
        round=work.step.here.iteration + 1, calls=spent.calls, tokens=spent.tokens, budget=work.settings.token_budget
    )
    if last is None or before.ordered is None:
        return now
    return now.model_copy(update={
        "experts": before.ordered.granted.experts, "max_tokens": before.ordered.granted.max_tokens,
        "critics": last.critics, "cast": last.cast, "agreed": last.agreed, "consensus": last.consensus, "accepted": last.accepted,
    })  # fmt: skip


async def _staffed(work: Work, before: Before, order: Ordered) -> tuple[str, ...]:
    """The experts' parts, the solver's first. A single one has the first part of the roster, and nobody is asked."""
    step, settings, count = work.step, work.settings, cast(int, order.granted.experts)
    named: recruiter.Recruited | None = None
    call = None
    if settings.recruiter and count > 1 and work.may_ask:
        wanted = before.conclusion.experts_wanted if before.conclusion else ""
        said = (Said(speaker="Experts that the evaluator wants", text=wanted),) if wanted.strip() else ()
        told = Briefing(advice=before.advice, direction=order.granted.direction, said=said)
        ask = step.ask(recruiter.ROLE, "", to_go=work.priority(2 * settings.critic_iterations + 4))
        call = await step.team.ask(
            recruiter.ask(step.problem, ask, count=count, briefing=told, limits=settings.limits)
        )
        named = recruiter.read(call, count=count)
    roster = recruiter.staffed(named.parts if named else (), count, settings.roster)
    work.turns.append(
        step.turn(recruiter.ROLE if call else TEAM, "" if call else "r", kind="Roster", data=roster, call=call,
                  parse=named.parse if named else "parsed", parse_error=named.parse_error if named else None)
    )  # fmt: skip
    return roster.parts


async def _evaluated(
    work: Work, draft: Rollout, parts: tuple[str, ...], execution: Execution | None
) -> evaluator.Evaluated | None:
    """The evaluator's verdict on the draft, kept as a check of it; None where it is not asked."""
    step, settings = work.step, work.settings
    if not settings.evaluator or not work.may_ask:
        return None
    ask = step.ask(evaluator.ROLE, f"c{draft.candidate}")
    call = await step.team.ask(
        evaluator.ask(step.problem, ask, solution=draft, parts=parts, execution=execution, limits=settings.limits)
    )
    found = evaluator.read(call)
    number = sum(check.rollout == draft.id for check in work.checks)
    work.checks.append(
        step.check(draft, number, call, score=found.score, critique=found.advice, parse=found.parse, parse_error=found.parse_error)
    )
    return found


def _concluded(work: Work, before: Before, discussion: Discussion, found: evaluator.Evaluated | None) -> Round:
    step, votes = work.step, discussion.consensus
    accepted = None if found is None or found.score is None else found.score == 1
    conclusion = Conclusion(
        accepted=accepted,
        consensus=None if votes is None else votes.reached,
        critics=votes.critics if votes else 0,
        cast=votes.cast if votes else 0,
        agreed=votes.agreed if votes else 0,
        reviews=discussion.reviews,
        revisions=max(0, len(work.drafts) - 1),
        experts_wanted=found.experts if found else "",
        ended=discussion.ended,
        spent=work.spent,
    )
    source = discussion.current or before.chosen or work.drafts[-1]
    if discussion.current is None and before.conclusion is not None:
        # the earlier answer stands, and with it what was said of it
        kept = ("accepted", "consensus", "critics", "cast", "agreed", "experts_wanted")
        conclusion = conclusion.model_copy(update={name: getattr(before.conclusion, name) for name in kept})
    work.turns.append(step.turn(TEAM, "", kind="Conclusion", data=conclusion, call=None, about=[source.id]))
    stopped = "accepted" if accepted else None if work.may_ask else "the token budget is spent"
    chosen = step.repeated(source, len(work.drafts), "chosen")
    return step.round([*work.drafts, chosen], verifications=work.checks, turns=work.turns, stopped=stopped)


def _stopped(work: Work, before: Before) -> Round:
    """The earlier answer once more, at the CEO's word."""
    step, last, why = work.step, before.conclusion, "the CEO stops"
    assert before.chosen is not None
    assert last is not None
    conclusion = last.model_copy(update={"ended": why, "reviews": 0, "revisions": 0, "spent": work.spent})
    work.turns.append(step.turn(TEAM, "", kind="Conclusion", data=conclusion, call=None, about=[before.chosen.id]))
    return step.round([step.repeated(before.chosen, 0, "chosen")], turns=work.turns, stopped=why)


def roles(settings: Settings) -> tuple[str, ...]:
    """Roles that may be asked; the executor only about code."""
    most = settings.max_experts if settings.ceo else settings.experts
    asked = {
        ceo.ROLE: settings.ceo,
        recruiter.ROLE: settings.recruiter and most > 1,
        solution.ROLE: True,
        critic.ROLE: most > 1 and settings.critic_iterations > 0,
        executor.ROLE: settings.execute == "auto",
        evaluator.ROLE: settings.evaluator,
    }
    return tuple(role for role, there in asked.items() if there)


STRATEGY = Strategy(
    name="mas_tts",
    title="MAS-TTS",
    source="arXiv 2504.09772",
    roles=roles,
    Settings=Settings,
    prompts=lambda: prompt_digests(
        (solution, briefing, ceo, recruiter, team_solver, critic, executor, evaluator)
    ),
    population=lambda settings, iteration: 0,
    chooses=lambda settings: True,
    looks_back=None,
    iterate=iterate,
)
