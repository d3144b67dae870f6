"""The share of repeats that decide otherwise, and of pairs that differ; silence is no decision."""

from itertools import permutations

import pytest

from tmas_assets.statistics.flips import flips


@pytest.mark.parametrize(
    ("decisions", "commonest", "rate", "pairs"),
    [
        (["go", "go", "go", "go"], "go", 0.0, 0.0),
        (["go", "go", "go", "no_go"], "go", 1 / 4, 3 / 6),
        (["go", "no_go"], "no_go", 1 / 2, 1.0),
        (["go", "go_if", "need_data"], "need_data", 2 / 3, 1.0),
        (["go", None, "go"], "go", 0.0, 0.0),
        (["go"], "go", None, None),
        ([None, None], None, None, None),
        ([], None, None, None),
    ],
)
def test_flips_by_hand(decisions, commonest, rate, pairs):
    for order in set(permutations(decisions)):
        found = flips(order)
        assert (found.commonest, found.flip_rate, found.pair_rate) == (commonest, rate, pairs)
        assert found.decided + found.missing == found.repeats == len(decisions)
        assert sum(one.repeats for one in found.counts) == found.decided


def test_of_equally_common_decisions_the_most_careful_is_named():
    assert flips(["go", "no_go", "go", "no_go"]).commonest == "no_go"
