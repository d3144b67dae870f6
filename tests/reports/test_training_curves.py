"""Curves of a training run: which panels, gaps that stay gaps, thinned without hiding, the same bytes."""

import struct
from math import inf, nan

import pytest

from tests.reports.training_steps import SFT, step
from tmas_assets.records import RewardPart
from tmas_assets.reports.training_curves import training_curves_png
from tmas_assets.reports.training_curves_values import (
    MOST_POINTS,
    Border,
    Curve,
    CurvePanel,
    borders,
    curve_panels,
    in_order,
)


def panel(panels: tuple[CurvePanel, ...], start: str) -> CurvePanel:
    [found] = [one for one in panels if one.title.startswith(start)]
    return found


def values(curve: Curve) -> list[float | None]:
    return [None if point is None else point.value for point in curve.points]


def test_a_grpo_run_has_its_rewards_with_their_parts_and_all_that_it_measures() -> None:
    panels = curve_panels([step(1), step(2)])
    assert [one.title.split(",")[0] for one in panels] == [
        "reward", "samples that are right", "share", "tokens of a sample", "loss", "KL to the reference model", "clipped",
        "gradient norm", "tokens/s",
    ]  # fmt: skip
    assert [curve.name for curve in panel(panels, "reward").curves] == ["weighted sum", "correctness", "novel_strategy"]
    assert values(panel(panels, "share").curves[0]) == [25.0, 25.0]


def test_an_sft_run_has_only_panels_with_data_and_says_what_its_accuracy_is_of() -> None:
    panels = curve_panels([step(1, **SFT)])
    assert [one.title for one in panels] == ["trained tokens ranked first, %", "loss", "gradient norm", "tokens/s"]


@pytest.mark.parametrize("unknown", [None, nan, inf])
def test_a_value_that_is_not_there_or_not_finite_is_a_gap(unknown: float | None) -> None:
    rewards = panel(curve_panels([step(1), step(2, reward=unknown), step(3)]), "reward").curves[0]
    assert values(rewards) == [0.01, None, 0.03]


def test_a_step_without_figures_is_a_gap() -> None:
    assert values(panel(curve_panels([step(4), step(1)]), "loss").curves[0]) == [0.5, None, None, 0.5]


def test_a_part_that_applied_to_no_sample_is_a_gap_and_not_its_mean() -> None:
    empty = (RewardPart(name="correctness", mean=0.0, samples=0),)
    found = panel(curve_panels([step(1), step(2, parts=empty)]), "reward").curves[1]
    assert values(found) == [0.25, None]


def test_a_step_done_again_after_a_restart_counts_as_it_was_done_last() -> None:
    assert [one.loss for one in in_order([step(1), step(2, loss=9.0), step(3), step(2, loss=1.0)])] == [0.5, 1.0, 0.5]


def test_ten_thousand_steps_are_thinned_with_their_mean_and_no_peak_is_hidden() -> None:
    run = [step(n, per_iteration=1000, loss=99.0 if n == 7777 else n / 1000) for n in range(1, 10_001)]
    points = [one for one in panel(curve_panels(run), "loss").curves[0].points if one is not None]
    assert len(points) <= MOST_POINTS
    assert max(one.high for one in points) == 99.0
    assert points[0] == pytest.approx((17.5, 0.0175, 0.001, 0.034))
    wide = 34  # 10,000 / 300 rounded up
    gap = [one for one in run if not 3 * wide < one.step <= 5 * wide]
    assert [i for i, point in enumerate(panel(curve_panels(gap), "loss").curves[0].points) if point is None] == [3, 4]


def test_an_iteration_begins_before_its_first_step() -> None:
    assert borders([step(n) for n in (1, 2, 11, 12, 31)]) == (Border(0.5, 0), Border(10.5, 1), Border(30.5, 3))


def test_the_same_figures_give_the_same_bytes_small_enough_to_travel_inline() -> None:
    run = [step(n, grad_norm=(n * 37 % 101) / 50, loss=(n * 53 % 97) / 97, reward=None if n == 5 else (n * 29 % 89) / 89) for n in range(1, 200)]
    png = training_curves_png("demo_grpo", run)
    assert png is not None
    assert png == training_curves_png("demo_grpo", reversed(run))
    assert struct.unpack(">II", png[16:24])[0] < 1300
    assert len(png) < 120_000
    assert png != training_curves_png("demo_grpo", [one.model_copy(update={"loss": 0.1}) for one in run])


def test_a_lone_step_is_seen() -> None:
    """A line through one point has no length."""
    one, none = (training_curves_png("s", [step(1, **SFT, loss=1.0, accuracy=a, grad_norm=None)]) for a in (0.5, None))
    assert one is not None
    assert none is not None
    seen = training_curves_png("s", [step(1, **SFT, loss=1.0, accuracy=nan, grad_norm=None)])
    assert seen == none != one


def test_no_step_gives_no_picture() -> None:
    assert training_curves_png("s", []) is None
