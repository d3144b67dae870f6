"""The problem table of a score and the release behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

from resources.parquet_store import Address
from tmas_assets.benchmarks import BenchmarkError
from tmas_assets.engine.audit.chain import Chain
from tmas_assets.engine.audit.files import Expected, Looked, file_id, file_node, is_intact, look, plain_node
from tmas_assets.engine.audit.releases import release_node
from tmas_assets.engine.audit.sealed import Seal
from tmas_assets.records import AuditNode, Experiment, Problem, ScoreOrigin, digest
from tmas_assets.records.schema import from_table

_PARTS = ("problems", "release")


@dataclass(frozen=True)
class Problems:
    id: str
    """Node of the table; empty where it is not known which it is."""
    rows: tuple[Problem, ...]
    """Empty where the table is not as it was."""


def audit_problems(chain: Chain, seal: Seal, origin: ScoreOrigin | None, experiment: Experiment | None) -> Problems:
    """Adds the nodes of table and release."""
    tables = [asset for asset, _, partition in seal.files if asset.startswith("problems/") and partition == "problems"]
    asset = tables[0] if tables else f"problems/{origin.problems}" if origin is not None else ""
    if not asset:
        return Problems("", ())
    looked = {part: look(chain.store, Address(tuple(asset.split("/")), (part,))) for part in _PARTS}
    recorded = {part: found.digest for part in _PARTS if (found := seal.files.get((asset, "", part))) is not None}
    rows = _rows(looked["problems"], recorded.get("problems"))
    release = _release(chain, experiment, looked["problems"] if rows else None, rows)
    for part in _PARTS:
        if part == "problems" or part in recorded:
            expected = Expected(
                digest=recorded.get(part), by="the seal", asset=asset, record=Problem if part == "problems" else None, parents=(release.id,) if release is not None else (),
                cure="Materialize the problems again: the same release gives the same table. Of another release it is another score.",
            )  # fmt: skip
            chain.add(file_node(chain.score, looked[part], expected, chain.known))
    if release is not None:
        chain.add(release)
    return Problems(file_id(looked["problems"].address), rows)


def _rows(looked: Looked, recorded: str | None) -> tuple[Problem, ...]:
    return from_table(Problem, looked.table()) if is_intact(looked, recorded, Problem) else ()


def _release(chain: Chain, experiment: Experiment | None, table: Looked | None, rows: Sequence[Problem]) -> AuditNode | None:
    if experiment is None:
        return None
    stated = chain.stated.experiment(experiment.name)
    choice = experiment.benchmark.model_copy(update={"base": stated.benchmark.base if stated is not None else "", "limit": None})
    try:
        return release_node(chain, choice, table.made_from if table is not None else (), digest([one.digest for one in rows]) if rows else None)
    except BenchmarkError as error:
        return plain_node(chain.score, f"release {choice.name}", "release", group="releases", standing="missing", said=str(error), cure="Install the version that made the score.")
