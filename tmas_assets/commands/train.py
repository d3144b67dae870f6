"""`tmas train` and `tmas trainings`: a training run by its job in this process, then what came of each iteration."""

import difflib
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from partitions.keys import iteration_key
from resources.parquet_store import MissingFile
from resources.training.checkpoints import CheckpointFault, Checkpoints
from tmas_assets.assets.campaign import iteration_range
from tmas_assets.assets.keys import TRAINING_COMPARISON
from tmas_assets.assets.training.comparison import make_training_comparison
from tmas_assets.assets.training.files import TrainingFile
from tmas_assets.assets.training.iteration import figures_address
from tmas_assets.benchmarks import benchmark
from tmas_assets.commands.bar import Bar
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.finding import FOLDER, stated
from tmas_assets.commands.jobs import materialize, reasons, run_job
from tmas_assets.commands.place import stated_deployment
from tmas_assets.records import StepFigures, Training
from tmas_assets.reports.training_comparison import COLUMNS, comparison_lines, comparison_notes
from tmas_assets.reports.training_curves_table import iteration_columns


def train_named(name: str, iterations: str, *, again: bool, out: Console, live: bool) -> None:
    """Train what is missing, or all of `iterations` where `again`. Raises CommandFault with the reason it failed."""
    training = _find(name).training
    try:
        wanted = iteration_range(iterations, name, training.iterations)
    except ValueError as fault:
        raise CommandFault(str(fault)) from fault
    bar = Bar(name, follow=True)
    result = run_job(
        f"{name}_train", {f"{name}_iterations": {"iterations": iterations, "again": again}}, bar, out=out, live=live
    )
    if not result.success:
        raise CommandFault(next(iter(reasons(result).values())))
    figures = [one for iteration in wanted for one in _print(training, iteration, out)]
    shown = Table(box=None, pad_edge=False, show_header=False)
    for heading, texts in iteration_columns(figures):  # an iteration a column: so it fits a narrow terminal
        shown.add_row(heading, *map(Text, texts))
    out.print(shown)


def _find(name: str) -> TrainingFile:
    found = stated()
    known = {file.training.name: file for file in found.trainings}
    if name in {file.data.name for file in found.data_sets}:
        raise CommandFault(f"{name} is a data set: `tmas build-data {name}` makes it")
    if name in {file.experiment.name for file in found.experiments} | {study.study.name for study in found.studies}:
        raise CommandFault(f"{name} is measured and not trained: `tmas run {name}` runs it; `tmas trainings` lists training runs")
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise CommandFault(f"no training run {name!r}; {hint}known: {', '.join(sorted(known))}; looked in {FOLDER}")
    return known[name]


def _print(training: Training, iteration: int, out: Console) -> tuple[StepFigures, ...]:
    """What was registered; the figures of its steps."""
    deployment = stated_deployment()
    try:
        found = Checkpoints(Path(deployment.home)).find(training.name, iteration)
    except CheckpointFault as fault:
        raise CommandFault(str(fault)) from fault
    try:
        figures, _ = deployment.store().read_stored(figures_address(training.name, iteration), StepFigures)
    except MissingFile:
        figures = ()  # a checkpoint brought here from elsewhere
    there = found.checkpoint
    out.print(
        f"{found.name} {there.digest[:12]} from {there.base} ({there.base_digest[:12]}): {there.steps} steps, {there.parameters:,} parameters, "
        f"{there.seconds:.0f} s on {there.processes} x {there.device}",
        highlight=False, soft_wrap=True,
    )  # fmt: skip
    out.print(f"  {found.folder}", highlight=False, soft_wrap=True)
    return figures


def compare_trainings(*, out: Console) -> None:
    """Materialize `training_comparison` through Dagster and print it. Raises CommandFault where nothing is trained, and for what
    cannot be read or written."""
    deployment, found = stated_deployment(), stated()
    materialize(TRAINING_COMPARISON)
    graded = [file.experiment for file in found.experiments if benchmark(file.experiment.benchmark.name).has_gold]
    made = make_training_comparison(deployment, graded, [file.training for file in found.trainings])
    if not made.comparisons:
        raise CommandFault("nothing is trained yet; `tmas trainings` lists what there is to train")
    for (name, comparison), page in zip(made.comparisons.items(), made.pages, strict=True):
        table = Table(title=name, box=None, pad_edge=False, title_justify="left")
        for heading in ("training", "iter", *COLUMNS):
            table.add_column(heading, overflow="fold", no_wrap=heading in ("training", "iter"))
        for line in comparison_lines(comparison):
            table.add_row(*map(Text, (line.training, line.iteration, *line.cells)))
        out.print(table)
        for note in comparison_notes(comparison):
            out.print(note, highlight=False, markup=False, soft_wrap=True)
        out.print(f"page: {page}", highlight=False, soft_wrap=True)


def list_trainings(*, out: Console) -> None:
    """Name, kind, base, data, rewards and what is registered of each."""
    table = Table(box=None, pad_edge=False)
    for heading in ("training", "kind", "base", "data", "rewards", "trained"):
        table.add_column(heading, overflow="fold", no_wrap=heading in ("training", "kind"))
    checkpoints = Checkpoints(Path(stated_deployment().home))
    for file in sorted(stated().trainings, key=lambda one: one.training.name):
        training = file.training
        kept = checkpoints.all(training.name)
        rewards = "\n".join(choice.name for choice in training.grpo.rewards) if training.grpo else ""
        whole = ", ".join(iteration_key(one.iteration) + (" (torn)" if one.torn else "") for one in kept) or "none"
        table.add_row(training.name, training.kind, training.base.model, training.data_set, rewards, f"{whole} of {training.iterations}")
    out.print(table)
