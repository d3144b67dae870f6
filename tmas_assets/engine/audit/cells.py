"""One cell of a chain: its files against what was recorded of them, from the grades back, and the calls that its records were made of.

A cell is looked at from its last file to its first, so that a digest which no seal records is taken from the file that was made of it.
Leaves out which cells there should be.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from partitions.keys import iteration_key, iteration_of
from resources.calls.call_audit import NO_DIGEST, CallAudit, CallFault, Told
from resources.calls.call_store import CallLogError
from resources.parquet_store import Address, ParquetStore
from tmas_assets.engine.audit.files import Expected, Looked, file_id, file_node, is_intact, look, plain_node
from tmas_assets.engine.cells import AMENDED, KINDS, PREVIOUS
from tmas_assets.records import REPEATED, AuditFault, AuditNode, Grade, SealedFile, Trace
from tmas_assets.records.schema import from_table

GRADES, MEMORY, SUMMARIES, CHECKS, ROLLOUTS = "benchmark_scores", "memory_bank", "summaries", "verifier_scores", "rollouts"
_MADE_OF = {GRADES: (ROLLOUTS,), MEMORY: (ROLLOUTS, CHECKS, SUMMARIES), SUMMARIES: (ROLLOUTS, CHECKS), CHECKS: (ROLLOUTS,), ROLLOUTS: ()}
"""From the last file to the first: which others of the cell each names."""
KINDS_BACK = tuple(_MADE_OF)
assert set(_MADE_OF) == set(KINDS)


@dataclass(frozen=True)
class Cell:
    """Which cell, and what was recorded of it."""

    experiment: str
    variant: str
    iteration: str
    """Its key, `t00`."""
    problem: str
    """Its key."""
    recorded: Mapping[str, str]
    """Digests by kind; a kind that nobody recorded is judged by the files that name it."""
    kinds: tuple[str, ...] = KINDS_BACK
    """Those that belong to the chain."""
    by: str = "the seal"
    problem_digest: str | None = None
    """None where it is not known."""
    strategy: str | None = None
    previous: str | None = None
    """Digest of the memory file of the iteration before; None at the first one, or where it is not known."""
    after: str | None = None
    """What the next iteration says of this cell's memory file."""
    amended: bool = False
    """Whether it is known what people said of it."""
    amendments: str | None = None
    problems: str = ""
    """Node of its problem."""
    code: str = ""
    """Node of its strategy."""
    with_assets: bool = True
    """Whether Dagster knows the experiment."""
    suffix: str = ""
    """Of groups: tells apart the chains of a training and of the score."""
    reviews: tuple[str, ...] = ()
    """Nodes of what people said about it."""

    def address(self, kind: str) -> Address:
        return Address((self.experiment, kind), (self.iteration, self.problem), self.variant)

    def id(self, kind: str) -> str:
        return file_id(self.address(kind))

    @property
    def place(self) -> str:
        return f"{self.iteration}|{self.problem}"


@dataclass
class CellFound:
    cell: Cell
    nodes: list[AuditNode] = field(default_factory=list)
    models: set[str] = field(default_factory=set)
    """Identities behind its calls."""
    graders: dict[str, str] = field(default_factory=dict)
    """By problem key, what graded it, as the file of grades says."""
    grades: tuple[Grade, ...] = ()
    """Where they are intact."""
    chosen: tuple[tuple[str, str, str], ...] = ()
    """(id, problem, branch) of its rollouts, where they are intact."""
    memory: str | None = None
    """What its memory file says the memory before it was."""
    sound: dict[str, str] = field(default_factory=dict)
    """Digests of its intact files, by kind."""


def audit_cell(score: str, store: ParquetStore, log: CallAudit, cell: Cell, known: Mapping[str, SealedFile]) -> CellFound:
    """`known`: sealed files by digest. Texts are in memory for this cell alone."""
    found = CellFound(cell)
    recorded = dict(cell.recorded)
    if cell.after is not None:
        recorded.setdefault(MEMORY, cell.after)
    by = {kind: cell.by for kind in recorded}
    told: list[tuple[str, Told]] = []
    looked = {kind: look(store, cell.address(kind)) for kind in cell.kinds}
    sound = {}
    for kind in cell.kinds:
        sound[kind] = is_intact(looked[kind], recorded.get(kind), KINDS[kind])
        if sound[kind]:
            found.sound[kind] = str(looked[kind].digest)
            for other in _MADE_OF[kind]:
                if other in cell.kinds and other not in recorded and (named := looked[kind].parent(other)) is not None:
                    recorded[other], by[other] = named, f"{kind} of the cell"
            told += ((kind, one) for one in _told(kind, looked[kind], found))
    for kind in cell.kinds:
        links = _links(cell, kind, recorded) if sound[kind] else {}
        expected = Expected(
            digest=recorded.get(kind), by=by.get(kind, ""), asset=f"{cell.experiment}/{kind}" if cell.with_assets and kind != SUMMARIES else "",
            group=f"{cell.experiment}/{kind}{cell.suffix}", cure=_cure(cell, kind), parents=_parents(cell, kind, looked[kind] if sound[kind] else None), links=links, record=KINDS[kind],
        )  # fmt: skip
        found.nodes.append(file_node(score, looked[kind], expected, known))
    found.memory = looked[MEMORY].parent(PREVIOUS) if sound.get(MEMORY) else None
    found.nodes.append(_calls_node(score, log, cell, told, found.models))
    return found


def audit_line(score: str, store: ParquetStore, log: CallAudit, cells: Sequence[Cell], known: Mapping[str, SealedFile]) -> list[CellFound]:
    """The cells of one problem, the last iteration first: what no seal records of a memory file, the next iteration's says."""
    found: list[CellFound] = []
    for cell in cells:
        after = found[-1].memory if found else None
        found.append(audit_cell(score, store, log, replace(cell, after=after), known))
    return found


def _cure(cell: Cell, kind: str) -> str:
    if not cell.with_assets:
        return "Build the data set again: what it asked is answered from the call log."
    if kind == GRADES:
        return f"`tmas regrade {cell.experiment}` grades again without asking a model; then `tmas report {cell.experiment}`."
    return f"Delete the file and run `tmas run {cell.experiment}`: replies come from the call log, so the same bytes come again."


def _links(cell: Cell, kind: str, recorded: Mapping[str, str]) -> dict[str, str | None]:
    links: dict[str, str | None] = {other: recorded.get(other) for other in _MADE_OF[kind] if other in recorded}
    if cell.problem_digest is not None:
        links["problem"] = cell.problem_digest
    if cell.strategy is not None and kind != GRADES:
        links["strategy"] = cell.strategy
    if kind in (MEMORY, ROLLOUTS) and (cell.previous is not None or cell.iteration == "t00"):
        links[PREVIOUS] = cell.previous
    if kind == MEMORY and cell.amended:
        links[AMENDED] = cell.amendments
    return links


def _parents(cell: Cell, kind: str, looked: Looked | None) -> tuple[str, ...]:
    before = iteration_key(iteration_of(cell.iteration) - 1) if cell.iteration != "t00" else None
    past = [file_id(Address((cell.experiment, MEMORY), (before, cell.problem)))] if before and kind in (MEMORY, ROLLOUTS) else []
    own = [cell.id(other) for other in _MADE_OF[kind] if other in cell.kinds]
    if kind == GRADES:
        own += [cell.id(MEMORY)] if MEMORY in cell.kinds else []
        own += [f"grader {named.partition(' ')[0]}"] if looked is not None and (named := looked.parent("grader")) else []
    origin = [cell.problems] if cell.problems and kind in (ROLLOUTS, GRADES) else []
    code = [cell.code] if cell.code and kind == ROLLOUTS else []
    return (*own, *past, *origin, *code, *(cell.reviews if kind == MEMORY else ()), _calls_id(cell))


def _told(kind: str, looked: Looked, found: CellFound) -> Iterator[Told]:
    """Every call that a record of an intact file was made of. What repeats an earlier rollout was not asked."""
    if kind == ROLLOUTS:
        rows = looked.columns("id", "problem", "branch", "model", "trace")
        found.chosen = tuple((row["id"], row["problem"], row["branch"]) for row in rows)
        yield from (_one(row) for row in rows if row["branch"] not in REPEATED)
    elif kind in (CHECKS, SUMMARIES):
        yield from (_one(row) for row in looked.columns("model", "trace"))
    elif kind == MEMORY:
        for row in looked.columns("writes", "turns"):
            yield from (_one(one) for one in (*row["writes"], *row["turns"]) if one["trace"] is not None)
    else:
        found.grades = from_table(Grade, looked.table())
        found.graders = {grade.problem: looked.parent("grader") or "" for grade in found.grades}
        for grade in found.grades:
            if grade.judgement is not None:
                yield from (Told(trace, grade.judgement.model) for trace in grade.judgement.traces)


def _one(row: Mapping[str, object]) -> Told:
    return Told(Trace.model_validate(row["trace"]), str(row["model"]))


def _calls_id(cell: Cell) -> str:
    return f"calls of {cell.experiment} {cell.iteration}/{cell.problem}"


def _calls_node(score: str, log: CallAudit, cell: Cell, told: list[tuple[str, Told]], models: set[str]) -> AuditNode:
    each = {one.trace.call: one for _, one in told}
    models.update(one.model for one in each.values())
    where = {one.trace.call: kind for kind, one in told}
    lost: list[AuditFault] = []
    wrong: list[AuditFault] = []
    undigested: list[AuditFault] = []
    try:
        for fault in log.faults(each.values()):
            (undigested if fault.field == NO_DIGEST else wrong if fault.field else lost).append(_fault(fault, where[fault.key]))
    except CallLogError as error:
        wrong.append(AuditFault(what="the call log", field="", recorded="readable", found=str(error)))
    said = [f"{len(lost)} of {len(each)} are gone"] if lost else []
    said += [f"{len(wrong)} of {len(each)} are not what was logged"] if wrong else []
    said += [f"{len(undigested)} of {len(each)} were logged without a digest, and agree with their records in all else"] if undigested else []
    return plain_node(
        score, _calls_id(cell), "calls", group=f"calls of {cell.experiment}{cell.suffix}", standing="changed" if wrong else "missing" if lost else "declared" if undigested else "intact",
        count=len(each), said="; ".join(said), faults=[*wrong, *lost, *undigested], parents=[f"model {model}" for model in sorted({one.model for one in each.values()})],
        cure="Put the call log back from a copy. Without one the records still stand; making their cell again asks anew, and may be answered otherwise.",
    )  # fmt: skip


def _fault(fault: CallFault, kind: str) -> AuditFault:
    return AuditFault(what=f"call {fault.key[:12]} ({fault.role}), told of in {kind}", field=fault.field, recorded=fault.recorded, found=fault.found)
