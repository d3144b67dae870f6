"""A component behind a YAML file that states one record: every fault names the file and the field."""

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Self

import dagster as dg
from pydantic import BaseModel

from tmas_assets.assets.experiment import ExperimentFault


class StatedIn(dg.Component):
    """One record, stated in one file."""

    Stated: ClassVar[type[BaseModel]]
    needs: ClassVar[str]

    def __init__(self, stated: BaseModel, file: Path) -> None:
        self.stated, self.file = stated, file

    @classmethod
    def get_model_cls(cls) -> type[BaseModel]:
        return cls.Stated

    @classmethod
    def load(cls, attributes: BaseModel | None, context: dg.ComponentLoadContext) -> Self:
        file = Path(context.path) / "defs.yaml"
        if not isinstance(attributes, cls.Stated):
            raise ExperimentFault(f"{file}: attributes: nothing found; {cls.needs}")
        if faults := list(cls.faults_in(attributes)):
            raise ExperimentFault("\n".join(f"{file}: attributes.{fault}" for fault in faults))
        return cls(cls.placed(attributes, file.parent), file)

    @classmethod
    def faults_in(cls, stated: BaseModel) -> Iterator[str]:
        """What the record alone cannot judge, each beginning with the path of the field."""
        yield from ()

    @classmethod
    def placed(cls, stated: BaseModel, folder: Path) -> BaseModel:
        """With files of the user's own found from the folder of the YAML file."""
        return stated
