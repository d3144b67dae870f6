"""`tmas benchmarks`: every benchmark with rows, graders, licence, releases, and where its data is here.

Downloads nothing. One line of JSON a benchmark for scripts.
"""

import re
import sys

from rich.console import Console
from rich.table import Table
from rich.text import Text

from resources.availability import Availability, availability
from tmas_assets.benchmarks import Benchmark, benchmarks
from tmas_assets.commands.faults import CommandFault
from tmas_assets.commands.place import stated_deployment
from tmas_assets.records import Record

_SHORT_LICENCE = re.compile(r" \(|;|, its ")
"""A licence is shown up to here; `--json` and the asset's page have all of it."""


class BenchmarkLine(Record):
    name: str
    title: str
    rows: int | None
    """Problems of the default release; None for a generator."""
    graders: tuple[str, ...]
    judge: str | None
    licence: str
    source: str
    default_release: str
    releases: tuple[str, ...]
    note: str
    available: Availability
    """Of the default release."""


def benchmark_lines() -> list[BenchmarkLine]:
    """Raises CommandFault where the environment or a file here cannot be used."""
    deployment = stated_deployment()
    try:
        return [
            _line(entry, availability(entry, entry.default_release, data=deployment.data_folder, cache=deployment.downloads))
            for entry in benchmarks().values()
        ]
    except OSError as fault:
        raise CommandFault(f"a benchmark's file cannot be read: {fault}; make it readable, or move it away") from fault


def _line(entry: Benchmark, available: Availability) -> BenchmarkLine:
    release = entry.release(entry.default_release)
    return BenchmarkLine(
        name=entry.name,
        title=entry.title,
        rows=release.rows if release is not None else None,
        graders=entry.graders,
        judge=entry.judge,
        licence=entry.licence,
        source=entry.source,
        default_release=entry.default_release,
        releases=tuple(entry.releases),
        note=release.note if release is not None else "",
        available=available,
    )


def list_benchmarks(*, as_json: bool, out: Console) -> None:
    lines = benchmark_lines()
    if as_json:
        sys.stdout.write("".join(f"{line.model_dump_json()}\n" for line in lines))
        return
    table = Table(box=None, padding=(0, 1), header_style="bold", pad_edge=False)
    for column in ("benchmark", "rows", "grader", "licence", "release", "here"):
        wraps = column in ("grader", "licence")
        table.add_column(column, justify="right" if column == "rows" else "left", no_wrap=not wraps, overflow="fold")
    for line in lines:
        graders = ", ".join([*line.graders, *(["judge"] if line.judge else [])])
        others = [name for name in line.releases if name != line.default_release]
        table.add_row(
            Text(line.name, style="bold"),
            str(line.rows) if line.rows is not None else "any",
            graders,
            _SHORT_LICENCE.split(line.licence)[0],
            line.default_release + (f" ({', '.join(others)})" if others else ""),
            _here(line.available),
        )
    out.print(table)
    sentences = dict.fromkeys(line.available.detail for line in lines if line.available.place in ("needs token", "damaged"))
    for sentence in sentences:
        out.print(sentence, markup=False, highlight=False)


def _here(available: Availability) -> Text:
    colour = "green" if available.here else "yellow" if available.place == "download" else "red"
    return Text(available.place, style=colour)
