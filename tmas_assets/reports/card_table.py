"""A data set in the terminal: rows made against targets, and what each step dropped. Leaves out printing."""

from typing import TYPE_CHECKING

from tmas_assets.reports.card_facts import CardFacts
from tmas_assets.reports.data_counts import reasons_text
from tmas_assets.reports.markdown_parts import one_line
from tmas_assets.reports.notation import count

if TYPE_CHECKING:
    from rich.table import Table


def card_table(facts: CardFacts) -> "Table":
    """A line a set, then one a step. Under the table: what is unfinished and what was not compared."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    # Text, not str: a name in brackets is a name, not markup.
    title = Text(one_line(f"Data set {facts.name}"))
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("set / step", overflow="fold")
    for heading in ("target / came", "made / kept", "short / dropped"):
        table.add_column(heading, justify="right", overflow="fold")
    table.add_column("why", overflow="fold")
    for target in facts.targets:
        short = max(0, target.asked - target.made)
        style = "bold red" if short else "bold"
        table.add_row(
            Text(one_line(target.set), style=style), count(target.asked), count(target.made), count(short), Text(one_line(target.why, 400))
        )
    table.add_section()
    for step in (one for one in facts.screening if one.reason is None):
        why = Text(one_line(reasons_text(step.step, facts.screening), 400))
        table.add_row(Text(one_line(step.step)), count(step.came), count(step.kept), count(step.dropped), why)
    if warnings := _warnings(facts):
        table.caption = Text("\n".join(warnings), style="bold red")
        table.caption_justify = "left"
    return table


def _warnings(facts: CardFacts) -> list[str]:
    partial = [f"Partial: {one_line(facts.partial, 400)}"] if facts.partial is not None else []
    if not facts.compared:
        return [*partial, "Not decontaminated: no evaluation release was compared with."]
    names = ", ".join(one_line(one.release) for one in facts.missing)
    return [*partial, *([f"Not compared with {len(facts.missing)} of {len(facts.compared)} evaluation releases: {names}"] if names else [])]
