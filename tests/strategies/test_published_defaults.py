"""What a strategy does without a setting is what its description says: the published figures, each with its place there."""

from typing import Any

import pytest

from tmas_assets.strategies import strategies, strategy
from tmas_assets.strategies.team_decision.settings import READY

DEFAULTS: dict[str, dict[str, Any]] = {
    "single": {"samples": 1},
    "self_consistency": {"samples": 64},  # MV@64 of TMAS's table
    "self_refine": {"threads": 8, "shows": "last", "stop_when_right": True},  # N = 8 as all of TMAS's tables
    "verify_refine": {  # N = M = 8; 8 critiques, 4 of a score, meta-verification off as in the shipped script and for <= 0.75
        "candidates": 8, "verifications": 8, "refinements": 4, "critiques": 8, "critiques_per_score": 4, "per_thread": False,
        "meta_verification": False, "meta_threshold": 0.75, "stop_when_passed": True,
    },
    "pacore": {"widths": (16,)},  # medium
    "rse": {"population": 32, "threshold": 0.8, "similarity": "jaccard"},  # the run script's threshold
    "rsa": {"population": 16, "parents": 4},
    "tree_of_thoughts": {"keep": 5, "evaluations": 3, "evaluate": "value", "select": "greedy"},  # game of 24
    "mars": {"tries": 3, "passes": 4, "failures": 10, "iterations": 10},
    "mas_tts": {  # vertical, I = 3, N from 2 to 4, limits of the preset
        "experts": 2, "max_experts": 4, "critic_iterations": 3, "topology": "vertical", "ceo": True, "evaluator": True,
        "token_choices": (2048, 4096, 8192, 16384),
    },
    "team_decision": {
        "roster": tuple(READY[name] for name in ("market", "finance", "technology", "risk")), "red_team": True,
        "max_calls": None, "max_tokens": None, "approve_plan": False, "calculations": True,
    },
    "tmas": {"candidates": 8, "verifications": 8, "epsilon": 0.2, "banks": ("experience", "guideline")},
}  # fmt: skip
ROUNDS = {"single": 1, "self_consistency": 1, "pacore": 2, "tree_of_thoughts": 3, "mars": 10, "team_decision": 5}
"""Of the others the experiment says how many."""


@pytest.mark.parametrize("name", sorted(strategies()))
def test_settings_that_nobody_states_are_the_published_ones(name):
    settings = strategy(name).Settings()
    assert {field: getattr(settings, field) for field in DEFAULTS[name]} == DEFAULTS[name]
    assert strategy(name).rounds(settings) == ROUNDS.get(name)


def test_only_risk_cannot_be_outvoted_among_the_four_of_the_default_roster():
    assert [seat.name for seat in strategy("team_decision").Settings().roster if seat.protected] == ["risk"]
