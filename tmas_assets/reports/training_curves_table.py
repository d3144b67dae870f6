"""The figures of a training run by iteration: a record each, and the table of them. Leaves out the curves over steps."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from math import fsum

from tmas_assets.records import Record, RewardPart, StepFigures
from tmas_assets.reports.markdown_parts import cell, table
from tmas_assets.reports.notation import ABSENT, count, percent, short_count
from tmas_assets.reports.training_curves_values import finite, in_order, is_sampled, part_names


class IterationFigures(Record):
    """One training iteration over its steps. None: not of this kind of training, or no step has a finite value."""

    iteration: int
    first_step: int
    last_step: int
    steps: int
    """That have figures."""
    loss: float | None
    """Of the last step."""
    grad_norm: float | None
    """Mean over steps, as all that follow unless they say otherwise."""
    reward: float | None
    parts: tuple[RewardPart, ...]
    """Mean over the samples that each applies to."""
    unrewarded: int | None
    """Samples in all."""
    accuracy: float | None
    zero_variance: float | None
    truncated: float | None
    clip_ratio: float | None
    kl: float | None
    completion_tokens: float | None
    not_finite: int
    """Steps whose loss, reward or gradient norm is no finite number; it is in no mean."""
    tokens: int
    """In all."""
    seconds: float
    """In all."""
    tokens_per_second: float | None
    """All tokens over all seconds."""
    memory_mib: float
    """Peak."""


def iteration_figures(figures: Iterable[StepFigures]) -> tuple[IterationFigures, ...]:
    """By iteration. A step that was done again after a restart counts once, as it was done last."""
    ordered = sorted(in_order(figures), key=lambda one: one.iteration)
    return tuple(_summed(iteration, tuple(own)) for iteration, own in groupby(ordered, key=lambda one: one.iteration))


def _summed(iteration: int, own: Sequence[StepFigures]) -> IterationFigures:
    def mean(value: Callable[[StepFigures], float | None]) -> float | None:
        known = [number for one in own if (number := finite(value(one))) is not None]
        return fsum(known) / len(known) if known else None

    unrewarded = [one.unrewarded for one in own if one.unrewarded is not None]
    seconds, tokens = fsum(one.seconds for one in own), sum(one.tokens for one in own)
    return IterationFigures(
        iteration=iteration, first_step=own[0].step, last_step=own[-1].step, steps=len(own), loss=finite(own[-1].loss),
        grad_norm=mean(lambda one: one.grad_norm), reward=mean(lambda one: one.reward), parts=_parts(own),
        unrewarded=sum(unrewarded) if unrewarded else None, accuracy=mean(lambda one: one.accuracy),
        zero_variance=mean(lambda one: one.zero_variance), truncated=mean(lambda one: one.truncated),
        clip_ratio=mean(lambda one: one.clip_ratio), kl=mean(lambda one: one.kl),
        completion_tokens=mean(lambda one: one.completion_tokens),
        not_finite=sum(any(n is not None and finite(n) is None for n in (one.loss, one.reward, one.grad_norm)) for one in own),
        tokens=tokens, seconds=seconds, tokens_per_second=tokens / seconds if seconds else None,
        memory_mib=max(one.memory_mib for one in own),
    )  # fmt: skip


def _parts(own: Sequence[StepFigures]) -> tuple[RewardPart, ...]:
    made = []
    for name in part_names(own):
        known = [part for one in own for part in one.parts if part.name == name and part.samples and finite(part.mean) is not None]
        samples = sum(part.samples for part in known)
        if samples:
            made.append(RewardPart(name=name, mean=fsum(part.mean * part.samples for part in known) / samples, samples=samples))
    return tuple(made)


Text = Callable[[IterationFigures], str]


def iteration_columns(figures: Iterable[StepFigures]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Heading and a text an iteration; a column nobody has a value for is left out."""
    every = tuple(figures)
    rows = iteration_figures(every)
    parts = tuple(dict.fromkeys(part.name for row in rows for part in row.parts))
    written = [(head, tuple(text(row) for row in rows)) for head, text in _columns(is_sampled(every), parts)]
    return tuple((head, texts) for head, texts in written if any(one != ABSENT for one in texts))


def iterations_markdown(figures: Iterable[StepFigures]) -> str:
    """One row an iteration, by `iteration_columns`."""
    columns = iteration_columns(figures)
    if not columns:
        return "No step has ended yet."
    rows = zip(*(texts for _, texts in columns), strict=True)
    return table([cell(head) for head, _ in columns], [[cell(text) for text in row] for row in rows])


def number(value: float | None) -> str:
    """Four significant digits."""
    return ABSENT if value is None else f"{value:.4g}"


def duration(seconds: float) -> str:
    """`41.3 s`, `12 min 05 s`, `3 h 20 min`."""
    whole = round(seconds)
    if seconds < 60:
        return f"{seconds:.3g} s"
    return f"{whole // 60} min {whole % 60:02d} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def _columns(sampled: bool, parts: Sequence[str]) -> tuple[tuple[str, Text], ...]:
    right = "right, % of samples" if sampled else "ranked first, % of trained tokens"
    return (
        ("iteration", lambda row: f"t{row.iteration:02d}"),
        ("steps", lambda row: f"{count(row.first_step)} – {count(row.last_step)}" + _missing(row)),
        ("reward", lambda row: number(row.reward)),
        *((f"{name} (samples)", _part(name)) for name in parts),
        ("samples without a reward", lambda row: ABSENT if row.unrewarded is None else count(row.unrewarded)),
        (right, lambda row: percent(row.accuracy)),
        ("equal rewards, % of groups", lambda row: percent(row.zero_variance)),
        ("cut, % of samples", lambda row: percent(row.truncated)),
        ("tokens a sample", lambda row: number(row.completion_tokens)),
        ("clipped, %", lambda row: percent(row.clip_ratio)),
        ("KL", lambda row: number(row.kl)),
        ("loss, last step", lambda row: number(row.loss)),
        ("gradient norm", lambda row: number(row.grad_norm)),
        ("steps not finite", lambda row: count(row.not_finite) if row.not_finite else ABSENT),
        ("tokens/s", lambda row: ABSENT if row.tokens_per_second is None else short_count(row.tokens_per_second)),
        ("peak memory, MiB", lambda row: count(round(row.memory_mib))),
        ("time", lambda row: duration(row.seconds)),
    )


def _missing(row: IterationFigures) -> str:
    absent = row.last_step - row.first_step + 1 - row.steps
    return f" ({count(absent)} missing)" if absent else ""


def _part(name: str) -> Text:
    def text(row: IterationFigures) -> str:
        found = next((part for part in row.parts if part.name == name), None)
        return ABSENT if found is None else f"{number(found.mean)} ({count(found.samples)})"

    return text
