"""How often rules and a judging model agree on answers that both have decided. Leaves out which answers the judge was asked about."""

from collections.abc import Sequence

from tmas_assets.records import Grade, Record


class Agreement(Record):
    """Of answers that the rules called right or wrong and a judge was asked about as well."""

    answers: int
    """That both decided: the sum of the four counts below."""
    both_right: int
    rule_right_judge_wrong: int
    rule_wrong_judge_right: int
    both_wrong: int
    unreadable: int
    """Judgements that said neither; they are in no other figure."""
    share: float | None
    """Of the answers on which both agree; None where both decided none."""
    low: float | None
    high: float | None
    level: float
    """Of the Wilson interval of the share, over answers."""
    kappa: float | None
    """Cohen's kappa: agreement beyond chance. None where one side never varies, which leaves chance at 1."""


def agreement(grades: Sequence[Grade], level: float = 0.95) -> Agreement | None:
    """None where no answer that the rules decided was judged."""
    audited = [
        (grade.rule_outcome, grade.judgement.outcome)
        for grade in grades
        if grade.judgement is not None and grade.rule_outcome in ("right", "wrong")
    ]
    if not audited:
        return None
    both = [pair for pair in audited if pair[1] != "failed"]
    counts = {
        (rule, judge): sum(pair == (rule, judge) for pair in both)
        for rule in ("right", "wrong") for judge in ("right", "wrong")
    }  # fmt: skip
    n = len(both)
    agreed = counts["right", "right"] + counts["wrong", "wrong"]
    rule_right = counts["right", "right"] + counts["right", "wrong"]
    judge_right = counts["right", "right"] + counts["wrong", "right"]
    chance = rule_right * judge_right + (n - rule_right) * (n - judge_right)  # times n squared
    low, high = _wilson(agreed, n, level) if n else (None, None)
    return Agreement(
        answers=n,
        both_right=counts["right", "right"],
        rule_right_judge_wrong=counts["right", "wrong"],
        rule_wrong_judge_right=counts["wrong", "right"],
        both_wrong=counts["wrong", "wrong"],
        unreadable=len(audited) - n,
        share=agreed / n if n else None,
        low=low,
        high=high,
        level=level,
        kappa=(agreed * n - chance) / (n * n - chance) if n * n > chance else None,
    )


def _wilson(successes: int, n: int, level: float) -> tuple[float, float]:
    from scipy import stats

    interval = stats.binomtest(successes, n).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)
