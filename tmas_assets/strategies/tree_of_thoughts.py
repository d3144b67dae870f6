"""Tree of thoughts, breadth first: propose next steps, value or vote, keep b states (arXiv 2305.10601).

A state is a partial solution and carries its whole text; one with a final answer is terminal and goes on as it is.
Iteration t is depth t: every kept state gets k next steps, the new states are evaluated, b of all go on. The last of `steps`
asks for all that is missing of the solution. All states are drafts of one answer: the best state by value, which is the
rollout `chosen`. The turn `beam` has every state's value, so the method's own metrics (mean over the kept states, any
correct) follow from their grades. The values of sure, likely and impossible are 1, 0.5 and 0 here.

Left open and set here: equal states (but for blanks) are valued once and all have that value, where the public code gives
repetitions 0; so a depth waits for its proposals. A state keeps its value while it is kept; votes are cast anew, and an
unreadable one abstains. The rules for ties are in `beam.py`. A state whose proposals all fail goes on unchanged; without any
state the root is tried again. Where the whole text is graded (code, a text) the last step alone is the answer.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from tmas_assets.agents import prompt_digests, solution, thought_proposals, thought_sample, thought_value, thought_vote
from tmas_assets.agents.asking import Limits
from tmas_assets.grading.boxes import last_box
from tmas_assets.records import Problem, Record, Rollout, Round, Turn, Verification
from tmas_assets.strategies import Here, Strategy, Team
from tmas_assets.strategies.beam import Beam, beam
from tmas_assets.strategies.step import Step, together

BEAM = "beam"
Values = Mapping[str, float | None]
"""By text without regard to blanks."""


class Settings(Record):
    steps: int = Field(default=3, ge=2)
    """Depth of the tree: as many iterations, of which the last finishes each solution."""
    keep: int = Field(default=5, ge=1)
    """b, states that go on from each depth."""
    proposals: int = Field(default=5, ge=1)
    """k, next steps of each state."""
    propose: Literal["one_call", "samples"] = "one_call"
    """All next steps of a state in one reply (and one finish of each), or independent samples of each."""
    evaluate: Literal["value", "vote"] = "value"
    """Value each state by itself, or vote among all."""
    evaluations: int = Field(default=3, ge=1)
    """Values asked of each new state, or votes of each depth."""
    select: Literal["greedy", "sample"] = "greedy"
    """Keep the best, or draw with the values as weights."""
    limits: Limits = Limits()


async def iterate(problem: Problem, past: tuple[Round, ...], here: Here, team: Team, settings: Settings) -> Round:
    step = Step(problem, past, here, team)
    parents, old = _kept(step)
    grown = await together(_grow(step, number, parent, settings) for number, parent in enumerate(parents))
    turns = [turn for _, asked in grown for turn in asked]
    rollouts = [rollout for made, _ in grown for rollout in made]
    states = [rollout for rollout in rollouts if rollout.text.strip()]
    values, checks, votes = await _evaluate(step, states, old, settings)
    found = beam(
        states,
        [values[_same(state.text)] for state in states],
        keep=settings.keep,
        select=settings.select,
        seed=step.seed(BEAM),
    )
    best = next((state for state in states if state.id == found.best), rollouts[0])
    chosen = step.repeated(best, len(parents) * (settings.proposals + 1), "chosen")
    kept = [state for state in states if state.id in found.kept]
    ended = bool(kept) and all(state.answer is not None for state in kept)
    return step.round(
        [*rollouts, chosen],
        verifications=checks,
        turns=[*turns, *votes, step.turn(BEAM, "", kind="Beam", data=found, call=None, about=found.states)],
        stopped="every state that goes on has its answer" if ended else None,
    )


def _same(text: str) -> str:
    return " ".join(text.split())


def _kept(step: Step) -> tuple[list[Rollout | None], Values]:
    """The states that go on from the last round, the root (None) where there is none; and the values they have."""
    if step.last is None:
        return [None], {}
    last = Beam.model_validate_json(next(turn.data or "" for turn in step.last.memory.turns if turn.role == BEAM))
    states = {rollout.id: rollout for rollout in step.last.rollouts}
    values = dict(zip(last.states, last.values, strict=True))
    return [states[id_] for id_ in last.kept] or [None], {_same(states[id_].text): values[id_] for id_ in last.kept}


async def _grow(
    step: Step, number: int, parent: Rollout | None, settings: Settings
) -> tuple[list[Rollout], list[Turn]]:
    """The states that come of one, and the turns that made them. A call without a step leaves an empty rollout."""
    first = number * (settings.proposals + 1)
    spare = first + settings.proposals
    if parent is not None and parent.answer is not None:
        return [step.repeated(parent, spare, "kept")], []
    finish = step.here.iteration == settings.steps - 1
    turns: list[Turn] = []
    if settings.propose == "one_call" and not finish:
        made, turn = await _propose(step, first, parent, settings)
        turns.append(turn)
    else:
        count = settings.proposals if settings.propose == "samples" else 1
        made = await together(_sample(step, first + i, parent, finish, settings) for i in range(count))
    if parent is not None and not any(rollout.text for rollout in made):
        made.append(step.repeated(parent, spare, "kept"))
    return made, turns


async def _propose(
    step: Step, first: int, parent: Rollout | None, settings: Settings
) -> tuple[list[Rollout], Turn]:
    place, text, count = f"c{first}", parent.text if parent else "", settings.proposals
    ask = step.ask(thought_proposals.ROLE, place, to_go=1)
    call = await step.team.ask(
        thought_proposals.ask(step.problem, ask, text=text, count=count, limits=settings.limits)
    )
    found = thought_proposals.read(call, count=count)
    about = [parent.id] if parent else []
    texts = [_joined(text, said) for said in found.proposals.steps] if found.proposals else [""]
    branch: Literal["plain", "refine"] = "refine" if parent else "plain"
    rollouts = [
        step.rollout(first + i, branch, ask, call, text=said, answer=_answer(step, said), parents=about)
        for i, said in enumerate(texts)
    ]
    turn = step.turn(
        thought_proposals.ROLE, place, kind="Proposals", data=found.proposals, call=call, parse=found.parse,
        parse_error=found.parse_error, about=about,
    )  # fmt: skip
    return rollouts, turn


async def _sample(step: Step, candidate: int, parent: Rollout | None, finish: bool, settings: Settings) -> Rollout:
    ask = step.ask(solution.ROLE, f"c{candidate}", to_go=1)
    text = parent.text if parent else ""
    call = await step.team.ask(
        thought_sample.ask(step.problem, ask, text=text, finish=finish, limits=settings.limits)
    )
    alone = finish and thought_sample.whole(step.problem)
    said = call.answer.strip() and (call.answer if alone else _joined(text, call.answer))
    branch: Literal["plain", "refine"] = "refine" if parent else "plain"
    parents = [parent.id] if parent else []
    return step.rollout(candidate, branch, ask, call, text=said, answer=_answer(step, said), parents=parents)


def _joined(text: str, said: str) -> str:
    return f"{text}\n{said.strip()}" if text else said.strip()


def _answer(step: Step, text: str) -> str | None:
    return None if thought_sample.whole(step.problem) else last_box(text)


async def _evaluate(
    step: Step, states: Sequence[Rollout], old: Values, settings: Settings
) -> tuple[Values, list[Verification], list[Turn]]:
    """The value of every state, and the records of how it was found."""
    distinct = {_same(state.text): state for state in reversed(states)}  # the first of equal ones stands for them
    if settings.evaluate == "vote":
        votes, values = await _vote(step, sorted(distinct.values(), key=lambda state: state.candidate), settings)
        return values, [], votes
    new = [state for state in states if distinct[_same(state.text)] is state and _same(state.text) not in old]
    places = [(state, number) for state in new for number in range(settings.evaluations)]
    checks = await together(_value(step, state, number, settings) for state, number in places)
    scores: dict[str, list[float]] = {}
    for (state, _), check in zip(places, checks, strict=True):
        scores.setdefault(_same(state.text), []).extend([] if check.score is None else [check.score])
    return {**old, **{text: sum(s) / len(s) if s else None for text, s in scores.items()}}, checks, []


async def _value(step: Step, state: Rollout, number: int, settings: Settings) -> Verification:
    ask = step.ask(thought_value.ROLE, f"c{state.candidate}v{number}")
    call = await step.team.ask(thought_value.ask(step.problem, ask, text=state.text, limits=settings.limits))
    return step.check(state, number, call, **dict(thought_value.read(call)))


async def _vote(step: Step, states: Sequence[Rollout], settings: Settings) -> tuple[list[Turn], Values]:
    """Shares of the votes cast. A single state is not voted on and has no value, nor has any without a vote cast."""
    about = [state.id for state in states]
    texts = [state.text for state in states]

    async def cast(number: int) -> tuple[Turn, int | None]:
        place = f"n{number}"
        ask = step.ask(thought_vote.ROLE, place)
        call = await step.team.ask(thought_vote.ask(step.problem, ask, texts=texts, limits=settings.limits))
        found = thought_vote.read(call, count=len(texts))
        turn = step.turn(
            thought_vote.ROLE, place, kind="Ballot", data=found.ballot, call=call, parse=found.parse,
            parse_error=found.parse_error, about=about,
        )  # fmt: skip
        return turn, found.ballot.number if found.ballot else None

    votes = await together(cast(number) for number in range(settings.evaluations if len(states) > 1 else 0))
    given = Counter(number for _, number in votes if number is not None)
    shares = {
        _same(text): given[number] / given.total() if given else None for number, text in enumerate(texts, 1)
    }
    return [turn for turn, _ in votes], shares


STRATEGY = Strategy(
    name="tree_of_thoughts",
    title="Tree of thoughts",
    source="arXiv 2305.10601",
    roles=lambda settings: (
        solution.ROLE,
        *((thought_proposals.ROLE,) if settings.propose == "one_call" else ()),
        thought_value.ROLE if settings.evaluate == "value" else thought_vote.ROLE,
    ),
    Settings=Settings,
    prompts=lambda: prompt_digests((solution, thought_sample, thought_proposals, thought_value, thought_vote)),
    population=lambda settings, iteration: 0,
    chooses=lambda settings: True,
    rounds=lambda settings: settings.steps,
    iterate=iterate,
)
