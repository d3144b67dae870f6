"""Writes the pages of an experiment's problems and iterations, one problem at a time, and only those whose cells changed.

Every page names in its head the digest of what it was made from: the files of its cells, its place, and the code of the pages. A
page that names what would be named now is left alone. Pages of what is gone are taken away. Leaves out what a page says.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as package_files
from pathlib import Path
from urllib.parse import quote

from partitions.keys import iteration_of, problem_key
from resources.pages import made_from, remove_pages, write_page
from resources.parquet_store import MissingFile, OtherSchema
from tmas_assets.engine.cells import CellStore
from tmas_assets.records import Grade, MemorySnapshot, Problem, SealedFile, digest, digest_bytes
from tmas_assets.reports.site.iteration_page import Files, iteration_page
from tmas_assets.reports.site.links import INDEX, Link, iteration_file
from tmas_assets.reports.site.problem_page import Place, Seen, problem_page, seen
from tmas_assets.reports.site.solved import SolvedRound, solved

_CODE = {
    "tmas_assets.reports.site": ("*.py", "*.jinja"),
    "tmas_assets.reports": ("page.*", "notation.py"),
    "tmas_assets.agents": ("material.py", "guided.py"),
    "tmas_assets.memory": ("selection.py",),
}
"""What a page is made by: patterns of files by package."""


@dataclass(frozen=True)
class PagesMade:
    rendered: int
    kept: int
    """Pages whose sources did not change."""
    removed: int


@dataclass(frozen=True)
class _Wanted:
    """The pages of one problem: what each would be made from, by file name."""

    place: Place
    folder: Path
    sources: Mapping[str, str]

    def stale(self) -> frozenset[str]:
        return frozenset(name for name, wanted in self.sources.items() if made_from(self.folder / name) != wanted)


def write_cell_pages(
    top: Path, cells: CellStore, problems: Sequence[Problem], files: Sequence[SealedFile]
) -> PagesMade:
    """`top`: folder of the site. `files`: of all whole cells, as `gathering.gather` found them. Raises PageFault, StoreFault."""
    rendered = kept = 0
    keep: set[Path] = set()
    for wanted in _wanted(top, cells, problems, files):
        stale = wanted.stale()
        if stale:
            _write(cells, wanted, stale)
        rendered, kept = rendered + len(stale), kept + len(wanted.sources) - len(stale)
        keep |= {wanted.folder / name for name in wanted.sources}
    return PagesMade(rendered, kept, remove_pages(top / cells.experiment.name, keep))


def _wanted(
    top: Path, cells: CellStore, problems: Sequence[Problem], files: Sequence[SealedFile]
) -> Iterator[_Wanted]:
    experiment = cells.experiment
    digests = _cell_digests(files)
    there = [
        (problem, tuple(t for t in range(experiment.iterations) if (t, problem_key(problem.id)) in digests))
        for problem in problems
    ]
    there = [(problem, iterations) for problem, iterations in there if iterations]
    for at, (problem, iterations) in enumerate(there):
        previous, following = (
            _neighbour(there[other][0]) if 0 <= other < len(there) else None for other in (at - 1, at + 1)
        )
        place = Place(experiment.name, experiment.strategy.name, problem, iterations, previous, following)
        key = problem_key(problem.id)
        shared = [_code(), cells.variant, experiment.name, digest(problem)]
        own = {t: digests[t, key] for t in iterations}
        sources = {}
        for number, t in enumerate(iterations):
            near = iterations[: number + 2]  # pages link back to any, ahead to the next one
            sources[iteration_file(t)] = digest([*shared, list(near), own[t], own.get(t - 1)])
        beside = [link.model_dump() if link else None for link in (previous, following)]
        sources[INDEX] = digest([*shared, list(iterations), list(own.values()), beside])
        yield _Wanted(place, top / experiment.name / key, sources)


def _neighbour(problem: Problem) -> Link:
    return Link(text=problem.id, href=f"../{quote(problem_key(problem.id))}/{INDEX}")


def _cell_digests(files: Sequence[SealedFile]) -> Mapping[tuple[int, str], str]:
    """Digest over the files of a cell, by iteration and problem key."""
    found: dict[tuple[int, str], list[list[str]]] = {}
    for file in files:
        iteration, _, key = file.partition.partition("/")
        found.setdefault((iteration_of(iteration), key), []).append([file.asset, file.digest])
    return {cell: digest(sorted(own)) for cell, own in found.items()}


@cache
def _code() -> str:
    """Digest of the templates and modules that make the pages."""
    read = {
        f"{package}/{file.name}": digest_bytes(file.read_bytes())
        for package, patterns in _CODE.items()
        for pattern in patterns
        for file in Path(str(package_files(package))).glob(pattern)
    }
    return digest(sorted(read.items()))


def _write(cells: CellStore, wanted: _Wanted, stale: frozenset[str]) -> None:
    """Cells are read one after another: no more than one of them is held with its texts."""
    place, rounds = wanted.place, list[Seen]()
    before: dict[int, MemorySnapshot] = {}
    for iteration in place.iterations:
        made = _solved(cells, iteration, place.problem, before)
        name = iteration_file(iteration)
        if name in stale:
            text = iteration_page(place, iteration, made, _files(cells, iteration, place.problem), wanted.sources[name])
            write_page(wanted.folder / name, text)
        rounds += map(seen, made)
        before = {one.round.repeat: one.round.memory for one in made}
    if INDEX in stale:
        write_page(wanted.folder / INDEX, problem_page(place, rounds, wanted.sources[INDEX]))


def _solved(
    cells: CellStore, iteration: int, problem: Problem, before: Mapping[int, MemorySnapshot]
) -> list[SolvedRound]:
    rounds, files = cells.read(iteration, problem)
    grades: tuple[Grade, ...] = ()
    try:
        found, file = cells.store.read_stored(cells.address("benchmark_scores", iteration, problem), Grade)
    except (MissingFile, OtherSchema):
        pass  # not graded yet, or by a version whose grades a summary does not count either
    else:
        grades = found if file.parent("rollouts") == files.rollouts.digest else ()
    return [solved(cells.experiment.strategy, one, grades, before.get(one.repeat)) for one in rounds]


def _files(cells: CellStore, iteration: int, problem: Problem) -> Files:
    """Below the root of the store, so that a page names no folder of this machine."""
    return Files(*(cells.store.name(cells.address(kind, iteration, problem)) for kind in ("rollouts", "verifier_scores", "summaries", "memory_bank")))
