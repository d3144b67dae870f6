r"""The part of the grammar between operators: numbers, symbols, brackets, roots, functions, sums over an index.

A function nobody has defined (`f(x)`, `F_{n-1}`) is a `call` of its name: equal arguments, equal values. Leaves out
operators and their order (`expression.py`).
"""

from abc import ABC, abstractmethod
from fractions import Fraction

from tmas_assets.grading.math.tokens import Cursor, Unparsed
from tmas_assets.grading.math.tree import Node, number

_MOST_DIGITS = 3_000
"""Digits of one number; Python converts no more than 4,300 at once."""
_GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "zeta", "eta", "theta", "vartheta", "iota", "kappa",
    "lambda", "mu", "nu", "xi", "rho", "varrho", "sigma", "tau", "upsilon", "phi", "varphi", "chi", "psi", "omega",
    "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega", "ell",
}
_FUNCTIONS = {
    "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "ln", "lg",
    "exp",
}
_INVERSE = {"sin": "arcsin", "cos": "arccos", "tan": "arctan"}
_CALLED = {"sqrt", "floor", "ceil", "abs"}
_OF_SEVERAL = {"max", "min", "gcd", "lcm"}
_UNKNOWN_FUNCTIONS = "fghFGHPQ"
"""Letters that name a function where a bracket follows; any other letter there is a factor."""
_ACCENTS = {"bar", "overline", "hat", "tilde", "vec", "dot", "mathbb"}
_CLOSING = {"(": ")", "[": "]", r"\{": r"\}", r"\lfloor": r"\rfloor", r"\lceil": r"\rceil", "|": "|"}
_BRACKETED = {"|": "abs", r"\lfloor": "floor", r"\lceil": "ceil"}
_INFIX = {r"\over": "div", r"\choose": "binom"}


class Atoms(Cursor, ABC):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.in_bars = 0

    @abstractmethod
    def sum(self) -> Node: ...

    @abstractmethod
    def product(self) -> Node: ...

    @abstractmethod
    def power(self) -> Node: ...

    @abstractmethod
    def exponent(self) -> Node: ...

    @abstractmethod
    def starts_factor(self) -> bool: ...

    def whole(self) -> Node:
        r"""A sum, or two of them over each other: 1 \over 2, n \choose k."""
        node = self.sum()
        if self.peek() in _INFIX:
            return Node(_INFIX[self.take()], (node, self.sum()))
        return node

    def group(self) -> Node:
        self.expect("{")
        node = self.whole()
        self.expect("}")
        return node

    def argument(self) -> Node:
        """Of a command: a group, or the single digit, letter or command that follows, as in \\frac43."""
        if self.peek() == "{":
            return self.nested(self.group)
        token = self.peek()
        if len(token) > 1 and token.isdigit():
            self.tokens[self.at : self.at + 1] = [token[0], token[1:]]
        return self.nested(lambda: self.base(short=True))

    def base(self, short: bool = False) -> Node:
        token = self.take()
        if not token:
            raise Unparsed("ends too early")
        if token[0].isdigit() or (token[0] == "." and len(token) > 1):
            if len(token) > _MOST_DIGITS:
                raise Unparsed("number too long")
            return Node("num", value=Fraction(token))
        if token == "{":
            self.at -= 1
            return self.group()
        if token in _CLOSING:
            return self.bracket(token)
        if len(token) == 1 and token.isascii() and token.isalpha():
            return self.symbol(token, short)
        if not token.startswith("\\"):
            raise Unparsed(f"unexpected {token!r}")
        return self.command(token[1:], short)

    def command(self, name: str, short: bool) -> Node:
        if name in ("frac", "binom"):
            return Node("div" if name == "frac" else "binom", (self.argument(), self.argument()))
        if name == "sqrt":
            return self.root()
        if name in _CALLED:
            return Node(name, (self.nested(self.base),))
        if name in _OF_SEVERAL:
            return Node(name, self.arguments())
        if name == "Gamma" and self.peek() == "(":
            return Node("fact", (Node("add", (*self.arguments(), Node("neg", (number(1),)))),))
        if name == "zeta" and self.peek() == "(" and not self.has_comma_inside():
            return Node("zeta", self.arguments())
        if name in _FUNCTIONS:
            return self.function(name)
        if name in ("sum", "prod"):
            return self.series(name)
        if name in ("pi", "infty"):
            return Node(name)
        if name in _GREEK:
            return self.symbol(name, short)
        if name in _ACCENTS:
            self.expect("{")
            return self.symbol(f"{name}{{{''.join(self.raw_group())}}}", short)
        raise Unparsed(f"unknown command {name!r}")

    def bracket(self, opening: str) -> Node:
        bars, self.in_bars = self.in_bars, int(opening == "|")
        node = self.nested(self.whole)
        self.in_bars = bars
        self.expect(_CLOSING[opening])
        return Node(_BRACKETED[opening], (node,)) if opening in _BRACKETED else node

    def arguments(self) -> tuple[Node, ...]:
        """Of a function, in round brackets or, of a set, in braces."""
        opening = self.take()
        if opening not in ("(", r"\{"):
            raise Unparsed("a function without brackets")
        bars, self.in_bars = self.in_bars, 0
        found = [self.nested(self.whole)]
        while self.peek() == ",":
            self.take()
            found.append(self.nested(self.whole))
        self.in_bars = bars
        self.expect(_CLOSING[opening])
        return tuple(found)

    def root(self) -> Node:
        if self.peek() == "[":
            self.take()
            degree = self.nested(self.sum)
            self.expect("]")
            return Node("root", (degree, self.argument()))
        return Node("sqrt", (self.argument(),))

    def function(self, name: str) -> Node:
        base = power = None
        while self.peek() in ("_", "^"):
            if self.take() == "_":
                base = self.nested(self.argument)
            else:
                power = self.nested(self.exponent)
        if power == Node("neg", (number(1),)):
            name, power = _INVERSE.get(name, ""), None
            if not name:
                raise Unparsed("inverse of an unknown function")
        node = Node(name, (self.nested(self.operand), *((base,) if base is not None else ())))
        return Node("pow", (node, power)) if power is not None else node

    def operand(self) -> Node:
        """What a function without brackets applies to: \\sin 2x is sin(2x), \\sin x \\cos x is a product."""
        bracketed = self.peek() in ("(", "{", "[", "|", r"\lfloor", r"\lceil")
        node = self.power()
        while not bracketed and self.starts_factor() and self.peek()[1:] not in _FUNCTIONS and self.peek() != "(":
            node = Node("mul", (node, self.power()))
        return node

    def series(self, name: str) -> Node:
        r"""\sum_{k=1}^{n} of the product that follows. The last index may be infinity."""
        self.expect("_")
        self.expect("{")
        index = self.take()
        if not index.isalpha():
            raise Unparsed("the index of a sum is a letter here")
        self.expect("=")
        first = self.nested(self.sum)
        self.expect("}")
        self.expect("^")
        last = self.argument()
        if first.op == "infty" or (name == "prod" and last.op == "infty"):
            raise Unparsed("an endless product, or a sum that does not begin")
        return Node(name, (self.nested(self.product), first, last), name=index)

    def symbol(self, name: str, short: bool) -> Node:
        index = None
        if self.peek() == "_":
            self.take()
            raw = self.raw_braces() if self.peek() == "{" else [self.take()]
            index = self.parsed_index(raw)
            name += "_" + ("" if index else "".join(raw))
        while self.peek() == "'":
            name += self.take()
        if index is not None:
            return Node("call", (index,), name=name)
        if self.peek() == "(" and not short and (name.rstrip("'") in _UNKNOWN_FUNCTIONS or self.has_comma_inside()):
            arguments = self.arguments()
            return Node("binom", arguments) if name == "C" and len(arguments) == 2 else Node("call", arguments, name=name)
        return Node("sym", name=name)

    def parsed_index(self, raw: list[str]) -> Node | None:
        """The n - 1 of F_{n-1}: a letter, or an expression with a sign; a_1, x_{ij} and r_A are plain names."""
        plain = [token for token in raw if token]
        single = len(plain) == 1 and plain[0].isalpha() and plain[0].islower()
        if not single and not ({"+", "-"} & set(plain[1:]) and any(token.isalpha() for token in plain)):
            return None
        inner = type(self)(" ".join(plain))
        inner.depth = self.depth
        node = inner.nested(inner.whole)
        if inner.peek():
            raise Unparsed("an index is no expression")
        return node
