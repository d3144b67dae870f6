"""Reads a formula that a model wrote as plain arithmetic over named inputs, and refuses everything else.

Numbers, names of inputs, + - * / ** and the functions listed here. Nothing is evaluated: what comes
back is the formula spelled anew from its parsed tree, so that no other code can reach the sandbox. Pure.
"""

import ast
import math
import re
from collections.abc import Collection

FUNCTIONS = ("abs", "max", "min", "round", "sqrt", "exp", "log", "npv")
"""`npv(rate, flow0, flow1, ...)`: flows of years 0, 1, ... at this rate a year."""
MAX_CHARS, MAX_NODES, MAX_POWER = 400, 120, 200
"""A constant exponent may be so large; computing is done in floating point, where any other ends or overflows."""
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")

_SIGNS = str.maketrans({"−": "-", "–": "-", "×": "*", "·": "*", "÷": "/"})
_TITLED = re.compile(r"^[A-Za-z][A-Za-z0-9_ ]{0,60}=(?!=)")
_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


class Refused(ValueError):
    """No plain arithmetic; the text says what stands in the way."""


def spelled(formula: str, inputs: Collection[str]) -> str:
    """The formula, fully bracketed and with every number a float. `profit = a - b` is read as its right side, `^` as a
    power. Raises Refused."""
    text = formula.strip().translate(_SIGNS).replace("^", "**")
    text = _TITLED.sub("", text).strip()
    if not text or len(text) > MAX_CHARS:
        raise Refused(f"{len(text)} characters; a formula has 1 to {MAX_CHARS}")
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused(f"not an arithmetic expression: {text[:80]!r}") from error
    if (nodes := sum(1 for _ in ast.walk(tree))) > MAX_NODES:
        raise Refused(f"{nodes} parts; a formula has at most {MAX_NODES}")
    return _Spelling(inputs).of(tree.body)


class _Spelling:
    def __init__(self, inputs: Collection[str]) -> None:
        self._inputs = inputs

    def of(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=value):
                return _number(value)
            case ast.Name(id=name):
                return self._name(name)
            case ast.UnaryOp(op=ast.UAdd() | ast.USub() as sign, operand=operand):
                return f"({'-' if isinstance(sign, ast.USub) else '+'}{self.of(operand)})"
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return f"({self.of(left)} {_OPERATORS[type(op)]} {self.of(right)})"
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                _bounded(left, right)
                return f"pow({self.of(left)}, {self.of(right)})"
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if args and name in FUNCTIONS:
                return f"{name}({', '.join(self.of(arg) for arg in args)})"
        raise Refused(f"{type(node).__name__} is no arithmetic: {ast.unparse(node)[:80]!r}; functions: {', '.join(FUNCTIONS)}")

    def _name(self, name: str) -> str:
        if name not in self._inputs or not NAME.fullmatch(name):
            raise Refused(f"{name!r} is no input; given: {', '.join(sorted(self._inputs)) or 'none'}")
        return f"i_{name}"


def _number(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Refused(f"{str(value)[:40]!r} is no number")
    try:
        found = float(value)
    except OverflowError as error:
        raise Refused("a number too large to be computed with") from error
    if not math.isfinite(found):
        raise Refused("a number too large to be computed with")
    return repr(found)


def _bounded(base: ast.expr, exponent: ast.expr) -> None:
    """Refuses towers of powers and huge constant exponents."""
    for part in (base, exponent):
        if any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) for node in ast.walk(part)):
            raise Refused("a power of a power")
    constants = [node.value for node in ast.walk(exponent) if isinstance(node, ast.Constant)]
    if any(isinstance(value, int | float) and abs(value) > MAX_POWER for value in constants):
        raise Refused(f"a power above {MAX_POWER}")
