"""Verify and refine: calls, what a refinement sees, what is refined, what is chosen, and what ends the search."""

import json
from collections import Counter

import pytest

from tests.strategies.team import LocalTeam, go, replies, shuffled
from tmas_assets.records import Failure, Problem, StrategyChoice
from tmas_assets.strategies import StrategyFault, settings_of
from tmas_assets.strategies.tmas import Settings as Tmas
from tmas_assets.strategies.verify_refine import Settings

PROBLEM = Problem(benchmark="toy", release="1", id="p", statement="What is $1 + 1$?", answer="2", grader="math")
REFUSED = Failure(boundary="request", kind="bad_request", detail="no")


def place(request):
    """`t01c3v2` of a request's sample."""
    return request.sample.split("/")[0][2:]


def says(scores, **other):
    """`scores`: by candidate (`t00c1`), the score of each of its verifications, 0.5 for those that are not there.
    `other`: replies by place and role. Texts name where they were written."""

    async def answer(request):
        at = place(request)
        found = other.get(f"{at}_{request.role}")
        if found is not None:
            return found
        if request.role == "solution":
            return f"proof <{at}> \\boxed{{2}}"
        candidate, _, number = at.partition("v")
        if request.role == "meta_verification":
            return json.dumps({"critique": "sound", "score": 1})
        score = scores.get(candidate, {}).get(int(number), 0.5)
        return json.dumps({"critique": f"critique <{at}>", "score": score})

    return answer


def every(score, count=8):
    return dict.fromkeys(range(count), score)


def prompt(team, at, role="solution"):
    (one,) = [one for one in team.by_role(role) if place(one) == at]
    return one.messages[-1].content


def shown(text):
    return [part.split(">")[0] for part in text.split("<")[1:]]


def small(**change):
    return Settings(**{"candidates": 4, "verifications": 2, "refinements": 2, **change})


def test_an_iteration_with_eight_and_eight_makes_72_calls():
    team = LocalTeam(says({}))
    go(team, PROBLEM, "verify_refine", Settings(), 3)
    for t in range(3):
        calls = Counter(one.role for one in team.asked if place(one).startswith(f"t{t:02d}"))
        assert calls == {"solution": 8, "verification": 64}


def test_iteration_zero_asks_what_tmas_asks_so_that_they_share_its_replies():
    team, other = LocalTeam(), LocalTeam()
    go(team, PROBLEM, "verify_refine", Settings(), 1)
    go(other, PROBLEM, "tmas", Tmas(), 1)
    theirs = {one.key("m") for one in other.asked if one.role in ("solution", "verification")}
    assert {one.key("m") for one in team.asked} == theirs
    assert len(theirs) == 72


def test_the_best_of_the_whole_pool_are_refined_each_with_its_own_critiques_only():
    scores = {"t00c1": every(1, 1), "t00c3": {0: 1, 1: 0}, "t01c2": every(0), "t01c0": every(0), "t01c1": every(0), "t01c3": every(0)}
    team = LocalTeam(says(scores))
    made = go(team, PROBLEM, "verify_refine", small(), 3)
    # means of iteration 0: c1 0.75; c0, c2, c3 0.5 and equal in all but their number
    for t in (1, 2):  # iteration 1 scored 0, so its solutions are not refined in iteration 2
        assert [one.parents for one in made[t].rollouts[:4]] == [("r0t00c1",)] * 2 + [("r0t00c0",)] * 2
        assert [one.branch for one in made[t].rollouts[:4]] == ["refine"] * 4
    for n in (0, 1):
        assert shown(prompt(team, f"t01c{n}")) == ["t00c1", "t00c1v1", "t00c1v0"]  # 0.5 before 1
    assert shown(prompt(team, "t02c3")) == ["t00c0", "t00c0v0", "t00c0v1"]


def test_a_refinement_is_shown_eight_critiques_lowest_first_and_four_of_a_score():
    scores = {"t00c0": {**every(1, 6), **{n: 0 for n in range(6, 12)}}}
    team = LocalTeam(says(scores))
    go(team, PROBLEM, "verify_refine", Settings(candidates=1, refinements=1, verifications=12), 2)
    lowest, best = [f"t00c0v{n}" for n in (6, 7, 8, 9)], [f"t00c0v{n}" for n in (0, 1, 2, 3)]
    assert shown(prompt(team, "t01c0")) == ["t00c0", *lowest, *best]


def test_a_verification_sees_its_solution_and_no_other_text():
    team = LocalTeam(says({}))
    go(team, PROBLEM, "verify_refine", small(), 2)
    for one in team.by_role("verification"):
        assert shown(one.messages[-1].content) == [place(one).partition("v")[0]]


def test_the_answer_is_the_best_of_all_rounds():
    scores = {"t00c2": {0: 1}, "t01c1": every(0), "t01c0": every(0), "t01c2": every(0), "t01c3": every(0)}
    made = go(LocalTeam(says(scores)), PROBLEM, "verify_refine", small(), 2)
    for one in made:
        assert [rollout.branch for rollout in one.rollouts].count("chosen") == 1
        assert (one.rollouts[-1].branch, one.rollouts[-1].parents) == ("chosen", ("r0t00c2",))
    assert made[1].rollouts[-1].text == made[0].rollouts[2].text


def test_one_that_passes_all_verifications_ends_the_search():
    team = LocalTeam(says({"t01c1": every(1)}))
    made = go(team, PROBLEM, "verify_refine", small(), 4)
    assert [one.memory.stopped for one in made] == [None, *["r0t01c1 passes its 2 verifications"] * 3]
    assert {place(one)[:3] for one in team.asked} == {"t00", "t01"}
    assert made[3].rollouts[-1].text == made[1].rollouts[1].text
    on = go(LocalTeam(says({"t01c1": every(1)})), PROBLEM, "verify_refine", small(stop_when_passed=False), 3)
    assert on[2].memory.stopped is None


@pytest.mark.parametrize("reply", [REFUSED, "", "Surely a 1.", '{"critique": "x", "score": 0.9}'])
def test_a_verification_that_cannot_be_read_is_no_rating_and_no_pass(reply):
    made = go(LocalTeam(says({"t00c0": every(1)}, t00c0v1_verification=reply)), PROBLEM, "verify_refine", small(), 2)
    assert made[0].memory.stopped is None
    spoiled = next(check for check in made[0].verifications if check.id == "r0t00c0v1")
    assert spoiled.score is None
    assert made[1].rollouts[0].parents == ("r0t00c0",)  # mean 1 over the rating that is there


@pytest.mark.parametrize("reply", [REFUSED, ""])
def test_a_solution_without_text_is_neither_verified_nor_refined_nor_chosen(reply):
    gone = {f"t00c{n}_solution": reply for n in range(3)}
    team = LocalTeam(says({}, **gone))
    made = go(team, PROBLEM, "verify_refine", small(), 2)
    assert {check.rollout for check in made[0].verifications} == {"r0t00c3"}
    assert made[0].rollouts[-1].parents == ("r0t00c3",)
    assert {one.parents for one in made[1].rollouts[:4]} == {("r0t00c3",)}  # it gets the refinements of the others too


def test_where_nothing_has_text_all_are_plain_once_more():
    gone = {f"t00c{n}_solution": REFUSED for n in range(4)}
    made = go(LocalTeam(says({}, **gone)), PROBLEM, "verify_refine", small(), 2)
    assert [one.branch for one in made[0].rollouts] == ["plain"] * 4 + ["chosen"]
    assert [one.branch for one in made[1].rollouts] == ["plain"] * 4 + ["chosen"]
    assert made[1].rollouts[0].text


def test_low_ratings_are_rated_in_turn_and_a_groundless_one_is_dropped():
    scores = {"t00c0": {0: 0, 1: 1}, "t00c1": {0: 0.5, 1: 1}, "t00c2": every(0), "t00c3": every(0)}
    nought = json.dumps({"critique": "there is no such error", "score": 0})
    team = LocalTeam(says(scores, t00c0v0_meta_verification=nought))
    made = go(team, PROBLEM, "verify_refine", small(meta_verification=True, stop_when_passed=False), 2)
    asked = sorted(place(one) for one in team.by_role("meta_verification") if place(one).startswith("t00"))
    assert asked == ["t00c0v0", "t00c1v0", "t00c2v0", "t00c2v1", "t00c3v0", "t00c3v1"]
    assert shown(prompt(team, "t00c0v0", "meta_verification")) == ["t00c0", "t00c0v0"]
    metas = [check for check in made[0].verifications if check.about]
    assert [(check.id, check.about) for check in metas[:2]] == [("r0t00c0v2", "r0t00c0v0"), ("r0t00c1v2", "r0t00c1v0")]
    assert len({check.id for check in made[0].verifications}) == len(made[0].verifications)
    assert made[1].rollouts[0].parents == ("r0t00c0",)
    assert shown(prompt(team, "t01c0")) == ["t00c0", "t00c0v1"]
    ends = go(LocalTeam(says(scores, t00c0v0_meta_verification=nought)), PROBLEM, "verify_refine", small(meta_verification=True), 1)
    assert ends[0].memory.stopped == "r0t00c0 passes its 2 verifications"


@pytest.mark.parametrize(("threshold", "rated"), [(0, [0]), (0.5, [0, 1]), (0.75, [0, 1]), (1, [0, 1, 2])])
def test_ratings_up_to_the_threshold_are_rated_in_turn(threshold, rated):
    team = LocalTeam(says({"t00c0": {0: 0, 1: 0.5, 2: 1}}))
    settings = Settings(candidates=1, refinements=1, verifications=3, meta_verification=True, meta_threshold=threshold)
    go(team, PROBLEM, "verify_refine", settings, 1)
    assert sorted(place(one) for one in team.by_role("meta_verification")) == [f"t00c0v{n}" for n in rated]


@pytest.mark.parametrize("reply", [REFUSED, "no idea"])
def test_a_meta_verification_that_cannot_be_read_drops_nothing(reply):
    scores = {"t00c0": {0: 0, 1: 1}}
    team = LocalTeam(says(scores, t00c0v0_meta_verification=reply))
    go(team, PROBLEM, "verify_refine", small(meta_verification=True), 2)
    assert shown(prompt(team, "t01c0")) == ["t00c0", "t00c0v0", "t00c0v1"]


def test_per_thread_each_refines_its_own_predecessor_only_and_nothing_is_chosen():
    team = LocalTeam(says({"t00c0": every(0), "t01c0": every(0)}))
    made = go(team, PROBLEM, "verify_refine", Settings(candidates=3, verifications=2, per_thread=True), 3)
    for t in (1, 2):
        assert [one.parents for one in made[t].rollouts] == [(f"r0t{t - 1:02d}c{n}",) for n in range(3)]
        for n in range(3):
            origin = f"t{t - 1:02d}c{n}"
            assert shown(prompt(team, f"t{t:02d}c{n}")) == [origin, f"{origin}v0", f"{origin}v1"]
    assert len(team.asked) == 3 * (3 + 6)


def test_per_thread_one_that_passed_is_kept_and_all_end_the_problem():
    settings = Settings(candidates=2, verifications=2, per_thread=True)
    team = LocalTeam(says({"t00c0": every(1), "t02c1": every(1)}))
    made = go(team, PROBLEM, "verify_refine", settings, 5)
    assert [one.rollouts[0].branch for one in made] == ["plain", "kept", "kept", "kept", "kept"]
    assert {one.rollouts[0].text for one in made} == {made[0].rollouts[0].text}
    assert [one.rollouts[1].branch for one in made] == ["plain", "refine", "refine", "kept", "kept"]
    assert [bool(one.memory.stopped) for one in made] == [False, False, True, True, True]
    assert {place(one) for one in team.by_role("solution")} == {"t00c0", "t00c1", "t01c1", "t02c1"}


def test_per_thread_with_the_stop_off_one_that_passed_is_refined_all_the_same():
    settings = Settings(candidates=1, verifications=2, per_thread=True, stop_when_passed=False)
    made = go(LocalTeam(says({"t00c0": every(1)})), PROBLEM, "verify_refine", settings, 2)
    assert made[1].rollouts[0].branch == "refine"
    assert made[1].memory.stopped is None


def test_per_thread_a_lost_reply_goes_back_to_the_threads_last_text():
    team = LocalTeam(says({}, t01c0_solution=REFUSED, t00c1_solution=""))
    made = go(team, PROBLEM, "verify_refine", Settings(candidates=2, verifications=1, per_thread=True), 3)
    assert made[2].rollouts[0].parents == ("r0t00c0",)
    assert [one.branch for one in made[1].rollouts] == ["refine", "plain"]


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("per_thread", [False, True])
def test_the_order_of_replies_changes_nothing(seed, per_thread):
    settings = small(meta_verification=True, per_thread=per_thread)
    calm = go(LocalTeam(replies), PROBLEM, "verify_refine", settings, 4)
    assert go(LocalTeam(shuffled(seed)), PROBLEM, "verify_refine", settings, 4) == calm


@pytest.mark.parametrize(
    ("settings", "found"),
    [
        ({"candidates": 6, "refinements": 4}, r"settings.refinements: .*does not divide candidates \(6\)"),
        ({"n_best": 3}, r"settings.n_best: .*does not divide candidates \(8\)"),
        ({"n_best": 4, "refinements": 4}, r"settings.refinements: .*n_best \(4\) x refinements is not candidates \(8\)"),
        ({"verifications": 0}, r"settings.verifications: .*greater than or equal to 1"),
        ({"meta_threshold": 2}, r"settings.meta_threshold"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(settings, found):
    with pytest.raises(StrategyFault, match=found):
        settings_of(StrategyChoice(name="verify_refine", settings=settings))


@pytest.mark.parametrize("settings", [{}, {"n_best": 4, "refinements": 2}, {"candidates": 6, "per_thread": True}])
def test_settings_that_fit_are_taken(settings):
    assert settings_of(StrategyChoice(name="verify_refine", settings=settings))


@pytest.mark.parametrize(
    ("stated", "each", "refined"),
    [
        ({}, 4, 2), ({"candidates": 2}, 2, 1), ({"candidates": 1}, 1, 1), ({"candidates": 6}, 2, 3), ({"candidates": 7}, 1, 7),
        ({"candidates": 12}, 4, 3), ({"n_best": 1}, 8, 1), ({"candidates": 6, "n_best": 2}, 3, 2),
        ({"refinements": None}, 4, 2), ({"refinements": 2}, 2, 4),
    ],
)  # fmt: skip
def test_refinements_that_nobody_states_fill_the_round(stated, each, refined):
    settings = Settings(**stated)
    assert (settings.refinements, settings.of_each, settings.refined) == (each, each, refined)
