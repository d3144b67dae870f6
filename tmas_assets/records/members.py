"""The experiments that a study stands for: their labels, their settings, and where in the file each setting is stated.

Pure and stable: a member's name follows from the study's name and its own values alone, wherever they stand in a list.
Leaves out what only a strategy or a benchmark can judge.
"""

import copy
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from pydantic import JsonValue, ValidationError

from tmas_assets.records.base import Record
from tmas_assets.records.experiment import Experiment
from tmas_assets.records.study import Axis, Study, Variant
from tmas_assets.records.wrong_fields import short, wrong_fields

MOST_MEMBERS = 100
BASE = "base"


class StudyFault(ValueError):
    """A study that stands for no experiments; the text names the field, from `attributes` on, and the member."""


class Point(Record):
    """The value that a member has in a field that is varied."""

    axis: str
    text: str
    number: float | None
    """The value where it is a number."""


@dataclass(frozen=True)
class Member:
    label: str
    experiment: Experiment
    variant: str | None
    """Label of its strategy, None where the study lists none."""
    points: tuple[Point, ...]
    """By axis, in the order of the file. Where one is varied at a time: the one that is varied, and all for the base."""
    origins: Mapping[str, str]
    """By path of a varied setting, where the file states it."""

    def place(self, path: str) -> str:
        """Where in the study's file the setting at `path` of this member is stated, with the path where it is varied."""
        return _place(path, self.origins)


@dataclass(frozen=True)
class _Change:
    """One setting over the base's: its path, value, place in the file, and what it is called."""

    path: str
    value: JsonValue
    place: str
    name: str
    point: Point | None = None


def _place(path: str, origins: Mapping[str, str]) -> str:
    for origin in sorted(origins, key=len, reverse=True):
        if path == origin or path.startswith(f"{origin}."):
            at, rest = origins[origin], path[len(origin) :]
            return f"{at}: {path}" if at.startswith("vary") else at + rest
    return f"base.{path}" if path else "base"


def members_of(study: Study) -> tuple[Member, ...]:
    """In the order of the file, the base first where one field is varied at a time. Raises StudyFault."""
    made: dict[str, Member] = {}
    for variant, changes in _combinations(study):
        label = "_".join(dict.fromkeys(change.name for change in changes if change.name)) or BASE
        if label in made:
            raise StudyFault(_double(study, label, variant, changes))
        if len(made) == MOST_MEMBERS:
            raise StudyFault(f"vary: more than {MOST_MEMBERS} members; take values away, or vary one at a time")
        made[label] = _member(study, label, variant, changes)
    if len(made) < 2:
        raise StudyFault(f"vary: one member ({', '.join(made)}) leaves nothing to compare; give more values")
    if study.reference is not None and study.reference not in made:
        raise StudyFault(f"reference: no member {study.reference!r}; there are {', '.join(made)}")
    return tuple(made.values())


def _double(study: Study, label: str, variant: str | None, changes: list[_Change]) -> str:
    """Which entry to give a label of its own: the strategy where two are called alike, else the value."""
    called = [one.called for one in study.strategies]
    for later, one in enumerate(called):
        if one == variant and one in called[:later]:
            first = called.index(one)
            return f"strategies.{later}.label: strategies.{first} is called {one!r} too; give one of the two a `label` of its own"
    place, _, number = next((change.place for change in reversed(changes) if change.point), "vary").partition(".values.")
    at = f"{place}.labels.{number}" if number else place
    return f"{at}: two members would be called {label!r}; give `labels` that differ"


def reference_of(study: Study, found: tuple[Member, ...]) -> Member:
    """The member that the others are compared with."""
    return next((one for one in found if one.label == study.reference), found[0])


def _combinations(study: Study) -> Iterator[tuple[str | None, list[_Change]]]:
    axes = [list(_of_axis(axis, place)) for place, axis in enumerate(study.vary)]
    if study.each == "one at a time":
        stated_values = [_stated(study.base, axis.field) for axis in study.vary]
        yield None, [_of_base(*one) for one in zip(study.vary, axes, stated_values, strict=True)]
        for changes, base in zip(axes, stated_values, strict=True):
            yield from ((None, [change]) for change in changes if _differs(change.value, base))
        return
    variants: list[tuple[str | None, list[_Change]]]
    variants = [(one.called, list(_of_variant(one, place))) for place, one in enumerate(study.strategies)]
    for variant, stated in variants or [(None, [])]:
        for combination in product(*axes):
            yield variant, [*stated, *combination]


def _of_base(axis: Axis, changes: list[_Change], base: JsonValue) -> _Change:
    """The base's own value, called as the axis calls it where it is among its values."""
    same = next((change for change in changes if not _differs(change.value, base)), None)
    if same is None and _label(base) is None:
        raise StudyFault(f"base.{axis.field}: {base!r} cannot be part of a name; put it among the values, with a label")
    point = same.point if same is not None else _point(axis, base, _text(base))
    return _Change(axis.field, base, f"base.{axis.field}", "", point)


def _point(axis: Axis, value: JsonValue, text: str) -> Point:
    numeric = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    return Point(axis=axis.called, text=text, number=numeric)


def _differs(one: JsonValue, other: JsonValue) -> bool:
    return (isinstance(one, bool), one) != (isinstance(other, bool), other)


def _of_axis(axis: Axis, place: int) -> Iterator[_Change]:
    for number, value in enumerate(axis.values):
        at = f"vary.{place}.values.{number}"
        label = axis.labels[number] if axis.labels else _label(value)
        if label is None:
            raise StudyFault(f"{at}: {value!r} cannot be part of a name; give `labels`, one a value")
        name = label if axis.labels else f"{axis.called}_{label}"
        yield _Change(axis.field, value, at, name, _point(axis, value, label if axis.labels else _text(value)))


def _of_variant(variant: Variant, place: int) -> Iterator[_Change]:
    at, name = f"strategies.{place}", variant.called
    yield _Change("strategy.name", variant.name, f"{at}.name", name)
    yield _Change("strategy.settings", dict(variant.settings), f"{at}.settings", name)
    for field, value in (("iterations", variant.iterations), ("repeats", variant.repeats)):
        if value is not None:
            yield _Change(field, value, f"{at}.{field}", name)
    for role, settings in variant.roles.items():
        yield _Change(f"roles.{role}", settings, f"{at}.roles.{role}", name)


def _label(value: JsonValue) -> str | None:
    """`0.2` as `0_2`, `-1` as `minus_1`; None for what makes no name."""
    if isinstance(value, list | dict):
        return None
    text = re.sub(r"[^a-z0-9]+", "_", re.sub(r"^-", "minus ", _text(value).lower())).strip("_")
    return text or None


def _text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


def _stated(base: Mapping[str, JsonValue], path: str) -> JsonValue:
    found: JsonValue = dict(base)
    for part in path.split("."):
        if not isinstance(found, dict) or part not in found:
            raise StudyFault(f"base.{path}: not stated; the base is a member, and this a value on the plot: state it")
        found = found[part]
    return found


def _member(study: Study, label: str, variant: str | None, changes: list[_Change]) -> Member:
    name = f"{study.name}_{label}"
    body: dict[str, JsonValue] = copy.deepcopy(study.base)
    for change in changes:
        _put(body, change, label)
    points = tuple(change.point for change in changes if change.point is not None)
    told = ", ".join([*([variant] if variant else []), *(f"{point.axis} {point.text}" for point in points)])
    body |= {"name": name, "description": f"{told or 'the base'}, of the study {study.name}. {study.description}".strip()}
    origins = {change.path: change.place for change in changes} | {"name": "name"}
    try:
        experiment = Experiment.model_validate(body)
    except ValidationError as error:
        # a group that the base does not state was begun by the change, so what is wrong with it is the change's
        begun = {path: place for change in changes for path, place in _begun(study.base, change)}
        faults = [f"{_place(path, origins | begun)}: {words}" for path, words in wrong_fields(error, Experiment)]
        raise StudyFault("; ".join(dict.fromkeys(faults)) + f", in member {name}") from error
    return Member(label, experiment, variant, points, origins)


def _put(body: dict[str, JsonValue], change: _Change, label: str) -> None:
    *groups, last = change.path.split(".")
    at = body
    for group in groups:
        inner = at.setdefault(group, {})
        if not isinstance(inner, dict):
            raise StudyFault(f"{change.place}: {change.path}: {group} holds {short(inner)} and no fields (member {label})")
        at = inner
    at[last] = change.value


def _begun(base: Mapping[str, JsonValue], change: _Change) -> Iterator[tuple[str, str]]:
    groups = change.path.split(".")
    for length in range(1, len(groups)):
        path = ".".join(groups[:length])
        try:
            _stated(base, path)
        except StudyFault:
            yield path, change.place
