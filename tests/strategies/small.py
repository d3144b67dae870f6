"""Every strategy small enough to run many times: settings and iterations, one line each.

Tests and benchmarks that hold for all strategies read this table; one that lacks a strategy of the scan fails. All but
those of `DECIDES` solve problems with a gold.
"""

SMALL: dict[str, tuple[dict[str, object], int]] = {
    "mars": ({"threads": 2, "passes": 2}, 4),
    "mas_tts": ({"experts": 3, "critic_iterations": 1, "token_choices": [64, 128]}, 3),
    "pacore": ({"widths": [4, 2]}, 3),
    "rsa": ({"population": 3, "parents": 2}, 3),
    "rse": ({"population": 3}, 3),
    "self_consistency": ({"samples": 4}, 1),
    "self_refine": ({"threads": 3, "shows": "all"}, 3),
    "single": ({"samples": 2}, 1),
    "team_decision": ({"roster": ["market", "risk"], "debate_rounds": 1, "calculations": False}, 4),
    "tmas": ({"candidates": 3, "verifications": 2}, 3),
    "tree_of_thoughts": ({"steps": 2, "keep": 2, "proposals": 2, "evaluations": 1}, 2),
    "verify_refine": ({"candidates": 4, "verifications": 2, "refinements": 2, "meta_verification": True}, 3),
}

DECIDES = ("team_decision",)
"""Strategies for questions without a gold (`tests.strategies.deciding.PROBLEM` is one)."""
