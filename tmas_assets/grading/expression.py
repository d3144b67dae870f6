r"""Parses one expression in `latex.one_spelling` into a tree: arithmetic, powers, roots, factorials, functions.

Nothing is evaluated here, so a tower of powers is a small tree. Whatever the grammar does not know (integrals, words,
lists, relations) is refused as `Unparsed` rather than half understood.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from tmas_assets.grading.tree import Node, number

_DEEPEST = 40
_MOST_TOKENS = 400
"""Keeps every tree shallow enough for plain recursion over it."""
_MOST_DIGITS = 3_000
"""Digits of one number; Python converts no more than 4,300 at once."""
_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*|\.\d+)|(\\[A-Za-z]+|\\[{}|])|([A-Za-z])|(.))", re.DOTALL)
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
_ACCENTS = {"bar", "overline", "hat", "tilde", "vec", "dot", "mathbb"}
_CLOSING = {"(": ")", "[": "]", r"\{": r"\}", r"\lfloor": r"\rfloor", r"\lceil": r"\rceil", "|": "|"}
_BRACKETED = {"|": "abs", r"\lfloor": "floor", r"\lceil": "ceil"}
_STOPS = {"+", "-", ")", "]", "}", r"\}", r"\rfloor", r"\rceil", "/", r"\cdot", "°", "%", "!", "^", "|", "", ",", "=", "<", ">", ":", ";", "&", "_",
          "'", '"', r"\|"}


class Unparsed(ValueError):
    """The text is not an expression of the grammar."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed text. `ambiguous`: it has a product without sign right of a slash, as in 1/2x."""

    node: Node
    ambiguous: bool


def parse(text: str) -> Reading:
    """Raises Unparsed."""
    parser = _Parser(text)
    node = parser.sum()
    if parser.peek():
        raise Unparsed(f"unexpected {parser.peek()!r}")
    return Reading(node, parser.ambiguous)


def _product(factors: list[Node]) -> Node:
    return factors[0] if len(factors) == 1 else Node("mul", tuple(factors))


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = [found.group().strip() for found in _TOKEN.finditer(text)]
        while self.tokens and not self.tokens[-1]:
            self.tokens.pop()
        if len(self.tokens) > _MOST_TOKENS:
            raise Unparsed("too long")
        self.at = 0
        self.depth = 0
        self.ambiguous = False
        self.in_bars = 0

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

    def sum(self) -> Node:
        sign = self.take() if self.peek() in ("+", "-") else "+"
        terms = [self.product() if sign == "+" else Node("neg", (self.product(),))]
        while self.peek() in ("+", "-"):
            sign = self.take()
            term = self.nested(self.signed)
            terms.append(term if sign == "+" else Node("neg", (term,)))
        return terms[0] if len(terms) == 1 else Node("add", tuple(terms))

    def signed(self) -> Node:
        """A product that may carry its own sign, as in 3 + -2."""
        if self.peek() in ("+", "-"):
            return self.nested(self.signed) if self.take() == "+" else Node("neg", (self.nested(self.signed),))
        return self.product()

    def product(self) -> Node:
        factors = [self.power()]
        after_slash = False
        while True:
            token = self.peek()
            if token == r"\cdot":
                self.take()
                factors.append(self.nested(self.signed_power))
                after_slash = False
            elif token == "/":
                self.take()
                factors = [Node("div", (_product(factors), self.nested(self.signed_power)))]
                after_slash = True
            elif self.starts_factor():
                two_numbers = self.peek()[0].isdigit() and self.tokens[self.at - 1][-1].isdigit()
                right = self.plain_fraction() if two_numbers else self.power()
                self.ambiguous |= after_slash
                mixed = self.mixed(factors[-1], right)
                factors = [*factors[:-1], mixed] if mixed else [*factors, right]
            else:
                return _product(factors)

    def plain_fraction(self) -> Node:
        """The 5/8 of 3 5/8. Any other number right after a factor is no product, and nothing else either."""
        if self.tokens[self.at - 1].isdigit() and self.peek(1) == "/" and self.peek(2).isdigit():
            top, _, bottom = Fraction(self.take()), self.take(), Fraction(self.take())
            if 0 < top < bottom:
                return Node("div", (number(top), number(bottom)))
        raise Unparsed("two numbers side by side")

    def signed_power(self) -> Node:
        if self.peek() == "-":
            self.take()
            return Node("neg", (self.nested(self.signed_power),))
        return self.power()

    def starts_factor(self) -> bool:
        token = self.peek()
        return self.in_bars == 0 if token == "|" else token not in _STOPS

    def mixed(self, whole: Node, part: Node) -> Node | None:
        """3 and 5/8 side by side are 3 + 5/8."""
        if whole.op != "num" or part.op != "div" or not (whole.value and whole.value.denominator == 1):
            return None
        top, bottom = part.args
        if top.op == bottom.op == "num" and top.value and bottom.value and 0 < top.value < bottom.value:
            both_whole = top.value.denominator == bottom.value.denominator == 1
            return Node("add", (whole, part)) if both_whole else None
        return None

    def power(self) -> Node:
        node = self.postfix(self.nested(self.base))
        if self.peek() == "^":
            self.take()
            node = self.postfix(Node("pow", (node, self.nested(self.exponent))))
        return node

    def exponent(self) -> Node:
        if self.peek() in ("+", "-"):
            return self.nested(self.exponent) if self.take() == "+" else Node("neg", (self.nested(self.exponent),))
        if self.peek() == "{":
            return self.group()
        node = self.postfix(self.base(short=True))
        if self.peek() == "^":  # a^b^c is a^(b^c)
            self.take()
            return Node("pow", (node, self.nested(self.exponent)))
        return node

    def postfix(self, node: Node) -> Node:
        while True:
            token = self.peek()
            if token == "!" and self.peek(1) == "!":
                self.at += 2
                node = Node("fact2", (node,))
            elif token in ("!", "°", "%"):
                self.take()
                node = Node({"!": "fact", "°": "deg", "%": "percent"}[token], (node,))
            else:
                return node

    def group(self) -> Node:
        self.expect("{")
        node = self.sum()
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
        if len(token) == 1 and token.isalpha():
            return self.symbol(token)
        if not token.startswith("\\"):
            raise Unparsed(f"unexpected {token!r}")
        name = token[1:]
        if name in ("frac", "binom"):
            return Node("div" if name == "frac" else "binom", (self.argument(), self.argument()))
        if name == "sqrt":
            return self.root()
        if name in _CALLED:
            return Node(name, (self.nested(self.base),))
        if name in _FUNCTIONS:
            return self.function(name)
        if name in ("pi", "infty"):
            return Node(name)
        if name in _GREEK:
            return self.symbol(name)
        if name in _ACCENTS:
            self.expect("{")
            return self.symbol(f"{name}{{{''.join(self.raw_group())}}}")
        raise Unparsed(f"unknown command {token!r}")

    def bracket(self, opening: str) -> Node:
        bars, self.in_bars = self.in_bars, int(opening == "|")
        node = self.nested(self.sum)
        self.in_bars = bars
        self.expect(_CLOSING[opening])
        return Node(_BRACKETED[opening], (node,)) if opening in _BRACKETED else node

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

    def symbol(self, name: str) -> Node:
        if self.peek() == "_":
            self.take()
            name += "_" + (self.take() if self.peek() != "{" else "".join(self.raw_braces()))
        while self.peek() == "'":
            name += self.take()
        if name in "fghFGHPQ" and self.peek() == "(":
            raise Unparsed(f"value of an unknown function {name}")
        return Node("sym", name=name)

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
