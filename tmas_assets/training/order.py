"""Which RL rows make which step of a GRPO run: decided before training, so that a resumed run sees the prompts of an unbroken one.

Pure. The rows of a step follow from the rows' prompts, the seed, the mix and the size of a step, and from nothing else: neither from
the order of the rows nor from how many steps follow. Leaves out samples: each prompt of a step is sampled several times.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import cycle, islice

from tmas_assets.records import ROW_SOURCES, Grpo, Prompts, RlRow, RowSource, StepPrompts, digest


def order(
    rows: Sequence[RlRow], *, steps: int, prompts: int, mix: Mapping[RowSource, float], seed: int
) -> tuple[tuple[int, ...], ...]:
    """Indices into `rows` by step, `prompts` a step.

    Each source has its share of `mix` (weights; as they are in the rows where it is empty) in every step, up to one row that
    later steps make good. Each source's rows are walked in an order drawn by the seed, again and again, so that none comes twice before
    all were used. Raises ValueError: no rows, or a share for a source without rows.
    """
    return tuple(islice(_steps(rows, prompts, mix, seed), steps))


def step_table(
    rows: Sequence[RlRow], asked: Prompts, grpo: Grpo, iteration: int
) -> tuple[StepPrompts, ...]:
    """Prompt digests of each step of one iteration, its steps numbered over the whole run. Raises as `order`."""
    chosen = of_sources(rows, asked.sources)
    laid = order(chosen, steps=(iteration + 1) * grpo.steps, prompts=grpo.prompts, mix=grpo.mix, seed=asked.seed)
    return tuple(
        StepPrompts(iteration=iteration, step=step, rows=tuple(chosen[at].extra_info.prompt_digest for at in laid[step - 1]))
        for step in range(iteration * grpo.steps + 1, (iteration + 1) * grpo.steps + 1)
    )


def of_sources(rows: Sequence[RlRow], sources: Sequence[RowSource]) -> tuple[RlRow, ...]:
    """Those a run is prompted with, in order."""
    return tuple(row for row in rows if row.source in sources)


def _steps(rows: Sequence[RlRow], prompts: int, mix: Mapping[RowSource, float], seed: int) -> Iterator[tuple[int, ...]]:
    shares = _shares(rows, mix)
    walks = {source: cycle(_walk(rows, source, seed)) for source in shares}
    given: Counter[RowSource] = Counter()
    step = 0
    while True:
        step += 1
        due = {source: share * prompts * step - given[source] for source, share in shares.items()}
        taken: Counter[RowSource] = Counter()
        for _ in range(prompts):
            # the one that lags most; the earlier in the list of sources among equals
            most = max(due, key=lambda source: due[source])
            due[most] -= 1
            taken[most] += 1
        given += taken
        yield tuple(next(walks[source]) for source in shares for _ in range(taken[source]))


def _shares(rows: Sequence[RlRow], mix: Mapping[RowSource, float]) -> dict[RowSource, Fraction]:
    there = Counter(row.source for row in rows)
    if not rows:
        raise ValueError("no rows to be prompted with; build the data set, or name other sources in prompts.sources")
    weights = {source: Fraction(str(mix.get(source, 0.0) if mix else there[source])) for source in ROW_SOURCES}
    if any(weight < 0 for weight in weights.values()) or not any(weights.values()):
        raise ValueError(f"mix {dict(mix)}: give weights of at least 0, and one above it")
    missing = [source for source, weight in weights.items() if weight and not there[source]]
    if missing:
        raise ValueError(
            f"mix gives a share to {', '.join(missing)}, of which the run has no row (it has {dict(sorted(there.items()))}); take it out of the mix, "
            "or put it into prompts.sources and build rows of it"
        )
    return {source: weight / sum(weights.values()) for source, weight in weights.items() if weight}


def _walk(rows: Sequence[RlRow], source: RowSource, seed: int) -> list[int]:
    own = [at for at, row in enumerate(rows) if row.source == source]
    return sorted(own, key=lambda at: (digest([seed, rows[at].extra_info.prompt_digest]), at))
