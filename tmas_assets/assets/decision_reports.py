"""The report of each hypothesis as files, and what a campaign says of decisions at its end.

Leaves out what a report holds (`engine/decisions.py`) and the assets that run rounds (`decision_assets.py`).
"""

from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from partitions.keys import problem_key
from resources.deployment import Deployment
from resources.pages import PageFault, write_page
from resources.parquet_store import StoreFault
from tmas_assets.assets.cells import code_version
from tmas_assets.assets.decision_evaluations import checked, evaluated, evaluations
from tmas_assets.assets.decision_parts import DECISION, REPORT, Made, key, made, parts
from tmas_assets.assets.events import Input, last_event, last_versions, logged
from tmas_assets.assets.faults import PERMANENT, cells_of, permanent, table_of
from tmas_assets.assets.keys import problems_key
from tmas_assets.assets.metadata import text_table
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.decisions import Course, course_of, report_of
from tmas_assets.engine.problems import ProblemTable
from tmas_assets.engine.site.index import write_index
from tmas_assets.engine.team import identity
from tmas_assets.records import Experiment, Problem, digest
from tmas_assets.reports.decision_markdown import decision_markdown
from tmas_assets.reports.decision_report import DecisionReport, decision_page


@dataclass(frozen=True)
class WrittenReport:
    report: DecisionReport
    page: Path
    markdown: Path
    json: Path


def make_report(deployment: Deployment, cells: CellStore, problem: Problem) -> DecisionReport:
    """From the store alone. Raises a `Failure` for cells that cannot be read."""
    vllm = deployment.vllm()
    try:
        models = {name: identity(endpoint, vllm) for name, endpoint in cells.experiment.endpoints.items()}
        return report_of(cells, problem, models)
    except (*PERMANENT, ValueError) as fault:
        raise permanent(fault) from fault


def write_report(deployment: Deployment, cells: CellStore, problem: Problem) -> WrittenReport:
    """The page, the Markdown and the JSON of a hypothesis, under `<reports>/<experiment>/`. Raises a `Failure`."""
    report = make_report(deployment, cells, problem)
    base = Path(deployment.reports) / cells.experiment.name / problem_key(problem.id)
    try:
        page, markdown, json = (
            write_page(base.with_name(f"{base.name}.{ending}"), text)
            for ending, text in (
                ("html", decision_page(report)),
                ("md", decision_markdown(report)),
                ("json", report.model_dump_json(indent=1)),
            )
        )
        write_index(Path(deployment.reports), cells.store)
    except (PageFault, StoreFault) as fault:
        raise permanent(fault) from fault
    return WrittenReport(report, page, markdown, json)


def of_report(written: WrittenReport) -> Made:
    report = written.report
    flips = report.flips
    return Made(
        digest(report),
        {
            "decision": dg.MetadataValue.text(flips.commonest or "none"),
            "repeats": dg.MetadataValue.text(f"{flips.decided} of {flips.repeats} decided"),
            **({"flip_rate": dg.MetadataValue.float(flips.flip_rate)} if flips.flip_rate is not None else {}),
            "checks": text_table(
                ("check", "", "found"), [(one.name, one.outcome, one.said) for one in report.checks]
            ),
            "status": dg.MetadataValue.text(report.status),
            "page": dg.MetadataValue.path(str(written.page)),
            "markdown": dg.MetadataValue.path(str(written.markdown)),
            "json": dg.MetadataValue.path(str(written.json)),
        },
    )


def report_decisions(context: dg.OpExecutionContext, deployment: Deployment, experiment: Experiment) -> None:
    """Write the report of every hypothesis that was begun, and say what stands and was not said before."""
    table, cells = table_of(deployment, experiment), cells_of(deployment, experiment)
    problems = table.select((), experiment.benchmark.limit)
    try:
        begun = [(problem, course) for problem in problems if (course := course_of(cells, problem)).length]
    except StoreFault as fault:
        raise permanent(fault) from fault
    for problem, course in begun:
        written = write_report(deployment, cells, problem)
        context.log.info(f"{problem.id}: {written.report.status}; {written.page}")
        partition = problem_key(problem.id)
        _say(context, experiment, table, partition, course, written)
        if made(experiment, DECISION, course) is not None and not evaluated(context.instance, experiment, partition):
            for said in evaluations(context.instance, experiment, partition, checked(deployment, experiment, written.report)):
                context.log_event(said)  # type: ignore[arg-type]  # taken, though Dagster's annotation leaves it out


def _say(
    context: dg.OpExecutionContext, experiment: Experiment, table: ProblemTable, partition: str, course: Course,
    written: WrittenReport,
) -> None:  # fmt: skip
    version = code_version(experiment)
    problems = problems_key(experiment.benchmark)
    versions = {problems: table.file.digest}
    for part, above in parts(experiment).items():
        found = of_report(written) if part == REPORT else made(experiment, part, course)
        if found is None or (part == REPORT and made(experiment, DECISION, course) is None):
            continue
        asset = key(experiment, part)
        versions[asset] = found.version
        if last_versions(context.instance, asset).get(partition) == found.version:
            continue
        made_from = [key(experiment, one) for one in above] or [problems]
        inputs = [Input(one, versions.get(one), last_event(context.instance, one)) for one in made_from]
        context.log_event(logged(asset, partition, found.version, found.metadata, version, inputs))
