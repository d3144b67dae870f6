"""Faults of a step as Dagster's `Failure`s that say whether another try can help; what steps open that may raise them."""

import dagster as dg

from resources.calls.call_log import CallLogError
from resources.chat.client import MissingApiKey
from resources.deployment import Deployment
from resources.encoding.bundled_encoder import EncoderFault
from resources.parquet_store import MissingFile, StoreFault
from resources.sandbox.bubblewrap import SandboxFault
from resources.serving.default_model import DefaultModelError
from resources.serving.vllm_server import ServerError
from tmas_assets.benchmarks import asset_name
from tmas_assets.engine.building.golds import GoldFault
from tmas_assets.engine.campaign import MissingPast
from tmas_assets.engine.cells import CellStore
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.problems import ProblemTable, UnknownProblem, read_table
from tmas_assets.engine.team import EndpointRefuses, TooManyFailures, identities, pinned
from tmas_assets.records import Experiment

PERMANENT = (
    MissingPast,
    UnknownProblem,
    StoreFault,
    CallLogError,
    TooManyFailures,
    EndpointRefuses,
    MissingApiKey,
    ServerError,
    DefaultModelError,
    SandboxFault,
    EncoderFault,
    GoldFault,
)
"""Faults that stay until somebody mends something."""


def permanent(error: Exception) -> dg.Failure:
    """A fault that no retry cures, for the step and for the run."""
    return dg.Failure(description=str(error), allow_retries=False)


def table_of(deployment: Deployment, experiment: Experiment) -> ProblemTable:
    try:
        return read_table(deployment.store(), asset_name(experiment.benchmark))
    except MissingFile as fault:
        hint = f"Nothing was run yet: `tmas run {experiment.name}` or its campaign job does this first."
        raise dg.Failure(description=f"{fault} {hint}", allow_retries=False) from fault
    except StoreFault as fault:
        raise permanent(fault) from fault


def cells_of(deployment: Deployment, experiment: Experiment) -> CellStore:
    """Of the models there are now: `cells.experiment` names checkpoints by number, so that who goes on with it means the same.

    Raises a `Failure` where a model we serve is missing, since its digest is part of where the cells lie.
    """
    vllm = deployment.vllm()
    try:
        experiment = pinned(experiment, vllm)
        return CellStore(deployment.store(), experiment, identities(experiment, vllm))
    except PERMANENT as fault:
        raise permanent(fault) from fault


def graders_of(deployment: Deployment) -> Graders:
    return Graders(max_workers=deployment.grading_workers, isolation=deployment.isolation)
