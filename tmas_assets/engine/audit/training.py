"""What a checkpoint was trained on, back to the releases that problems came from: rows, the steps that made them, the rounds behind them.

Files say themselves what they were made from, and rows of rounds and rates which cells. Leaves out the model's own bytes (`models.py`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from partitions.keys import iteration_key, iteration_of, problem_key
from resources.parquet_store import Address, Parent
from tmas_assets.engine.audit.cells import CHECKS, GRADES, MEMORY, ROLLOUTS, SUMMARIES, Cell
from tmas_assets.engine.audit.chain import Chain
from tmas_assets.engine.audit.files import Expected, Looked, file_id, file_node, is_intact, look
from tmas_assets.engine.audit.releases import source_node
from tmas_assets.records import AuditNode, Checkpoint, PassRate, Record, SimulatedRound, TeamTrace, digest_bytes

SOURCES, RATES, ROUNDS, TRACES = "source_problems", "baseline_pass_rates", "teacher_rounds", "traces"
_ROWS: Mapping[str, type[Record]] = {ROUNDS: SimulatedRound, RATES: PassRate, TRACES: TeamTrace}
"""Of the steps whose rows name cells."""
_STEPS = (SOURCES, "sound_golds", "unique_problems", "decontaminated", RATES, "difficulty_band", ROUNDS, "questions", TRACES)
"""Steps of a data set that others are made from; other names in a file are settings and the releases that it was compared with."""


@dataclass
class TrainingWalk:
    """From checkpoints on, each file and each model once."""

    chain: Chain
    seen: set[str] = field(default_factory=set)
    fresh: set[str] = field(default_factory=set)
    """Sets that a former iteration's checkpoint played anew, which are no assets of their own."""

    def model(self, identity: str) -> None:
        """A model and all that it came from."""
        if f"model {identity}" not in self.chain.nodes:
            found = self.chain.models.find(identity)
            self.chain.add(found.node if found.checkpoint is None else self._trained(found.checkpoint, found.node))

    def _trained(self, stated: Checkpoint, node: AuditNode) -> AuditNode:
        rows, order = rows_address(stated), Address((stated.training, "order"), (iteration_key(stated.iteration),))
        base = f"model {stated.base_digest}"
        made = node.model_copy(update={"parents": (file_id(rows), file_id(order), base)})
        self.chain.add(made)  # first, so that no circle of names goes on for ever
        fresh = rows.asset[0] == stated.training and rows.partition != ("rows",)
        if fresh:
            self.fresh.add(f"{stated.training}_{rows.partition[0]}")
        self.file(rows, stated.rows_digest, made.group, asset="" if fresh else None)
        self.file(order, stated.order_digest, made.group, asset="", follow=False)
        if base not in self.chain.nodes:
            found = self.chain.models.named(stated.base, stated.base_digest)
            self.chain.add(found.node if found.checkpoint is None else self._trained(found.checkpoint, found.node))
        return made

    def file(self, address: Address, recorded: str, by: str, *, asset: str | None = None, follow: bool = True) -> None:
        """`asset`: another one than the file's own folder says."""
        name = file_id(address)
        if name in self.seen:
            return
        self.seen.add(name)
        folder = "/".join(address.asset)
        looked = look(self.chain.store, address)
        sound = is_intact(looked, recorded)
        parents = tuple(self._parents(address, looked)) if sound and follow else ()
        expected = Expected(
            digest=recorded, by=by, asset="" if address.asset[0] in self.fresh else folder if asset is None else asset,
            cure=f"`tmas build-data {address.asset[0]}` makes it again, and asks no model what it was asked before.", parents=parents, record=_ROWS.get(address.asset[-1]),
        )  # fmt: skip
        self.chain.add(file_node(self.chain.score, looked, expected, self.chain.known))

    def _parents(self, address: Address, looked: Looked) -> Iterator[str]:
        name, step = address.asset
        by = file_id(address)
        if step == SOURCES:
            node = source_node(self.chain, name, looked.made_from)
            self.chain.add(node)
            yield node.id
            return
        for parent in looked.made_from:
            if (other := _step_of(name, parent)) is not None:
                yield file_id(other)
                self.file(other, parent.digest, by)
        if step in _ROWS and looked.other_form(_ROWS[step]) is not None:
            return
        cells = list({ROUNDS: self._rounds, RATES: self._rates, TRACES: self._traces}.get(step, _none)(name, looked))
        models: set[str] = set()
        for found in self.chain.lines([cell] for cell in cells):
            models |= found.models
        yield from (cell.id(kind) for cell in cells for kind in cell.recorded)
        for model in sorted(models):
            self.model(model)

    def _rounds(self, name: str, looked: Looked) -> Iterator[Cell]:
        before: dict[tuple[str, str, str], str] = {}
        for row in sorted(looked.columns(), key=lambda one: (one["experiment"], one["problem"], one["iteration"])):
            line = (row["experiment"], row["variant"], row["problem"])
            recorded = {ROLLOUTS: "rollouts_digest", CHECKS: "verifier_scores_digest", SUMMARIES: "summaries_digest", MEMORY: "memory_digest", GRADES: "grades_digest"}
            yield Cell(
                row["experiment"], row["variant"], iteration_key(row["iteration"]), problem_key(row["problem"]),
                {kind: row[column] for kind, column in recorded.items()}, by=f"{name}/{ROUNDS}", problem_digest=row["problem_digest"],
                previous=before.get(line), with_assets=False, suffix=" (training data)",
            )  # fmt: skip
            before[line] = row["memory_digest"]

    def _rates(self, name: str, looked: Looked) -> Iterator[Cell]:
        for row in looked.columns("problem", "problem_digest", "grades_digest"):
            yield self._of_one(f"{name}__pass_rates", row["problem"], row["problem_digest"], 0, {GRADES: row["grades_digest"]}, f"{name}/{RATES}", (GRADES, ROLLOUTS))

    def _traces(self, name: str, looked: Looked) -> Iterator[Cell]:
        for row in looked.columns("question", "problem_digest", "attempt", "rollouts_digest", "memory_digest", "grades_digest"):
            experiment = f"{name}__attempt_{row['attempt']}"
            recorded = {ROLLOUTS: row["rollouts_digest"], MEMORY: row["memory_digest"], GRADES: row["grades_digest"]}
            last = max((iteration_of(found[1]) for found in self.chain.store.partitions((experiment, MEMORY)) if found[2] == problem_key(row["question"])), default=0)
            yield self._of_one(experiment, row["question"], row["problem_digest"], last, recorded, f"{name}/{TRACES}", (GRADES, MEMORY, SUMMARIES, CHECKS, ROLLOUTS))

    def _of_one(
        self, experiment: str, problem: str, problem_digest: str, iteration: int, recorded: dict[str, str], by: str, kinds: tuple[str, ...]
    ) -> Cell:
        """A cell whose settings the row does not name: those whose grades it names, else the only ones there are."""
        key, at = problem_key(problem), iteration_key(iteration)
        variants = [found[0] for found in self.chain.store.partitions((experiment, GRADES)) if found[1:] == (at, key)]
        if len(variants) > 1:
            bytes_of = {one: self.chain.store.whole(Address((experiment, GRADES), (at, key), one)) for one in variants}
            variants = [one for one, data in bytes_of.items() if digest_bytes(data) == recorded[GRADES]] or variants
        variant = variants[0] if variants else ""
        return Cell(
            experiment, variant, at, key, recorded, kinds=kinds, by=by, problem_digest=problem_digest, with_assets=False,
            suffix=" (training data)",
        )  # fmt: skip


def rows_address(stated: Checkpoint) -> Address:
    """Where the rows lie that a checkpoint was trained on."""
    asset, _, partition = stated.rows.partition(" ")
    return Address(tuple(asset.split("/")), tuple((partition or "rows").split("|")))


def _none(name: str, looked: Looked) -> Iterator[Cell]:
    yield from ()


def _step_of(name: str, parent: Parent) -> Address | None:
    """The rows that a file of the set `name` says it was made from; None for what is no step."""
    folder, _, step = parent.name.rpartition("/")
    if folder:
        return Address((folder, step), ("rows",))
    return Address((name, parent.name), ("rows",)) if parent.name in _STEPS else None
