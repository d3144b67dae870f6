"""The rate of flipped decisions: counted over repeats that decided, never over those that did not."""

import pytest

from tmas_assets.records import Consensus, Decision
from tmas_assets.statistics.flips import flips

NOBODY = Consensus(asked=0, cast=0, missing=(), within_one_step=0, share=None, spread=None)


def decided(choice, asked="same"):
    return Decision(decision=choice, asked=choice if asked == "same" else asked, reason="r", consensus=NOBODY, calls=1, tokens=1)


@pytest.mark.parametrize(
    ("choices", "commonest", "rate", "pairs"),
    [
        (["go"] * 4, "go", 0, 0),
        (["go", "go", "go", "no_go"], "go", 1 / 4, 3 / 6),
        (["go", "no_go", "go_if", "need_data"], "no_go", 3 / 4, 1),
        (["go", "need_data"], "need_data", 1 / 2, 1),
        (["go"], "go", None, None),
        ([], None, None, None),
    ],
)
def test_the_rate_is_the_share_that_decides_otherwise_than_the_commonest_ties_go_to_the_careful(choices, commonest, rate, pairs):
    found = flips([decided(choice) for choice in choices])
    assert (found.commonest, found.flip_rate, found.pair_rate) == (commonest, rate, pairs)
    assert sum(one.repeats for one in found.counts) == found.decided == len(choices)


def test_repeats_without_a_decision_are_missing_and_neither_flips_nor_agreement():
    found = flips([decided("go"), None, decided("need_data", asked=None), decided("go")])
    assert (found.repeats, found.decided, found.missing, found.flip_rate) == (4, 2, 2, 0)
