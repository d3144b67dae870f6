"""`tmas strategies`: every strategy with its source and rounds, or one with its settings. Asks no model."""

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.field_docs import field_docs
from tmas_assets.strategies import Strategy, StrategyFault, strategies, strategy


def show_strategies(name: str, *, out: Console) -> None:
    """Raises CommandFault for a name that is none."""
    if not name:
        _list(out=out)
        return
    try:
        found = strategy(name)
    except StrategyFault as fault:
        raise CommandFault(str(fault).removeprefix("strategy.name: ")) from fault
    _describe(found, out=out)


def _list(*, out: Console) -> None:
    table = Table(
        Column("strategy", style="bold", no_wrap=True), Column("title", overflow="fold"), Column("source", overflow="fold"),
        Column("rounds", overflow="fold"), box=None, padding=(0, 1), pad_edge=False, header_style="bold",
    )  # fmt: skip
    for one in strategies().values():
        table.add_row(one.name, one.title, one.source, _rounds(one))
    out.print(table)
    out.print("\nrounds: with default settings; `tmas strategies <name>` has a strategy's settings", style="dim", highlight=False)


def _rounds(found: Strategy) -> str:
    most = found.rounds(found.Settings())
    return "any" if most is None else "1" if most == 1 else f"up to {most}"


def needed_iterations(found: Strategy) -> str:
    """What `iterations` of an experiment may be with default settings, in a sentence."""
    most = found.rounds(found.Settings())
    if most is None:
        return "iterations: as many rounds as you want; this strategy has no number of its own"
    return "iterations: 1" if most == 1 else f"iterations: at most {most} with these defaults; its settings decide how many"


def _describe(found: Strategy, *, out: Console) -> None:
    out.print(f"[bold]{found.name}[/]: {escape(found.title)}, after {escape(found.source)}", markup=True, highlight=False)
    out.print(needed_iterations(found), highlight=False)
    out.print(f"roles: {', '.join(found.roles(found.Settings()))}", highlight=False)
    out.print("\nUnder `strategy.settings`, each with its default and what is allowed:\n", highlight=False)
    for field in field_docs(found.Settings):
        out.print(f"[bold]{field.path}[/]: {escape(field.default)}  [dim]({escape(field.allowed)})[/]", markup=True, highlight=False)
        if field.text:
            out.print(Padding(Text(field.text), (0, 0, 0, 4)), highlight=False)
