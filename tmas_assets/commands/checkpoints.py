"""`tmas checkpoints`: what training runs left on disk, with the figures they were registered with, and what is torn and why."""

from pathlib import Path

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from resources.training.checkpoints import Checkpoints, Kept
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.finding import stated
from tmas_assets.commands.place import stated_deployment
from tmas_assets.records.wrong_fields import nearest

_ABSENT = "-"


def list_checkpoints(training: str, *, out: Console) -> None:
    """Those of `training`, of all where it is empty. Raises CommandFault for a name that has neither a file nor a checkpoint."""
    checkpoints = Checkpoints(Path(stated_deployment().home))
    names = sorted({*(file.training.name for file in stated().trainings), *checkpoints.trainings()})
    if training and training not in names:
        raise CommandFault(f"no training run {training!r}; {nearest(training, names)}")
    found = [(name, one) for name in ([training] if training else names) for one in checkpoints.all(name)]
    if not found:
        first = f"make one with `tmas train {training}`" if training else "`tmas trainings` lists what can be trained"
        raise CommandFault(f"no checkpoint of {training or 'any training run'} yet; {first}")
    headings = ("digest", "base", "steps", "reward", "loss", "state")
    table = Table(
        Column("training", style="bold", overflow="fold"), Column("iter", no_wrap=True),
        *(Column(one, overflow="fold", justify="right" if one in ("steps", "reward", "loss") else "left") for one in headings),
        box=None, padding=(0, 1), pad_edge=False, header_style="bold",
    )  # fmt: skip
    for name, one in found:
        table.add_row(*map(Text, (name, f"t{one.iteration:02d}", *_row(one))))
    out.print(table)


def _row(kept: Kept) -> tuple[str, ...]:
    state = f"torn: {kept.torn}" if kept.torn else f"superseded: {kept.superseded}" if kept.superseded else "whole"
    known = kept.checkpoint
    if known is None:
        return (*(_ABSENT,) * 5, state)
    return (known.digest[:12], known.base, str(known.steps), _number(known.reward), _number(known.loss), state)


def _number(value: float | None) -> str:
    return _ABSENT if value is None else f"{value:.4g}"
