"""Agreement of rules and judge: which grades count, kappa against a worked example, unreadable judgements."""

import pytest

from tests.statistics.samples import grades, judged
from tmas_assets.records import Grade, Outcome
from tmas_assets.statistics import agreement


def pairs(*counts: tuple[Outcome, str, int]) -> list[Grade]:
    (grade,) = grades("p", ["wrong"])
    return [judged(grade, rule, judge) for rule, judge, count in counts for _ in range(count)]


def test_kappa_of_the_textbook_table() -> None:
    # 20 and 15 agreed, 5 and 10 not: share 0.7, chance 0.5, kappa 0.4.
    both = agreement(pairs(("right", "right", 20), ("right", "wrong", 5), ("wrong", "right", 10), ("wrong", "wrong", 15)))
    assert both is not None
    assert (both.answers, both.share, both.unreadable) == (50, 0.7, 0)
    assert (both.both_right, both.rule_right_judge_wrong, both.rule_wrong_judge_right, both.both_wrong) == (20, 5, 10, 15)
    assert both.kappa == pytest.approx(0.4, abs=1e-12)
    # Wilson for 35 of 50, as printed in any table
    assert (both.low, both.high) == pytest.approx((0.5625, 0.8090), abs=5e-5)


def test_only_answers_that_the_rules_decided_count() -> None:
    both = agreement(pairs(("undecided", "right", 7), ("failed", "wrong", 2), ("right", "right", 1)))
    assert both is not None
    assert both.answers == 1
    assert agreement(pairs(("undecided", "right", 7))) is None
    assert agreement(grades("p", ["right", "wrong"])) is None
    assert agreement([]) is None


def test_unreadable_judgements_are_counted_and_in_no_share() -> None:
    both = agreement(pairs(("right", "failed", 3), ("right", "right", 1), ("wrong", "wrong", 1)))
    assert both is not None
    assert (both.answers, both.unreadable, both.share, both.kappa) == (2, 3, 1.0, 1.0)
    none = agreement(pairs(("right", "failed", 3)))
    assert none is not None
    assert (none.answers, none.unreadable, none.share, none.low, none.kappa) == (0, 3, None, None, None)


def test_a_side_that_never_varies_has_no_kappa_where_chance_is_certain() -> None:
    both = agreement(pairs(("right", "right", 5)))
    assert both is not None
    assert (both.share, both.kappa) == (1.0, None)
    opposed = agreement(pairs(("right", "wrong", 5)))
    assert opposed is not None
    assert (opposed.share, opposed.kappa) == (0.0, 0.0)
