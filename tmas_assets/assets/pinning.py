"""Which checkpoint `latest` is, asked once in a run and kept in the run's tags: every step of the run means that one.

A tag reads `tmas.pin/<training>: t01.<start of its digest>.<start of the run's id>`, so the UI shows what a run worked on. A checkpoint of that number
with other bytes ends the run in a sentence. Leaves out a single step: the engine
holds on to the models that it began with by itself.
"""

import re

import dagster as dg

from partitions.keys import iteration_key, iteration_of
from resources.deployment import Deployment
from resources.training.checkpoints import Registered, checkpoint_name
from tmas_assets.assets.faults import PERMANENT, permanent
from tmas_assets.assets.run_tags import PIN
from tmas_assets.records import LATEST, Experiment, ManagedServer, digest

_DIGITS = 12
_LONGEST_TAG = 63
_PIN = re.compile(r"(t\d\d)\.([0-9a-f]{12})\.(.{8})")
Context = dg.OpExecutionContext | dg.AssetExecutionContext


def pinned_in_run(context: Context, deployment: Deployment, experiment: Experiment) -> Experiment:
    """`experiment` with the checkpoints by number that this run means. Raises a `Failure` where one is missing, torn, or by now
    another one than when the run began."""
    endpoints = dict(experiment.endpoints)
    for name, endpoint in endpoints.items():
        if endpoint.managed is not None:
            managed = _pinned(context, deployment, endpoint.managed)
            endpoints[name] = endpoint.model_copy(update={"managed": managed})
    return experiment.model_copy(update={"endpoints": endpoints})


def _pinned(context: Context, deployment: Deployment, managed: ManagedServer) -> ManagedServer:
    tag = _tag(managed)
    said = _said(context, tag)
    if said is not None:
        managed = managed.model_copy(update={"iteration": iteration_of(said[1])})
    try:
        found = deployment.vllm().checkpoint(managed)
    except PERMANENT as fault:
        raise permanent(fault) from fault
    if found is None:
        return managed
    if said is None:
        context.instance.add_run_tags(context.run.run_id, {tag: _pin(found, context.run.run_id)})
    elif found.checkpoint.digest[:_DIGITS] != said[2]:
        raise permanent(RuntimeError(
            f"{checkpoint_name(managed.model, found.checkpoint.iteration)} is {found.checkpoint.digest[:_DIGITS]} by now and was "
            f"{said[2]} when this run began: it was trained again meanwhile. What is made is kept. Start a new run; it is of "
            "the new checkpoint alone."
        ))  # fmt: skip
    return managed.model_copy(update={"iteration": found.checkpoint.iteration})


def _said(context: Context, tag: str) -> re.Match[str] | None:
    """What the run said of it before: one that goes on from another's failure says the same; one that repeats it asks anew."""
    run = context.instance.get_run_by_id(context.run.run_id)
    found = _PIN.fullmatch(run.tags.get(tag, "")) if run is not None else None
    return found if run is not None and found is not None and (found[3] == run.run_id[:8] or run.is_resume_retry) else None


def _tag(managed: ManagedServer) -> str:
    name = managed.model if managed.iteration == LATEST else f"{managed.model}.{iteration_key(managed.iteration)}"
    return f"{PIN}{name if len(name) <= _LONGEST_TAG else digest(name)[:_LONGEST_TAG]}"


def _pin(found: Registered, run: str) -> str:
    return f"{iteration_key(found.checkpoint.iteration)}.{found.checkpoint.digest[:_DIGITS]}.{run[:8]}"
