"""The models behind a score as they are found now: which checkpoints it was made by, what their bytes hash to, what came since.

Leaves out judging what was found: `engine/score_checks/verified_models.py`.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

from resources.deployment import Deployment
from resources.serving.default_model import NAME as BUNDLED
from resources.serving.vllm_server import VllmServer
from resources.training.checkpoints import Checkpoints, is_name
from tmas_assets.assets.faults import PERMANENT
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.score_checks.verified_models import Model
from tmas_assets.engine.team import identities, identity, model_name, pinned
from tmas_assets.records import LATEST, Endpoint, Experiment, Iteration


def pinned_or_stated(experiment: Experiment, vllm: VllmServer) -> Experiment:
    """With checkpoints by number; as the file states it where there is none, which the models' check then says."""
    try:
        return pinned(experiment, vllm)
    except PERMANENT:
        return experiment


def as_scored(experiment: Experiment, deployment: Deployment, last: str | None) -> Experiment | None:
    """With the whole checkpoints that the last summary was made by; None where no choice of them gives its settings."""
    names = sorted({one.managed.model for one in experiment.endpoints.values() if one.managed is not None and one.managed.iteration == LATEST})
    if last is None:
        return None
    vllm = deployment.vllm()
    kept: list[list[Iteration]] = [
        [one.iteration for one in Checkpoints(Path(deployment.home)).all(name) if one.torn is None] if name != BUNDLED and is_name(name) else []
        for name in names
    ]
    for chosen in product(*(own or [LATEST] for own in kept)):
        numbers = dict(zip(names, chosen, strict=True))
        endpoints = {name: _numbered(endpoint, numbers) for name, endpoint in experiment.endpoints.items()}
        stated = experiment.model_copy(update={"endpoints": endpoints})
        try:
            cells = CellStore(deployment.store(), stated, identities(stated, vllm))
        except PERMANENT:
            continue
        if cells.variant == last:
            return stated
    return None


def _numbered(endpoint: Endpoint, numbers: Mapping[str, Iteration]) -> Endpoint:
    managed = endpoint.managed
    if managed is None or managed.iteration != LATEST:
        return endpoint
    return endpoint.model_copy(update={"managed": managed.model_copy(update={"iteration": numbers[managed.model]})})


def behind(experiment: Experiment, scored: Experiment, vllm: VllmServer) -> str | None:
    """Why the score is not of the newest checkpoint; None where it is."""
    newest = pinned_or_stated(experiment, vllm)
    pairs = [(model_name(scored.endpoints[name]), model_name(endpoint)) for name, endpoint in newest.endpoints.items()]
    others = [f"of {then}, and {now} is there by now" for then, now in pairs if then != now]
    return f"the score is {'; '.join(others)}" if others else None


def models_of(experiment: Experiment, vllm: VllmServer) -> Sequence[Model]:
    """Every model that the experiment names, its bytes hashed where we serve it; one that cannot be had says why."""
    return list(_models(experiment, vllm))


def _models(experiment: Experiment, vllm: VllmServer) -> Iterator[Model]:
    solving = experiment.solving_endpoints
    for name, endpoint in sorted(experiment.endpoints.items()):
        called, judges = model_name(endpoint), name not in solving
        if endpoint.managed is None:
            yield Model(called, "external", identity(endpoint, vllm), None, endpoint.revision, judges)
            continue
        try:
            registered = vllm.checkpoint(endpoint.managed) is not None
            yield Model(called, "checkpoint" if registered else "folder", identity(endpoint, vllm), judges_only=judges)
        except PERMANENT as fault:
            yield Model(called, "folder", None, str(fault), judges_only=judges)
