"""Single and self-consistency: what is asked, how a vote is decided, and that both share their calls."""

from collections import Counter

import pytest

from tests.strategies.team import LocalTeam, go
from tmas_assets.records import Problem, StrategyChoice
from tmas_assets.strategies import rounds_fault
from tmas_assets.strategies.self_consistency import Settings, Vote
from tmas_assets.strategies.single import Settings as SingleSettings

PROBLEM = Problem(benchmark="toy", release="1", id="p", statement="What is $1 + 1$?", answer="2", grader="math")


def says(answers):
    async def answer(request):
        said = answers[int(request.sample.split("c")[1].split("/")[0])]
        return "no idea" if said is None else f"So \\boxed{{{said}}}"

    return answer


@pytest.mark.parametrize(
    ("answers", "winner", "votes", "tied"),
    [
        (["1", "2", "2"], 1, 2, 1),
        (["3", "2", "2", "3"], 0, 2, 2),
        ([None, "2", None, None], 1, 1, 1),
        ([None, None], None, 0, 0),
    ],
)
def test_the_most_frequent_class_wins_ties_go_to_the_first_sample_and_silence_abstains(answers, winner, votes, tied):
    made = go(LocalTeam(says(answers)), PROBLEM, "self_consistency", Settings(samples=len(answers)), 1)[0]
    vote = Vote.model_validate_json(made.memory.turns[0].data)
    assert (vote.winner, vote.votes, vote.tied, vote.by) == (winner, votes, tied, "value")
    chosen = made.rollouts[-1]
    assert (chosen.branch, chosen.answer, chosen.parents) == ("chosen", answers[winner or 0], (f"r0t00c{winner or 0}",))
    assert [rollout.branch for rollout in made.rollouts[:-1]] == ["plain"] * len(answers)


def test_programs_are_equal_where_their_texts_are():
    async def answer(request):
        return "A" if "c0/" in request.sample else "B  b"

    code = PROBLEM.model_copy(update={"grader": "code"})
    made = go(LocalTeam(answer), code, "self_consistency", Settings(samples=3), 1)[0]
    vote = Vote.model_validate_json(made.memory.turns[0].data)
    assert (vote.by, vote.classes, vote.winner) == ("text", (0, 1, 1), 1)


def test_every_sample_is_one_plain_call_and_single_asks_the_very_same():
    many, one = LocalTeam(), LocalTeam()
    go(many, PROBLEM, "self_consistency", Settings(samples=64), 1)
    go(one, PROBLEM, "single", SingleSettings(), 1)
    assert Counter(request.role for request in many.asked) == {"solution": 64}
    assert len(one.asked) == 1
    assert one.asked[0] == many.asked[0]


def test_more_iterations_than_there_are_rounds_are_refused_with_what_to_say():
    found = rounds_fault(StrategyChoice(name="single"), 2)
    assert found is not None
    assert "say `iterations: 1`" in found
