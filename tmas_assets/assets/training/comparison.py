"""The asset `training_comparison`: reward in training and Pass@1 by training iteration, every training run beside the others.

One picture, table and page a way of measuring: experiments that differ in nothing but their models, among which is a checkpoint.
Figures come from the trainings' files, scores from the stored summaries; no cell is read and nothing is trained.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagster as dg

from resources.deployment import Deployment
from resources.pages import PageFault, write_page
from resources.parquet_store import Address, MissingFile, Parent, ParquetStore, StoredFile, StoreFault
from resources.training.checkpoints import Checkpoints
from tmas_assets.assets.checkpoint_deps import named_models
from tmas_assets.assets.events import Metadata
from tmas_assets.assets.faults import permanent
from tmas_assets.assets.keys import TRAINING_COMPARISON, checkpoint_key, experiment_key
from tmas_assets.assets.metadata import of_file
from tmas_assets.assets.summary import read_row, read_side, summarised_cells
from tmas_assets.assets.training.iteration import figures_address
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.comparison import but_for_models, seed_of_pair
from tmas_assets.engine.site.index import write_index
from tmas_assets.records import Experiment, ManagedServer, Record, StepFigures, Training
from tmas_assets.records.base import canonical_json
from tmas_assets.reports.figures import curve_markdown
from tmas_assets.reports.training_comparison import (
    IterationScore,
    TrainingComparison,
    TrainingSide,
    comparison_markdown,
    curves_of,
    one_scale,
    training_page,
)
from tmas_assets.reports.training_comparison_figures import comparison_png
from tmas_assets.reports.training_curves_table import IterationFigures, iteration_figures
from tmas_assets.statistics import compare

PAGE = "training-"
"""What the names of its pages begin with. No experiment, study or data set can be called so: their names have no dash."""


class ComparedIteration(Record):
    """A row of the file: one iteration of one training, or the base model beside it."""

    comparison: str
    training: str
    rewards: str
    """JSON of the choices."""
    data: str
    iteration: int | None
    """None: the base model."""
    figures: IterationFigures | None
    score: IterationScore | None


@dataclass(frozen=True)
class MadeComparison:
    comparisons: Mapping[str, TrainingComparison]
    """By name: the benchmark release, numbered where it was measured in several ways."""
    pages: tuple[Path, ...]
    file: StoredFile


def make_training_comparison(
    deployment: Deployment, experiments: Sequence[Experiment], trainings: Sequence[Training]
) -> MadeComparison:
    """Raises a `Failure` for what cannot be read or written."""
    store = deployment.store()
    try:
        found = [cells for one in experiments if (cells := summarised_cells(deployment, store, one)) is not None]
        sides = {one.name: _side(deployment, store, one, trainings) for one in trainings}
        sides = {name: side for name, side in sides.items() if side.figures}
        comparisons = dict(_named(_scored(store, own, sides, trainings) for own in _ways(found)))
        if not comparisons and sides:
            comparisons = {"trainings": TrainingComparison(sides=tuple(sides.values()))}
        rows = [row for name, one in comparisons.items() for side in one.sides for row in _rows(name, side)]
        made_from = [Parent(f"{side.training} figures", side.data) for side in sides.values()]
        file = store.write(Address(("training_comparison",), ("whole",)), ComparedIteration, rows, made_from)
        pages = tuple(write_page(Path(deployment.reports) / f"{_file(name)}.html", training_page(one)) for name, one in comparisons.items())
        write_index(Path(deployment.reports), store)
    except (StoreFault, PageFault) as fault:
        raise permanent(fault) from fault
    return MadeComparison(comparisons, pages, file)


def _rows(name: str, side: TrainingSide) -> Iterator[ComparedIteration]:
    rewards = canonical_json([choice.model_dump(mode="json") for choice in side.rewards])
    for at in side.iterations:
        yield ComparedIteration(
            comparison=name, training=side.training, rewards=rewards, data=side.data, iteration=at, figures=side.figures_of(at),
            score=side.score_of(at),
        )  # fmt: skip


def _ways(found: Sequence[CellStore]) -> Iterator[list[CellStore]]:
    """Those that measure alike, where one of them measures a checkpoint."""
    by_way: dict[str, list[CellStore]] = {}
    for cells in found:
        by_way.setdefault(but_for_models(cells.experiment), []).append(cells)
    for own in by_way.values():
        if any(_checkpoint(cells) is not None for cells in own):
            yield own


def _checkpoint(cells: CellStore) -> ManagedServer | None:
    """The one checkpoint that answers; None where there is none, or several."""
    named = [managed for _, managed in named_models(cells.experiment.solving_endpoints)]
    return named[0] if len(named) == 1 == len(cells.experiment.solving_endpoints) else None


def _side(deployment: Deployment, store: ParquetStore, training: Training, trainings: Sequence[Training]) -> TrainingSide:
    """Without scores: figures of every iteration whose checkpoint is there."""
    kept = Checkpoints(Path(deployment.home)).all(training.name)
    there = {one.iteration: one.checkpoint for one in kept if one.checkpoint is not None and not one.torn and not one.superseded}
    figures: list[StepFigures] = []
    for iteration in sorted(there):
        try:
            figures += store.read(figures_address(training.name, iteration), StepFigures)
        except MissingFile:
            continue  # trained elsewhere, its folder brought here
    last = there[max(there)] if there else None
    return TrainingSide(
        training=training.name,
        rewards=training.grpo.rewards if training.grpo else (),
        data=f"{training.data_set} {last.rows_digest[:12]}" if last else training.data_set,
        figures=iteration_figures(figures),
        scores=(),
    )


def _scored(
    store: ParquetStore, own: Sequence[CellStore], sides: Mapping[str, TrainingSide], trainings: Sequence[Training]
) -> TrainingComparison:
    known = {training.name: training for training in trainings}
    by_model: dict[tuple[str, int | None], CellStore] = {}
    for cells in own:
        served = _checkpoint(cells)
        model = next(iter(cells.experiment.solving_endpoints.values()))
        if served is not None and isinstance(served.iteration, int):
            by_model.setdefault((served.model, served.iteration), cells)
        elif served is None and model.managed is not None:
            by_model.setdefault((model.managed.model, None), cells)
    made = []
    for name, side in sides.items():
        base = by_model.get((_root(known[name], known), None))
        scores = [] if base is None else [_score(store, base, None, None)]
        scores += [_score(store, cells, at, base) for (model, at), cells in sorted(by_model.items(), key=str) if model == name]
        told = tuple(one for one in scores if one is not None)
        if told:
            made.append(side.model_copy(update={"scores": told}))
    return TrainingComparison(sides=tuple(made))


def _root(training: Training, known: Mapping[str, Training]) -> str:
    """Name of the model that nobody trained here."""
    while training.base.model in known:
        training = known[training.base.model]
    return training.base.model


def _score(store: ParquetStore, cells: CellStore, iteration: int | None, base: CellStore | None) -> IterationScore | None:
    row = read_row(store, cells)
    if row is None or row.score is None:
        return None
    against = None
    if base is not None:
        name, other = cells.experiment.name, base.experiment.name
        against = compare(read_side(store, cells), read_side(store, base), seed=seed_of_pair(name, other), bases=("iterations",))[0].difference
    return IterationScore(iteration=iteration, score=row.score, against_base=against)


def _named(comparisons: Iterator[TrainingComparison]) -> Iterator[tuple[str, TrainingComparison]]:
    taken: dict[str, int] = {}
    for one in comparisons:
        if one.sides:
            taken[one.benchmark] = taken.get(one.benchmark, 0) + 1
            yield one.benchmark + (f" ({taken[one.benchmark]})" if taken[one.benchmark] > 1 else ""), one


def _file(name: str) -> str:
    letters = "".join(letter if letter.isalnum() else "_" for letter in name)
    return f"{PAGE}{letters.strip('_')}"


def training_comparison_metadata(made: MadeComparison) -> Metadata:
    found: dict[str, dg.MetadataValue] = {}
    for name, one in made.comparisons.items():
        png = comparison_png(curves_of(one), name, comparable=one_scale(one))
        if png:
            found[f"picture {name}"] = dg.MetadataValue.md(curve_markdown(png, alt="reward and Pass@1 by training iteration"))
        found[f"table {name}"] = dg.MetadataValue.md(comparison_markdown(one))
    pages = {f"page {path.stem}": dg.MetadataValue.path(str(path)) for path in made.pages}
    return {**found, **pages, **of_file(made.file)}


def training_comparison_asset(experiments: Sequence[Experiment], trainings: Sequence[Training]) -> dg.AssetsDefinition:
    """`experiments`: of the location; those that measure like one on a checkpoint are compared."""
    ways = {but_for_models(one) for one in experiments if any(True for _ in named_models(one.endpoints))}
    measured = [one for one in experiments if but_for_models(one) in ways]

    @dg.asset(
        key=TRAINING_COMPARISON,
        deps=[
            *(dg.AssetDep(checkpoint_key(one.name, one.kind)) for one in trainings),
            *(experiment_key(experiment, "summary") for experiment in measured),
        ],
        group_name="comparison",
        kinds={"parquet"},
        description="Reward in training and Pass@1 by training iteration of every training run, with paired intervals against the base model.",
    )
    def training_comparison(context: dg.AssetExecutionContext, deployment: Deployment) -> dg.MaterializeResult[None]:
        made = make_training_comparison(deployment, measured, trainings)
        if not made.comparisons:
            context.log.info(f"no training has a checkpoint yet; `tmas train {trainings[0].name if trainings else 'NAME'}` makes the first")
        return dg.MaterializeResult(
            metadata=dict(training_comparison_metadata(made)), data_version=dg.DataVersion(made.file.digest)
        )

    return training_comparison
