"""Compares numbers written in another base and times of day, where the way of writing is part of the answer."""

from tmas_assets.grading.math.structure import Shape
from tmas_assets.grading.math.traits import rational_value


def same_time(gold: Shape, answer: Shape) -> bool | None:
    if {gold.kind, answer.kind} - {"time", "ratio"}:
        return False
    clock = [shape.marks if shape.kind == "time" else shape.key for shape in (gold, answer)]
    return clock[0] == clock[1] and not (gold.unit and answer.unit and gold.unit != answer.unit)


def same_digits(gold: Shape, answer: Shape) -> bool | None:
    """Another base is another number. A base that only one side names is that of the question, if the digits agree."""
    if gold.kind == answer.kind:
        if gold.base == answer.base:
            return gold.marks == answer.marks
        values = _in_base(gold), _in_base(answer)
        return None if values[0] is not None and values[0] == values[1] else False
    based, plain = (gold, answer) if gold.kind == "based" else (answer, gold)
    if plain.kind != "value" or plain.node is None:
        return False if plain.kind != "value" else None
    value = rational_value(plain.node)
    if based.base == 10:
        return value == _in_base(based)
    if plain.key.lstrip("0") == based.marks:
        return True if based is gold else None
    return None if value == _in_base(based) else False


def _in_base(shape: Shape) -> int | None:
    try:
        return int(shape.marks, shape.base)
    except ValueError:
        return None
