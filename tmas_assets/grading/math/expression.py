r"""Parses one expression in `latex.one_spelling` into a tree: sums, products, quotients, powers, factorials.

Nothing is evaluated here, so a tower of powers is a small tree. Whatever the grammar does not know (integrals, words,
lists, relations) is refused as `Unparsed` rather than half understood. Numbers, symbols and functions: `atoms.py`.
"""

from dataclasses import dataclass
from fractions import Fraction

from tmas_assets.grading.math.atoms import Atoms
from tmas_assets.grading.math.tokens import Unparsed
from tmas_assets.grading.math.tree import Node, number

__all__ = ["Reading", "Unparsed", "parse"]

_STOPS = {"+", "-", ")", "]", "}", r"\}", r"\rfloor", r"\rceil", "/", r"\cdot", "°", "%", "!", "^", "|", "", ",", "=",
          "<", ">", ":", ";", "&", "_", "'", '"', r"\|", r"\over", r"\choose", r"\bmod"}


@dataclass(frozen=True, slots=True)
class Reading:
    """A parsed text. `ambiguous`: it has a product without sign right of a slash, as in 1/2x."""

    node: Node
    ambiguous: bool


def parse(text: str) -> Reading:
    """Raises Unparsed."""
    parser = _Parser(text)
    node = parser.whole()
    if parser.peek():
        raise Unparsed(f"unexpected {parser.peek()!r}")
    return Reading(node, parser.ambiguous)


def _product(factors: list[Node]) -> Node:
    return factors[0] if len(factors) == 1 else Node("mul", tuple(factors))


class _Parser(Atoms):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.ambiguous = False

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
            elif token in ("/", r"\bmod"):
                op = "div" if self.take() == "/" else "mod"
                factors = [Node(op, (_product(factors), self.nested(self.signed_power)))]
                after_slash = True
            elif self.starts_factor():
                two_numbers = self.peek()[0].isdigit() and self.tokens[self.at - 1][-1].isdigit()
                bare = two_numbers or self.peek() == r"\frac"
                right = self.plain_fraction() if two_numbers else self.power()
                self.ambiguous |= after_slash
                mixed = self.mixed(factors[-1], right) if bare else None
                factors = [*factors[:-1], mixed] if mixed else [*factors, right]
            else:
                return _product(factors)

    def plain_fraction(self) -> Node:
        """The 5/8 of 3 5/8. Any other number right after a factor is no product, and nothing else either."""
        if self.tokens[self.at - 1].isdigit() and self.peek(1) == "/" and self.peek(2).isdigit():
            top, _, bottom = Fraction(self.take()), self.take(), Fraction(self.take())
            if 0 <= top < bottom:
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
        if whole.op != "num" or part.op != "div" or whole.value is None or whole.value.denominator != 1:
            return None
        top, bottom = part.args
        if top.op == bottom.op == "num" and top.value is not None and bottom.value and 0 <= top.value < bottom.value:
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
