"""Two experiments on the same problems, read from their cells and compared. Leaves out the statistics and the printing."""

import polars as pl

from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.figures import clusters, samples
from tmas_assets.engine.gathering import Gathered, asked, gather
from tmas_assets.engine.problems import ProblemTable
from tmas_assets.records.seeds import seed_of
from tmas_assets.statistics import PairedComparison, Side, compare

_SAMPLED = "paired comparison"


def compare_experiments(
    a: CellStore, table_a: ProblemTable, b: CellStore, table_b: ProblemTable
) -> tuple[PairedComparison, ...]:
    """At equal iterations and at equal tokens. Raises StoreFault for a torn cell."""
    problems = {
        problem.digest: (cells.experiment, problem)
        for cells, table in ((a, table_a), (b, table_b))
        for problem in table.select((), cells.experiment.benchmark.limit)
    }
    sources = {key: clusters(experiment, [problem])[problem.id] for key, (experiment, problem) in problems.items()}
    seed = seed_of(_SAMPLED, *sorted((a.experiment.name, b.experiment.name)))  # the same whichever is named first
    return compare(_side(a, table_a), _side(b, table_b), seed=seed, clusters=sources)


def _side(cells: CellStore, table: ProblemTable) -> Side:
    experiment = cells.experiment
    problems = table.select((), experiment.benchmark.limit)
    gathered = gather(cells, problems)
    digests = {problem.id: problem.digest for problem in problems}
    graders = sorted({f"{grade.grader} {grade.grader_version}" for grade in gathered.grades})
    tokens: dict[str, dict[int, int]] = {}
    unknown: dict[str, dict[int, int]] = {}
    for problem, iteration, spent, calls in _spent(gathered).rows():
        tokens.setdefault(digests[problem], {})[iteration] = spent
        unknown.setdefault(digests[problem], {})[iteration] = calls
    return Side(
        experiment=experiment.name,
        samples=samples(experiment, problems, gathered),
        tokens=tokens,
        unknown=unknown,
        grader=" + ".join(graders),
    )


def _spent(gathered: Gathered) -> pl.DataFrame:
    """Tokens and calls without usage by problem and iteration, of every call a record was made of."""
    known = pl.col("prompt_tokens").is_not_null() & pl.col("completion_tokens").is_not_null()
    return (
        asked(gathered)
        .unnest("trace")
        .group_by("problem", "iteration")
        .agg(
            (pl.col("prompt_tokens") + pl.col("completion_tokens")).filter(known).sum().alias("tokens"),
            (~known).sum().alias("unknown"),
        )
        .sort("problem", "iteration")
    )
