"""RSA: which parents a child sees, that each draw stands alone, and how many calls a loop makes."""

import re
from collections import Counter

from tests.strategies.team import LocalTeam, go, replies, shuffled
from tmas_assets.records import Failure, Problem
from tmas_assets.strategies import strategy
from tmas_assets.strategies.rsa import Settings
from tmas_assets.strategies.single import Settings as SingleSettings

PROBLEM = Problem(benchmark="toy", release="1", id="p", statement="What is $1 + 1$?", answer="2", grader="math")


async def named(request) -> str:
    return f"text of {request.sample} \\boxed{{1}}"


def prompts(team: LocalTeam, iteration: int) -> list[str]:
    return [request.messages[-1].content for request in team.asked if f"t{iteration:02d}" in request.sample]


def shown(prompt: str) -> list[str]:
    return re.findall(r"^Solution \d+:\n~~~\ntext of (r\dt\d+c\d+)/solution \\boxed\{1\}\n~~~$", prompt, re.MULTILINE)


def test_ten_loops_of_sixteen_make_sixteen_calls_each_and_all_answers_count():
    team = LocalTeam()
    made = go(team, PROBLEM, "rsa", Settings(), 10)
    assert Counter(request.sample[2:5] for request in team.asked) == {f"t{t:02d}": 16 for t in range(10)}
    assert {request.role for request in team.asked} == {"solution"}
    assert {strategy("rsa").population(Settings(), t) for t in range(10)} == {len(one.rollouts) for one in made} == {16}
    assert not strategy("rsa").chooses(Settings())


def test_loop_zero_is_the_very_request_of_a_single_call():
    many, one = LocalTeam(), LocalTeam()
    go(many, PROBLEM, "rsa", Settings(population=4), 1)
    go(one, PROBLEM, "single", SingleSettings(samples=4), 1)
    assert many.asked == one.asked


def test_a_child_sees_the_problem_and_four_different_parents_of_the_loop_before_in_the_order_recorded():
    team = LocalTeam(named)
    made = go(team, PROBLEM, "rsa", Settings(), 4)
    for t in (1, 2, 3):
        seen = [shown(prompt) for prompt in prompts(team, t)]
        assert seen == [list(rollout.parents) for rollout in made[t].rollouts]
        assert all(len(set(parents)) == 4 for parents in seen)
        assert {parent for parents in seen for parent in parents} <= {rollout.id for rollout in made[t - 1].rollouts}
        assert all(PROBLEM.statement in prompt and f"t{t - 2:02d}" not in prompt for prompt in prompts(team, t))
        assert {rollout.branch for rollout in made[t].rollouts} == {"refine"}


def test_every_rollout_is_as_likely_to_be_a_parent():
    drawn: Counter[str] = Counter()
    for repeat in range(30):
        made = go(LocalTeam(), PROBLEM, "rsa", Settings(population=8, parents=2), 2, repeat)
        drawn.update(parent[-2:] for rollout in made[1].rollouts for parent in rollout.parents)
    assert set(drawn) == {f"c{n}" for n in range(8)}
    assert all(35 <= count <= 90 for count in drawn.values())  # 480 draws, 60 each: over three deviations either way


def test_children_draw_each_for_themselves_and_repeats_draw_anew():
    drawn = {
        tuple(rollout.parents[0][-2:] + rollout.parents[1][-2:] for rollout in made[1].rollouts)
        for repeat in range(3)
        for made in [go(LocalTeam(), PROBLEM, "rsa", Settings(population=8, parents=2), 2, repeat)]
    }
    assert len(drawn) == 3
    assert all(len(set(children)) > 3 for children in drawn)


def test_fewer_parents_than_asked_for_are_all_shown():
    made = go(LocalTeam(), PROBLEM, "rsa", Settings(population=3, parents=4), 2)
    assert {frozenset(rollout.parents) for rollout in made[1].rollouts} == {frozenset({"r0t00c0", "r0t00c1", "r0t00c2"})}


def test_empty_and_failed_answers_are_no_parents_and_stay_on_record():
    refused = Failure(boundary="request", kind="bad_request", detail="no")

    async def answer(request):
        if "t00c0/" in request.sample:
            return refused
        return " \n" if "t00c1/" in request.sample else await replies(request)

    made = go(LocalTeam(answer), PROBLEM, "rsa", Settings(population=4, parents=4), 2)
    assert {frozenset(rollout.parents) for rollout in made[1].rollouts} == {frozenset({"r0t00c2", "r0t00c3"})}
    assert [rollout.trace.failure for rollout in made[0].rollouts] == [refused, None, None, None]


def test_where_no_parent_is_left_a_child_is_asked_the_plain_problem():
    async def answer(request):
        return "" if "t00" in request.sample else await replies(request)

    team = LocalTeam(answer)
    made = go(team, PROBLEM, "rsa", Settings(population=2), 3)
    assert [(rollout.branch, rollout.parents) for rollout in made[1].rollouts] == [("plain", ())] * 2
    assert {rollout.branch for rollout in made[2].rollouts} == {"refine"}


def test_the_order_of_replies_changes_nothing():
    settings = Settings(population=6, parents=3)
    calm = go(LocalTeam(), PROBLEM, "rsa", settings, 3)
    assert go(LocalTeam(shuffled(1)), PROBLEM, "rsa", settings, 3) == calm
    assert go(LocalTeam(shuffled(2)), PROBLEM, "rsa", settings, 3) == calm
