"""Reads the cells of an experiment that are there: the columns sums are made of, and the digests of their files.

Frames carry the records' own schema, so nothing is inferred. Makes no cell and asks no model. Leaves out the sums.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl
import pyarrow as pa

from resources.parquet_store import MissingFile, StoredFile
from tmas_assets.engine.cells import KINDS, CellStore, StoredCell
from tmas_assets.engine.seal import sealed
from tmas_assets.records import REPEATED, Grade, Problem, SealedFile, digest
from tmas_assets.records.schema import arrow_schema, from_table

_READ = {
    "rollouts": ("id", "problem", "iteration", "branch", "parents", "model", "trace"),
    "verifier_scores": ("id", "problem", "rollout", "iteration", "score", "parse", "about", "model", "trace"),
    "summaries": ("id", "problem", "iteration", "parse", "model", "trace"),
    "memory_bank": ("problem", "iteration", "entries", "writes", "turns", "stopped"),
    "benchmark_scores": tuple(Grade.model_fields),
}
"""Columns that sums are made of. Texts stay on disk: those of a large experiment fill no memory."""


@dataclass(frozen=True)
class Gathered:
    """The rows of all cells that are there, by kind, and the digests of their files."""

    frames: Mapping[str, pl.DataFrame]
    """The columns that sums are made of."""
    grades: tuple[Grade, ...]
    digests: Mapping[tuple[str, int], str]
    """Digest over the file digests of one kind in one iteration, in order of problem."""
    graded_by: Mapping[tuple[str, int], str]
    """What graded a cell, as its file of grades says, by problem and iteration: see `grades.grader_of`."""
    files: tuple[SealedFile, ...]
    """Every file, as it was when it was read."""


def gather(cells: CellStore, problems: Sequence[Problem]) -> Gathered:
    """Read every whole cell of `problems`, with the grades of its very rollouts. Raises StoreFault for a torn one."""
    whole = {kind: [arrow_schema(record).empty_table().select(_READ[kind])] for kind, record in KINDS.items()}
    files: dict[tuple[str, int], list[str]] = {}
    each: list[SealedFile] = []
    graded_by: dict[tuple[str, int], str] = {}
    for iteration in range(cells.experiment.iterations):
        tables: dict[str, list[pa.Table]] = {}
        for problem in problems:
            for kind, (table, stored) in _whole_cell(cells, iteration, problem).items():
                tables.setdefault(kind, []).append(table)
                files.setdefault((kind, iteration), []).append(stored.digest)
                each.append(sealed(cells.address(kind, iteration, problem), stored))
                if kind == "benchmark_scores":
                    graded_by[problem.id, iteration] = stored.parent("grader") or "nobody that its file names"
        for kind, found in tables.items():
            # joined at once: the buffers of many small tables take ten times the room of one
            whole[kind].append(pa.concat_tables(found).combine_chunks())
    joined = {kind: pa.concat_tables(found) for kind, found in whole.items()}
    frames = {kind: pl.DataFrame(pl.from_arrow(table)) for kind, table in joined.items()}
    digests = {key: digest(found) for key, found in files.items()}
    return Gathered(frames, from_table(Grade, joined["benchmark_scores"]), digests, graded_by, tuple(each))


def _whole_cell(cells: CellStore, iteration: int, problem: Problem) -> Mapping[str, tuple[pa.Table, StoredFile]]:
    """Rows and file of each kind; none at all for a cell that is not whole, no grades where they are of others."""

    def get(kind: str) -> tuple[pa.Table, StoredFile]:
        return cells.store.table(cells.address(kind, iteration, problem), KINDS[kind], _READ[kind])

    try:
        found = {kind: get(kind) for kind in KINDS if kind != "benchmark_scores"}
    except MissingFile:
        return {}
    files = StoredCell(**{kind: stored for kind, (_, stored) in found.items()})
    if not files.whole(problem):
        return {}
    try:
        grades = get("benchmark_scores")
    except MissingFile:
        return found
    return found | {"benchmark_scores": grades} if grades[1].parent("rollouts") == files.rollouts.digest else found


def bank_writes(gathered: Gathered) -> pl.DataFrame:
    """One row a turn of a bank agent, with its problem and iteration."""
    return _of_memory(gathered, "writes")


def turns(gathered: Gathered) -> pl.DataFrame:
    """One row a turn of a role that asked a model and is no bank agent, with its problem and iteration."""
    return _of_memory(gathered, "turns").drop_nulls("trace")


def asked(gathered: Gathered) -> pl.DataFrame:
    """Problem, iteration and trace of every call that a record was made of, each once: what is repeated was not asked,
    and several records may be made of one reply."""
    place = ("problem", "iteration", "trace")
    rollouts = gathered.frames["rollouts"].filter(~pl.col("branch").is_in(REPEATED))
    checked = [gathered.frames[kind].select(place) for kind in ("verifier_scores", "summaries")]
    rows = [rollouts.select(place), *checked, bank_writes(gathered).select(place), turns(gathered).select(place)]
    call = pl.col("trace").struct.field("call").alias("call")
    return pl.concat(rows).with_columns(call).unique(["problem", "call"], maintain_order=True).drop("call")


def _of_memory(gathered: Gathered, column: str) -> pl.DataFrame:
    rows = gathered.frames["memory_bank"].select("problem", "iteration", column)
    return rows.explode(column).drop_nulls(column).unnest(column)
