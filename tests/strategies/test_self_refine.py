"""Self-Refine: each thread sees its own attempts and feedback only, two calls an iteration, and stops on a verdict."""

import json
from collections import Counter

import pytest

from tests.strategies.team import LocalTeam, go, replies, shuffled
from tmas_assets.records import Failure, Problem
from tmas_assets.strategies.self_refine import Settings
from tmas_assets.strategies.single import Settings as Single

PROBLEM = Problem(benchmark="toy", release="1", id="p", statement="What is $1 + 1$?", answer="2", grader="math")
REFUSED = Failure(boundary="request", kind="bad_request", detail="no")


def place(request):
    """`t01c3` of a request's sample."""
    return request.sample.split("/")[0][2:]


def says(verdict="wrong", **other):
    """Solutions and feedback that name where they were written; `other`: replies by place and role."""

    async def answer(request):
        found = other.get(f"{place(request)}_{request.role}")
        if found is not None:
            return found
        if request.role == "feedback":
            return json.dumps({"report": f"feedback <{place(request)}>", "verdict": verdict})
        return f"attempt <{place(request)}> \\boxed{{2}}"

    return answer


def prompts(team, role, iteration):
    return {
        place(one): one.messages[-1].content for one in team.by_role(role) if place(one).startswith(f"t{iteration:02d}")
    }


def shown(prompt):
    """The attempts and pieces of feedback in a prompt, in order."""
    return [part.split(">")[0] for part in prompt.split("<")[1:]]


def test_iteration_zero_is_the_plain_call_and_later_ones_are_two_calls_a_thread():
    team, single = LocalTeam(says()), LocalTeam(says())
    go(team, PROBLEM, "self_refine", Settings(), 3)
    calls = Counter((place(one)[:3], one.role) for one in team.asked)
    assert calls == {
        ("t00", "solution"): 8, ("t01", "feedback"): 8, ("t01", "solution"): 8, ("t02", "feedback"): 8, ("t02", "solution"): 8,
    }  # fmt: skip
    go(single, PROBLEM, "single", Single(samples=8), 1)
    assert team.asked[:8] == single.asked


def test_a_revision_sees_its_threads_last_attempt_and_the_feedback_on_it_and_nothing_else():
    team = LocalTeam(says())
    made = go(team, PROBLEM, "self_refine", Settings(threads=3), 3)
    for n in range(3):
        assert shown(prompts(team, "feedback", 2)[f"t02c{n}"]) == [f"t01c{n}"]
        assert shown(prompts(team, "solution", 2)[f"t02c{n}"]) == [f"t01c{n}", f"t02c{n}"]
    assert [one.parents for one in made[2].rollouts] == [(f"r0t01c{n}",) for n in range(3)]
    assert [(check.rollout, check.check) for check in made[2].verifications] == [(f"r0t01c{n}", 0) for n in range(3)]


def test_with_the_whole_history_a_prompt_grows_by_every_attempt_oldest_first():
    team = LocalTeam(says())
    made = go(team, PROBLEM, "self_refine", Settings(threads=2, shows="all"), 4)
    # the feedback of an iteration is on the attempt of the one before
    expected = ["t00c1", "t01c1", "t01c1", "t02c1", "t02c1", "t03c1"]
    assert shown(prompts(team, "solution", 3)["t03c1"]) == expected
    assert made[3].rollouts[1].parents == ("r0t00c1", "r0t01c1", "r0t02c1")
    long = go(LocalTeam(says()), PROBLEM, "self_refine", Settings(threads=1, shows="all"), 12)
    assert long[-1].rollouts[0].parents == tuple(f"r0t{t:02d}c0" for t in range(4, 11))  # what the limits have room for


def test_a_thread_whose_feedback_says_right_keeps_its_solution_and_asks_no_more():
    team = LocalTeam(says(t01c0_feedback='{"report": "fine", "verdict": "right"}'))
    made = go(team, PROBLEM, "self_refine", Settings(threads=2), 4)
    assert [one.rollouts[0].branch for one in made] == ["plain", "kept", "kept", "kept"]
    assert {one.rollouts[0].text for one in made} == {made[0].rollouts[0].text}
    assert [place(one) for one in team.asked if "c0" in one.sample] == ["t00c0", "t01c0"]
    assert [one.rollouts[1].branch for one in made] == ["plain", "refine", "refine", "refine"]
    assert made[3].memory.stopped is None


def test_when_all_threads_have_stopped_nothing_more_is_asked():
    team = LocalTeam(says(verdict="right"))
    made = go(team, PROBLEM, "self_refine", Settings(threads=2), 5)
    assert len(team.asked) == 4
    assert [bool(one.memory.stopped) for one in made] == [False, True, True, True, True]
    assert {rollout.text for rollout in made[4].rollouts} == {rollout.text for rollout in made[0].rollouts}


def test_with_the_stop_off_a_right_verdict_stops_nothing():
    team = LocalTeam(says(verdict="right"))
    made = go(team, PROBLEM, "self_refine", Settings(threads=2, stop_when_right=False), 3)
    assert [one.branch for one in made[2].rollouts] == ["refine", "refine"]
    assert made[2].memory.stopped is None


@pytest.mark.parametrize(
    ("reply", "seen"),
    [
        ("It is not right: a sign is lost. ", True),  # the original's substring test would stop here
        ("Right? A sign is lost.\nVerdict: not right", True),
        ('{"report": "A sign is lost", "verdict": "alright"}', False),
        (REFUSED, False),
        ("", False),
    ],
)
def test_feedback_without_a_readable_verdict_stops_nothing_and_its_prose_is_shown(reply, seen):
    team = LocalTeam(says(t01c0_feedback=reply))
    made = go(team, PROBLEM, "self_refine", Settings(threads=1), 2)
    (said,) = made[1].verifications
    assert said.score is None
    assert said.parse == ("failed" if reply in ("", REFUSED) else "parse_error")
    assert made[1].rollouts[0].branch == "refine"
    prompt = prompts(team, "solution", 1)["t01c0"]
    assert ("sign is lost" in prompt) is seen
    assert ("Check 1, score unknown" in prompt) is seen


@pytest.mark.parametrize("reply", [REFUSED, ""])
def test_after_a_revision_without_text_the_thread_goes_on_from_its_last_attempt_that_has_some(reply):
    team = LocalTeam(says(t01c0_solution=reply))
    made = go(team, PROBLEM, "self_refine", Settings(threads=1), 3)
    assert made[1].rollouts[0].text == ""
    assert made[2].rollouts[0].parents == ("r0t00c0",)
    checks = [(check.id, check.iteration) for one in made for check in one.verifications]
    assert checks == [("r0t00c0v0", 1), ("r0t00c0v1", 2)]
    assert shown(prompts(team, "solution", 2)["t02c0"]) == ["t00c0", "t02c0"]  # the newest feedback alone


def test_a_thread_without_any_text_solves_anew():
    team = LocalTeam(says(t00c0_solution=REFUSED))
    made = go(team, PROBLEM, "self_refine", Settings(threads=2), 2)
    assert [one.branch for one in made[1].rollouts] == ["plain", "refine"]
    assert [place(one) for one in team.by_role("feedback")] == ["t01c1"]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_replies_changes_nothing(seed):
    settings = Settings(threads=4, shows="all")
    calm = go(LocalTeam(replies), PROBLEM, "self_refine", settings, 4)
    assert go(LocalTeam(shuffled(seed)), PROBLEM, "self_refine", settings, 4) == calm


def test_threads_draw_apart_and_one_more_changes_no_other():
    few = go(LocalTeam(replies), PROBLEM, "self_refine", Settings(threads=2), 3)
    more = go(LocalTeam(replies), PROBLEM, "self_refine", Settings(threads=3), 3)
    assert [one.rollouts[:2] for one in more] == [one.rollouts for one in few]
    seeds = [one.seed for made in more for one in made.rollouts if one.branch != "kept"]
    assert len(seeds) == len(set(seeds))
