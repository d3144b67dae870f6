"""A study as its YAML file states it: several experiments that differ in stated settings, run and shown together.

Leaves out making the experiments of it: `members.py`.
"""

import re
from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from tmas_assets.records.base import Record
from tmas_assets.records.experiment import Name

LABEL = re.compile(r"^[a-z0-9][a-z0-9_]*$")
Label = Annotated[str, Field(pattern=LABEL.pattern, max_length=40)]


class Variant(Record):
    """One strategy of a list that is compared."""

    label: Label | None = None
    """What its experiment is called after the study's name; the strategy's name by default."""
    name: str
    settings: dict[str, JsonValue] = {}
    iterations: int | None = Field(default=None, ge=1)
    repeats: int | None = Field(default=None, ge=1)
    """Both are the base's where they are not stated."""
    roles: dict[str, JsonValue] = {}
    """Role settings over the base's, by role."""

    @property
    def called(self) -> str:
        return self.label or self.name


class Axis(Record):
    """One field that is varied."""

    field: str = Field(pattern=r"^[a-z_]\w*(\.[\w-]+)*$")
    """Dotted path of any field of an experiment: `strategy.settings.epsilon`, `iterations`, `repeats`,
    `endpoints.default.sampling.max_tokens`, `roles.solution.sampling.temperature`."""
    label: Label | None = None
    """What it is called in names, tables and on the axis of the plot; the last part of the path by default."""
    values: tuple[JsonValue, ...] = Field(min_length=1)
    labels: tuple[Label, ...] | None = None
    """What each value is called; needed for values that are lists or groups."""

    @model_validator(mode="after")
    def _a_label_each(self) -> "Axis":
        if self.labels is not None and len(self.labels) != len(self.values):
            raise ValueError(f"labels: {len(self.labels)} for {len(self.values)} values; give one each, in order")
        return self

    @property
    def called(self) -> str:
        return self.label or re.sub(r"\W", "_", self.field.rpartition(".")[2]).lower()


class Study(Record):
    """Its members are whole experiments, each called `<study>_<label>`, with cells, reports and a campaign of its own."""

    name: Name
    description: str = ""
    base: dict[str, JsonValue]
    """All that an experiment has but its name; what `strategies` and `vary` state goes over it."""
    strategies: tuple[Variant, ...] = ()
    """In place of `base.strategy`."""
    vary: tuple[Axis, ...] = ()
    each: Literal["all combinations", "one at a time"] = "all combinations"
    """`one at a time`: the base is a member, and every other one differs from it in one field."""
    reference: Label | None = None
    """Label of the member that the others are compared with; the first one by default."""

    @model_validator(mode="after")
    def _says_what_differs(self) -> "Study":
        if not (self.strategies or self.vary):
            raise ValueError("nothing differs; give strategies (a list to compare), vary (fields with values), or both")
        called = [axis.called for axis in self.vary]
        for place, axis in enumerate(self.vary):
            first = called.index(axis.called)
            if first < place:
                raise ValueError(
                    f"vary.{place}.label: vary.{first} ({self.vary[first].field}) is called {axis.called!r} too; "
                    f"give one of the two a `label` of its own, or both as the values of one"
                )
        if "name" in self.base:
            raise ValueError("base.name: members are called after the study; take it away")
        if bool(self.strategies) == ("strategy" in self.base):
            found = "both" if self.strategies else "neither"
            raise ValueError(f"give either base.strategy or strategies, found {found}")
        if self.strategies and self.each == "one at a time":
            raise ValueError("each: `one at a time` needs one base; give base.strategy in place of strategies")
        return self
