"""Figures of a training by iteration: what is a mean, what a sum, what a peak; text that stays in its cell."""

from math import inf, nan

import pytest

from tests.reports.data_rows import HOSTILE
from tests.reports.parsed_markdown import nothing_got_out, tables
from tests.reports.training_steps import SFT, step
from tmas_assets.records import RewardPart, StepFigures
from tmas_assets.reports.training_curves_table import duration, iteration_figures, iterations_markdown


def column(run: list[StepFigures], start: str) -> list[str]:
    [head, *rows] = tables(iterations_markdown(run))[0]
    [at] = [i for i, name in enumerate(head) if name.startswith(start)]
    return [row[at] for row in rows]


def test_each_iteration_has_means_sums_and_peaks_over_its_own_steps() -> None:
    first, second = iteration_figures([step(n) for n in range(20, 0, -1)])
    assert (first.iteration, first.first_step, first.last_step, first.steps) == (0, 1, 10, 10)
    assert first.reward == pytest.approx(0.055)
    assert second.reward == pytest.approx(0.155)
    assert (second.unrewarded, second.tokens, second.seconds, second.memory_mib) == (10, 20_000, 40.0, 1020.0)


def test_the_speed_is_all_tokens_over_all_seconds_and_no_mean_of_speeds() -> None:
    [found] = iteration_figures([step(1, tokens=100, seconds=1.0), step(2, tokens=100, seconds=9.0)])
    assert found.tokens_per_second == 20.0


def test_a_part_is_the_mean_over_the_samples_that_it_applies_to() -> None:
    run = [step(n, parts=(RewardPart(name="c", mean=mean, samples=samples),)) for n, mean, samples in ((1, 1.0, 1), (2, 0.0, 3), (3, 0.0, 0))]
    [found] = iteration_figures(run)
    assert found.parts == (RewardPart(name="c", mean=0.25, samples=4),)
    assert column(run, "c (samples)") == ["0.25 (4)"]


@pytest.mark.parametrize("bad", [nan, inf])
def test_steps_that_are_not_finite_are_in_no_mean_and_are_counted(bad: float) -> None:
    run = [step(1), step(2, loss=bad, reward=bad), step(3, grad_norm=bad)]
    [found] = iteration_figures(run)
    assert found.reward == pytest.approx(0.02)
    assert column(run, "steps not finite") == ["2"]
    assert iteration_figures([step(1), step(2, loss=bad)])[0].loss is None


def test_columns_without_a_value_are_left_out() -> None:
    [head, row] = tables(iterations_markdown([step(1, **SFT)]))[0]
    assert head == [
        "iteration", "steps", "ranked first, % of trained tokens", "loss, last step", "gradient norm", "tokens/s", "peak memory, MiB", "time",
    ]  # fmt: skip
    assert row == ["t00", "1 – 1", "50.00", "0.5", "1.5", "500", "1,001", "4 s"]


def test_steps_that_left_no_figures_are_counted() -> None:
    assert column([step(1), step(4)], "steps") == ["1 – 4 (2 missing)"]


def test_a_step_done_again_after_a_restart_counts_once() -> None:
    [found] = iteration_figures([step(1), step(2, reward=9.0), step(2, reward=0.03)])
    assert (found.steps, found.tokens, found.reward) == (2, 4000, pytest.approx(0.02))


def test_the_name_of_a_part_is_text_and_no_markup() -> None:
    text = iterations_markdown([step(1, parts=(RewardPart(name=HOSTILE, mean=1.0, samples=1),))])
    nothing_got_out(text)
    assert len(tables(text)[0]) == 2


def test_no_step_is_said() -> None:
    assert iterations_markdown([]) == "No step has ended yet."


@pytest.mark.parametrize(("seconds", "text"), [(0.25, "0.25 s"), (59.96, "60 s"), (725, "12 min 05 s"), (12_000, "3 h 20 min")])
def test_durations_are_read_at_a_glance(seconds: float, text: str) -> None:
    assert duration(seconds) == text
