"""The asset `<experiment>/summary`: scores by iteration, tokens, the curve in the UI and the HTML report."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import dagster as dg

from resources.deployment import Deployment
from resources.pages import PageFault
from resources.parquet_store import Address, MissingFile, OtherSchema, Parent, ParquetStore, StoredFile, StoreFault
from resources.training.checkpoints import CheckpointFault
from tmas_assets.assets.events import Metadata
from tmas_assets.assets.faults import PERMANENT, cells_of, graders_of, permanent, table_of
from tmas_assets.assets.keys import experiment_key
from tmas_assets.assets.metadata import of_file, text_table
from tmas_assets.assets.pinning import pinned_in_run
from tmas_assets.assets.refresh.unchanged import inputs_digest, keep_made_of, said_last, still_stands
from tmas_assets.assets.site import write_experiment_pages
from tmas_assets.assets.summary_pictures import summary_pictures
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.problems import ProblemTable
from tmas_assets.engine.seal import ORIGIN, SEALED, seal
from tmas_assets.engine.summary import report
from tmas_assets.engine.tallies import tallies
from tmas_assets.engine.team import identity
from tmas_assets.records import Experiment, Figure, Problem, Record, RoleTokens, Score, digest
from tmas_assets.reports import notation
from tmas_assets.reports.experiment_report import ExperimentReport
from tmas_assets.reports.figure_table import FigureTable, figure_table
from tmas_assets.reports.standing import LeaderboardRow, leaderboard_row
from tmas_assets.statistics import Agreement, ProblemTally, Side, headline, side_of

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class MadeSummary:
    report: ExperimentReport
    iterations: int
    """How many the experiment asks for."""
    file: StoredFile
    seal: StoredFile
    """Names every file that the score was made from: its digest is the version of the whole."""
    page: Path
    settings: str
    """Under which it lies."""


def summary_address(cells: CellStore, part: str) -> Address:
    """`scores`, `figures`, `agreement`, `tallies` or `leaderboard_row` of an experiment under its present settings."""
    return Address((cells.experiment.name, "summary"), (part,), cells.variant)


def summarised_cells(deployment: Deployment, store: ParquetStore, experiment: Experiment) -> CellStore | None:
    """The experiment's cells; None where it was never summed up under any settings, or its checkpoint is gone, with a warning.
    Asked in this order, since telling the settings takes the model's digest, and with it the model."""
    if next(store.partitions((experiment.name, "summary")), None) is None:
        return None
    try:
        return cells_of(deployment, experiment)
    except dg.Failure as failure:
        if failure.__cause__ is None or not isinstance(failure.__cause__.__cause__, CheckpointFault):
            raise
        dg.get_dagster_logger().warning(f"{experiment.name} is left out: {failure.description}")
        return None


def read_row(store: ParquetStore, cells: CellStore) -> LeaderboardRow | None:
    """The experiment's line of the leaderboard, None where no summary of its present settings is there to be read."""
    try:
        return store.read(summary_address(cells, "leaderboard_row"), LeaderboardRow)[0]
    except (MissingFile, OtherSchema):
        return None


def read_side(store: ParquetStore, cells: CellStore) -> Side:
    """The experiment as it goes into a comparison, from its last summary. Raises StoreFault where there is none."""
    experiment = cells.experiment
    scores = store.read(summary_address(cells, "scores"), Score)
    found = store.read(summary_address(cells, "tallies"), ProblemTally)
    return side_of(experiment.name, experiment.repeats, scores, found)


def page_path(deployment: Deployment, experiment: Experiment) -> Path:
    return Path(deployment.reports) / f"{experiment.name}.html"


@dataclass(frozen=True)
class _Inputs:
    """All that a summary follows from."""

    cells: CellStore
    table: ProblemTable
    problems: tuple[Problem, ...]
    models: Mapping[str, str]
    """Identity by endpoint name."""
    paid: tuple[RoleTokens, ...]
    digest: str


def _inputs(deployment: Deployment, experiment: Experiment) -> _Inputs:
    table = table_of(deployment, experiment)
    cells = cells_of(deployment, experiment)
    problems = table.select((), experiment.benchmark.limit)
    vllm = deployment.vllm()
    try:
        models = {name: identity(endpoint, vllm) for name, endpoint in cells.experiment.endpoints.items()}
        with closing(deployment.call_log()) as log:
            paid = log.totals(experiment.name)
        return _Inputs(cells, table, problems, models, paid, inputs_digest(cells, table, problems, models, paid))
    except PERMANENT as fault:
        raise permanent(fault) from fault


@dataclass(frozen=True)
class SaidSummary:
    """A summary as a materialization says it, made now or before."""

    version: str
    metadata: Metadata
    grades: str
    """Digest over those of the grades of every iteration."""
    stood: bool
    """It was not made anew, and what was said of it last is of this very summary."""


def current_summary(instance: dg.DagsterInstance, deployment: Deployment, experiment: Experiment) -> SaidSummary:
    """The stored one where it is what all inputs still come to, with what was shown of it; else made now. Raises as `summarise`."""
    inputs = _inputs(deployment, experiment)
    address = partial(summary_address, inputs.cells)
    try:
        stands = still_stands(inputs.cells.store, address, inputs.digest, page_path(deployment, experiment))
    except StoreFault as fault:
        raise permanent(fault) from fault
    if stands is not None and (shown := said_last(instance, experiment_key(experiment, "summary"), stands.version)) is not None:
        return SaidSummary(stands.version, shown, stands.grades, stood=True)
    made = _made(deployment, inputs)
    return SaidSummary(made.seal.digest, summary_metadata(made), grades_digest(made.report.scores), stood=False)


def grades_digest(scores: Sequence[Score]) -> str:
    return digest([score.grades_digest for score in scores])


def summarise(deployment: Deployment, experiment: Experiment) -> MadeSummary:
    """Read all cells, store scores and tokens, write the page. Raises a `Failure` for cells that cannot be read."""
    return _made(deployment, _inputs(deployment, experiment))


def _made(deployment: Deployment, inputs: _Inputs) -> MadeSummary:
    cells, table, problems = inputs.cells, inputs.table, inputs.problems
    experiment = cells.experiment
    try:
        gathered = gather(cells, problems)
        found = tallies(experiment, problems, gathered)
        with graders_of(deployment) as graders:
            made = report(
                cells, problems, gathered, graders=graders, tallies=found, problems_digest=table.file.digest,
                models=inputs.models, paid=inputs.paid,
            )  # fmt: skip
        made_from = [Parent(f"benchmark_scores t{score.iteration:02d}", score.grades_digest) for score in made.scores]
        parts: list[tuple[Address, StoredFile]] = []

        def put(part: str, record: type[R], rows: Sequence[R]) -> StoredFile:
            address = summary_address(cells, part)
            parts.append((address, cells.store.write(address, record, rows, made_from)))
            return parts[-1][1]

        file = put("scores", Score, made.scores)
        put("figures", Figure, made.figures)
        put("agreement", Agreement, [made.agreement] if made.agreement is not None else [])
        put("tallies", ProblemTally, found)
        put("leaderboard_row", LeaderboardRow, [leaderboard_row(made)])
        sealed = seal(cells, table.asset, inputs.models, gathered.files, parts, deployment.vllm())
        page = write_experiment_pages(deployment, cells, problems, gathered.files, made)
        names = (*(address.partition[0] for address, _ in parts), ORIGIN, SEALED)
        keep_made_of(
            cells.store, partial(summary_address, cells), names, inputs=inputs.digest, version=sealed.digest,
            grades=grades_digest(made.scores), page=page,
        )  # fmt: skip
    except (*PERMANENT, PageFault, ValueError) as fault:
        raise permanent(fault) from fault
    return MadeSummary(made, experiment.iterations, file, sealed, page, cells.variant)


def summary_metadata(made: MadeSummary) -> Metadata:
    """Several narrow tables: the UI shows some six columns of one without scrolling."""
    scores, quoted = made.report.scores, headline(made.report.scores)
    rows = [
        (
            f"t{score.iteration:02d}",
            _percent(score.value),
            f"{_percent(score.low)}–{_percent(score.high)}" if score.low is not None else "none",
            f"{score.problems} × {score.answers // score.problems}" if score.problems else "0",
        )
        for score in scores
    ]
    counts = [
        (
            f"t{score.iteration:02d}",
            *(str(n) for n in (score.missing, score.failed, score.undecided, score.truncated, score.judged)),
        )
        for score in scores
    ]
    tokens = [
        (row.role, str(row.calls), str(row.prompt_tokens), str(row.completion_tokens))
        for row in made.report.tokens_scratch
    ]
    warnings = [warning for score in scores if (warning := notation.untrusted(score))]
    quoted_value = {"pass_at_1": dg.MetadataValue.float(quoted.value)} if quoted and quoted.value is not None else {}
    return {
        **({"warning": dg.MetadataValue.text(" ".join(warnings))} if warnings else {}),
        **quoted_value,
        **summary_pictures(made.report),
        "iterations_scored": dg.MetadataValue.text(f"{len(scores)} of {made.iterations}"),
        "scores": text_table(("iteration", "Pass@1", "interval", "answers"), rows),
        "not_answered": text_table(("iteration", "missing", "failed", "undecided", "truncated", "judged"), counts),
        **_figures(figure_table(made.report.figures)),
        **_agreement(made.report.agreement),
        "tokens": text_table(("role", "calls", "prompt tokens", "completion tokens"), tokens),
        # a path and not a link: browsers do not follow file:// from a page that a server sent
        "report": dg.MetadataValue.path(str(made.page)),
        **of_file(made.file),
        "settings": dg.MetadataValue.text(made.settings),
        "sealed": dg.MetadataValue.text(made.seal.digest),
    }


def _figures(shown: FigureTable) -> Metadata:
    """Chances of k answers in one table, what chooses among them in another. Short keys: they take room from the tables."""

    def part(columns: Sequence[int]) -> dg.TableMetadataValue:
        head = ("iteration", *(shown.columns[at] for at in columns))
        rows = [[line.cells[at].text for at in columns] for line in shown.lines]
        named = [f"t{line.iteration:02d}" for line in shown.lines]
        return text_table(head, [
            (name, *(text if text == notation.ABSENT else f"{text}%" for text in row))
            for name, row in zip(named, rows, strict=True)
        ])

    chances = [at for at, column in enumerate(shown.columns) if column.startswith("pass@")]
    others = [at for at in range(len(shown.columns)) if at not in chances]
    return {"pass_at_k": part(chances), "chosen": part(others)} if shown.lines else {}


def _agreement(both: Agreement | None) -> Metadata:
    if both is None:
        return {}
    kappa = "none" if both.kappa is None else f"{both.kappa:.2f}"
    rows = [
        ("both right", str(both.both_right)),
        ("only the rules say right", str(both.rule_right_judge_wrong)),
        ("only the judge says right", str(both.rule_wrong_judge_right)),
        ("both wrong", str(both.both_wrong)),
        ("unreadable judgements", str(both.unreadable)),
        ("agreement", f"{_percent(both.share)} of {both.answers}"),
        ("Cohen's kappa", f"{kappa}, n = {both.answers}"),
    ]
    return {"rules_and_judge": text_table(("answers that rules and judge decided", "count"), rows)}


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"


def summary_asset(experiment: Experiment, group: str | None = None) -> dg.AssetsDefinition:
    @dg.asset(
        key=experiment_key(experiment, "summary"),
        deps=[dg.AssetDep(experiment_key(experiment, "benchmark_scores"), partition_mapping=dg.AllPartitionMapping())],
        group_name=group or experiment.name,
        kinds={"parquet"},
        description="What all cells come to: scores by iteration where there are any, tokens by role, and the report page.",
    )
    def summary(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        said = current_summary(context.instance, deployment, pinned_in_run(context, deployment, experiment))
        return dg.MaterializeResult(metadata=dict(said.metadata), data_version=dg.DataVersion(said.version))

    return summary
