"""What is drawn of a training run: its figures over steps, as panels of curves with at most a few hundred points each.

Leaves out the drawing (`training_curves.py`) and the table by iteration (`training_curves_table.py`).
"""

from collections.abc import Callable, Iterable, Sequence
from math import fsum, isfinite
from typing import NamedTuple

from tmas_assets.records import StepFigures

MOST_POINTS = 300
"""Of a curve. A longer run is drawn as means of equally many steps, with the band from the least to the most of them."""


class Point(NamedTuple):
    """Mean, least and most of the steps that one place stands for."""

    step: float
    value: float
    low: float
    high: float


class Curve(NamedTuple):
    name: str
    """Empty for the only curve of a panel."""
    points: tuple[Point | None, ...]
    """By place; None where no step of it has a finite value, which is a gap."""


class CurvePanel(NamedTuple):
    title: str
    curves: tuple[Curve, ...]


class Border(NamedTuple):
    """Where an iteration begins: before its first step."""

    at: float
    iteration: int


Value = Callable[[StepFigures], float | None]


def in_order(figures: Iterable[StepFigures]) -> tuple[StepFigures, ...]:
    """By step. A step that was done again after a restart counts once, as it was done last."""
    return tuple(one for _, one in sorted({one.step: one for one in figures}.items()))


def borders(figures: Sequence[StepFigures]) -> tuple[Border, ...]:
    """The first iteration's beginning too. `figures` in order."""
    starts = (i for i, one in enumerate(figures) if i == 0 or one.iteration != figures[i - 1].iteration)
    return tuple(Border(figures[i].step - 0.5, figures[i].iteration) for i in starts)


def curve_panels(figures: Iterable[StepFigures]) -> tuple[CurvePanel, ...]:
    """Only panels, and only curves, with a value at some step; percentages for shares."""
    ordered = in_order(figures)
    places = _places(ordered)
    made = ((title, [Curve(name, _points(places, value)) for name, value in curves]) for title, curves in _panels(ordered))
    return tuple(
        CurvePanel(title, tuple(there))
        for title, curves in made
        if (there := [curve for curve in curves if any(point is not None for point in curve.points)])
    )


def finite(number: float | None) -> float | None:
    return number if number is not None and isfinite(number) else None


def is_sampled(figures: Iterable[StepFigures]) -> bool:
    """Whether the run samples and is rewarded (GRPO)."""
    return any(one.completion_tokens is not None or one.reward is not None for one in figures)


def part_names(figures: Iterable[StepFigures]) -> tuple[str, ...]:
    """In the order in which they first occur."""
    return tuple(dict.fromkeys(part.name for one in figures for part in one.parts))


def _panels(figures: Sequence[StepFigures]) -> tuple[tuple[str, tuple[tuple[str, Value], ...]], ...]:
    parts = tuple((name, _part(name)) for name in part_names(figures))
    right = "samples that are right, %" if is_sampled(figures) else "trained tokens ranked first, %"
    return (
        ("reward", (("weighted sum", lambda one: one.reward), *parts)),
        (right, (("", lambda one: _percent(one.accuracy)),)),
        ("share, %", (
            ("groups of equal rewards", lambda one: _percent(one.zero_variance)),
            ("samples cut at the limit", lambda one: _percent(one.truncated)),
        )),
        ("tokens of a sample, mean", (("", lambda one: one.completion_tokens),)),
        ("loss", (("", lambda one: one.loss),)),
        ("KL to the reference model", (("", lambda one: one.kl),)),
        ("clipped, % of tokens", (("", lambda one: _percent(one.clip_ratio)),)),
        ("gradient norm", (("", lambda one: one.grad_norm),)),
        ("tokens/s", (("", lambda one: one.tokens_per_second),)),
    )  # fmt: skip


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _part(name: str) -> Value:
    return lambda one: next((part.mean for part in one.parts if part.name == name and part.samples), None)


def _places(figures: Sequence[StepFigures]) -> tuple[tuple[StepFigures, ...], ...]:
    """Equally many step numbers each; a number without figures leaves its place the emptier."""
    if not figures:
        return ()
    first, span = figures[0].step, figures[-1].step - figures[0].step + 1
    wide = -(-span // MOST_POINTS)
    places: list[list[StepFigures]] = [[] for _ in range(-(-span // wide))]
    for one in figures:
        places[(one.step - first) // wide].append(one)
    return tuple(map(tuple, places))


def _points(places: Sequence[Sequence[StepFigures]], value: Value) -> tuple[Point | None, ...]:
    return tuple(map(_point, ([(one.step, known) for one in place if (known := finite(value(one))) is not None] for place in places)))


def _point(known: Sequence[tuple[int, float]]) -> Point | None:
    if not known:
        return None
    values = [value for _, value in known]
    return Point(fsum(step for step, _ in known) / len(known), fsum(values) / len(known), min(values), max(values))
