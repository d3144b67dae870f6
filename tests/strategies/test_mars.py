"""The loop of solver, verifier and corrector: what each sees, how verdicts count, and what ends a thread."""

import json
from collections import Counter

import pytest

from tests.strategies.team import LocalTeam, go, replies, shuffled
from tmas_assets.records import Failure, Problem, StrategyChoice
from tmas_assets.strategies import StrategyFault, rounds_fault, settings_of
from tmas_assets.strategies.mars import Ended, Settings, Try
from tmas_assets.strategies.single import Settings as Single

PROBLEM = Problem(benchmark="toy", release="1", id="p", statement="What is $1 + 1$?", answer="2", grader="math")
REFUSED = Failure(boundary="request", kind="bad_request", detail="no")


def place(request):
    return request.sample.split("/")[0][2:]


def says(verdicts, **other):
    """`verdicts`: of thread 0, a letter an iteration: c(orrect), i(ncorrect), u(nreadable); the last one goes on.
    `other`: replies by place and role."""

    async def answer(request):
        at = place(request)
        found = other.get(f"{at}_{request.role}")
        if found is not None:
            return found
        if request.role == "solution":
            return f"solution <{at}> \\boxed{{2}}"
        said = {"c": "correct", "i": "incorrect", "u": "not incorrect"}[verdicts[min(int(at[1:3]), len(verdicts) - 1)]]
        return json.dumps({"report": f"report <{at}>", "verdict": said})

    return answer


class CutOff(LocalTeam):
    """Replies at these places end before their time."""

    def __init__(self, answer, *places, status="truncated"):
        super().__init__(answer)
        self.places, self.status = places, status

    async def ask(self, request):
        call = await super().ask(request)
        return call.model_copy(update={"status": self.status}) if place(request) in self.places else call


def shown(text):
    return [part.split(">")[0] for part in text.split("<")[1:]]


def prompt(team, at, role="solution"):
    (one,) = [one for one in team.by_role(role) if place(one) == at]
    return one.messages[-1].content


def run(verdicts, iterations=10, **settings):
    team = LocalTeam(says(verdicts))
    return team, go(team, PROBLEM, "mars", Settings(**settings), iterations)


def ends(made):
    return [Ended.model_validate_json(turn.data) for one in made for turn in one.memory.turns if turn.kind == "Ended"]


def test_the_first_request_is_the_plain_one_of_every_strategy():
    team, single = LocalTeam(says("c")), LocalTeam(says("c"))
    go(team, PROBLEM, "mars", Settings(threads=2), 1)
    go(single, PROBLEM, "single", Single(samples=2), 1)
    assert [one.key("m") for one in team.by_role("solution")] == [one.key("m") for one in single.asked]


def test_the_verifier_sees_the_solution_alone_and_the_corrector_that_solution_with_its_report():
    team, made = run("ii", 3)
    assert shown(prompt(team, "t00c0v0", "verification")) == ["t00c0"]
    assert shown(prompt(team, "t01c0")) == ["t00c0", "t00c0v0"]
    assert shown(prompt(team, "t01c0v0", "verification")) == ["t01c0"]
    assert shown(prompt(team, "t02c0")) == ["t01c0", "t01c0v0"]  # nothing of older solutions
    assert [one.rollouts[0].parents for one in made] == [(), ("r0t00c0",), ("r0t01c0",)]
    assert Counter(one.role for one in team.asked) == {"solution": 3, "verification": 3}


def test_four_passes_in_a_row_accept_and_then_nothing_is_asked():
    team, made = run("c")
    assert Counter(one.role for one in team.asked) == {"solution": 1, "verification": 4}
    assert [one.rollouts[0].branch for one in made[:4]] == ["plain", "kept", "kept", "kept"]
    assert len({one.seed for one in team.by_role("verification")}) == 4
    assert ends(made) == [Ended(thread=0, why="accepted", passes=4, failures=0)]
    assert [bool(one.memory.stopped) for one in made] == [False] * 3 + [True] * 7
    assert made[9].memory.stopped == "thread 0 accepted: 4 passes in a row, 0 failures"


@pytest.mark.parametrize(("verdicts", "at"), [("cccic", 7), ("ic", 4), ("cucucuc", 6)])
def test_a_failure_begins_the_count_anew_and_an_unreadable_verdict_does_not(verdicts, at):
    _, made = run(verdicts)
    assert [bool(one.memory.stopped) for one in made].index(True) == at
    assert ends(made)[0].why == "accepted"


def test_ten_failures_reject_and_the_reason_is_kept():
    team, made = run("i")
    assert ends(made) == [Ended(thread=0, why="rejected", passes=0, failures=10)]
    assert made[9].memory.stopped == "thread 0 rejected: 0 passes in a row, 10 failures"
    assert len(team.asked) == 20
    _, made = run("i", 5, failures=2)
    assert [one.rollouts[0].branch for one in made] == ["plain", "refine", "kept", "kept", "kept"]
    assert ends(made)[0].failures == 2


def test_failures_count_in_all_and_passes_in_a_row():
    _, made = run("icicic", failures=3)
    assert ends(made) == [Ended(thread=0, why="rejected", passes=0, failures=3)]
    assert made[4].memory.stopped


def test_the_counter_that_starts_at_one_needs_a_verdict_less_until_the_first_failure():
    assert sum(not one.memory.stopped for one in run("c", passes_at_start=1)[1]) == 2
    assert sum(not one.memory.stopped for one in run("ic", passes_at_start=1)[1]) == 4


def test_at_most_ten_iterations():
    assert rounds_fault(StrategyChoice(name="mars"), 10) is None
    assert "say `iterations: 10`" in (rounds_fault(StrategyChoice(name="mars"), 11) or "")


@pytest.mark.parametrize(
    "reply",
    [
        "The solution is correct.", "Verdict: incorrect or correct", '{"report": "x", "verdict": "not correct"}',
        "correct", '{"report": "x", "verdict": true}', "", REFUSED,
    ],
)  # fmt: skip
def test_an_unreadable_verdict_is_asked_for_once_more_and_is_then_neither_pass_nor_failure(reply):
    lost = {f"t00c0v{n}_verification": reply for n in range(2)}
    team = LocalTeam(says("c", **lost))
    made = go(team, PROBLEM, "mars", Settings(passes=1), 2)
    first, again = (one for one in team.by_role("verification") if place(one).startswith("t00"))
    assert first.seed != again.seed
    assert first.messages == again.messages
    assert [(check.check, check.score) for check in made[0].verifications] == [(0, None), (1, None)]
    assert made[0].memory.stopped is None
    assert made[1].rollouts[0].branch == "kept"  # the same solution is verified again
    assert [check.score for check in made[1].verifications] == [1]
    assert made[1].memory.stopped


def test_where_the_second_reply_can_be_read_it_counts():
    team = LocalTeam(says("i", t00c0v0_verification="hm"))
    made = go(team, PROBLEM, "mars", Settings(), 2)
    assert [check.score for check in made[0].verifications] == [None, 0]
    assert shown(prompt(team, "t01c0")) == ["t00c0", "t00c0v1"]


def test_a_solver_that_is_cut_off_is_asked_again_up_to_three_times_and_every_call_is_kept():
    team = CutOff(says("c"), "t00c0", "t00c0try1")
    made = go(team, PROBLEM, "mars", Settings(), 1)[0]
    assert [place(one) for one in team.by_role("solution")] == ["t00c0", "t00c0try1", "t00c0try2"]
    assert len({one.seed for one in team.by_role("solution")}) == 3
    assert made.rollouts[0].text == "solution <t00c0try2> \\boxed{2}"
    assert (made.rollouts[0].branch, made.rollouts[0].id) == ("plain", "r0t00c0")
    tries = [turn for turn in made.memory.turns if turn.kind == "Try"]
    assert [Try.model_validate_json(turn.data).status for turn in tries] == ["truncated", "truncated"]
    assert [turn.text for turn in tries] == ["solution <t00c0> \\boxed{2}", "solution <t00c0try1> \\boxed{2}"]
    kept = {made.rollouts[0].trace.call, *(turn.trace.call for turn in tries), *(v.trace.call for v in made.verifications)}
    assert kept == {one.key("local") for one in team.asked}


def test_an_empty_reply_of_the_solver_is_asked_for_again_too():
    team = CutOff(says("c", t00c0_solution=""), "t00c0", status="empty")
    made = go(team, PROBLEM, "mars", Settings(), 1)[0]
    assert [place(one) for one in team.by_role("solution")] == ["t00c0", "t00c0try1"]
    assert made.rollouts[0].text == "solution <t00c0try1> \\boxed{2}"


def test_after_three_tries_the_last_reply_stands_and_a_refused_request_is_not_repeated():
    team = CutOff(says("c"), "t00c0", "t00c0try1", "t00c0try2")
    made = go(team, PROBLEM, "mars", Settings(), 1)[0]
    assert made.rollouts[0].text == "solution <t00c0try2> \\boxed{2}"
    assert len(made.verifications) == 1
    refused = LocalTeam(says("c", t00c0_solution=REFUSED))
    made = go(refused, PROBLEM, "mars", Settings(), 2)
    assert [place(one) for one in refused.by_role("solution")] == ["t00c0", "t01c0"]
    assert [one.rollouts[0].branch for one in made] == ["plain", "plain"]
    assert made[0].verifications == ()


def test_a_correction_without_text_gets_no_verdict_and_the_solution_before_it_is_corrected_again():
    team = LocalTeam(says("ii", t01c0_solution=REFUSED))
    made = go(team, PROBLEM, "mars", Settings(failures=2), 3)
    assert made[1].verifications == ()
    assert shown(prompt(team, "t02c0")) == ["t00c0", "t00c0v0"]
    assert made[2].rollouts[0].parents == ("r0t00c0",)
    assert ends(made) == [Ended(thread=0, why="rejected", passes=0, failures=2)]


def test_the_answer_is_the_solution_verified_most_often_and_the_newest_of_equals():
    _, made = run("ccicii", 6)
    chosen = [one.rollouts[-1] for one in made]
    assert {one.branch for one in chosen} == {"chosen"}
    # passes: the first solution 2, its correction 1, the corrections after that none
    assert {one.text for one in chosen} == {"solution <t00c0> \\boxed{2}"}
    _, made = run("cici", 4)
    assert [one.rollouts[-1].text.split(">")[0] for one in made] == [
        "solution <t00c0", "solution <t00c0", "solution <t02c0", "solution <t02c0",
    ]  # fmt: skip


def test_by_last_every_thread_answers_with_its_current_solution_and_nothing_is_chosen():
    _, made = run("ccii", 4, answer="last", threads=2)
    assert [[rollout.branch for rollout in one.rollouts] for one in made] == [
        ["plain", "plain"], ["kept", "kept"], ["kept", "kept"], ["refine", "refine"],
    ]  # fmt: skip


def test_threads_end_by_themselves_and_the_problem_with_the_last_of_them():
    passed = json.dumps({"report": "none", "verdict": "correct"})
    other = {f"t{t:02d}c1v0_verification": passed for t in range(4)}
    team = LocalTeam(says("i", **other))
    made = go(team, PROBLEM, "mars", Settings(threads=2, passes=2, failures=3), 5)
    assert [(end.thread, end.why) for end in ends(made)] == [(1, "accepted"), (0, "rejected")]
    assert [bool(one.memory.stopped) for one in made] == [False, False, True, True, True]
    assert made[2].memory.stopped.count(";") == 1
    assert "t02c1v0" not in {place(one) for one in team.asked}
    assert made[2].rollouts[-1].text == "solution <t00c1> \\boxed{2}"


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_replies_changes_nothing(seed):
    settings = Settings(threads=4, passes=2)
    calm = go(LocalTeam(replies), PROBLEM, "mars", settings, 6)
    assert go(LocalTeam(shuffled(seed)), PROBLEM, "mars", settings, 6) == calm


def test_a_start_that_accepts_without_a_verdict_is_refused():
    with pytest.raises(StrategyFault, match=r"settings.passes_at_start: .*before any verdict"):
        settings_of(StrategyChoice(name="mars", settings={"passes": 2, "passes_at_start": 2}))
