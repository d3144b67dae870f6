"""Caps of a decision on money: what is counted, at which prices, and what is still asked once it is spent."""

from collections import Counter

import pytest

from tests.strategies.deciding import at, decide, decision, replies, speaks
from tests.strategies.team import LocalTeam
from tmas_assets.records import StrategyChoice, Trace
from tmas_assets.strategies import StrategyFault, settings_of
from tmas_assets.strategies.team_decision.caps import Account
from tmas_assets.strategies.team_decision.settings import Settings

ONE = {"default": {"prompt": 100_000, "completion": 200_000}}
"""A reply of 10 and 5 tokens costs 1 + 1."""


def trace(role: str = "expert", prompt: int | None = 10, completion: int | None = 5, status: str = "complete") -> Trace:
    return Trace.model_validate({
        "call": "k", "reply": "r", "role": role, "status": status, "repetitive": False, "prompt_tokens": prompt, "completion_tokens": completion,
        "failure": None,
    })  # fmt: skip


def test_once_the_money_is_spent_only_the_decision_is_asked_for_and_it_says_so():
    team = LocalTeam(replies)
    found = decision(decide(team, max_cost=12, prices=ONE))
    assert Counter(at(r) for r in team.asked) == {0: 1, 1: 5, 2: 1}
    assert found.partial == "cap reached: max_cost 12, 12 spent"
    assert (found.calls, found.tokens, found.cost) == (7, 105, 14)


def test_below_the_cap_nothing_is_cut_and_the_cost_is_kept():
    found = decision(decide(LocalTeam(replies), max_cost=36.1, prices=ONE))
    assert (found.partial, found.calls, found.cost) == (None, 19, 38)


def test_each_role_has_its_price_and_the_others_the_default():
    settings = Settings.model_validate({"prices": ONE | {"ceo": {"prompt": 1_000_000, "completion": 0}}})
    assert Account(settings, [trace(), trace("ceo"), trace("red_team")], lambda role: 64).cost == 2 + 10 + 2


def test_without_prices_there_is_no_cost():
    assert Account(Settings(), [trace()], lambda role: 64).cost is None
    assert decision(decide(LocalTeam(replies), debate_rounds=0)).cost is None


def test_a_reply_of_unknown_usage_counts_as_its_cap_towards_the_money_and_a_refused_one_as_nothing():
    silent = trace(prompt=None, completion=None)
    settings = Settings.model_validate({"max_cost": 12, "prices": ONE})
    assert Account(settings, [silent], lambda role: 59).cut(1) is None
    assert Account(settings, [silent], lambda role: 60).cut(1) == "cap reached: max_cost 12, 12 spent"
    assert Account(settings, [silent], lambda role: 60).cost == 0
    refused = trace(prompt=None, completion=None, status="failed")
    assert Account(settings, [refused], lambda role: 60).cut(1) is None


def test_the_ceo_is_told_what_each_cap_leaves():
    team = LocalTeam(replies)
    decide(team, max_cost=50, prices=ONE, max_calls=40, max_tokens=1000)
    [first, second] = [r.messages[-1].content for r in team.asked if speaks(r) == "order"]
    assert "Left: 34 calls, 910 tokens, 38 of the money." in first
    assert "Left: 28 calls, 820 tokens, 26 of the money." in second


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_cost": 1}, "prices: say what ceo, expert, red_team cost, or `default`"),
        ({"prices": {"ceo": {"prompt": 1, "completion": 1}}}, "prices: say what expert, red_team cost"),
        ({"prices": ONE | {"finance": {"prompt": 1, "completion": 1}}}, "nobody is asked as finance; there are ceo, expert, red_team"),
        ({"prices": {"default": {"prompt": 1}}}, "prices.default.completion"),
        ({"prices": {"default": {"prompt": -1, "completion": 1}}}, "greater than or equal to 0"),
        ({"max_cost": 0, "prices": ONE}, "greater than 0"),
    ],
)
def test_a_cap_on_money_without_every_price_is_refused_by_field(settings, words):
    with pytest.raises(StrategyFault, match=words):
        settings_of(StrategyChoice(name="team_decision", settings=settings))
