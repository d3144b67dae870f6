"""Figures of a trainer that goes on after a kill: it writes the file anew, without the steps that it does again."""

from pathlib import Path

from resources.training.step_feed import StepFeed
from tmas_assets.engine.training.figures_file import append, keep_figures
from tmas_assets.records import StepFigures


def figures(step: int, loss: float) -> StepFigures:
    return StepFigures(
        iteration=0, step=step, loss=loss, learning_rate=None, grad_norm=None, reward=None, reward_std=None, parts=(), unrewarded=None, kl=None,
        clip_ratio=None, zero_variance=None, truncated=None, completion_tokens=None, accuracy=None, tokens=8, seconds=0.5, tokens_per_second=16.0,
        memory_mib=1.0,
    )  # fmt: skip


def test_steps_that_are_done_again_are_told_once_and_those_kept_are_not(tmp_path: Path) -> None:
    file, told = tmp_path / "figures.jsonl", []
    for step in range(1, 6):
        append(file, figures(step, 1 / step))
    feed = StepFeed(file, None, lambda one: told.append((one.step, one.loss)))
    keep_figures(file, up_to=2)
    assert not feed.look()
    for step in range(3, 8):
        append(file, figures(step, 1 / 3 + step))
        assert feed.look()
    assert not feed.look(ended=True)
    assert told == [(step, 1 / 3 + step) for step in range(3, 8)]


def test_a_file_written_anew_and_grown_past_its_former_size_is_read_from_its_beginning(tmp_path: Path) -> None:
    file, told = tmp_path / "figures.jsonl", []
    for step in range(1, 4):
        append(file, figures(step, 1 / 3))
    feed = StepFeed(file, None, lambda one: told.append(one.step))
    keep_figures(file, up_to=0)
    for step in range(1, 6):
        append(file, figures(step, 1.0))
    feed.look(ended=True)
    assert told == [1, 2, 3, 4, 5]
