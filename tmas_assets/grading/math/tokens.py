r"""Cuts an expression in `latex.one_spelling` into tokens and walks over them. Leaves out the grammar (`expression.py`)."""

import re
from collections.abc import Callable

from tmas_assets.grading.math.tree import Node

_DEEPEST = 40
_MOST_TOKENS = 400
"""Keeps every tree shallow enough for plain recursion over it."""
_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*|\.\d+)|(\\[A-Za-z]+|\\[{}|])|([A-Za-z])|(.))", re.DOTALL)


class Unparsed(ValueError):
    """The text is not an expression of the grammar."""


class Cursor:
    """A place among tokens. `nested` bounds how deep the rules of a grammar may call each other."""

    def __init__(self, text: str) -> None:
        self.tokens = [found.group().strip() for found in _TOKEN.finditer(text)]
        while self.tokens and not self.tokens[-1]:
            self.tokens.pop()
        if len(self.tokens) > _MOST_TOKENS:
            raise Unparsed("too long")
        self.at = 0
        self.depth = 0

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise Unparsed(f"expected {token!r}")

    def nested(self, rule: Callable[[], Node]) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Unparsed("nested too deep")
        node = rule()
        self.depth -= 1
        return node

    def raw_braces(self) -> list[str]:
        self.expect("{")
        return self.raw_group()

    def raw_group(self) -> list[str]:
        """The tokens up to the brace that closes, which is taken too."""
        open_braces, found = 1, []
        while open_braces:
            token = self.take()
            if not token:
                raise Unparsed("a brace does not close")
            open_braces += {"{": 1, "}": -1}.get(token, 0)
            found.append(token)
        return found[:-1]

    def has_comma_inside(self) -> bool:
        """Whether the bracket that stands next holds several arguments: T(p, q)."""
        level = 0
        for ahead in range(len(self.tokens) - self.at):
            token = self.peek(ahead)
            level += (token in ("(", "{", "[")) - (token in (")", "}", "]"))
            if level == 0:
                return False
            if token == "," and level == 1:
                return True
        return False
