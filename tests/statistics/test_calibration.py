"""Calibration of verifier scores: midranks, bins, agreement, an interval over clusters that is wide where it has to be."""

import random

import pytest
from scipy.stats import rankdata

from tmas_assets.statistics import Verified, calibration

LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)


def drawn(skill, clusters=20, each=8, seed=1):
    draw = random.Random(seed)
    made = []
    for at in range(clusters * each):
        right = draw.random() < 0.5
        score = min(4, max(0, round(2 + draw.gauss(skill if right else -skill, 1))))
        made.append(Verified(at // each, LEVELS[score], right))
    return made


@pytest.mark.parametrize("skill", [-1, 0, 1])
def test_the_auroc_is_that_of_midranks(skill):
    answers = drawn(skill)
    ranks = rankdata([one.score for one in answers])
    of_right = [rank for rank, one in zip(ranks, answers, strict=True) if one.right]
    n, m = len(of_right), len(answers) - len(of_right)
    expected = (sum(of_right) - n * (n + 1) / 2) / (n * m)
    assert calibration(answers, 3).auroc == pytest.approx(expected, abs=1e-12)


def test_all_figures_of_a_small_case():
    answers = [Verified("a", 1.0, True), Verified("a", 0.5, True), Verified("b", 0.5, False), Verified("b", 0.25, True), Verified("c", 1.0, False)]
    found = calibration(answers, 0)
    # pairs with the wrong 0.5: above, tie, below; with the wrong 1.0: tie, below, below
    assert found.auroc == pytest.approx((1 + 0.5 + 0 + 0.5 + 0 + 0) / 6)
    assert found.brier == pytest.approx((0 + 0.25 + 0.25 + 0.5625 + 1) / 5)
    assert (found.mean_right, found.mean_wrong) == (pytest.approx(1.75 / 3), 0.75)
    assert (found.agreement, found.halves) == (pytest.approx(1 / 3), 2)
    assert [(one.low, one.high, one.answers, one.right) for one in found.bins] == [
        (0.2, 0.4, 1, 1.0), (0.4, 0.6, 2, 0.5), (0.8, 1.0, 2, 0.5)]  # fmt: skip
    assert (found.answers, found.right, found.clusters) == (5, 3, 3)


def test_the_interval_excludes_chance_only_where_there_is_reason_to():
    good, bad, blind = (calibration(drawn(skill), 3) for skill in (1, -1, 0))
    assert good.low > 0.5 > bad.high
    assert blind.low < 0.5 < blind.high


def test_a_ranking_without_a_fault_still_has_a_width_that_shrinks_with_clusters():
    few, many = (
        calibration([one for at in range(n) for one in (Verified(at, 0.0, True), Verified(at, 1.0, False))], 3) for n in (3, 60)
    )
    assert (few.auroc, few.low) == (0.0, 0.0)
    assert 0 < many.high < few.high < 1


def test_the_unit_is_the_problem_and_not_the_answer():
    own = drawn(0.3, clusters=40, each=1)
    again = calibration([Verified(at % 40, one.score, one.right) for at, one in enumerate(own * 8)], 3)
    once = calibration([Verified(at, one.score, one.right) for at, one in enumerate(own)], 3)
    assert (again.low, again.high) == (pytest.approx(once.low), pytest.approx(once.high))  # copies add nothing


def test_one_kind_of_answer_or_none_gives_no_auroc():
    alone = calibration([Verified("a", 0.5, True), Verified("b", 1.0, True)], 0)
    assert (alone.auroc, alone.low, alone.high, alone.mean_wrong, alone.resamples) == (None, None, None, None, 0)
    assert calibration([], 0) is None


def test_the_same_seed_gives_the_same_bits_and_scores_outside_are_refused():
    answers = drawn(0.2)
    assert calibration(answers, 5) == calibration(answers, 5)
    assert calibration(answers, 5).low != calibration(answers, 6).low
    with pytest.raises(ValueError, match=r"score 1\.5"):
        calibration([Verified("a", 1.5, True)], 0)
