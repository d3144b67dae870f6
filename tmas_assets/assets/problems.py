"""The asset `problems/<benchmark>`: an external release becomes validated problems and fills the problem axis."""

import dagster as dg

from partitions.axes import problem_axis_name
from partitions.keys import problem_key
from resources.deployment import Deployment
from resources.parquet_store import StoreFault
from resources.releases import LoadedRelease
from tmas_assets.assets.events import Metadata
from tmas_assets.assets.faults import permanent
from tmas_assets.assets.keys import problems_key
from tmas_assets.assets.metadata import of_file, text_table
from tmas_assets.benchmarks import BenchmarkError, benchmark, resolve_release, whole_release
from tmas_assets.engine.problems import ProblemTable, refresh_table
from tmas_assets.records import BenchmarkChoice


def fill_problems(deployment: Deployment, choice: BenchmarkChoice) -> tuple[ProblemTable, LoadedRelease]:
    """Load and store the release. Raises a `Failure` that no retry cures for a damaged or missing one."""
    try:
        return refresh_table(deployment.store(), choice, data=deployment.data_folder, downloads=deployment.downloads)
    except (BenchmarkError, StoreFault) as fault:
        raise permanent(fault) from fault


def fill_axis(instance: dg.DagsterInstance, table: ProblemTable) -> None:
    """Add the problems to the axis; keys are never taken away, a retired problem's cells stay in view."""
    instance.add_dynamic_partitions(
        problem_axis_name(table.asset), [problem_key(problem.id) for problem in table.problems]
    )


def problems_metadata(table: ProblemTable, release: LoadedRelease) -> Metadata:
    known = benchmark(release.benchmark)
    note = {"note": dg.MetadataValue.text(release.note)} if release.note else {}
    judge = {"judge": dg.MetadataValue.text(known.judge)} if known.judge else {}
    files = {"files": text_table(("file", "sha256", "found"), release.files)} if release.files else {}
    repaired = {"repaired": text_table(("problem", "reason"), release.repaired)} if release.repaired else {}
    return {
        "sample": text_table(
            ("problem", "statement", "gold"), [(p.id, p.statement, p.answer or "none") for p in table.problems[:10]]
        ),
        "problems_repaired": dg.MetadataValue.int(len(release.repaired)),
        **repaired,
        "problems_retired": dg.MetadataValue.int(len(table.retired)),
        "release": dg.MetadataValue.text(release.release),
        **note,
        "grader": dg.MetadataValue.text(", ".join(known.graders)),
        **judge,
        "licence": dg.MetadataValue.text(release.licence),
        "source": dg.MetadataValue.text(release.source),
        **files,
        **of_file(table.file),
        "release_digest": dg.MetadataValue.text(release.digest),
    }


def described(choice: BenchmarkChoice) -> str:
    """What a reader of the asset graph should know of the benchmark before its problems are here."""
    known = benchmark(choice.name)
    release = known.release(resolve_release(choice))
    parts = [f"**{known.title}**" + (f", {release.rows} problems" if release is not None and release.rows else "")]
    graders = " and ".join(known.graders) + (f", then a judge ({known.judge})" if known.judge else "")
    parts.append(f"Graders: {graders}")
    parts.append(f"Licence: {known.licence}")
    parts.append(f"Source: {known.source}")
    if release is not None:
        parts.append(f"Release {resolve_release(choice)}: {release.note.rstrip('.')}")
    if known.gated is not None:
        parts.append(known.gated.access)
    parts.append("Materialize it first: it fills the problem axis of its experiments")
    return ".\n\n".join(parts) + "."


def problems_version(choice: BenchmarkChoice) -> str:
    """Code version: changes with the settings of the release, not with how much of it an experiment uses."""
    return whole_release(choice).model_dump_json(exclude={"base"})


def problems_asset(choice: BenchmarkChoice) -> dg.AssetsDefinition:
    @dg.asset(
        key=problems_key(choice),
        group_name="problems",
        kinds={"parquet"},
        code_version=problems_version(choice),
        description=described(choice),
    )
    def problems(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        table, release = fill_problems(deployment, choice)
        fill_axis(context.instance, table)
        return dg.MaterializeResult(
            metadata=dict(problems_metadata(table, release)), data_version=dg.DataVersion(table.file.digest)
        )

    return problems
