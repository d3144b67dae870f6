"""The seal of a score: a file that names every file the score was made from, with its digest, and under what it was made.

Files whose digest no later file records (the last memory bank, grades, the scores themselves) are covered by it. The seal names the
digest of its own rows, a line of text beside it the digest of its bytes, and Dagster's event says that as well. Leaves out checking any
of it (`audit/`).
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from resources.parquet_store import Address, Parent, ParquetStore, StoredFile
from resources.serving.default_model import NAME as BUNDLED
from resources.serving.model_folder import manifest, records_of
from resources.serving.vllm_server import VllmServer
from resources.training.checkpoints import Checkpoints
from tmas_assets.engine.cells import FORM, CellStore
from tmas_assets.engine.problems import problem_files
from tmas_assets.records import (
    Budget,
    Endpoint,
    Experiment,
    ModelOrigin,
    PromptOrigin,
    ScoreOrigin,
    SealedFile,
    Thresholds,
    digest,
)
from tmas_assets.strategies import strategy

SUMMARY, SCORES, SEALED, ORIGIN = "summary", "scores", "sealed", "origin"
SIDECAR = "sealed.sha256"
ROWS = "rows"
"""Name under which a seal records the digest of its own rows."""
_UNSTATED = ("http://unstated",)


def sealed(address: Address, stored: StoredFile) -> SealedFile:
    return SealedFile(
        asset="/".join(address.asset), variant=address.variant, partition="/".join(address.partition), digest=stored.digest,
        rows=stored.rows,
    )  # fmt: skip


def address_of(file: SealedFile) -> Address:
    """Where a file of the store lies."""
    return Address(tuple(file.asset.split("/")), tuple(file.partition.split("/")), file.variant)


def models_key(identity: str) -> str:
    """What a model folder's files are sealed under."""
    return f"models/{identity[:12]}"


def seal(
    cells: CellStore, table: str, models: Mapping[str, str], files: Sequence[SealedFile], parts: Sequence[tuple[Address, StoredFile]],
    vllm: VllmServer,
) -> StoredFile:  # fmt: skip
    """Write origin and seal of a summary. `table`: name of the problem table; `models`: identity by endpoint; `files`: of its cells;
    `parts`: the summary's own. Raises StoreFault, and what looking at a model folder raises."""
    store, summary = cells.store, (cells.experiment.name, SUMMARY)
    origin = Address(summary, (ORIGIN,), cells.variant)
    made_under = _origin(cells, table, models)
    written = [*parts, (origin, store.write(origin, ScoreOrigin, [made_under]))]
    rows = [
        *files,
        *(sealed(*one) for one in written),
        *(sealed(address, store.look(address)) for address in problem_files(store, table)),
        *_reviews(cells),
        *_model_files(cells.experiment, models, vllm),
    ]
    rows.sort(key=lambda one: (one.asset, one.variant, one.partition))
    made = store.write(Address(summary, (SEALED,), cells.variant), SealedFile, rows, [Parent(ROWS, rows_digest(rows))])
    store.put_beside((*summary, cells.variant), SIDECAR, f"{made.digest}\n".encode())
    return made


def rows_digest(rows: Sequence[SealedFile]) -> str:
    return digest([row.model_dump(mode="json") for row in rows])


def shaping(experiment: Experiment) -> Experiment:
    """`experiment` without what shapes neither cells nor scores."""

    def plain(endpoint: Endpoint) -> Endpoint:
        asked = endpoint.model_dump(include={"managed", "model", "revision", "structured_output", "send_seed", "sampling"})
        return Endpoint.model_validate(asked | ({"urls": _UNSTATED} if endpoint.urls else {}))

    return experiment.model_copy(update={
        "description": "", "budget": Budget(), "refresh": None, "thresholds": Thresholds(), "failure_threshold": 0.2,
        "benchmark": experiment.benchmark.model_copy(update={"base": ""}),
        "endpoints": {name: plain(endpoint) for name, endpoint in sorted(experiment.endpoints.items())},
    })  # fmt: skip


def _origin(cells: CellStore, table: str, models: Mapping[str, str]) -> ScoreOrigin:
    experiment = shaping(cells.experiment)
    prompts = strategy(experiment.strategy.name).prompts()
    return ScoreOrigin(
        experiment=experiment.model_dump_json(),
        form=FORM,
        problems=table,
        strategy_digest=cells.strategy_digest,
        prompts=tuple(PromptOrigin(role=role, digest=found) for role, found in sorted(prompts.items())),
        models=tuple(
            ModelOrigin(endpoint=name, identity=models[name])
            for name in sorted(cells.experiment.endpoints)
        ),
    )


def _model_files(experiment: Experiment, models: Mapping[str, str], vllm: VllmServer) -> Iterator[SealedFile]:
    """Files of the folders that we served, and what stands in them of checkpoints, back to the model that nobody trained here."""
    told = set()
    for name, endpoint in sorted(experiment.endpoints.items()):
        if endpoint.managed is None or models[name] in told:
            continue
        told.add(models[name])
        folder = vllm.model_folder(endpoint.managed)
        for file in manifest(folder, Path(vllm.home) / "digests"):
            yield _of_model(models[name], file.name, file.sha256)
        yield from _stated_in(folder, models[name])
        registered = vllm.checkpoint(endpoint.managed) if endpoint.managed.model != BUNDLED else None
        while registered is not None:
            base = registered.checkpoint
            registered = Checkpoints(Path(vllm.home)).of(base.base, base.base_digest)
            if registered is not None and base.base_digest not in told:
                told.add(base.base_digest)
                yield from _stated_in(registered.folder, base.base_digest)


def _stated_in(folder: Path, identity: str) -> Iterator[SealedFile]:
    yield from (_of_model(identity, file.name, file.sha256) for file in records_of(folder))


def _of_model(identity: str, name: str, found: str) -> SealedFile:
    return SealedFile(asset=models_key(identity), variant="", partition=name, digest=found, rows=0)


def _reviews(cells: CellStore) -> Iterator[SealedFile]:
    for address in cells.reviews.addresses():
        yield sealed(address, cells.store.look(address))


def sealed_partitions(store: ParquetStore, experiment: str) -> Iterator[str]:
    """Settings under which the experiment has scores, or the seal of some that are gone."""
    found = {partition[0] for partition in store.partitions((experiment, SUMMARY)) if len(partition) == 2 and partition[1] in (SCORES, SEALED)}
    yield from sorted(found)


def sealed_at(store: ParquetStore, experiment: str, variant: str) -> float:
    """When scores under these settings were last written; seconds since 1970."""
    there = [Address((experiment, SUMMARY), (part,), variant) for part in (SCORES, SEALED)]
    return max(store.written(address) for address in there if store.exists(address))
