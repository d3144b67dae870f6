"""What the CEO is told, what it gets of what it asks for, what its word to stop does, and what the budget allows."""

import pytest

from tests.strategies.adaptive import REFUSED, cast, conclusion, order, ordered, prompts, run, votes
from tests.strategies.team import LocalTeam
from tmas_assets.agents.mas_tts.ceo import Order
from tmas_assets.records import Usage
from tmas_assets.strategies.mas_tts import Settings
from tmas_assets.strategies.mas_tts.orders import grant


def asked(**change) -> Order:
    return Order.model_validate({"action": "continue", "experts": 3, "max_tokens": 4096, "direction": "d", "reason": "r"} | change)


@pytest.mark.parametrize(
    ("change", "experts", "tokens", "words"),
    [
        ({}, 3, 4096, ()),
        ({"experts": 40}, 4, 4096, ("experts 40 -> 4: from 1 to 4 are allowed",)),
        ({"experts": 0}, 1, 4096, ("experts 0 -> 1: from 1 to 4 are allowed",)),
        ({"experts": 1}, 1, 4096, ()),
        ({"max_tokens": 32000}, 3, 16384, ("tokens 32000 -> 16384: the choices are 2048, 4096, 8192, 16384",)),
        ({"max_tokens": 0}, 3, 2048, ("tokens 0 -> 2048: the choices are 2048, 4096, 8192, 16384",)),
        ({"max_tokens": 8000}, 3, 8192, ("tokens 8000 -> 8192: the choices are 2048, 4096, 8192, 16384",)),
        ({"max_tokens": 3072}, 3, 2048, ("tokens 3072 -> 2048: the choices are 2048, 4096, 8192, 16384",)),
    ],
)
def test_an_order_is_clamped_to_the_hard_limits_and_every_change_is_named(change, experts, tokens, words):
    found = grant(asked(**change), Settings(), solved=True, left=None)
    assert (found.granted.experts, found.granted.max_tokens, found.changed) == (experts, tokens, words)
    assert found.asked == asked(**change)
    assert (found.granted.direction, found.granted.reason) == ("d", "r")


@pytest.mark.parametrize(
    ("left", "experts", "tokens"), [(100_000, 3, 4096), (12_288, 3, 4096), (12_287, 3, 2048), (6_143, 2, 2048), (100, 1, 2048)]
)
def test_what_is_left_of_the_budget_lowers_tokens_first_then_experts(left, experts, tokens):
    found = grant(asked(), Settings(), solved=True, left=left)
    assert (found.granted.experts, found.granted.max_tokens) == (experts, tokens)
    assert bool(found.changed) is (left < 12_288)


def test_the_cap_on_tokens_bounds_what_is_granted_and_stands_alone_below_all_choices():
    for cap, choices in ((8192, (2048, 4096, 8192)), (5000, (2048, 4096)), (1000, (1000,))):
        settings = Settings(max_tokens=cap)
        assert settings.choices == choices
        assert grant(asked(max_tokens=16384), settings, solved=True, left=None).granted.max_tokens == choices[-1]


@pytest.mark.parametrize("reply", ["I think we go on with 4 experts.", "", REFUSED, order().replace("3", '"three or four"')])
def test_an_order_that_cannot_be_read_grants_the_settings_experts_and_the_smallest_choice_and_says_so(reply):
    team = cast(ceo=reply)
    made = run(team, Settings(experts=2))[0]
    found = ordered(made)
    assert found.asked is None
    assert (found.granted.action, found.granted.experts, found.granted.max_tokens, found.granted.direction) == ("continue", 2, 2048, "")
    assert found.changed == ("no readable order: 2 experts and 2048 tokens by default",)
    [logged] = [turn for turn in made.memory.turns if turn.kind == "Ordered"]
    assert logged.role == "ceo"
    assert logged.parse == ("parse_error" if isinstance(reply, str) and reply else "failed")
    assert logged.parse_error


def test_before_there_is_a_solution_stop_is_not_granted_and_that_is_logged():
    team = cast(ceo=order("stop", experts=2, max_tokens=8192))
    made = run(team, Settings())[0]
    found = ordered(made)
    assert (found.asked.action, found.granted.action, found.granted.experts, found.granted.max_tokens) == ("stop", "continue", 2, 8192)
    assert found.changed == ("stop is not granted before there is a solution",)
    assert made.rollouts[-1].text
    empty = cast(ceo=order("stop"), solution=lambda request: "" if "t00" in request.sample else "x")
    assert [one.rollouts[-1].text for one in run(empty, Settings(), 3)] == ["", "x", "x"]


def test_stop_without_numbers_in_the_first_round_continues_with_the_defaults():
    found = ordered(run(cast(ceo="Action: stop\nReason: it is easy"), Settings())[0])
    assert found.asked == Order(action="stop", reason="it is easy")
    assert (found.granted.experts, found.granted.max_tokens) == (2, 2048)


def test_stop_ends_the_run_before_any_other_call_and_keeps_the_solution():
    team = cast(ceo=lambda request: order("stop" if "t01" in request.sample else "continue"))
    made = run(team, Settings(), 4)
    assert [request.sample for request in team.asked if "t00" not in request.sample] == ["r0t01/ceo"]
    assert [one.memory.stopped for one in made] == [None, "the CEO stops", "the CEO stops", "the CEO stops"]
    assert [one.rollouts[-1].branch for one in made] == ["chosen"] * 4
    assert len({one.rollouts[-1].text for one in made}) == 1
    assert [len(one.rollouts) for one in made] == [2, 1, 1, 1]
    assert ordered(made[1]).granted.action == "stop"
    assert conclusion(made[1]).accepted is False


def test_the_ceo_sees_solution_objections_advice_votes_verdict_spend_and_what_is_left():
    team = cast(critic=votes("agree", "disagree"))
    made = run(team, Settings(critic_iterations=1, token_budget=100_000), 2)
    first, second = prompts(team, "ceo")
    assert "Round 1. Spent so far: 0 calls, 0 tokens." in first
    assert "Left: 100000 of 100000 tokens." in first
    spent = conclusion(made[0]).spent
    calls = [request for request in team.asked if "t00" in request.sample]
    assert (spent.calls, spent.tokens) == (len(calls), 15 * len(calls))
    for text in (
        "solution r0t00c1/", "Critic 2:\n~~~\nreport r0t00c1v1", "mend the sign", f"Round 2. Spent so far: {spent.calls} calls, "
        f"{spent.tokens} tokens.", f"Left: {100_000 - spent.tokens} of 100000 tokens.", "Experts in the last round: 3.",
        "at most 4096", "Critics asked: 2. Votes: 2. Votes for the solution: 1.", "They do not agree", "does not accept",
        "2048, 4096, 8192, 16384", "1 to 4",
    ):  # fmt: skip
        assert text in second
    assert "No token budget" not in second
    assert "No token budget is set." in prompts(_ran(cast()), "ceo")[0]


def _ran(team: LocalTeam) -> LocalTeam:
    run(team, Settings())
    return team


def test_spend_is_over_all_rounds_and_no_repeated_answer_counts_twice():
    team = cast()
    made = run(team, Settings(), 5)
    assert conclusion(made[-1]).spent.calls == len(team.asked)
    assert conclusion(made[-1]).spent.tokens == 15 * len(team.asked)


CHEAP = (1, 2)
"""Token choices that no budget of these tests lowers: replies of this team have 15 tokens whatever they may have."""


def test_a_spent_budget_asks_for_the_first_solution_and_for_nothing_else():
    for settings, roles in ((Settings(token_budget=1, token_choices=CHEAP), ["ceo", "solution"]), (Settings(token_budget=1, ceo=False),
                            ["recruiter", "solution"])):  # fmt: skip
        team = cast()
        made = run(team, settings, 3)
        assert [request.role for request in team.asked] == roles
        assert [one.memory.stopped for one in made] == ["the token budget is spent"] * 3
        assert made[-1].rollouts[-1].text


@pytest.mark.parametrize("budget", range(1, 500, 23))
@pytest.mark.parametrize("topology", ["vertical", "horizontal"])
def test_nothing_is_asked_once_the_budget_is_spent_save_for_what_is_out(budget, topology):
    team = cast(ceo=order(experts=4), critic=votes("disagree"))
    made = run(team, Settings(token_budget=budget, topology=topology, token_choices=CHEAP), 6)
    assert made[-1].memory.stopped == "the token budget is spent"
    # at most one stage of reviews, all sent at once, is above the cap; the first solution comes in any case
    assert budget <= 15 * len(team.asked) < max(budget, 30) + 15 * 3
    assert made[-1].rollouts[-1].text


def test_a_budget_that_the_last_call_of_a_round_spends_makes_this_round_the_last():
    settings = Settings(ceo=False, evaluator=False, recruiter=False)
    whole = conclusion(run(cast(), settings)[0]).spent.tokens
    team = cast()
    made = run(team, settings.model_copy(update={"token_budget": whole}), 2)
    assert made[0].memory.stopped == "the token budget is spent"
    assert conclusion(made[0]).ended == "consensus"
    assert not [request for request in team.asked if "t01" in request.sample]


def test_a_budget_that_the_ceos_own_call_spends_asks_nobody_else_and_the_earlier_answer_stands():
    team = cast()
    made = run(team, Settings(token_budget=100, token_choices=CHEAP), 3)  # a round takes 90
    assert [request.sample for request in team.asked if "t00" not in request.sample] == ["r0t01/ceo"]
    assert made[1].rollouts[-1].text == made[0].rollouts[-1].text
    found = conclusion(made[1])
    assert (found.accepted, found.ended, found.spent.calls) == (False, "the token budget is spent", 7)
    assert made[1].memory.stopped == "the token budget is spent"


def test_a_reply_of_unknown_usage_counts_with_all_it_was_allowed_and_a_refused_one_with_nothing():
    class Silent(LocalTeam):
        async def ask(self, request):
            call = await super().ask(request)
            if request.role == "evaluator":
                return call
            return call.model_copy(update={"usage": Usage()})

    team = Silent(cast(recruiter=REFUSED).answer)
    spent = conclusion(run(team, Settings())[0]).spent
    # ceo 64, solver and two critics as granted, evaluator 15
    assert (spent.calls, spent.tokens, spent.unknown) == (6, 64 + 3 * 4096 + 15, 4)
