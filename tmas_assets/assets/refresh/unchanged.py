"""Is a stored summary still what its inputs come to? Then it is said again, and neither scores nor pages are made anew.

Beside a summary lies a digest over all that it was made of: the bytes of every cell and grade, the problems, the settings, the models, what
the call log says was paid, and our own code. Where all of it is the same and every file of the summary is the one that was written, making it again would give
the same bytes. Leaves out making a summary: `assets/summary.py`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import ClassVar

import dagster as dg

from resources.parquet_store import Address, MissingFile, ParquetStore, StoreFault
from tmas_assets.assets.events import last_materialization, version_of
from tmas_assets.engine.cells import KINDS, CellStore
from tmas_assets.engine.problems import ProblemTable, problem_files
from tmas_assets.records import Problem, Record, RoleTokens, digest, digest_bytes

_PART = "made_of"
_SOURCES = ("*.py", "*.txt", "*.json", "*.yaml", "*.jinja")
"""Modules, prompts, templates and data of ours: all that shapes a summary and is no input of it."""
_AT_ONCE = 4


class SummaryFile(Record):
    part: str
    digest: str


class MadeOf(Record):
    """What a stored summary was made of, and the files it consists of."""

    SCHEMA_VERSION: ClassVar[int] = 1
    inputs: str
    version: str
    """Data version under which it was said."""
    grades: str
    """Digest over those of the grades of every iteration."""
    files: tuple[SummaryFile, ...]
    page_digest: str
    """Of the report page, wherever it lies."""


def inputs_digest(
    cells: CellStore, table: ProblemTable, problems: Sequence[Problem], models: Mapping[str, str], paid: Sequence[RoleTokens]
) -> str:
    """Digest over all that a summary of `cells` follows from. `models`: identity by endpoint name. Raises StoreFault for a torn file."""
    addresses = [
        cells.address(kind, iteration, problem)
        for iteration in range(cells.experiment.iterations)
        for problem in problems
        for kind in KINDS
    ]
    addresses += [*problem_files(cells.store, table.asset), *cells.reviews.addresses()]
    # hashing and reading let go of the interpreter, so that a second core helps
    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="looking") as looking:
        files = list(looking.map(lambda address: _digest_of(cells.store, address), addresses, chunksize=64))
    return digest([
        code_digest(), cells.settings_digest, cells.experiment.model_dump(mode="json"), dict(models), table.file.digest,
        [problem.digest for problem in problems], [one.model_dump(mode="json") for one in paid], files,
    ])  # fmt: skip


def keep_made_of(
    store: ParquetStore, address: Callable[[str], Address], parts: Sequence[str], *, inputs: str, version: str, grades: str, page: Path
) -> None:
    """To be called last. `address` of a part of the summary, `parts` that it has. Raises StoreFault."""
    files = tuple(SummaryFile(part=part, digest=store.look(address(part)).digest) for part in parts)
    row = MadeOf(
        inputs=inputs, version=version, grades=grades, files=files, page_digest=digest_bytes(page.read_bytes()),
    )  # fmt: skip
    store.write(address(_PART), MadeOf, [row])


def still_stands(store: ParquetStore, address: Callable[[str], Address], inputs: str, page: Path) -> MadeOf | None:
    """The stored summary that was made of `inputs`; None where there is none, or one of its files is not the one that was written."""
    try:
        rows = store.read(address(_PART), MadeOf)
    except StoreFault:  # missing, torn, or of another version: nothing but this is read from it, and it is written anew
        return None
    if len(rows) != 1:
        return None
    made = rows[0]
    if made.inputs != inputs or any(_digest_of(store, address(file.part)) != file.digest for file in made.files):
        return None
    return made if page.is_file() and digest_bytes(page.read_bytes()) == made.page_digest else None


def said_last(instance: dg.DagsterInstance, key: dg.AssetKey, version: str) -> Mapping[str, dg.MetadataValue] | None:
    """What the last materialization showed, where it was of this data version; else None."""
    last = last_materialization(instance, key)
    made = last.asset_materialization if last is not None else None
    return made.metadata if made is not None and version_of(last) == version else None


@cache
def code_digest() -> str:
    """Over our own sources, as they lay there when this was first asked for."""
    root = Path(__file__).resolve().parents[3]
    return digest({name: digest_bytes(path.read_bytes()) for name, path in sorted(_sources(root))})


def _sources(root: Path) -> Iterator[tuple[str, Path]]:
    for room in ("tmas_assets", "resources", "partitions"):
        for pattern in _SOURCES:
            for path in (root / room).rglob(pattern):
                if path.parts[len(root.parts) + 1 : len(root.parts) + 2] != ("defs",):  # settings are an input by themselves
                    yield path.relative_to(root).as_posix(), path


def _digest_of(store: ParquetStore, address: Address) -> str | None:
    """Of the file's bytes; None where there is none."""
    try:
        return digest_bytes(store.whole(address))
    except MissingFile:
        return None
