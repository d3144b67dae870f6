"""What a walk has found so far: every node once, and where it looks things up.

Leaves out which way it goes: `walk.py`, `training.py`.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain

from resources.calls.call_audit import CallAudit
from resources.deployment import Deployment
from resources.parquet_store import ParquetStore
from tmas_assets.engine.audit.cells import Cell, CellFound, audit_line
from tmas_assets.engine.audit.models import Models
from tmas_assets.engine.building.derived import DataSet
from tmas_assets.records import AuditNode, Endpoint, Experiment, SealedFile

THREADS = 4
"""Reading and hashing let other threads go on; more of them gain nothing on few cores."""
AHEAD = 2 * THREADS
"""Lines that are looked at before what was found of the first is taken."""


@dataclass(frozen=True)
class Stated:
    """What the location's files state: where models, the user's own problem files and sources of data sets are looked for."""

    experiments: Sequence[Experiment] = ()
    data_sets: Sequence[DataSet] = ()

    @property
    def endpoints(self) -> list[Endpoint]:
        return [endpoint for one in (*self.experiments, *self.data_sets) for endpoint in one.endpoints.values()]

    def data_set(self, name: str) -> DataSet | None:
        return next((one for one in self.data_sets if one.name == name), None)

    def experiment(self, name: str) -> Experiment | None:
        return next((one for one in self.experiments if one.name == name), None)


@dataclass
class Chain:
    """One audit while it is made."""

    score: str
    deployment: Deployment
    store: ParquetStore
    log: CallAudit
    stated: Stated
    models: Models
    known: Mapping[str, SealedFile]
    """Sealed files by digest."""
    nodes: dict[str, AuditNode] = field(default_factory=dict)

    def add(self, *nodes: AuditNode) -> None:
        """A node that is there already stays."""
        for node in nodes:
            self.nodes.setdefault(node.id, node)

    def lines(self, lines: Iterable[Sequence[Cell]]) -> Iterator[CellFound]:
        """Look at the cells of each line (`audit_line`), several lines at a time; in their order."""

        def look_at(line: Sequence[Cell]) -> list[CellFound]:
            return audit_line(self.score, self.store, self.log, line, self.known)

        waiting: deque[Future[list[CellFound]]] = deque()
        with ThreadPoolExecutor(THREADS) as pool:
            for line in chain(lines, [None] * AHEAD):
                if line is not None:
                    waiting.append(pool.submit(look_at, line))
                if waiting and (line is None or len(waiting) == AHEAD):
                    for found in waiting.popleft().result():
                        self.add(*found.nodes)
                        yield found
