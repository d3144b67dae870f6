"""Which cells a score was made from, by problem: those that its seal names, or all that lie there where no seal can be believed."""

from collections.abc import Iterator, Mapping

from partitions.keys import iteration_key, iteration_of, problem_key
from resources.parquet_store import Address
from tmas_assets.engine.audit.cells import GRADES, KINDS_BACK, MEMORY, Cell
from tmas_assets.engine.audit.chain import Chain
from tmas_assets.engine.audit.files import Expected, file_id, file_node, is_intact, look
from tmas_assets.engine.audit.problems import Problems
from tmas_assets.engine.audit.sealed import ScoreName, Seal
from tmas_assets.engine.reviews import Review
from tmas_assets.records import Amendment, ScoreOrigin
from tmas_assets.records.schema import from_table

_REVIEWS = ("approvals", "amendments")


def lines_of(chain: Chain, name: ScoreName, seal: Seal, origin: ScoreOrigin | None, problems: Problems, code: str) -> Iterator[list[Cell]]:
    """A list a problem, its last iteration first. `code`: node of the strategy. Adds the nodes of what people said."""
    digests = {problem_key(one.id): one.digest for one in problems.rows}
    reviews = _reviews(chain, name, seal, digests)
    there = _sealed(seal, name) or _stored(chain, name)
    for problem, iterations in sorted(there.items()):
        ids, review = reviews.get(problem, ((), Review()))
        line = []
        for at in sorted(iterations, reverse=True):
            number, recorded = iteration_of(at), iterations[at]
            if name.iteration is not None and number > name.iteration:
                continue
            last = name.iteration in (None, number)
            # a cell without grades was not graded when the score was made
            graded = last and (GRADES in recorded or not recorded)
            before = iterations.get(iteration_key(number - 1), {}).get(MEMORY) if number else None
            line.append(Cell(
                name.experiment, name.variant, at, problem, recorded, kinds=KINDS_BACK if graded else tuple(kind for kind in KINDS_BACK if kind != GRADES),
                problem_digest=digests.get(problem), strategy=origin.strategy_digest if origin is not None else None, previous=before,
                amended=bool(seal.files), amendments=review.digest_of(number), problems=problems.id, code=code, reviews=ids,
            ))  # fmt: skip
        yield line


def _sealed(seal: Seal, name: ScoreName) -> dict[str, dict[str, dict[str, str]]]:
    """Digests by problem, iteration and kind."""
    found: dict[str, dict[str, dict[str, str]]] = {}
    for kind in KINDS_BACK:
        asset = f"{name.experiment}/{kind}"
        for (own, variant, partition), file in seal.files.items():
            if own == asset and variant == name.variant:
                at, _, problem = partition.partition("/")
                found.setdefault(problem, {}).setdefault(at, {})[kind] = file.digest
    return found


def _stored(chain: Chain, name: ScoreName) -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = {}
    for at, problem in chain.store.partitions((name.experiment, MEMORY), name.variant):
        found.setdefault(problem, {})[at] = {}
    return found


def _reviews(chain: Chain, name: ScoreName, seal: Seal, digests: Mapping[str, str]) -> Mapping[str, tuple[tuple[str, ...], Review]]:
    """By problem key: the nodes of what people said, and what holds of it."""
    ids: dict[str, list[str]] = {}
    said: dict[str, list[Amendment]] = {}
    for kind in _REVIEWS:
        asset = f"{name.experiment}/{kind}"
        own = sorted((partition, file) for (at, variant, partition), file in seal.files.items() if at == asset and variant == name.variant)
        for partition, file in own:
            looked = look(chain.store, Address((name.experiment, kind), tuple(partition.split("/")), name.variant))
            expected = Expected(digest=file.digest, by="the seal", group=asset, cure="Put the file back: what people said is kept nowhere else.")
            chain.add(file_node(chain.score, looked, expected, chain.known))
            problem = partition.partition("/")[0]
            ids.setdefault(problem, []).append(file_id(looked.address))
            if kind == "amendments" and is_intact(looked, file.digest, Amendment):
                own_text = [one for one in from_table(Amendment, looked.table()) if one.problem_digest == digests.get(problem)]
                said.setdefault(problem, []).extend(own_text)
    return {problem: (tuple(found), Review((), tuple(said.get(problem, ())))) for problem, found in ids.items()}

