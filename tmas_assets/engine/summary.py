"""Everything an experiment's cells add up to: scores and figures by iteration, tokens by role, banks, parse errors, lineage.

Names what is not there (as `missing` in the scores). Leaves out reading the cells (`gathering.py`) and pictures and
pages (`tmas_assets/reports/`).
"""

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from partitions.keys import iteration_key
from tmas_assets.benchmarks import benchmark, resolve_release
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.figures import answers, clusters, figures
from tmas_assets.engine.gathering import Gathered, asked, bank_writes, turns
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.team import model_name
from tmas_assets.records import JUDGE, Bank, Judgement, Problem, RoleTokens, Score
from tmas_assets.reports.experiment_report import ExperimentReport
from tmas_assets.reports.report_rows import (
    BankSize,
    InputDigest,
    ModelUse,
    ParseErrors,
    ProblemCell,
    ProblemRow,
    Setting,
)
from tmas_assets.statistics import ProblemTally, agreement, role_order, role_tokens, score_iteration, spent_by_iteration
from tmas_assets.strategies import settings_of, strategy

_BANKS: tuple[Bank, ...] = ("experience", "guideline")


def scores(cells: CellStore, problems: Sequence[Problem], gathered: Gathered) -> tuple[Score, ...]:
    """One score an iteration that has a grade, in order."""
    experiment = cells.experiment
    return tuple(
        score_iteration(
            counted.grades,
            problems=[problem.id for problem in problems],
            answers_per_problem=counted.asked,
            chosen=counted.chosen,
            experiment=experiment.name,
            benchmark=experiment.benchmark.name,
            release=resolve_release(experiment.benchmark),
            iteration=iteration,
            grades_digest=gathered.digests["benchmark_scores", iteration],
            clusters=clusters(experiment, problems),
        )
        for iteration, counted in answers(experiment, gathered).items()
    )


def tokens_from_scratch(gathered: Gathered) -> tuple[RoleTokens, ...]:
    """Tokens by role of every call a record was made of, whoever paid for it; a judge's reply counts once."""
    known = pl.col("prompt_tokens").is_not_null() & pl.col("completion_tokens").is_not_null()
    sums = (
        asked(gathered)
        .unnest("trace")
        .group_by("role")
        .agg(
            pl.len().alias("calls"),
            pl.col("prompt_tokens").filter(known).sum(),
            pl.col("completion_tokens").filter(known).sum(),
            (~known).sum().alias("unknown"),
        )
    )
    judged = {trace.call: trace for judgement in _judgements(gathered) for trace in judgement.traces}
    rows = [*(RoleTokens(**row) for row in sums.to_dicts()), *role_tokens(judged.values())]
    return tuple(sorted(rows, key=lambda row: role_order(row.role)))


def _judgements(gathered: Gathered) -> Iterable[Judgement]:
    """Each one once: equal answers to a problem share it."""
    found = (grade.judgement for grade in gathered.grades if grade.judgement is not None)
    return {judgement.traces[-1].call: judgement for judgement in found}.values()


def _parse_errors(gathered: Gathered) -> tuple[ParseErrors, ...]:
    parts = [
        gathered.frames[kind].select(pl.col("trace").struct.field("role"), "parse")
        for kind in ("verifier_scores", "summaries")
    ]
    parts += [one.select(pl.col("trace").struct.field("role"), "parse") for one in (bank_writes(gathered), turns(gathered))]
    counted = (
        pl.concat(parts)
        .filter(pl.col("parse") != "failed")
        .group_by("role")
        .agg((pl.col("parse") == "parse_error").sum().alias("errors"), pl.len().alias("total"))
    )
    rows = [ParseErrors(**row) for row in counted.to_dicts()]
    read = [judgement for judgement in _judgements(gathered) if judgement.parse != "failed"]
    if read:
        total = sum(len(judgement.traces) for judgement in read)
        rows.append(ParseErrors(role=JUDGE, errors=total - sum(one.parse == "parsed" for one in read), total=total))
    return tuple(sorted(rows, key=lambda row: role_order(row.role)))


def _bank_sizes(gathered: Gathered) -> tuple[BankSize, ...]:
    memory = gathered.frames["memory_bank"]
    snapshots = dict(memory.group_by("iteration").len().rows())
    live = memory.select("iteration", "entries").explode("entries").drop_nulls("entries").unnest("entries")
    counts = {
        (iteration, bank): size
        for iteration, bank, size in live.filter(pl.col("state") == "live").group_by("iteration", "bank").len().rows()
    }
    return tuple(
        BankSize(iteration=t, bank=bank, live=counts.get((t, bank), 0), snapshots=snapshots[t])
        for t in sorted(snapshots)
        for bank in _BANKS
    )


def _problem_rows(gathered: Gathered, problems: Sequence[Problem]) -> tuple[ProblemRow, ...]:
    graded = {
        (problem, iteration): (right, answers)
        for problem, iteration, right, answers in gathered.frames["benchmark_scores"]
        .group_by("problem", "iteration")
        .agg((pl.col("outcome") == "right").sum().alias("right"), pl.len().alias("answers"))
        .rows()
    }
    verified = {
        (problem, iteration): mean
        for problem, iteration, mean in gathered.frames["verifier_scores"]
        .filter(pl.col("about").is_null())
        .group_by("problem", "iteration")
        .agg(pl.col("score").mean())
        .rows()
    }
    iterations = sorted({iteration for _, iteration in graded})
    return tuple(
        ProblemRow(
            problem=problem.id,
            statement=problem.statement,
            cells=tuple(
                ProblemCell(
                    iteration=t,
                    right=graded[problem.id, t][0],
                    answers=graded[problem.id, t][1],
                    mean_verifier=verified.get((problem.id, t)),
                )
                for t in iterations
                if (problem.id, t) in graded
            ),
        )
        for problem in problems
    )


def report(
    cells: CellStore,
    problems: Sequence[Problem],
    gathered: Gathered,
    *,
    graders: Graders,
    tallies: Sequence[ProblemTally],
    problems_digest: str,
    models: Mapping[str, str],
    paid: tuple[RoleTokens, ...],
) -> ExperimentReport:
    """All that the page shows. `graders` tell which answers are equal, for votes; `models`: identity by endpoint name;
    `paid`: the call log's account."""
    experiment = cells.experiment
    release = benchmark(experiment.benchmark.name)
    return ExperimentReport(
        name=experiment.name,
        description=experiment.description,
        benchmark=experiment.benchmark.name,
        release=resolve_release(experiment.benchmark),
        licence=release.licence,
        strategy=experiment.strategy.name,
        settings=_settings(cells),
        models=models_used(cells, models),
        scores=scores(cells, problems, gathered),
        figures=figures(cells, problems, gathered, graders),
        agreement=agreement(gathered.grades),
        spent=spent_by_iteration(tallies, experiment.repeats),
        tokens_scratch=tokens_from_scratch(gathered),
        tokens_paid=paid,
        problems=_problem_rows(gathered, problems),
        banks=_bank_sizes(gathered),
        parse_errors=_parse_errors(gathered),
        digests=(
            InputDigest(name="problems", digest=problems_digest),
            InputDigest(name="strategy and prompts", digest=cells.strategy_digest),
            InputDigest(name="settings", digest=cells.settings_digest),
            *(
                InputDigest(name=f"{kind} {iteration_key(t)}", digest=found)
                for (kind, t), found in sorted(gathered.digests.items(), key=lambda item: (item[0][1], item[0][0]))
            ),
        ),
    )


def _settings(cells: CellStore) -> tuple[Setting, ...]:
    experiment = cells.experiment
    shown = {
        "iterations": experiment.iterations,
        "repeats": experiment.repeats,
        "seed": experiment.seed,
        **{f"benchmark.{name}": value for name, value in experiment.benchmark.settings.items()},
        **{f"strategy.{name}": value for name, value in settings_of(experiment.strategy).model_dump().items()},
        **{
            f"{role}.{name}": value
            for role in strategy(experiment.strategy.name).roles(settings_of(experiment.strategy))
            for name, value in experiment.sampling(role).model_dump(exclude_none=True).items()
        },
        **{f"judge.{name}": value for name, value in (experiment.judge.model_dump() if experiment.judge else {}).items()},
    }
    return tuple(Setting(name=name, value=str(value)) for name, value in shown.items())


def models_used(cells: CellStore, identities: Mapping[str, str]) -> tuple[ModelUse, ...]:
    """`identities` by endpoint name."""
    experiment = cells.experiment
    roles = (*strategy(experiment.strategy.name).roles(settings_of(experiment.strategy)), *((JUDGE,) if experiment.judge else ()))
    return tuple(
        ModelUse(
            model=model_name(endpoint),
            identity=identities[name],
            roles=tuple(role for role in roles if experiment.endpoint_of(role) == name),
        )
        for name, endpoint in sorted(experiment.endpoints.items())
    )
