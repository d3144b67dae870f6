"""Tree of thoughts: what each prompt of a depth shows, which states go on, how many calls are made, and what stops it."""

import json
import re
from collections import Counter

import pytest

from tests.strategies.team import LocalTeam, go, replies, shuffled
from tmas_assets.records import Failure, Problem, StrategyChoice
from tmas_assets.strategies import rounds_fault, strategy
from tmas_assets.strategies.beam import Beam
from tmas_assets.strategies.tree_of_thoughts import Settings

PROBLEM = Problem(benchmark="toy", release="1", id="p", statement="What is $1 + 1$?", answer="2", grader="math")
REFUSED = Failure(boundary="request", kind="bad_request", detail="no")


def state_of(prompt: str) -> str:
    found = re.search(r"so far:\n~~~\n(.*?)\n~~~", prompt, re.DOTALL)
    return found[1] if found else ""


async def walks(request) -> str:
    """Every step names where it was made; a state's value is `sure` where its last step ends in 1, else `likely`."""
    prompt, place = request.messages[-1].content, request.sample.split("/")[0]
    match request.role:
        case "proposal":
            return json.dumps({"steps": [f"{place} step {i}" for i in range(9)]})
        case "value":
            return json.dumps({"report": "r", "verdict": "sure" if state_of(prompt).endswith("1") else "likely"})
        case "vote":
            return json.dumps({"reason": "r", "verdict": 2})
    end = " \\boxed{2}" if "finish it" in prompt else ""
    return f"{place} said{end}"


def asked(team, iteration, role=None):
    return [r for r in team.asked if f"t{iteration:02d}" in r.sample and role in (None, r.role)]


def beam_of(made) -> Beam:
    (turn,) = [turn for turn in made.memory.turns if turn.role == "beam"]
    return Beam.model_validate_json(turn.data)


def chosen(made):
    (one,) = [rollout for rollout in made.rollouts if rollout.branch == "chosen"]
    return one


def test_a_depth_makes_one_proposal_a_state_and_three_values_a_new_state_and_the_last_finishes_each():
    """b = k = 5 and 3 values: 1 + 5 * 3 calls at the root, 5 + 25 * 3 at a depth, 5 + 5 * 3 at the last."""
    team = LocalTeam(walks)
    made = go(team, PROBLEM, "tree_of_thoughts", Settings(), 3)
    assert Counter(r.role for r in asked(team, 0)) == {"proposal": 1, "value": 15}
    assert Counter(r.role for r in asked(team, 1)) == {"proposal": 5, "value": 75}
    assert Counter(r.role for r in asked(team, 2)) == {"solution": 5, "value": 15}
    assert [len(beam_of(one).states) for one in made] == [5, 25, 5]
    assert all(len(beam_of(one).kept) == 5 for one in made)


def test_samples_make_k_calls_a_state_and_votes_as_many_as_are_asked_for():
    settings = Settings(propose="samples", evaluate="vote", evaluations=5, keep=2, proposals=3)
    team = LocalTeam(walks)
    go(team, PROBLEM, "tree_of_thoughts", settings, 3)
    assert [Counter(r.role for r in asked(team, t)) for t in range(3)] == [
        {"solution": 3, "vote": 5}, {"solution": 6, "vote": 5}, {"solution": 6, "vote": 5},
    ]  # fmt: skip
    assert strategy("tree_of_thoughts").roles(settings) == ("solution", "vote")


def test_a_proposal_sees_the_problem_and_the_whole_text_of_its_state_and_of_no_other():
    team = LocalTeam(walks)
    made = go(team, PROBLEM, "tree_of_thoughts", Settings(keep=2, proposals=2), 3)
    assert state_of(asked(team, 0, "proposal")[0].messages[-1].content) == ""
    for t, role in ((1, "proposal"), (2, "solution")):
        states = {rollout.id: rollout.text for rollout in made[t - 1].rollouts}
        prompts = [request.messages[-1].content for request in asked(team, t, role)]
        assert [state_of(prompt) for prompt in prompts] == [states[id_] for id_ in beam_of(made[t - 1]).kept]
        assert all(prompt.startswith(f"Problem: {PROBLEM.statement}") for prompt in prompts)
        assert all(len(re.findall(r"step \d$|step \d\n", prompt, re.MULTILINE)) == t for prompt in prompts)


def test_a_state_carries_the_texts_of_all_its_steps_and_names_the_state_it_came_from():
    made = go(LocalTeam(walks), PROBLEM, "tree_of_thoughts", Settings(keep=1, proposals=2), 3)
    root = {rollout.text for rollout in made[0].rollouts}
    assert root == {"r0t00c0 step 0", "r0t00c0 step 1"}
    (best,) = beam_of(made[0]).kept
    for rollout in made[1].rollouts[:-1]:
        assert rollout.text.startswith("r0t00c0 step 1\nr0t01c0 step ")
        assert (rollout.branch, rollout.parents) == ("refine", (best,))
    assert made[2].rollouts[0].text == "r0t00c0 step 1\nr0t01c0 step 1\nr0t02c0 said \\boxed{2}"
    assert chosen(made[2]).answer == "2"
    assert {rollout.branch for rollout in made[0].rollouts[:-1]} == {"plain"}


def test_a_value_sees_one_state_and_a_vote_sees_all_numbered_in_their_order():
    team = LocalTeam(walks)
    go(team, PROBLEM, "tree_of_thoughts", Settings(keep=1, proposals=2, evaluations=1), 1)
    assert [state_of(r.messages[-1].content) for r in asked(team, 0, "value")] == ["r0t00c0 step 0", "r0t00c0 step 1"]
    team = LocalTeam(walks)
    made = go(team, PROBLEM, "tree_of_thoughts", Settings(keep=1, proposals=3, evaluate="vote", evaluations=2), 1)
    prompts = [r.messages[-1].content for r in asked(team, 0, "vote")]
    assert len(set(prompts)) == 1
    assert re.findall(r"Solution (\d) so far:\n~~~\nr0t00c0 step (\d)", prompts[0]) == [("1", "0"), ("2", "1"), ("3", "2")]
    assert beam_of(made[0]).values == (0.0, 1.0, 0.0)
    assert len({r.seed for r in asked(team, 0, "vote")}) == 2


def test_the_value_of_a_state_is_the_mean_of_what_could_be_read():
    async def answer(request):
        said = {"v0": "sure", "v1": "impossible", "v2": "surely"}
        return json.dumps({"report": "", "verdict": said[request.sample[-8:-6]]}) if request.role == "value" else await walks(request)

    made = go(LocalTeam(answer), PROBLEM, "tree_of_thoughts", Settings(keep=1, proposals=1), 1)[0]
    assert beam_of(made).values == (0.5,)
    assert [(check.score, check.parse) for check in made.verifications] == [(1, "parsed"), (0, "parsed"), (None, "parse_error")]


def test_a_state_whose_values_cannot_be_read_comes_after_all_others_and_is_no_failure():
    async def answer(request):
        if request.role == "value":
            last = state_of(request.messages[-1].content)[-1]
            return "No idea." if last == "0" else json.dumps({"report": "", "verdict": "impossible"})
        return await walks(request)

    made = go(LocalTeam(answer), PROBLEM, "tree_of_thoughts", Settings(keep=3, proposals=3), 1)[0]
    assert beam_of(made).values == (None, 0.0, 0.0)
    assert beam_of(made).kept == ("r0t00c1", "r0t00c2", "r0t00c0")


def test_the_best_go_on_and_of_equals_the_lower_number():
    made = go(LocalTeam(walks), PROBLEM, "tree_of_thoughts", Settings(keep=3), 1)[0]
    found = beam_of(made)
    assert found.values == (0.5, 1.0, 0.5, 0.5, 0.5)
    assert found.kept == ("r0t00c1", "r0t00c0", "r0t00c2")
    assert (found.best, found.tied) == ("r0t00c1", 1)
    assert (chosen(made).parents, chosen(made).text) == (("r0t00c1",), "r0t00c0 step 1")


def test_of_equals_one_with_a_final_answer_goes_before_a_lower_number_and_after_a_higher_value():
    async def answer(request):
        if request.role == "proposal":
            return json.dumps({"steps": ["Add 0", "So \\boxed{2}", "Add 1", "Or \\boxed{3}"]})
        return await walks(request)

    found = beam_of(go(LocalTeam(answer), PROBLEM, "tree_of_thoughts", Settings(keep=3, proposals=4), 1)[0])
    assert found.values == (0.5, 0.5, 1.0, 0.5)
    assert found.kept == ("r0t00c2", "r0t00c1", "r0t00c3")


def test_a_drawn_beam_follows_the_values_and_its_seed():
    async def answer(request):
        if request.role == "value":
            last = state_of(request.messages[-1].content)[-1]
            said = {"0": "impossible", "1": "sure"}.get(last, "likely")
            return json.dumps({"report": "", "verdict": said})
        return await walks(request)

    settings = Settings(keep=2, proposals=4, evaluations=1, select="sample")
    drawn: Counter[str] = Counter()
    for repeat in range(60):
        found = beam_of(go(LocalTeam(answer), PROBLEM, "tree_of_thoughts", settings, 1, repeat)[0])
        assert len(set(found.kept)) == 2
        drawn.update(id_[-2:] for id_ in found.kept)
        assert found == beam_of(go(LocalTeam(answer), PROBLEM, "tree_of_thoughts", settings, 1, repeat)[0])
    assert drawn["c0"] == 0
    assert drawn["c1"] > max(drawn["c2"], drawn["c3"])
    assert min(drawn["c2"], drawn["c3"]) > 10


def test_equal_states_are_valued_once_and_share_the_value():
    async def answer(request):
        if request.role == "proposal":
            return json.dumps({"steps": ["add  1", "add 1 ", "other 0"]})
        return await walks(request)

    team = LocalTeam(answer)
    made = go(team, PROBLEM, "tree_of_thoughts", Settings(keep=3, proposals=3), 1)[0]
    assert len(asked(team, 0, "value")) == 6
    assert beam_of(made).values == (1.0, 1.0, 0.5)
    assert beam_of(made).tied == 2
    assert {check.rollout for check in made.verifications} == {"r0t00c0", "r0t00c2"}


def answers_at_once(places):
    """The states proposed at these places have an answer."""

    async def answer(request):
        if request.role == "proposal":
            place = request.sample.split("/")[0]
            return json.dumps({"steps": [f"{place} step {i}" + " \\boxed{3}" * (f"{place}{i}" in places) for i in range(2)]})
        if request.role == "value":
            return json.dumps({"report": "", "verdict": "likely"})
        return await walks(request)

    return answer


def test_a_state_with_an_answer_goes_on_without_a_call_and_keeps_its_value():
    team = LocalTeam(answers_at_once({"r0t00c00"}))
    made = go(team, PROBLEM, "tree_of_thoughts", Settings(keep=2, proposals=2, evaluations=1), 3)
    kept = next(rollout for rollout in made[1].rollouts if rollout.branch == "kept")
    assert (kept.parents, kept.answer, kept.text) == (("r0t00c0",), "3", "r0t00c0 step 0 \\boxed{3}")
    assert len(asked(team, 1, "proposal")) == 1
    assert kept.text not in [state_of(r.messages[-1].content) for r in asked(team, 1)]
    assert dict(zip(beam_of(made[1]).states, beam_of(made[1]).values, strict=True))[kept.id] == 0.5
    assert chosen(made[1]).parents == (kept.id,)  # of equal values the one with an answer


def test_when_every_state_that_goes_on_has_its_answer_nothing_more_is_asked():
    team = LocalTeam(answers_at_once({"r0t00c00", "r0t00c01"}))
    made = go(team, PROBLEM, "tree_of_thoughts", Settings(keep=2, proposals=2), 3)
    assert made[0].memory.stopped == "every state that goes on has its answer"
    assert asked(team, 1) == asked(team, 2) == []
    assert [chosen(one).answer for one in made] == ["3"] * 3


@pytest.mark.parametrize(
    ("propose", "broken"),
    [("one_call", REFUSED), ("one_call", ""), ("one_call", "I would add."), ("samples", REFUSED), ("samples", "")],
)
def test_a_state_whose_proposals_fail_goes_on_unchanged_and_the_failed_calls_stay_on_record(propose, broken):
    async def answer(request):
        if request.role in ("proposal", "solution") and "t01c0" in request.sample:
            return broken
        return await walks(request)

    team = LocalTeam(answer)
    settings = Settings(keep=2, proposals=1 if propose == "samples" else 2, propose=propose)
    made = go(team, PROBLEM, "tree_of_thoughts", settings, 3)
    first = beam_of(made[0]).kept[0]
    again = next(rollout for rollout in made[1].rollouts if rollout.branch == "kept")
    assert (again.parents, again.text) == ((first,), next(r.text for r in made[0].rollouts if r.id == first))
    empty = next(rollout for rollout in made[1].rollouts if not rollout.text)
    assert empty.id not in beam_of(made[1]).states
    assert empty.trace.failure == (broken if broken == REFUSED else None)
    if propose == "one_call":
        turn = next(turn for turn in made[1].memory.turns if turn.id == "r0t01c0/proposal")
        assert (turn.data, turn.parse) == (None, "parse_error" if broken == "I would add." else "failed")


def test_without_any_state_the_answer_is_silence_and_the_root_is_tried_again():
    async def answer(request):
        return "" if "t00" in request.sample else await walks(request)

    team = LocalTeam(answer)
    made = go(team, PROBLEM, "tree_of_thoughts", Settings(keep=2, proposals=2), 2)
    assert (chosen(made[0]).text, chosen(made[0]).answer, beam_of(made[0]).kept) == ("", None, ())
    first, second = asked(team, 0, "proposal") + asked(team, 1, "proposal")
    assert first.messages == second.messages
    assert first.seed != second.seed
    assert len(beam_of(made[1]).kept) == 2


def test_without_a_vote_cast_no_state_has_a_value_and_a_single_state_is_not_voted_on():
    async def answer(request):
        return "Solution 2." if request.role == "vote" else await walks(request)

    settings = Settings(keep=2, proposals=2, evaluate="vote")
    team = LocalTeam(answer)
    made = go(team, PROBLEM, "tree_of_thoughts", settings, 1)[0]
    assert beam_of(made).values == (None, None)
    assert beam_of(made).kept == ("r0t00c0", "r0t00c1")
    assert [turn.parse for turn in made.memory.turns if turn.role == "vote"] == ["parse_error"] * 3
    alone = LocalTeam(answer)
    go(alone, PROBLEM, "tree_of_thoughts", settings.model_copy(update={"proposals": 1}), 1)
    assert not alone.by_role("vote")


def test_what_is_graded_whole_is_the_finish_alone():
    code = PROBLEM.model_copy(update={"grader": "code"})
    made = go(LocalTeam(walks), code, "tree_of_thoughts", Settings(steps=2, keep=1, proposals=2), 2)
    assert chosen(made[1]).text == "r0t01c0 said \\boxed{2}"
    assert chosen(made[1]).answer is None


def test_states_are_drafts_of_the_one_chosen_answer():
    method = strategy("tree_of_thoughts")
    assert method.chooses(Settings())
    assert {method.population(Settings(), t) for t in range(3)} == {0}
    fault = rounds_fault(StrategyChoice(name="tree_of_thoughts"), 4)
    assert fault is not None
    assert "say `iterations: 3`" in fault


@pytest.mark.parametrize("change", [{}, {"propose": "samples", "evaluate": "vote", "select": "sample"}])
def test_the_order_of_replies_changes_nothing(change):
    settings = Settings(keep=2, proposals=2, **change)
    calm = go(LocalTeam(replies), PROBLEM, "tree_of_thoughts", settings, 3)
    assert go(LocalTeam(shuffled(1)), PROBLEM, "tree_of_thoughts", settings, 3) == calm
    assert go(LocalTeam(shuffled(2)), PROBLEM, "tree_of_thoughts", settings, 3) == calm
