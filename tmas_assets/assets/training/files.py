"""The component behind a training run's YAML file: its checkpoints and the job that trains them.

    type: tmas_assets.assets.training.files.TrainingFile
    attributes: {name: demo_grpo, base: {...}, prompts: {...}, grpo: {...}, optimisation: {...}, ...}

The attributes are a `Training` record; what the record cannot judge (settings against each other, rewards) is judged when the file is
loaded.
"""

from collections.abc import Iterator, Sequence

import dagster as dg
from pydantic import BaseModel

from tmas_assets.assets.data.files import ColdStartFile, DataSetFile, TeamTracesFile, measured_in
from tmas_assets.assets.data.plan import plan_of
from tmas_assets.assets.experiment import ExperimentFault, StatesTraining
from tmas_assets.assets.stated_in import StatedIn
from tmas_assets.assets.training.checkpoint_assets import Sources, checkpoint_assets, train_job
from tmas_assets.engine.building.derived import DataSet
from tmas_assets.records import BenchmarkChoice, ColdStart, Training
from tmas_assets.records.wrong_fields import nearest
from tmas_assets.rewards.faults import faults_of
from tmas_assets.training.settings_faults import settings_faults


class TrainingFile(StatedIn, StatesTraining):
    """SFT or GRPO: base x data x rewards x trainer settings."""

    Stated = Training
    needs = "a training run needs at least a name, optimisation, and either sft with conversations or grpo with prompts"

    @property
    def training(self) -> Training:
        assert isinstance(self.stated, Training)
        return self.stated

    @classmethod
    def faults_in(cls, stated: BaseModel) -> Iterator[str]:
        assert isinstance(stated, Training)
        yield from settings_faults(stated)
        yield from faults_of(stated)

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        tree = context.component_tree
        sets: list[DataSetFile] = [*tree.get_all_components(of_type=ColdStartFile), *tree.get_all_components(of_type=TeamTracesFile)]
        others = [file.training for file in tree.get_all_components(of_type=TrainingFile)]
        if data_set_fault(self.training, [file.data for file in sets]) is not None:
            return dg.Definitions()  # said, with all other faults, where the location is loaded
        return training_definitions(self.training, [file.data for file in sets], others, measured_in(context))


def training_definitions(
    training: Training, sets: Sequence[DataSet], trainings: Sequence[Training], measured: Sequence[BenchmarkChoice]
) -> dg.Definitions:
    """`sets`, `trainings` and `measured` (releases that experiments measure on): of the location. Raises ExperimentFault for a set that there is not."""
    if (fault := data_set_fault(training, sets)) is not None:
        raise ExperimentFault(fault)
    data = next(one for one in sets if one.name == training.data_set)
    sources = Sources(
        training=training,
        data=data,
        plan=plan_of(data, measured),
        base=next((one for one in trainings if one.name == training.base.model), None),
    )
    return dg.Definitions(assets=checkpoint_assets(sources), jobs=[train_job(sources)])


def data_set_fault(training: Training, sets: Sequence[DataSet]) -> str | None:
    """Why it cannot have its data, beginning with the path of the field; None where it can."""
    known = {one.name: one for one in sets}
    field = "conversations.set" if training.sft is not None else "prompts.set"
    name = training.data_set
    if name not in known:
        return f"{field}: there is no data set {name!r}; {nearest(name, sorted(known))}"
    if training.grpo is not None and not isinstance(known[name], ColdStart):
        fit = sorted(one.name for one in sets if isinstance(one, ColdStart))
        return f"{field}: {name} holds traces, and prompts come from a cold-start set; there are {', '.join(fit) or 'none'}"
    return None
