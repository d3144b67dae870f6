"""Trainings side by side: what compares and what does not, the base model first, gaps, text that stays text."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import ValidationError

from tests.reports.data_rows import HOSTILE
from tests.reports.parsed_markdown import nothing_got_out, tables
from tests.reports.training_steps import step
from tmas_assets.records import RewardChoice, Score
from tmas_assets.reports.drawing import LIGHT, render
from tmas_assets.reports.training_comparison import (
    IterationScore,
    TrainingComparison,
    TrainingSide,
    comparison_lines,
    comparison_markdown,
    comparison_notes,
    curves_of,
    one_scale,
    training_page,
    training_section,
)
from tmas_assets.reports.training_comparison_figures import comparison_png, drawing
from tmas_assets.reports.training_curves_table import iteration_figures
from tmas_assets.statistics import paired_difference

Scores = Callable[..., Score]
VANILLA = (RewardChoice(name="correctness"),)
HYBRID = (RewardChoice(name="correctness"), RewardChoice(name="experience_use", weight=0.5, settings={"beta": 0.25}))


def side(name: str, score_of: Scores, *, rewards: tuple[RewardChoice, ...] = VANILLA, iterations: int = 3, **change: Any) -> TrainingSide:
    """Pass@1 of 0.25 before training and 0.25 more by iteration."""
    scores = [IterationScore(iteration=None, score=score_of(0, [0.25, 0.25], 4, experiment="base"))]
    base = {"p0": 0.25, "p1": 0.25}
    for k in range(iterations):
        rate = min(1.0, 0.25 * (k + 2))
        against = paired_difference({"p0": rate, "p1": rate}, base, seed=0)
        scores.append(IterationScore(iteration=k, score=score_of(0, [rate, rate], 4, experiment=f"{name}_{k}"), against_base=against))
    stated: dict[str, Any] = {
        "training": name, "rewards": rewards, "data": "set/rl_prompts ab12", "scores": tuple(scores),
        "figures": iteration_figures([step(n) for n in range(1, 10 * iterations + 1)]),
    }  # fmt: skip
    return TrainingSide.model_validate(stated | change)


def both(score_of: Scores, **change: Any) -> TrainingComparison:
    return TrainingComparison(sides=(side("vanilla", score_of), side("hybrid", score_of, rewards=HYBRID, **change)))


def svg(comparison: TrainingComparison) -> str:
    drawn = drawing(curves_of(comparison), comparable=one_scale(comparison))
    assert drawn is not None
    return render(drawn, (10.6, 3.4), LIGHT, "svg").decode()


def test_every_iteration_has_a_line_after_the_base_model_with_its_gain(score_of: Scores) -> None:
    lines = comparison_lines(both(score_of))
    assert [(one.training, one.iteration) for one in lines[:5]] == [
        ("vanilla", "base"), ("vanilla", "t00"), ("vanilla", "t01"), ("vanilla", "t02"), ("hybrid", "base"),
    ]  # fmt: skip
    assert lines[0].cells[:2] == ("–", "–")
    assert lines[0].cells[2].startswith("25.00 [")
    assert lines[0].cells[3] == "–"
    assert lines[2].cells[:2] == ("0.155", "50.00")
    assert lines[2].cells[2].startswith("75.00 [")
    assert lines[2].cells[3].startswith("+50.00 [")
    assert lines[2].cells[4] == "2 × 4"


def test_rewards_of_different_reward_sets_are_said_not_to_compare_wherever_they_are_shown(score_of: Scores) -> None:
    other, same = both(score_of), TrainingComparison(sides=(side("a", score_of), side("b", score_of)))
    for shown, in_it in ((other, True), (same, False)):
        drawn = svg(shown)
        assert ("do not compare" in drawn) is in_it
        assert ("do not compare" in comparison_markdown(shown)) is in_it
        assert any("do not compare" in note for note in comparison_notes(shown)) is in_it
        assert ">right in training, %<" in drawn
    weighted = (RewardChoice(name="correctness", weight=2.0),)
    assert not one_scale(TrainingComparison(sides=(side("a", score_of), side("b", score_of, rewards=weighted))))
    assert "Reward of hybrid: correctness + 0.5 × experience_use (beta 0.25); on set/rl_prompts ab12." in comparison_notes(other)


def test_other_data_takes_the_comparison_of_right_answers_in_training_away(score_of: Scores) -> None:
    assert any("different data" in note for note in comparison_notes(both(score_of, data="other")))
    assert not any("different data" in note for note in comparison_notes(both(score_of)))


def test_an_iteration_without_figures_or_score_is_a_gap_and_not_bridged(score_of: Scores) -> None:
    whole = side("a", score_of, iterations=4)
    torn = whole.model_copy(update={
        "figures": tuple(one for one in whole.figures if one.iteration != 2),
        "scores": tuple(one for one in whole.scores if one.iteration != 1),
    })  # fmt: skip
    drawn = svg(TrainingComparison(sides=(torn,)))
    assert [one.cells[0] for one in comparison_lines(TrainingComparison(sides=(torn,)))] == ["–", "0.055", "0.155", "–", "0.355"]
    assert "nan" not in drawn.lower().replace("nance", "")


def test_a_training_without_scores_yet_has_its_rewards(score_of: Scores) -> None:
    shown = TrainingComparison(sides=(side("a", score_of, scores=()),))
    assert ">Pass@1, %<" not in svg(shown)
    assert shown.benchmark == ""
    assert [one.cells[2] for one in comparison_lines(shown)] == ["–", "–", "–"]


def test_an_sft_run_stands_beside_them_without_a_reward(score_of: Scores) -> None:
    sft = side("sft", score_of, rewards=(), figures=(), iterations=1)
    shown = TrainingComparison(sides=(sft, side("grpo", score_of)))
    assert one_scale(shown)
    assert "Reward of sft: none (SFT); on set/rl_prompts ab12." in comparison_notes(shown)


def test_scores_of_other_releases_are_refused_by_name(score_of: Scores) -> None:
    other = IterationScore(iteration=0, score=score_of(0, [0.5], 4).model_copy(update={"release": "v9"}))
    with pytest.raises(ValidationError, match=r"v9.*do not compare"):
        TrainingComparison(sides=(side("a", score_of), side("b", score_of, scores=(other,))))


def test_two_scores_of_one_iteration_are_refused(score_of: Scores) -> None:
    one = IterationScore(iteration=1, score=score_of(0, [0.5], 4))
    with pytest.raises(ValidationError, match="scores of t01 given more than once"):
        side("a", score_of, scores=(one, one))
    with pytest.raises(ValidationError, match="compared once"):
        TrainingComparison(sides=(side("a", score_of), side("a", score_of)))


@pytest.mark.parametrize(
    ("change", "said"),
    [({"grader_version": "9"}, "their grader"), ({"iteration": 3}, "the strategy's iteration"), ({"chosen": True}, "which answers they count"),
     ({"missing": 5, "experiment": "late"}, "5 answers of late"), ({"unsandboxed": 2}, "Not to be trusted")],
)  # fmt: skip
def test_what_stands_against_a_comparison_is_said(score_of: Scores, change: dict[str, Any], said: str) -> None:
    whole = side("a", score_of)
    last = whole.scores[-1].model_copy(update={"score": whole.scores[-1].score.model_copy(update=change)})
    doubted = TrainingComparison(sides=(whole.model_copy(update={"scores": (*whole.scores[:-1], last)}),))
    assert any(said in note for note in comparison_notes(doubted))
    assert not any(said in note for note in comparison_notes(TrainingComparison(sides=(whole,))))


def test_no_curve_is_cut_off_at_the_top(score_of: Scores) -> None:
    """The axis is as high as the highest training, whichever is drawn first."""
    low, high = (side(name, score_of, scores=(IterationScore(iteration=0, score=score_of(0, [rate] * 50, 4)),)) for name, rate in (("l", 0.1), ("h", 0.9)))
    assert ">80<" in svg(TrainingComparison(sides=(low, high)))
    assert ">80<" in svg(TrainingComparison(sides=(high, low)))


def test_the_same_figures_give_the_same_bytes(score_of: Scores) -> None:
    shown = both(score_of)
    png = comparison_png(curves_of(shown), "t", comparable=False)
    assert png is not None
    assert png == comparison_png(curves_of(shown), "t", comparable=False)
    assert len(png) < 120_000


def test_text_of_a_file_is_shown_and_never_read_as_markup(score_of: Scores) -> None:
    hostile = (RewardChoice(name=HOSTILE, settings={HOSTILE: HOSTILE}),)
    shown = TrainingComparison(sides=(side(HOSTILE, score_of, rewards=hostile, data=HOSTILE),))
    page, section = training_page(shown), training_section(shown)
    assert "<script" not in page + section + svg(shown)
    assert section.removesuffix("\n") in page
    assert "&lt;script&gt;alert(1)" in page
    text = comparison_markdown(shown)
    nothing_got_out(text)
    assert len(tables(text)[0]) == 5


def test_nothing_yet_is_said(score_of: Scores) -> None:
    empty = TrainingComparison(sides=(side("a", score_of, figures=(), scores=()),))
    assert comparison_png(curves_of(empty), "t", comparable=True) is None
    assert comparison_markdown(empty) == "No iteration has ended yet."
    assert "No iteration has ended yet." in training_section(empty)
