"""Role conversations: from rounds whose vote is right, only replies that can be imitated, grouped, in the order they were made."""

import random

import pytest

from tests.training.rounds import SETTINGS, LoggedTeam, candidate, saying, seen, simulated
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.voting import Voting
from tmas_assets.grading.thinking import split_thinking
from tmas_assets.records import Failure
from tmas_assets.training.role_conversations import conversations, final_answer, reply

ROLES = ("solution", "verification", "summary", "experience", "guideline")


def by_text(problem, answers):
    said = list(answers)
    return tuple(said.index(one) if one else None for one in said)


def never_equal(problem, answers):
    return None


def right_round(**changes):
    """A round whose vote is right, with the calls behind it."""
    team = LoggedTeam(saying("1", "1", "1", "2"), **changes)
    rounds = simulated(team=team)
    return next(one for one in rounds if final_answer(one, by_text) == "right" and one.round.iteration), team.calls


def talk(one, calls):
    return conversations(one, calls.get, by_text)


def graded(*pairs):
    """A round of rollouts with these (answer, outcome)."""
    made = simulated(iterations=1)[0].round
    changed = [rollout.model_copy(update={"answer": answer}) for rollout, (answer, _) in zip(made.rollouts, pairs, strict=True)]
    return seen(made.model_copy(update={"rollouts": tuple(changed)}), candidate(), outcomes=[outcome for _, outcome in pairs])


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ((("1", "right"), ("1", "right"), ("2", "wrong"), ("3", "wrong")), "right"),
        ((("1", "right"), ("2", "wrong"), ("2", "wrong"), ("3", "wrong")), "not right"),
        ((("1", "right"), ("1", "right"), ("2", "wrong"), ("2", "wrong")), "tied"),
        ((("1", "right"), (None, "wrong"), (None, "wrong"), (None, "failed")), "right"),
        (((None, "wrong"), (None, "wrong"), (None, "failed"), (None, "failed")), "none"),
        ((("1", "right"), ("x", "undecided"), ("x", "undecided"), (None, "failed")), "not right"),
        ((("1", "right"), ("1", "undecided"), ("2", "wrong"), (None, "failed")), "not right"),
        ((("1", "right"), ("2", "wrong"), ("3", "wrong"), ("4", "wrong")), "tied"),
    ],
)
def test_the_final_answer_is_the_plurality_and_a_tie_is_not_right(pairs, said):
    assert final_answer(graded(*pairs), by_text) == said


def test_spellings_of_one_value_vote_together_as_the_engine_compares_them():
    pairs = (("1", "right"), ("1.0", "right"), ("2", "wrong"), ("3", "wrong"))
    with Graders() as graders:
        assert final_answer(graded(*pairs), Voting(graders).classes) == "right"
        assert final_answer(graded(("1", "right"), *pairs[2:], ("2.0", "wrong")), Voting(graders).classes) == "not right"
    assert final_answer(graded(*pairs), by_text) == "tied"


@pytest.mark.parametrize(("right", "said"), [(4, "right"), (3, "right"), (2, "not right"), (0, "not right")])
def test_where_answers_cannot_be_told_equal_more_than_half_must_be_right(right, said):
    pairs = [("p", "right")] * right + [("p", "wrong")] * (4 - right)
    assert final_answer(graded(*pairs), never_equal) == said


def test_a_round_whose_vote_is_not_right_gives_none():
    team = LoggedTeam(saying("2"))
    one = simulated(team=team, iterations=1)[0]
    assert final_answer(one, by_text) == "not right"
    assert conversations(one, team.calls.get, by_text) == ()


def test_all_five_roles_speak_and_of_solutions_only_right_ones():
    one, calls = right_round()
    made = talk(one, calls)
    assert {each.role for each in made} == set(ROLES)
    right = {rollout for rollout, outcome in one.outcomes.items() if outcome == "right"}
    assert 0 < len(right) < 4
    assert {each.about for each in made if each.role == "solution"} == {(rollout,) for rollout in right}


def test_verdicts_are_imitated_where_the_grade_bears_them_out_and_both_kinds_are_there():
    found = []
    for seed in range(8):
        team = LoggedTeam(saying("1", "1", "1", "2"))
        for one in simulated(candidate(f"p{seed}"), team=team):
            if final_answer(one, by_text) == "right":
                scores = {check.id: (check.score, one.outcomes[check.rollout]) for check in one.round.verifications}
                told = {each.about[0] for each in talk(one, team.calls) if each.role == "verification"}
                assert told == {id_ for id_, pair in scores.items() if pair in ((1.0, "right"), (0.0, "wrong"))}
                found += [scores[id_] for id_ in told]
    assert set(found) == {(1.0, "right"), (0.0, "wrong")}


def test_summaries_are_imitated_where_their_verdicts_lean_to_the_grade():
    one, calls = right_round()
    leaning = {
        summed.id for summed in one.round.summaries
        if summed.mean_score != 0.5 and (summed.mean_score > 0.5) == (one.outcomes[summed.rollout] == "right")
    }  # fmt: skip
    assert {each.about[0] for each in talk(one, calls) if each.role == "summary"} == leaning != set()


def test_a_conversation_is_the_request_as_it_was_sent_and_the_reply():
    one, calls = right_round()
    for each in talk(one, calls):
        call = calls[each.call]
        assert each.messages == (*call.request.messages, reply(call))
        assert (each.messages[0].role, each.messages[-1].role) == ("system", "assistant")
        assert each.messages[-1].content == call.answer
        assert (each.prompt_tokens, each.completion_tokens, each.teacher, each.teacher_model, each.licence) == (10, 5, "teacher", "local", "MIT")


def test_the_thinking_comes_first_in_tags_and_splits_off_again():
    one, calls = right_round(solution={"thinking": "\nFirst this,\nthen that.\n"}, summary={"thinking": ""})
    for each in talk(one, calls):
        thinking, answer = split_thinking(each.messages[-1].content)
        assert (thinking, answer) == ("First this,\nthen that." if each.role == "solution" else None, calls[each.call].answer)


def test_the_order_counts_from_zero_and_follows_all_whose_replies_are_shown():
    one, calls = right_round()
    made = talk(one, calls)
    assert [each.order for each in made] == list(range(len(made)))
    place = {about: each.order for each in made for about in each.about}
    for each in made:
        if each.role == "verification":
            assert place.get(each.about[0].split("v")[0], -1) < each.order
        if each.role == "summary":
            assert max(place.get(f"{each.about[0].removesuffix('s')}{shown}", -1) for shown in ("", "v0", "v1")) < each.order
        if each.role in ("experience", "guideline"):
            assert each.order > max(other.order for other in made if other.role not in ("experience", "guideline"))


def test_inside_a_stage_the_order_is_by_candidate_and_check():
    made = talk(*right_round())
    for role in ("solution", "verification", "summary"):
        about = [each.about for each in made if each.role == role]
        assert about == sorted(about)


def test_the_order_records_lie_in_decides_nothing():
    one, calls = right_round()
    round_ = one.round
    mixed = {}
    for part in ("verifications", "summaries"):
        mixed[part] = list(getattr(round_, part))
        random.Random(3).shuffle(mixed[part])
    other = type(one)(**{**vars(one), "round": round_.model_copy(update={part: tuple(rows) for part, rows in mixed.items()})})
    assert talk(other, calls) == talk(one, calls)


@pytest.mark.parametrize("role", ["verification", "summary", "experience", "guideline"])
def test_a_reply_that_could_not_be_read_is_left_out(role):
    async def broken(request):
        return "\\" if request.role == role else await saying("1", "1", "1", "2")(request)

    team = LoggedTeam(broken)
    rounds = [one for one in simulated(team=team) if final_answer(one, by_text) == "right"]
    # without a verdict that can be read, nothing says which summaries lean to the grade
    lost = {role, "summary"} if role == "verification" else {role}
    assert {each.role for one in rounds for each in talk(one, team.calls)} == set(ROLES) - lost


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("change", [{"status": "truncated"}, {"repetitive": True}], ids=["truncated", "repetitive"])
def test_a_reply_that_was_cut_off_or_repeats_itself_is_left_out(role, change):
    one, calls = right_round(**{role: change})
    assert {each.role for each in talk(one, calls)} == set(ROLES) - {role}


def test_a_bank_call_names_the_entries_it_wrote():
    one, calls = right_round()
    for each in talk(one, calls):
        if each.role in ("experience", "guideline"):
            assert each.about == tuple(e.id for e in one.round.memory.entries if e.bank == each.role and e.last_seen == one.round.iteration) != ()


def test_a_round_is_a_group():
    team = LoggedTeam(saying("1"))
    groups = [{each.group for each in talk(one, team.calls)} for one in simulated(team=team)]
    assert groups == [{"sums/p1/teacher/r0t00"}, {"sums/p1/teacher/r0t01"}, {"sums/p1/teacher/r0t02"}]


def test_a_call_that_is_gone_is_said():
    one, _ = right_round()
    with pytest.raises(ValueError, match=r"sums/p1 by teacher, r0t0\d: call [0-9a-f]{64} .solution. behind r0t0\dc\d is not in the call log"):
        conversations(one, {}.get, by_text)


def test_a_request_that_failed_says_nothing():
    async def refused(request):
        if request.role == "summary":
            return Failure(boundary="request", kind="bad_request", detail="no")
        return await saying("1")(request)

    team = LoggedTeam(refused)
    one = simulated(team=team, iterations=1, settings=SETTINGS)[0]
    assert {each.role for each in talk(one, team.calls)} == set(ROLES) - {"summary"}
