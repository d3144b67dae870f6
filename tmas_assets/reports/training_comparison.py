"""Trainings side by side, by iteration: reward, right answers in training, Pass@1; vanilla against hybrid rewards, say.

Rewards of different reward sets are different scales, so each picture and table that shows them says so, and what does
compare stands beside them: the share of right answers in training and Pass@1. Leaves out the drawing
(`training_comparison_figures.py`) and gathering the scores.
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Self

from pydantic import model_validator

from tmas_assets.records import Record, RewardChoice, Score
from tmas_assets.reports.comparison import points
from tmas_assets.reports.markdown_parts import cell, table
from tmas_assets.reports.notation import ABSENT, bounds, per_problem, percent, untrusted
from tmas_assets.reports.page import render_page
from tmas_assets.reports.training_comparison_figures import CurveOf, comparison_picture
from tmas_assets.reports.training_curves_table import IterationFigures, number
from tmas_assets.statistics import PairedDifference

BASE = "base"
"""How the model that training starts from is called beside `t00`, `t01`, ..."""
COLUMNS = ("reward in training", "right in training, %", "Pass@1, % [interval]", "against base, points [interval]", "problems × answers")
MEANING = (
    "Reward and right answers in training are means over the steps of the iteration, so of the models on the way to its checkpoint; "
    "Pass@1 is of the checkpoint itself. Intervals of Pass@1 are over problems; the difference to the base model is paired over the "
    "problems that both answered."
)


class IterationScore(Record):
    """Pass@1 of an experiment whose model is one checkpoint, or the base model."""

    iteration: int | None
    """Of the training; None: the base model."""
    score: Score
    """Of the experiment; its own `iteration` is the strategy's."""
    against_base: PairedDifference | None = None
    """This minus the base model; None for the base model itself, and where it has no score."""


class TrainingSide(Record):
    """One training with its iterations."""

    training: str
    rewards: tuple[RewardChoice, ...]
    """Empty for SFT."""
    data: str
    """What it is trained on, digest included: what is right in training compares on the same data only."""
    figures: tuple[IterationFigures, ...]
    scores: tuple[IterationScore, ...]

    @property
    def iterations(self) -> tuple[int | None, ...]:
        """That have figures or a score, the base model first."""
        found = {one.iteration for one in self.figures} | {one.iteration for one in self.scores}
        return tuple(sorted(found, key=lambda one: -1 if one is None else one))

    def figures_of(self, iteration: int | None) -> IterationFigures | None:
        return next((one for one in self.figures if one.iteration == iteration), None)

    def score_of(self, iteration: int | None) -> IterationScore | None:
        return next((one for one in self.scores if one.iteration == iteration), None)

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        for what, found in (("figures", [named(one.iteration) for one in self.figures]), ("scores", [named(one.iteration) for one in self.scores])):
            twice = sorted({one for one in found if found.count(one) > 1})
            if twice:
                raise ValueError(f"{self.training}: {what} of {', '.join(twice)} given more than once; give those of one experiment")
        return self


class TrainingComparison(Record):
    sides: tuple[TrainingSide, ...]

    @model_validator(mode="after")
    def _comparable(self) -> Self:
        names = [side.training for side in self.sides]
        if len(set(names)) != len(names):
            raise ValueError(f"trainings {names}: each is compared once")
        releases = sorted({(one.score.benchmark, one.score.release) for side in self.sides for one in side.scores})
        if len(releases) > 1:
            raise ValueError(f"scores of {len(releases)} releases, {releases}: they do not compare; make a comparison of each")
        return self

    @property
    def benchmark(self) -> str:
        """With its release; empty where nothing is scored."""
        return next((f"{one.score.benchmark} {one.score.release}" for side in self.sides for one in side.scores), "")


class TrainingLine(Record):
    """One iteration of one training as the text of a table."""

    training: str
    iteration: str
    cells: tuple[str, ...]
    """By COLUMNS."""


def named(iteration: int | None) -> str:
    return BASE if iteration is None else f"t{iteration:02d}"


def reward_text(side: TrainingSide) -> str:
    """`correctness + 0.5 × novel_strategy`, with settings that are given; `none (SFT)`."""

    def one(choice: RewardChoice) -> str:
        settings = ", ".join(f"{name} {value}" for name, value in sorted(choice.settings.items()))
        weighted = choice.name if choice.weight == 1 else f"{choice.weight:g} × {choice.name}"
        return f"{weighted} ({settings})" if settings else weighted

    return " + ".join(map(one, side.rewards)) or "none (SFT)"


def one_scale(comparison: TrainingComparison) -> bool:
    """Whether the rewards that are there are of one reward set, and so compare."""
    return len({reward_text(side) for side in comparison.sides if any(one.reward is not None for one in side.figures)}) < 2


def comparison_lines(comparison: TrainingComparison) -> tuple[TrainingLine, ...]:
    return tuple(_line(side, iteration) for side in comparison.sides for iteration in side.iterations)


def _line(side: TrainingSide, iteration: int | None) -> TrainingLine:
    trained, scored = side.figures_of(iteration), side.score_of(iteration)
    gain = scored.against_base if scored else None
    missing = f", {scored.score.missing:,} missing" if scored and scored.score.missing else ""
    return TrainingLine(training=side.training, iteration=named(iteration), cells=(
        number(trained.reward) if trained else ABSENT,
        percent(trained.accuracy) if trained and side.rewards else ABSENT,
        f"{percent(scored.score.value)} [{bounds(scored.score)}]" if scored and scored.score.value is not None else ABSENT,
        f"{points(gain.value)} [{points(gain.low, 1)} … {points(gain.high, 1)}]" if gain else ABSENT,
        per_problem(scored.score) + missing if scored else ABSENT,
    ))  # fmt: skip


def comparison_notes(comparison: TrainingComparison) -> tuple[str, ...]:
    """What bears on how far the figures compare, each once."""
    sides = comparison.sides
    notes = [f"Reward of {side.training}: {reward_text(side)}; on {side.data}." for side in sides]
    if not one_scale(comparison):
        notes.append("The trainings have different rewards: their rewards are different scales and do not compare. Right answers and Pass@1 do.")
    if len({side.data for side in sides}) > 1:
        notes.append("The trainings are on different data, so right answers in training do not compare either. Pass@1 does.")
    return (*notes, *_doubts([one.score for side in sides for one in side.scores]))


def _doubts(scores: Sequence[Score]) -> tuple[str, ...]:
    found: dict[str, None] = {}

    def differ(what: str, of: Callable[[Score], object]) -> None:
        kinds = sorted({str(of(score)) for score in scores})
        if len(kinds) > 1:
            found[f"The scores differ in {what} ({', '.join(kinds)}), so a difference may come from that."] = None

    differ("their grader", lambda score: f"{score.grader} {score.grader_version}")
    differ("the strategy's iteration", lambda score: f"t{score.iteration:02d}")
    differ("which answers they count", lambda score: "chosen ones" if score.chosen else "all")
    for score in scores:
        if score.missing:
            found[f"Missing: {score.missing:,} answers of {score.experiment}; those that are there are of the problems that finished first."] = None
        if score.unsandboxed:
            found[untrusted(score)] = None
    return tuple(found)


def comparison_markdown(comparison: TrainingComparison) -> str:
    """One GitHub table and the notes; the text of every cell is escaped."""
    lines = comparison_lines(comparison)
    if not lines:
        return "No iteration has ended yet."
    shown = table(["training", "iteration", *map(cell, COLUMNS)], [[cell(text) for text in (one.training, one.iteration, *one.cells)] for one in lines])
    notes = "\n".join(f"* {cell(note, 600)}" for note in (*comparison_notes(comparison), MEANING))
    return f"{shown}\n\n{notes}"


def curves_of(comparison: TrainingComparison) -> tuple[CurveOf, ...]:
    """What the picture shows, a training each."""
    return tuple(
        CurveOf(
            training=side.training,
            reward=tuple((one.iteration, one.reward) for one in side.figures if one.reward is not None),
            right=tuple((one.iteration, one.accuracy) for one in side.figures if side.rewards and one.accuracy is not None),
            scores=tuple((one.iteration, one.score) for one in side.scores if one.score.value is not None),
        )
        for side in comparison.sides
    )


def training_section(comparison: TrainingComparison) -> str:
    """A `<section>` of a page of this package, its texts escaped."""
    return render_page("training_section.html.jinja", **_shown(comparison))


def training_page(comparison: TrainingComparison, generated_at: datetime | None = None) -> str:
    """One self-contained page; an absent time leaves the same bytes for the same figures."""
    return render_page("training.html.jinja", generated_at=generated_at, **_shown(comparison))


def _shown(comparison: TrainingComparison) -> dict[str, object]:
    return {
        "comparison": comparison, "columns": COLUMNS, "lines": comparison_lines(comparison), "notes": comparison_notes(comparison),
        "meaning": MEANING, "picture_of_all": comparison_picture(curves_of(comparison), comparable=one_scale(comparison)),
    }  # fmt: skip
