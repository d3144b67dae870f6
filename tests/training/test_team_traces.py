"""Traces of teams as the strategy runs them: every call in order of generation, and what is read from the rounds."""

import re

import pytest

from tests.curation.test_questions import question
from tests.strategies.adaptive import PROBLEM, REFUSED, cast, order, run, verdict, votes
from tests.strategies.team import LocalTeam, replies, shuffled
from tmas_assets.grading import split_thinking
from tmas_assets.records import Grade, Problem
from tmas_assets.strategies.mas_tts import Settings
from tmas_assets.training.team_traces import LastCell, TraceFault, in_order, keys_of, team_trace
from tmas_assets.training.trace_exports import conversations, published

FILES = LastCell(rollouts="r", memory="m", grades="g")
CODE = Problem(benchmark="toy", release="1", id="p", statement="Write f(x).", answer="", grader="code")
COLUMNS = ("expert_recruiter", "problem_solver", "critic", "evaluator")


def asked(problem=PROBLEM):
    one = question()
    return one.model_copy(update={"candidate": one.candidate.model_copy(update={"problem": problem})})


def logged(team):
    """The calls of a team that remembers what it asked; failed ones too."""
    return {call.key: call for call in team.calls}


def remembering(team, thinking=None):
    """The team, with every call kept, and `thinking` in every reply."""
    ask, team.calls = team.ask, []

    async def kept(request):
        call = (await ask(request)).model_copy(update={"thinking": thinking})
        team.calls.append(call)
        return call

    team.ask = kept
    return team


def grade(made, outcome="right"):
    chosen = [one for one in made.rollouts if one.branch == "chosen"][-1]
    return Grade(
        problem="p", problem_digest="d", rollout=chosen.id, repeat=0, iteration=made.iteration, candidate=chosen.candidate,
        outcome=outcome, rule_outcome=outcome, judgement=None, unsandboxed=False, extracted=None, gold="2", grader="math",
        grader_version="1", failure=None, completion="complete", repetitive=False, rollouts_digest="r",
    )  # fmt: skip


def traced(team, settings=None, iterations=1, problem=PROBLEM, outcome="right", thinking=None):
    settings = settings or Settings(critic_iterations=1)
    rounds = run(remembering(team, thinking), settings, iterations, problem)
    return team_trace(
        asked(problem), 0, rounds, logged(team), [grade(rounds[-1], outcome)], files=FILES
    )


def samples(trace, team):
    """Where each turn stands, as the strategy named it."""
    calls = logged(team)
    return [re.sub(r"^r0t0", "", calls[turn.call].request.sample) for turn in trace.turns]


def test_a_vertical_round_is_told_in_its_order():
    team = cast(critic=votes("agree", "disagree"))
    trace = traced(team)
    assert samples(trace, team) == [
        "0/ceo", "0/recruiter", "0c0/solution", "0c0v0/critic", "0c0v1/critic", "0c1/solution", "0c1v0/critic", "0c1v1/critic",
        "0c1/evaluator",
    ]  # fmt: skip
    assert [turn.role for turn in trace.turns] == [
        "ceo", "expert_recruiter", "problem_solver", "critic", "critic", "problem_solver", "critic", "critic", "evaluator",
    ]  # fmt: skip
    assert [turn.order for turn in trace.turns] == list(range(9))


def test_a_horizontal_round_is_told_in_its_order():
    team = cast(critic=votes("disagree"))
    trace = traced(team, Settings(critic_iterations=2, topology="horizontal"))
    assert samples(trace, team) == [
        "0/ceo", "0/recruiter",
        "0p0s0/critic", "0p0s1/critic", "0c0/solution", "0c0v0/critic", "0c0v1/critic",
        "0p1s0/critic", "0p1s1/critic", "0c1/solution", "0c1v0/critic", "0c1v1/critic", "0c1/evaluator",
    ]  # fmt: skip


def test_a_speech_that_no_version_followed_stands_after_the_last_version():
    """The budget of 60 tokens lets four calls of 15 out: the second pass ends with its speech."""
    team = cast(critic=votes("disagree"))
    settings = Settings(experts=2, critic_iterations=2, topology="horizontal", ceo=False, recruiter=False, token_budget=60)
    trace = traced(team, settings)
    assert samples(trace, team) == ["0p0s0/critic", "0c0/solution", "0c0v0/critic", "0p1s0/critic"]


def test_tests_that_the_executor_writes_stand_before_the_evaluator():
    team = cast()
    trace = traced(team, problem=CODE)
    assert [turn.role for turn in trace.turns][-2:] == ["executor", "evaluator"]


def test_rounds_follow_each_other_and_stopped_ones_add_nothing():
    team = cast(evaluator=lambda request: verdict("accept" if "t01" in request.sample else "reject"))
    trace = traced(team, iterations=4)
    assert [turn.iteration for turn in trace.turns] == [0] * 6 + [1] * 6
    assert len(trace.turns) == len(team.asked)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("topology", ["vertical", "horizontal"])
def test_every_call_is_a_turn_once_and_no_prompt_shows_a_later_reply(seed, topology):
    """Replies are random, so that rounds are stopped, revised and restaffed; each is marked by its own place."""

    async def marked(request):
        text = await replies(request)
        mark = "mark" + re.sub(r"\W", "", request.sample)
        return re.sub(r"note\d+", mark, str(text)) if request.role != "executor" else text

    async def seeded(request):
        return await marked(request.model_copy(update={"seed": request.seed + seed}))

    team = LocalTeam(seeded)
    settings = Settings(critic_iterations=2, topology=topology, max_experts=3)
    trace = traced(team, settings, 4)
    assert sorted(turn.call for turn in trace.turns) == sorted({call.key for call in team.calls})
    shown = {mark for turn in trace.turns for mark in re.findall(r"mark\w+", turn.messages[-1].content)}
    assert shown
    for at, turn in enumerate(trace.turns):
        later = {mark for other in trace.turns[at:] for mark in re.findall(r"mark\w+", other.reply)}
        assert not later & set(re.findall(r"mark\w+", turn.messages[-1].content))


def test_the_trace_is_the_same_whoever_replies_first():
    settings = Settings(critic_iterations=2)
    first, *others = [traced(LocalTeam(shuffled(seed)), settings, 3) for seed in range(4)]
    assert all(other == first for other in others)


def test_the_order_of_the_stored_records_tells_nothing():
    team = cast(critic=votes("agree", "disagree"))
    [made] = run(remembering(team), Settings(critic_iterations=1))
    turned = made.model_copy(update={
        "verifications": made.verifications[::-1], "rollouts": made.rollouts[::-1],
        "memory": made.memory.model_copy(update={"turns": made.memory.turns[::-1]}),
    })  # fmt: skip
    assert in_order(turned) == in_order(made)


def test_a_turn_holds_prompt_thinking_reply_and_tokens_of_its_call():
    team = cast()
    trace = traced(team, thinking="hm")
    for turn in trace.turns:
        call = logged(team)[turn.call]
        assert (turn.messages, turn.reply, turn.thinking, turn.status) == (call.request.messages, call.answer, "hm", "complete")
        assert (turn.prompt_tokens, turn.completion_tokens, turn.model) == (10, 5, "local")


def test_a_turn_names_the_record_that_was_made_of_it():
    trace = traced(cast())
    assert [turn.agent for turn in trace.turns] == [
        "r0t00/ceo", "r0t00/recruiter", "r0t00c0", "r0t00c0v0", "r0t00c0v1", "r0t00c0v2"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("says", "role", "parse"),
    [
        ({"ceo": "whatever"}, "ceo", "parse_error"), ({"recruiter": ""}, "expert_recruiter", "failed"),
        ({"critic": "maybe"}, "critic", "parse_error"), ({"evaluator": REFUSED}, "evaluator", "failed"),
        ({"solution": ""}, "problem_solver", "failed"),
    ],
)
def test_what_a_parser_could_not_read_is_told_of_its_turn(says, role, parse):
    trace = traced(cast(**says))
    states = {turn.role: turn.parse for turn in trace.turns}
    assert states.pop(role) == parse
    assert set(states.values()) == {"parsed"}
    assert all(turn.parse_error for turn in trace.turns if turn.role == role)


def test_a_call_that_is_not_in_the_log_is_a_fault_that_names_it():
    team = remembering(cast())
    rounds = run(team, Settings())
    calls = logged(team)
    gone = keys_of(rounds)[2]
    del calls[gone]
    with pytest.raises(TraceFault, match=f"p: r0t00c0.*{gone}.*call log"):
        team_trace(asked(), 0, rounds, calls, [grade(rounds[-1])], files=FILES)


def test_a_record_without_a_place_in_the_order_is_a_fault():
    [made] = run(cast(), Settings())
    strange = made.memory.turns[0].model_copy(update={"kind": "Gossip"})
    with pytest.raises(TraceFault, match="has none"):
        in_order(made.model_copy(update={"memory": made.memory.model_copy(update={"turns": (strange, *made.memory.turns[1:])})}))


def test_the_grade_of_the_chosen_rollout_decides_and_must_be_there():
    team = remembering(cast(critic=votes("disagree")))
    rounds = run(team, Settings(critic_iterations=1))
    chosen = grade(rounds[0], "wrong")
    other = chosen.model_copy(update={"rollout": "r0t00c0", "outcome": "right"})
    made = team_trace(asked(), 0, rounds, logged(team), [other, chosen], files=FILES)
    assert made.outcome == "wrong"
    with pytest.raises(TraceFault, match=r"0 grades of the chosen rollout r0t00c2"):
        team_trace(asked(), 0, rounds, logged(team), [other], files=FILES)


def test_the_last_version_with_a_text_is_the_solution():
    trace = traced(cast(critic=votes("disagree")))
    assert trace.solution == "solution r0t00c1/solution \\boxed{2}"
    assert trace.answer == "2"


AGREED = [
    (cast(), {}, 1, True),
    (cast(critic=votes("disagree")), {}, 1, False),
    (cast(critic=votes("agree", "disagree")), {}, 1, False),
    (cast(critic="no word"), {}, 1, False),
    (cast(ceo=order(experts=1)), {}, 1, False),
    (cast(ceo=order(experts=1), solution=""), {}, 1, False),
    (cast(), {"critic_iterations": 0}, 1, False),
    (cast(critic=lambda request: votes("disagree" if "t00" in request.sample else "agree")(request)), {}, 2, True),
    (cast(critic=lambda request: votes("agree" if "t00" in request.sample else "disagree")(request)), {}, 2, False),
    (cast(evaluator=verdict("accept"), critic=votes("disagree")), {}, 3, False),
    (cast(ceo=lambda request: order("stop" if "t01" in request.sample else "continue")), {}, 3, True),
    (cast(ceo=lambda request: order(experts=1 if "t01" in request.sample else 3), critic=votes("disagree")), {}, 2, False),
    (cast(solution=lambda request: "" if "t01" in request.sample else "x \\boxed{2}", critic=votes("disagree")), {}, 2, False),
    (
        cast(
            ceo=lambda request: order(experts=3 if "t01" in request.sample else 1),
            solution=lambda request: "" if "t01" in request.sample else "x \\boxed{2}",
        ), {}, 2, False,
    ),
    (cast(), {"token_budget": 15, "ceo": False, "recruiter": False, "experts": 3}, 1, False),
]  # fmt: skip


@pytest.mark.parametrize(("team", "change", "iterations", "agreed"), AGREED)
def test_agreement_is_that_on_the_chosen_solution(team, change, iterations, agreed):
    settings = Settings.model_validate({"critic_iterations": 1} | change)
    assert traced(team, settings, iterations).agreed is agreed


@pytest.mark.parametrize(("word", "accepted"), [("accept", True), ("reject", False), ("maybe", None)])
def test_the_last_verdict_of_the_evaluator_is_told(word, accepted):
    assert traced(cast(evaluator=verdict(word)), iterations=2).accepted is accepted


def test_rounds_of_another_strategy_are_refused():
    with pytest.raises(TraceFault, match="no round is stored"):
        team_trace(asked(), 0, (), {}, (), files=FILES)
    [made] = run(cast(), Settings())
    with pytest.raises(TraceFault, match="no chosen rollout"):
        team_trace(asked(), 0, [made.model_copy(update={"rollouts": made.rollouts[:1]})], {}, (), files=FILES)


def test_the_published_columns_hold_each_call_of_their_role_whole_and_in_order():
    team = cast(critic=votes("disagree"))
    trace = traced(team, iterations=2, thinking="hm")
    made = published(trace, asked())
    assert (made.question, made.solution) == (PROBLEM.statement, trace.solution)
    for role in COLUMNS:
        turns = [turn for turn in trace.turns if turn.role == role]
        assert turns
        assert calls_in(getattr(made, f"{role}_messages")) == [
            (list(turn.messages), f"<think>\nhm\n</think>\n\n{turn.reply}") for turn in turns
        ]


def calls_in(messages):
    """Each call begins with a system message and ends with the reply."""
    starts = [at for at, message in enumerate(messages) if message.role == "system"]
    calls = [list(messages[start:end]) for start, end in zip(starts, [*starts[1:], None], strict=True)]
    assert starts[0] == 0
    assert all(call[-1].role == "assistant" for call in calls)
    return [(call[:-1], call[-1].content) for call in calls]


def test_a_trace_is_not_published_with_another_question():
    with pytest.raises(ValueError, match="the trace is of p"):
        published(traced(cast()), asked(PROBLEM.model_copy(update={"statement": "Else?"})))


def test_conversations_hold_all_six_roles_in_order_in_one_group():
    trace = traced(cast(), problem=CODE, thinking="hm")
    made = conversations(trace)
    assert [(one.role, one.order) for one in made] == [(turn.role, turn.order) for turn in trace.turns]
    assert {one.role for one in made} == {"ceo", "problem_solver", "executor", "critic", "evaluator", "expert_recruiter"}
    assert {one.group for one in made} == {"p/attempt0"}
    later = conversations(trace.model_copy(update={"attempt": 1}))
    assert not {one.group for one in later} & {one.group for one in made}


def test_a_conversation_ends_with_the_reply_and_its_thinking_in_tags():
    trace = traced(cast(), thinking="first\nthis")
    for turn, one in zip(trace.turns, conversations(trace), strict=True):
        assert one.messages[:-1] == turn.messages
        assert one.messages[-1].role == "assistant"
        assert split_thinking(one.messages[-1].content) == ("first\nthis", turn.reply)
        assert (one.call, one.about, one.licence) == (turn.call, (turn.agent,), "MIT")


def test_a_reply_without_thinking_has_no_tags():
    trace = traced(cast())
    assert [one.messages[-1].content for one in conversations(trace)] == [turn.reply for turn in trace.turns]


def test_nothing_to_imitate_is_left_out_and_keeps_its_place():
    trace = traced(cast(recruiter=REFUSED))
    assert [one.order for one in conversations(trace)] == [0, 2, 3, 4, 5]


def test_the_trace_of_an_attempt_is_the_same_made_twice():
    assert traced(cast(), iterations=2) == traced(cast(), iterations=2)
