r"""The structure of an answer: value, list, tuple or interval, union, relation, matrix, ratio, words.

Leaves out how a text is taken apart (`shape.py`) and comparing (`compare.py`).
"""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from tmas_assets.grading.math.expression import Reading
from tmas_assets.grading.math.tree import Node

Kind = Literal["empty", "value", "based", "words", "list", "group", "union", "difference", "relation", "matrix", "ratio",
               "time", "residue", "builder", "piecewise"]


@dataclass(frozen=True)
class Shape:
    kind: Kind
    text: str
    """In one spelling."""
    items: tuple["Shape", ...] = ()
    """Members, cells row by row, terms of a ratio, the sides of a relation, a residue and its modulus, each
    piece of a function and its condition (empty for all the rest)."""
    marks: str = ""
    """Brackets of a group, as in `(]`; `{}` of a braced list; `2x3` for a matrix of 2 rows and 3 columns; digits."""
    operators: tuple[str, ...] = ()
    """Between the sides of a relation; `or` between the members of a list."""
    reading: Reading | None = None
    """Of a value; None where it is no expression of our grammar."""
    unit: str = ""
    base: int = 0
    free: tuple[tuple[str, str], ...] = ()
    """Letters said to stand for any value, each with the set it runs through: R, Z, or empty where that is not said."""
    other: "Shape | None" = field(default=None, repr=False)
    """1,234 as the list and 2,5 as the decimal it could also be."""

    @cached_property
    def key(self) -> str:
        """Equal keys, equal answers: the text without spaces and outer brackets of no meaning."""
        return re.sub(r"\s+", "", self.text)

    @property
    def node(self) -> Node | None:
        return self.reading.node if self.reading else None
