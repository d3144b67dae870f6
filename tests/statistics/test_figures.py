"""All figures of an iteration: what each carries, what is not available, both denominators, order of problems."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.statistics.samples import alone, grades, samples
from tmas_assets.records import Figure, Outcome
from tmas_assets.statistics import Beside, figures_of, ladder, mean_interval, pass_at_k, samples_of

R, W, U, F = "right", "wrong", "undecided", "failed"


def named(figures: tuple[Figure, ...]) -> dict[str, Figure]:
    """By name; the bootstrap one beside the mean as `mean, resampled`."""
    return {f"{one.name}{', resampled' if one.seed is not None else ''}": one for one in figures}


def made(by_problem: dict[str, list[Outcome]], asked: int, beside: Beside | None = None, *, missing: int = 0) -> dict[str, Figure]:
    of = samples(dict(by_problem), asked, missing=missing)
    return named(figures_of(of, beside or alone(of), seed=1))


def test_the_ladder_is_powers_of_two_and_all() -> None:
    assert [ladder(n) for n in (1, 2, 6, 8, 32)] == [(1,), (1, 2), (1, 2, 4, 6), (1, 2, 4, 8), (1, 2, 4, 8, 16, 32)]


def test_E04_more_answers_asked_for_than_there_are_is_not_available_and_never_one() -> None:
    found = made({"p": [W, W, W]}, 8)
    assert found["pass@8"].value is None
    assert found["pass@8"].why == "3 graded answers a problem are too few for k = 8"
    assert (found["pass@8"].low, found["pass@8"].standard_error, found["pass^8"].value) == (None, None, None)
    assert (found["pass@2"].value, found["mean@3"].value, found["pass@2"].missing) == (0.0, 0.0, 5)


def test_O08_two_right_and_two_errors_of_eight_are_both_two_of_eight_and_two_of_six() -> None:
    found = made({"p": [R, R, W, W, W, W, F, F]}, 8)
    assert found["mean@8"].value == 2 / 8
    assert found["mean@8, answered only"].value == pytest.approx(2 / 6)
    assert (found["mean@8"].denominator, found["mean@8, answered only"].denominator) == ("all", "answered")
    assert (found["mean@8, answered only"].samples, found["mean@8"].samples, found["mean@8"].failed) == (6, 8, 2)


def test_answered_only_divides_by_all_answered_and_drops_problems_without_one() -> None:
    found = made({"p": [R, U, F, F], "q": [R, W, W, W], "s": [U, U, F, F]}, 4)
    assert found["mean@4, answered only"].value == pytest.approx(2 / 5)
    assert (found["mean@4, answered only"].problems, found["mean@4"].problems) == (2, 3)
    assert found["mean@4"].value == pytest.approx(2 / 12)


def test_nothing_answered_has_no_share_of_the_answered() -> None:
    found = made({"p": [U, F]}, 2)
    assert found["mean@2, answered only"].value is None
    assert found["mean@2, answered only"].why == "every answer is undecided or failed"


def test_E07_the_smaller_count_holds_for_all_and_is_said() -> None:
    found = made({"p": [R, R, R, W], "q": [W, W, W]}, 4)
    assert "mean@3" in found
    assert (found["mean@3"].value, found["mean@3"].left_out, found["mean@3"].missing, found["mean@3"].samples) == (0.5, 1, 1, 6)
    assert found["pass@4"].value is None


def test_every_figure_says_how_many_problems_and_samples_are_behind_it() -> None:
    found = made({"p": [R, W], "q": [U, F]}, 2, missing=3)
    assert len(found) == 9
    for one in found.values():
        assert (one.problems, one.missing, one.failed, one.undecided) == (2, 6, 1, 1) or one.denominator == "answered"
        assert one.method
        assert one.level == 0.95


def test_the_error_of_every_figure_is_over_problems() -> None:
    rows: dict[str, list[Outcome]] = {f"p{i}": [R] * i + [W] * (8 - i) for i in range(9)}
    found = made(rows, 8)
    values = [pass_at_k(8, i, 4) or 0.0 for i in range(9)]
    mean = sum(values) / 9
    closed = (sum((v - mean) ** 2 for v in values) / 8 / 9) ** 0.5
    assert found["pass@4"].value == pytest.approx(mean, abs=1e-12)
    assert found["pass@4"].standard_error == pytest.approx(closed, abs=1e-12)
    interval = mean_interval(values)
    assert interval is not None
    assert (found["pass@4"].low, found["pass@4"].high) == (interval.low, interval.high)


def test_any_right_is_an_oracle_and_not_the_mean() -> None:
    found = made({"p": [R, W, W, W], "q": [W, W, W, W]}, 4)
    assert (found["oracle@4"].value, found["mean@4"].value) == (0.5, 0.125)
    assert found["oracle@4"].value == found["pass@4"].value


def test_the_vote_follows_the_classes_given() -> None:
    of = samples({"p": [R, W, R, W]}, 4)
    tied = Beside({"p": (0, 1, 0, 1)}, {}, {"p": "p"})
    split = Beside({"p": (0, 1, 0, 2)}, {}, {"p": "p"})
    silent = Beside({"p": (0, None, 0, None)}, {}, {"p": "p"})
    assert [named(figures_of(of, one, seed=0))["maj@4"].value for one in (tied, split, silent)] == [0.5, 1.0, 1.0]


def test_without_classes_there_is_no_vote_and_without_checks_no_best() -> None:
    found = made({"p": [R, W]}, 2)
    assert found["maj@2"].value is None
    assert "cannot be told equal" in (found["maj@2"].why or "")
    assert (found["best-of-2"].value, found["best-of-2"].why) == (None, "no answer has a verifier score")


def test_best_by_verifier_takes_the_earlier_candidate_of_equals_and_unchecked_ones_last() -> None:
    of = samples({"p": [W, R, W, R]}, 4)

    def best(*scores: float | None) -> float | None:
        checked = {("p", f"r0t00c{c}"): score for c, score in enumerate(scores) if score is not None}
        return named(figures_of(of, Beside({}, checked, {"p": "p"}), seed=0))["best-of-4"].value

    assert best(0.5, 1.0, 0.0, 0.0) == 1.0
    assert best(1.0, 1.0, 0.0, 0.0) == 0.0
    assert best(None, 0.0, None, None) == 1.0
    assert best(0.0, None, None, None) == 0.0


def test_problems_that_share_a_source_widen_the_error_and_are_counted() -> None:
    rows: dict[str, list[Outcome]] = {f"p{i}": [R] if i < 6 else [W] for i in range(12)}
    of = samples(dict(rows), 1)
    apart = named(figures_of(of, alone(of), seed=0))["mean@1"]
    together = named(figures_of(of, Beside({}, {}, {p: int(p[1:]) // 3 for p in of.answers}), seed=0))["mean@1"]
    assert (apart.clusters, together.clusters, together.problems) == (12, 4, 12)
    assert together.value == apart.value
    assert together.standard_error > apart.standard_error  # type: ignore[operator]
    assert "clusters" in together.method


def test_the_order_of_problems_and_grades_changes_no_bit() -> None:
    rows: list[tuple[str, list[Outcome]]] = [(f"p{i}", [R] * (i % 5) + [W] * (4 - i % 5)) for i in range(12)]
    every = [one for problem, outcomes in rows for one in grades(problem, outcomes)]
    found = []
    for seed in range(3):
        mixed = list(every)
        random.Random(seed).shuffle(mixed)
        names = [problem for problem, _ in rows]
        random.Random(seed).shuffle(names)
        of = samples_of(mixed, problems=names, answers_per_problem=4, iteration=0, place="tests")
        found.append(figures_of(of, alone(of), seed=9))
    assert found[0] == found[1] == found[2]


def test_the_bootstrap_stands_beside_the_interval_and_repeats_from_its_seed() -> None:
    rows: dict[str, list[Outcome]] = {f"p{i}": [R] * (i % 5) + [W] * (4 - i % 5) for i in range(20)}
    of = samples(dict(rows), 4)
    one, again, other = (named(figures_of(of, alone(of), seed=seed))["mean@4, resampled"] for seed in (3, 3, 4))
    assert one == again
    assert one.standard_error != other.standard_error
    assert one.seed == 3
    plain = named(figures_of(of, alone(of), seed=3))["mean@4"]
    assert one.standard_error == pytest.approx(plain.standard_error, rel=0.1)


def test_equal_problems_have_no_bootstrap_and_say_so() -> None:
    one = made({"p": [R, W], "q": [R, W]}, 2)["mean@2, resampled"]
    assert (one.value, one.low, one.high, one.standard_error) == (0.5, None, None, None)
    assert "no spread" in (one.why or "")


@given(st.lists(st.lists(st.sampled_from([R, W, U, F]), min_size=4, max_size=4), min_size=1, max_size=5))
def test_figures_keep_their_order_of_size(rows: list[list[Outcome]]) -> None:
    of = samples({f"p{i}": row for i, row in enumerate(rows)}, 4)
    found = {one.name: one.value for one in figures_of(of, alone(of), seed=0) if one.seed is None and one.value is not None}
    slack = 1e-12
    assert found["pass^4"] <= found["pass^2"] + slack
    assert found["pass^2"] <= found["pass@1"] + slack
    assert found["pass@1"] == pytest.approx(found["mean@4"])
    assert found["pass@1"] <= found["pass@2"] + slack
    assert found["pass@2"] <= found["pass@4"] + slack
    assert found["pass@4"] == pytest.approx(found["oracle@4"])


def test_credit_is_a_mean_over_problems_in_which_a_failed_answer_earns_none() -> None:
    earned = {("p", 0): 1.0, ("p", 1): 0.5, ("q", 0): 0.5, ("q", 1): None}
    own = [one.model_copy(update={"credit": earned[one.problem, one.candidate]})
           for problem, of in {"p": [U, W], "q": [W, F]}.items() for one in grades(problem, of)]
    of = samples_of(own, problems=["p", "q"], answers_per_problem=2, iteration=0, place="here")
    assert named(figures_of(of, alone(of), seed=1))["credit@2"].value == (0.75 + 0.25) / 2
    assert "credit@2" not in made({"p": [R, W]}, 2)
