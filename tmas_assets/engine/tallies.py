"""The tallies of an experiment, a row a cell, from what its cells hold. Leaves out what is made of them."""

from collections.abc import Iterator, Sequence

import polars as pl

from tmas_assets.engine.figures import clusters, samples
from tmas_assets.engine.gathering import Gathered, asked
from tmas_assets.records import Experiment, Problem
from tmas_assets.statistics import ProblemTally


def tallies(experiment: Experiment, problems: Sequence[Problem], gathered: Gathered) -> tuple[ProblemTally, ...]:
    """Of every cell that is there, graded or not, by iteration and problem."""
    return tuple(sorted(_tallies(experiment, problems, gathered), key=lambda one: (one.iteration, one.problem)))


def _tallies(experiment: Experiment, problems: Sequence[Problem], gathered: Gathered) -> Iterator[ProblemTally]:
    counted = samples(experiment, problems, gathered)
    sources, digests = clusters(experiment, problems), {problem.id: problem.digest for problem in problems}
    spent = {(problem, iteration): rest for problem, iteration, *rest in _spent(gathered).iter_rows()}
    there = gathered.frames["memory_bank"].select("problem", "iteration").unique().iter_rows()
    for problem, iteration in there:
        found = counted.get(iteration)
        own = found.answers.get(problem, ()) if found is not None else ()
        calls, tokens, unknown = spent.get((problem, iteration), (0, 0, 0))
        yield ProblemTally(
            problem=problem,
            problem_digest=digests[problem],
            source=sources[problem],
            iteration=iteration,
            answers=len(own),
            right=sum(grade.outcome == "right" for grade in own),
            truncated=sum(grade.completion == "truncated" for grade in own),
            failed=sum(grade.outcome == "failed" for grade in own),
            undecided=sum(grade.outcome == "undecided" for grade in own),
            unsandboxed=sum(grade.unsandboxed for grade in own),
            calls=calls,
            tokens=tokens,
            usage_unknown=unknown,
        )


def _spent(gathered: Gathered) -> pl.DataFrame:
    """Calls, tokens and calls without usage by problem and iteration, of every call a record was made of."""
    known = pl.col("prompt_tokens").is_not_null() & pl.col("completion_tokens").is_not_null()
    return (
        asked(gathered)
        .unnest("trace")
        .group_by("problem", "iteration")
        .agg(
            pl.len().alias("calls"),
            (pl.col("prompt_tokens") + pl.col("completion_tokens")).filter(known).sum().alias("tokens"),
            (~known).sum().alias("unknown"),
        )
    )
