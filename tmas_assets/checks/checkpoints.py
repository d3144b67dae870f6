"""The promises of a training run's checkpoints as Dagster's asset checks on `<training>/grpo_checkpoint` or `sft_checkpoint`.

They look at what lies on disk now, all iterations together. Leaves out how a checkpoint becomes one (`resources/training/`).
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import dagster as dg

from resources.deployment import Deployment
from resources.parquet_store import Address, MissingFile
from resources.serving.vllm_server import ServerError
from resources.training.checkpoints import Checkpoints, Kept, checkpoint_name
from tmas_assets.assets.evaluations import result
from tmas_assets.assets.faults import PERMANENT, permanent
from tmas_assets.assets.keys import checkpoint_key
from tmas_assets.assets.training.iteration import order_address
from tmas_assets.records import MOST_DIFFERENT, Checkpoint, ManagedServer, Training
from tmas_assets.records.finding import Finding, Offence, finding_of

_PROMISES = {
    "whole": "Every byte of every checkpoint is the one that was registered.",
    "served_as_registered": "A model server asked for the checkpoint would serve the files that were registered.",
    "weights_equal": "Saved weights, read back, equal the trained ones.",
    "order_recorded": "The table of the prompts of each step is the one that it was trained in the order of.",
    "rows_are_there": "The rows that it was trained on are the rows that are there now.",
}


def checkpoint_checks(training: Training) -> dg.AssetChecksDefinition:
    key = checkpoint_key(training.name, training.kind)

    @dg.multi_asset_check(
        name=f"check_{'_'.join(key.path)}",
        specs=[dg.AssetCheckSpec(name, asset=key, description=said) for name, said in _PROMISES.items()],
        description=f"The promises of {key.to_user_string()}.",
        can_subset=True,
    )
    def checks(context: dg.AssetCheckExecutionContext, deployment: Deployment) -> Iterator[dg.AssetCheckResult]:
        try:
            for finding in findings(deployment, training.name):
                if dg.AssetCheckKey(key, finding.promise) in context.selected_asset_check_keys:
                    yield result(finding, key)
        except PERMANENT as fault:
            raise permanent(fault) from fault

    return checks


def findings(deployment: Deployment, training: str) -> Iterator[Finding]:
    """What every check finds. Raises StoreFault."""
    kept = Checkpoints(Path(deployment.home)).all(training)
    known = [(one, one.checkpoint) for one in kept if one.checkpoint is not None]
    nothing = [] if kept else [Offence(id=training, what=f"has no checkpoint yet; `tmas train {training}` makes one")]
    torn = [Offence(id=checkpoint_name(training, one.iteration), what=one.torn) for one in kept if one.torn is not None]
    told = {
        "whole": ("are whole", torn),
        "served_as_registered": ("would be served as registered", list(_served(deployment, known))),
        "weights_equal": (f"equal the trained weights to {MOST_DIFFERENT:g}", list(_equal(known))),
        "order_recorded": ("have the table of prompts that they were trained by", list(_order(deployment, known))),
        "rows_are_there": ("are of the rows there are now", list(_rows(deployment, known))),
    }
    for promise, (what, offences) in told.items():
        good = len(kept) - len({one.id for one in offences})
        yield finding_of(promise, f"{good} of {len(kept)} checkpoints {what}", len(kept), [*nothing, *offences], most=None)


def _served(deployment: Deployment, known: Sequence[tuple[Kept, Checkpoint]]) -> Iterator[Offence]:
    vllm = deployment.vllm()
    for kept, stated in known:
        name = checkpoint_name(stated.training, kept.iteration)
        try:
            found = vllm.identity(ManagedServer(model=stated.training, iteration=kept.iteration))
        except ServerError as fault:
            yield Offence(id=name, what=str(fault))
            continue
        if found != stated.digest:
            yield Offence(id=name, what=f"would be served as {found[:12]}, registered was {stated.digest[:12]}")


def _equal(known: Sequence[tuple[Kept, Checkpoint]]) -> Iterator[Offence]:
    for kept, stated in known:
        if not stated.max_difference <= MOST_DIFFERENT:
            yield Offence(id=checkpoint_name(stated.training, kept.iteration), what=f"differ by {stated.max_difference:g}")


def _order(deployment: Deployment, known: Sequence[tuple[Kept, Checkpoint]]) -> Iterator[Offence]:
    """A checkpoint that was brought here has no table, and is told by its other promises."""
    store = deployment.store()
    for kept, stated in known:
        try:
            now = store.look(order_address(stated.training, kept.iteration)).digest
        except MissingFile:
            continue
        if now != stated.order_digest:
            what = f"the table of prompts by step is {now[:12]} by now, it was trained by {stated.order_digest[:12]}"
            yield Offence(id=checkpoint_name(stated.training, kept.iteration), what=what)


def _rows(deployment: Deployment, known: Sequence[tuple[Kept, Checkpoint]]) -> Iterator[Offence]:
    store = deployment.store()
    for kept, stated in known:
        asset, _, partition = stated.rows.partition(" ")
        name = checkpoint_name(stated.training, kept.iteration)
        try:
            now = store.look(Address(tuple(asset.split("/")), tuple((partition or "rows").split("|")))).digest
        except MissingFile:
            yield Offence(id=name, what=f"{stated.rows} is gone")
            continue
        if now != stated.rows_digest:
            yield Offence(id=name, what=f"{stated.rows} is {now[:12]} by now, it was trained on {stated.rows_digest[:12]}")
