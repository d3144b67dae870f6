"""The promises of a problem table as Dagster's asset checks on `problems/<benchmark>`.

They read the stored table, not the release: what is checked is what experiments will use. All of them run in one step
after the asset, in the run that materializes it. Leaves out what each one promises.
"""

from collections.abc import Iterator, Sequence

import dagster as dg

from resources.deployment import Deployment
from resources.parquet_store import StoreFault
from resources.releases import load_problems
from tmas_assets.assets.evaluations import result
from tmas_assets.assets.faults import graders_of, permanent
from tmas_assets.assets.keys import problems_key
from tmas_assets.benchmarks import (
    Benchmark,
    BenchmarkError,
    ProblemChange,
    asset_name,
    benchmark,
    difference,
    resolve_release,
)
from tmas_assets.checks import golds, key_letters, leaked_golds, listed_differences, unique_ids
from tmas_assets.engine import pinned_release
from tmas_assets.engine.problems import ProblemTable, read_changes, read_table
from tmas_assets.records import BenchmarkChoice
from tmas_assets.records.finding import Finding

_PROMISES = {
    unique_ids.PROMISE: "Ids name one problem each, also as partition keys.",
    golds.PROMISE: "A reply that is the gold is right under its own grader, or undecided; never wrong or failed.",
    pinned_release.PROMISE: "The table was made from the pinned bytes; a generator gives what it gave the first time.",
    listed_differences.PROMISE: "Differences to the previous table and release are listed; no gold changed in place.",
    leaked_golds.PROMISE: "No statement holds its own gold in a box, announced, or as the value it ends with.",
    key_letters.PROMISE: "Key letters are near uniform: a constant letter scores no better than chance.",
}


def problems_checks(choice: BenchmarkChoice) -> dg.AssetChecksDefinition:
    known = benchmark(choice.name)
    key = problems_key(choice)
    promises = [name for name in _PROMISES if _is_made(name, known)]

    @dg.multi_asset_check(
        name=f"check_problems_{asset_name(choice)}",
        specs=[dg.AssetCheckSpec(name, asset=key, description=_PROMISES[name]) for name in promises],
        description=f"The promises of problems/{asset_name(choice)}.",
    )
    def checks(context: dg.AssetCheckExecutionContext, deployment: Deployment) -> Iterator[dg.AssetCheckResult]:
        try:
            table = read_table(deployment.store(), asset_name(choice))
            for finding in findings(deployment, choice, table):
                if finding.promise in promises:
                    yield result(finding, key)
        except (StoreFault, BenchmarkError) as fault:
            raise permanent(fault) from fault

    return checks


def _is_made(promise: str, known: Benchmark) -> bool:
    """Whether a benchmark makes this promise: one without golds promises nothing of them, a user's file is no release."""
    if promise == key_letters.PROMISE:
        return "choice" in known.graders
    if promise in (golds.PROMISE, leaked_golds.PROMISE):
        return known.has_gold
    return promise != pinned_release.PROMISE or known.own_files is None


def findings(deployment: Deployment, choice: BenchmarkChoice, table: ProblemTable) -> Iterator[Finding]:
    """What every check that the benchmark promises finds in the table. Raises StoreFault and BenchmarkError."""
    yield unique_ids.check_unique_ids(table.problems)
    if benchmark(choice.name).own_files is None:
        yield pinned_release.check_pinned_release(choice, table, deployment.store(), deployment.downloads)
    yield _differences(deployment, choice, table)
    if not benchmark(choice.name).has_gold:
        return
    yield leaked_golds.check_leaked_golds(table.problems)
    yield key_letters.check_key_letters(table.problems)
    with graders_of(deployment) as graders:
        yield golds.check_golds(table.problems, graders.submit)


def _differences(deployment: Deployment, choice: BenchmarkChoice, table: ProblemTable) -> Finding:
    changes = read_changes(deployment.store(), table.asset)
    since_release, previous = _since_release(deployment, choice, table)
    looked_at = len(table.problems)
    return listed_differences.check_listed_differences(
        looked_at, changes.changes if changes else (), since_release, previous)


def _since_release(
    deployment: Deployment, choice: BenchmarkChoice, table: ProblemTable
) -> tuple[Sequence[ProblemChange] | None, str]:
    known = benchmark(choice.name)
    release = known.release(resolve_release(choice))
    if release is None or release.follows is None:
        return None, "no release before it"
    if release.name != resolve_release(choice):
        return None, "a release label of the user's own"
    before = choice.model_copy(update={"release": release.follows})
    try:
        loaded = load_problems(before, data=deployment.data_folder, cache=deployment.downloads)
    except BenchmarkError as fault:
        return None, f"release {release.follows} could not be compared: {fault}"
    return difference(loaded.problems, table.problems), release.follows
