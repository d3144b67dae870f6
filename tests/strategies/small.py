"""Every strategy small enough to run many times: settings and iterations, one line each.

Tests and benchmarks that hold for all strategies read this table; one that lacks a strategy of the scan fails.
"""

SMALL: dict[str, tuple[dict[str, object], int]] = {
    "self_consistency": ({"samples": 4}, 1),
    "single": ({"samples": 2}, 1),
    "tmas": ({"candidates": 3, "verifications": 2}, 3),
}
