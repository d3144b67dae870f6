"""Computes the calculations of a finding again: one small program for the sandbox, and what is made of its output.

The program holds our own spelling of each formula (`formula.py`) and floats, nothing of what a model wrote otherwise.
Leaves out running it.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from tmas_assets.records import Calculation, Sensitivity
from tmas_assets.strategies import Ran
from tmas_assets.strategies.team_decision.formula import NAME, Refused, spelled

_PROGRAM = '''\
import builtins
import json
import math
from math import exp, log, pow, sqrt


def round(value, digits=0.0):
    return builtins.round(value, int(digits))


def npv(rate, *flows):
    return sum(flow / pow(1.0 + rate, year) for year, flow in enumerate(flows))


def computed(formula, inputs):
    try:
        value = float(formula(*inputs))
    except (ArithmeticError, ValueError, TypeError) as error:
        return type(error).__name__
    return float(f"{value:.12g}") if math.isfinite(value) else "not finite"


def one(formula, inputs):
    changed = []
    for place in range(len(inputs)):
        changed.append([computed(formula, [*inputs[:place], inputs[place] * share, *inputs[place + 1:]]) for share in (0.9, 1.1)])
    return [computed(formula, inputs), changed]


'''


@dataclass(frozen=True)
class Computing:
    """A finding's calculations on their way: those with a place in the program, and those refused."""

    calculations: tuple[Calculation, ...]
    placed: tuple[int, ...]
    """Numbers of the calculations that the program computes, in its order."""
    program: str | None
    """None where there is nothing to run."""


def computing(calculations: Sequence[Calculation]) -> Computing:
    """The program that computes all of `calculations` that are plain arithmetic; the others are marked as refused."""
    kept: list[Calculation] = []
    lines: list[str] = []
    placed: list[int] = []
    for number, asked in enumerate(calculations):
        try:
            lines.append(_line(asked))
        except Refused as refused:
            kept.append(asked.model_copy(update={"status": "refused", "how": str(refused)}))
            continue
        kept.append(asked)
        placed.append(number)
    program = _PROGRAM + f"print(json.dumps([{', '.join(lines)}]))\n" if lines else None
    return Computing(tuple(kept), tuple(placed), program)


def _line(asked: Calculation) -> str:
    names = [quantity.name for quantity in asked.inputs]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise Refused(f"inputs stand twice: {', '.join(twice)}")
    if wrong := [name for name in names if not NAME.fullmatch(name)]:
        raise Refused(f"{wrong[0][:40]!r} is no name of an input")
    if any(not math.isfinite(quantity.value) for quantity in asked.inputs):
        raise Refused("an input that is no finite number")
    body = spelled(asked.formula, names)
    values = ", ".join(repr(float(quantity.value)) for quantity in asked.inputs)
    return f"one(lambda {', '.join(f'i_{name}' for name in names)}: {body}, [{values}])"


def computed(work: Computing, ran: Ran, *, tolerance: float) -> tuple[Calculation, ...]:
    """The calculations with what came out. `tolerance`: relative difference up to which a claimed result is confirmed."""
    found = list(work.calculations)
    results, fault = _results(ran, len(work.placed))
    for place, number in enumerate(work.placed):
        asked = found[number]
        found[number] = _failed(asked, fault, ran) if fault else _checked(asked, results[place], ran, tolerance)
    return tuple(found)


def _results(ran: Ran, count: int) -> tuple[list[list[object]], str]:
    """What the program printed, or why that cannot be used."""
    if ran.ended != "passed":
        return [], f"the program did not end well: {ran.ended}"
    try:
        results = json.loads(ran.stdout)
    except ValueError:
        return [], f"the program printed no result: {ran.stdout[:80]!r}"
    whole = isinstance(results, list) and len(results) == count and all(isinstance(one, list) and len(one) == 2 for one in results)
    return (results, "") if whole else ([], f"the program printed something else: {ran.stdout[:80]!r}")


def _failed(asked: Calculation, why: str, ran: Ran) -> Calculation:
    return asked.model_copy(update={"status": "failed", "how": why, "unsandboxed": ran.unsandboxed})


def _checked(asked: Calculation, result: list[object], ran: Ran, tolerance: float) -> Calculation:
    value, changed = result
    if not isinstance(value, float) or not isinstance(changed, list):
        return _failed(asked, f"it has no result: {value}", ran)
    status = "computed"
    if asked.claimed is not None:
        close = math.isclose(value, asked.claimed, rel_tol=tolerance, abs_tol=1e-9)
        status = "confirmed" if close else "corrected"
    sensitivity = tuple(
        Sensitivity(name=quantity.name, low=_float(pair[0]), high=_float(pair[1]))
        for quantity, pair in zip(asked.inputs, changed, strict=True)
    )
    how = f"computed again from its formula and inputs{', without a sandbox' if ran.unsandboxed else ' in the sandbox'}"
    return asked.model_copy(
        update={"status": status, "result": value, "how": how, "sensitivity": sensitivity, "unsandboxed": ran.unsandboxed}
    )


def _float(value: object) -> float | None:
    return value if isinstance(value, float) else None
