"""The figures of every iteration of an experiment, from what its cells hold. Leaves out how a figure is computed: `statistics/`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Counted:
    """The grades of one iteration that count as its answers."""

    grades: tuple[Grade, ...]
    asked: int
    """Answers of each problem that the experiment asks for."""
    chosen: bool
    """Whether they are the strategy's own choice, one a repeat, and not its whole population."""


def answers(experiment: Experiment, gathered: Gathered) -> Mapping[int, Counted]:
    """By iteration that has a grade: what the strategy answers, its choice where it makes one."""
    method, settings = strategy(experiment.strategy.name), settings_of(experiment.strategy)
    if method.chooses(settings):
        chosen = _by_iteration(gathered, choices=True)
        return {t: Counted(found, experiment.repeats, chosen=True) for t, found in chosen.items()}
    return _populations(experiment, gathered)


def _populations(experiment: Experiment, gathered: Gathered) -> Mapping[int, Counted]:
    """By iteration that has a grade and a population of answers of their own."""
    method, settings = strategy(experiment.strategy.name), settings_of(experiment.strategy)
    sizes = {t: method.population(settings, t) * experiment.repeats for t in range(experiment.iterations)}
    found = _by_iteration(gathered, choices=False)
    return {t: Counted(grades, sizes[t], chosen=False) for t, grades in found.items() if sizes[t]}


def _by_iteration(gathered: Gathered, *, choices: bool) -> Mapping[int, tuple[Grade, ...]]:
    rollouts = gathered.frames["rollouts"].filter(pl.col("branch") == "chosen")
    chosen = set(rollouts.select("problem", "id").iter_rows())
    found: dict[int, list[Grade]] = {}
    for grade in gathered.grades:
        if ((grade.problem, grade.rollout) in chosen) == choices:
            found.setdefault(grade.iteration, []).append(grade)
    return {t: tuple(found[t]) for t in sorted(found)}


def clusters(experiment: Experiment, problems: Sequence[Problem]) -> Mapping[str, str]:
    """By problem id, what it shares with others of its source; a generator's draws share nothing."""
    generated = benchmark(experiment.benchmark.name).package is not None
    return {problem.id: problem.id if generated else cluster_of(problem) for problem in problems}


def samples(experiment: Experiment, problems: Sequence[Problem], gathered: Gathered) -> Mapping[int, Samples]:
    """By iteration that has a grade, in order: the answers that count."""
    return _samples(experiment, problems, answers(experiment, gathered))


def _samples(
    experiment: Experiment, problems: Sequence[Problem], counted: Mapping[int, Counted]
) -> Mapping[int, Samples]:
    return {
        iteration: samples_of(
            one.grades,
            problems=[problem.id for problem in problems],
            answers_per_problem=one.asked,
            iteration=iteration,
            place=f"figures of {experiment.name}, iteration {iteration}",
        )
        for iteration, one in counted.items()
    }


def figures(
    cells: CellStore, problems: Sequence[Problem], gathered: Gathered, graders: Graders
) -> tuple[Figure, ...]:
    """All figures of every iteration that has a grade, in order: of its population, and of the choice from it.

    Drafts of one answer are in none: there the choices of all repeats take the place of a population.
    """
    experiment, voting = cells.experiment, Voting(graders)
    scores = checked(gathered)
    sources = clusters(experiment, problems)
    by_id = {problem.id: problem for problem in problems}
    made: list[Figure] = []
    counted = answers(experiment, gathered)
    choices = _samples(experiment, problems, {t: one for t, one in counted.items() if one.chosen})
    populations = _samples(experiment, problems, _populations(experiment, gathered))
    for iteration, found in sorted({**choices, **populations}.items()):
        voted = {
            problem: voting.classes(by_id[problem], [grade.extracted for grade in own])
            for problem, own in found.answers.items()
        }
        classes = {problem: of for problem, of in voted.items() if of is not None}
        seed = seed_of(experiment.seed, "bootstrap", iteration)
        chosen = choices.get(iteration) if iteration in populations else None
        made += figures_of(found, Beside(classes, scores, sources, chosen), seed=seed)
    return tuple(made)


def checked(gathered: Gathered) -> Mapping[tuple[str, str], float]:
    """Mean score of the parsed verifications by (problem, rollout). Ratings of verifications are none of the rollout;
    one that is kept and not checked again has the score of the one it repeats."""
    checks = gathered.frames["verifier_scores"].filter(pl.col("about").is_null())
    means = checks.group_by("problem", "rollout").agg(pl.col("score").mean()).drop_nulls("score")
    found = {(problem, rollout): mean for problem, rollout, mean in means.rows()}
    kept = gathered.frames["rollouts"].filter(pl.col("branch") == "kept").sort("iteration")
    for problem, rollout, (repeats, *_) in kept.select("problem", "id", "parents").iter_rows():
        if (problem, repeats) in found:
            found.setdefault((problem, rollout), found[problem, repeats])
    return found
