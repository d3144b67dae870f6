"""Models named in the files of a location: each is the bundled one, a path, or a training run with that iteration, in no circle,
and each is asked through an interface that there is.

Leaves out whether a checkpoint is there: that is known when it is asked for.
"""

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from resources.chat.backends import unfit
from resources.serving.default_model import NAME as BUNDLED
from resources.training.checkpoints import is_name
from tmas_assets.assets.checkpoint_deps import named_models
from tmas_assets.assets.experiment import ExperimentFault
from tmas_assets.assets.loading import Loaded
from tmas_assets.assets.study import member_faults
from tmas_assets.records import LATEST, Endpoint, Iteration, Training
from tmas_assets.records.wrong_fields import nearest


def refuse_unknown_models(found: Loaded) -> None:
    """Raises ExperimentFault naming file and field of every model that there is not, one a line."""
    trainings = [file.training for file in found.trainings]
    faults = [
        *(f"{file.file}: attributes.{one}" for file in found.alone for one in endpoint_faults(file.experiment.endpoints, trainings)),
        *(
            one
            for study in found.studies
            for one in member_faults(study.members, study.file, lambda member: endpoint_faults(member.endpoints, trainings))
        ),
        *(
            f"{file.file}: attributes.{one}"
            for file in found.data_sets
            for one in (*endpoint_faults(file.data.endpoints, trainings), *_open_ended(file.data.endpoints, trainings))
        ),
        *(f"{file.file}: attributes.{one}" for file in found.trainings for one in training_faults(file.training, trainings)),
    ]
    if faults:
        raise ExperimentFault("\n".join(faults))
    _refuse_circles(found)


def endpoint_faults(endpoints: Mapping[str, Endpoint], trainings: Sequence[Training]) -> list[str]:
    """Each beginning with the path of the field."""
    spoken = ((name, unfit(endpoint)) for name, endpoint in sorted(endpoints.items()))
    return [f"endpoints.{name}.{fault}" for name, fault in spoken if fault is not None] + [
        fault
        for name, managed in named_models(endpoints)
        for fault in _faults(f"endpoints.{name}.managed", managed.model, managed.iteration, trainings)
    ]


def training_faults(training: Training, trainings: Sequence[Training]) -> list[str]:
    """Of its base and its judge."""
    others = [one for one in trainings if one.name != training.name]
    base = training.base
    faults = list(_faults("base", base.model, base.iteration, others)) if base.model != BUNDLED and is_name(base.model) else []
    judge = {"judge": training.judge} if training.judge is not None else {}
    return faults + [one.removeprefix("endpoints.") for one in endpoint_faults(judge, others)]


def _faults(field: str, model: str, iteration: Iteration, trainings: Sequence[Training]) -> Iterator[str]:
    known = {training.name: training for training in trainings}
    if model not in known:
        yield (
            f"{field}.model: there is no training run {model!r}; {nearest(model, [BUNDLED, *sorted(known)])}; the path of a folder "
            f"has a slash, e.g. ./{model}"
        )
    elif isinstance(iteration, int) and not 0 <= iteration < known[model].iterations:
        last = known[model].iterations - 1
        yield f"{field}.iteration: {model} has {'t00 alone' if last == 0 else f't00 to t{last:02d}'} (found {iteration})"


def _open_ended(endpoints: Mapping[str, Endpoint], trainings: Sequence[Training]) -> Iterator[str]:
    """A data set is built in several runs, and the newest checkpoint need not be the same in all."""
    several = {training.name for training in trainings if training.iterations > 1}
    for name, managed in named_models(endpoints):
        if managed.model in several and managed.iteration == LATEST:
            yield f"endpoints.{name}.managed.iteration: a data set is of one checkpoint; say which of {managed.model}, e.g. `iteration: 0`"


def _refuse_circles(found: Loaded) -> None:
    """A training that starts from itself, or learns from rows that only its own checkpoints could make."""
    needs: dict[str, set[str]] = {}
    for file in found.trainings:
        training = file.training
        judge = {"judge": training.judge} if training.judge is not None else {}
        needs[training.name] = {training.data_set, training.base.model, *(one.model for _, one in named_models(judge))}
    for data_file in found.data_sets:
        needs[data_file.data.name] = {managed.model for _, managed in named_models(data_file.data.endpoints)}
    try:
        TopologicalSorter({name: needed & set(needs) for name, needed in needs.items()}).prepare()
    except CycleError as circle:
        around = list(reversed(circle.args[1]))
        files = {file.training.name: file.file for file in found.trainings} | {file.data.name: file.file for file in found.data_sets}
        raise ExperimentFault(
            f"{files[around[0]]}: attributes: {' needs '.join(around)}: a circle; let one of them start from another model or other rows"
        ) from circle
