"""The component behind a study's YAML file: a chain and a campaign for each member, one comparison and one job for all.

    type: tmas_assets.assets.study.StudyFile
    attributes:
      name: widths
      base: {benchmark: {...}, strategy: {...}, iterations: 4, endpoints: {...}}
      vary: [{field: strategy.settings.candidates, values: [2, 4, 8]}]

The attributes are a `Study` record. Every fault names the file, the field and the member.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import dagster as dg
from pydantic import BaseModel

from tmas_assets.assets.campaign import campaign_ops
from tmas_assets.assets.experiment import (
    ExperimentFault,
    ExperimentFile,
    experiment_definitions,
    faults_in,
    trainings_for,
)
from tmas_assets.assets.study_campaign import study_job
from tmas_assets.assets.study_comparison import comparison_asset
from tmas_assets.benchmarks import at_folder
from tmas_assets.records import Experiment, Member, Study, StudyFault, members_of


class StudyFile(dg.Component):
    """Several experiments that differ in stated settings, run and shown together."""

    def __init__(self, study: Study, members: Sequence[Member], file: Path) -> None:
        self.study, self.members, self.file = study, tuple(members), file

    @classmethod
    def get_model_cls(cls) -> type[BaseModel]:
        return Study

    @classmethod
    def load(cls, attributes: BaseModel | None, context: dg.ComponentLoadContext) -> Self:
        file = Path(context.path) / "defs.yaml"
        if not isinstance(attributes, Study):
            raise ExperimentFault(
                f"{file}: attributes: nothing found; a study needs at least a name, a base, and strategies or vary"
            )
        return cls(attributes, checked_members(attributes, file), file)

    @property
    def experiment_files(self) -> list[ExperimentFile]:
        """One a member, as if each had a file of its own."""
        return [ExperimentFile(member.experiment, self.file) for member in self.members]

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        trainings = trainings_for([member.experiment for member in self.members], context)
        ops = [campaign_ops(member.experiment, place) for place, member in enumerate(self.members)]
        own = dg.Definitions(
            assets=[comparison_asset(self.study, self.members)], jobs=[study_job(self.study, self.members, ops)]
        )
        members = (
            experiment_definitions(member.experiment, self.study.name, steps, trainings)
            for member, steps in zip(self.members, ops, strict=True)
        )
        return dg.Definitions.merge(own, *members)


def checked_members(study: Study, file: Path) -> list[Member]:
    """The members, each judged by its strategy and benchmark. Raises ExperimentFault naming `file`, field and member."""
    try:
        members = members_of(study)
    except StudyFault as fault:
        raise ExperimentFault(f"{file}: attributes.{fault}") from fault
    if wrong := member_faults(members, file, faults_in):
        raise ExperimentFault("\n".join(wrong))
    made = []
    for member in members:
        placed = at_folder(member.experiment.benchmark, str(file.parent))
        made.append(Member(
            member.label, member.experiment.model_copy(update={"benchmark": placed}), member.variant, member.points,
            member.origins,
        ))  # fmt: skip
    return made


def member_faults(members: Sequence[Member], file: Path, faults: Callable[[Experiment], Sequence[str]]) -> list[str]:
    """What `faults` finds wrong with the members' experiments, where the study's file states it, each once."""
    wrong: dict[str, list[str]] = {}
    for member in members:
        for one in faults(member.experiment):
            wrong.setdefault(_placed(member, one), []).append(member.experiment.name)
    return [
        f"{file}: attributes.{one}, in member {names[0]}{f' and {len(names) - 1} more' if names[1:] else ''}"
        for one, names in wrong.items()
    ]


def _placed(member: Member, fault: str) -> str:
    """`fault` of the member's experiment with its field where the study's file states it."""
    path, rest = re.match(r"([\w.-]*\w)(.*)", fault, re.DOTALL).groups()  # type: ignore[union-attr]
    place = member.place(path)
    entry = member.origins.get("strategy.name", "").removesuffix(".name")
    if path == "iterations" and place == "base.iterations" and entry.startswith("strategies."):
        return f"{entry}.iterations{rest} in this entry, which has those of the base"
    return place + rest
