"""The figures of every iteration of an experiment, from what its cells hold. Leaves out how a figure is computed: `statistics/`."""

from collections.abc import Mapping, Sequence

import polars as pl

from tmas_assets.benchmarks import benchmark
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.gathering import Gathered
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.voting import Voting
from tmas_assets.records import Experiment, Figure, Grade, Problem
from tmas_assets.records.seeds import seed_of
from tmas_assets.statistics import Beside, Samples, cluster_of, figures_of, samples_of
from tmas_assets.strategies import settings_of, strategy


def answers_asked(experiment: Experiment) -> int:
    """Answers of one problem in one iteration: candidates x repeats."""
    return strategy(experiment.strategy.name).answers(settings_of(experiment.strategy)) * experiment.repeats


def clusters(experiment: Experiment, problems: Sequence[Problem]) -> Mapping[str, str]:
    """By problem id, what it shares with others of its source; a generator's draws share nothing."""
    generated = benchmark(experiment.benchmark.name).generated
    return {problem.id: problem.id if generated else cluster_of(problem) for problem in problems}


def samples(experiment: Experiment, problems: Sequence[Problem], gathered: Gathered) -> Mapping[int, Samples]:
    """By iteration that has a grade, in order."""
    by_iteration: dict[int, list[Grade]] = {}
    for grade in gathered.grades:
        by_iteration.setdefault(grade.iteration, []).append(grade)
    return {
        iteration: samples_of(
            found,
            problems=[problem.id for problem in problems],
            answers_per_problem=answers_asked(experiment),
            iteration=iteration,
            place=f"figures of {experiment.name}, iteration {iteration}",
        )
        for iteration, found in sorted(by_iteration.items())
    }


def figures(
    cells: CellStore, problems: Sequence[Problem], gathered: Gathered, graders: Graders
) -> tuple[Figure, ...]:
    """All figures of every iteration that has a grade, in order."""
    experiment, voting = cells.experiment, Voting(graders)
    checked = _checked(gathered)
    sources = clusters(experiment, problems)
    by_id = {problem.id: problem for problem in problems}
    made: list[Figure] = []
    for iteration, found in samples(experiment, problems, gathered).items():
        voted = {
            problem: voting.classes(by_id[problem], [grade.extracted for grade in own])
            for problem, own in found.answers.items()
        }
        classes = {problem: of for problem, of in voted.items() if of is not None}
        seed = seed_of(experiment.seed, "bootstrap", iteration)
        made += figures_of(found, Beside(classes, checked, sources), seed=seed)
    return tuple(made)


def _checked(gathered: Gathered) -> Mapping[tuple[str, str], float]:
    """Mean score of the parsed verifications by (problem, rollout)."""
    means = gathered.frames["verifier_scores"].group_by("problem", "rollout").agg(pl.col("score").mean())
    return {(problem, rollout): mean for problem, rollout, mean in means.rows() if mean is not None}
