r"""Units of measure: which texts are units, which of them are the same, and what one is in terms of another.

`m/s`, `\mathrm{m}\,\mathrm{s}^{-1}` and `metres per second` are one unit. A unit is kept as the names of its factors,
`metre per second`, so that it holds no digits. Leaves out where in an answer a unit stands (`values.py`, `latex.py`).
"""

import re
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

_PREFIXES = (("n", "nano", -9), ("µ", "micro", -6), ("m", "milli", -3), ("c", "centi", -2), ("d", "deci", -1),
             ("", "", 0), ("h", "hecto", 2), ("k", "kilo", 3), ("M", "mega", 6), ("G", "giga", 9))
_PREFIXED = (  # symbol, names, size in the base units that follow
    ("m", "metre meter", 1, "m"), ("g", "gram", Fraction(1, 1000), "kg"), ("s", "second", 1, "s"),
    ("L", "litre liter", Fraction(1, 1000), "m m m"), ("N", "newton", 1, "kg m -s -s"), ("J", "joule", 1, "kg m m -s -s"),
    ("W", "watt", 1, "kg m m -s -s -s"), ("Pa", "pascal", 1, "kg -m -s -s"), ("Hz", "hertz", 1, "-s"),
    ("V", "volt", 1, "kg m m -s -s -s -A"), ("A", "ampere amp", 1, "A"), ("Ω", "ohm", 1, "kg m m -s -s -s -A -A"),
    ("mol", "mole", 1, "mol"), ("eV", "electronvolt", 1, "eV"), ("cal", "calorie", 1, "cal"), ("t", "tonne", 1000, "kg"),
    ("F", "farad", 1, "F"), ("T", "tesla", 1, "T"), ("K", "kelvin", 1, "K"), ("C", "coulomb", 1, "C"), ("bar", "bar", 1, "bar"),
)
_OTHERS = (
    ("min minute minutes", 60, "s"), ("h hr hrs hour hours", 3600, "s"), ("day days", 86400, "s"),
    ("week weeks", 604800, "s"), ("sec secs", 1, "s"), ("month months", 1, "month"), ("year years yr yrs", 12, "month"),
    ("in inch inches", Fraction(254, 10000), "m"), ("ft foot feet", Fraction(3048, 10000), "m"),
    ("yd yds yard yards", Fraction(9144, 10000), "m"), ("mi mile miles", Fraction(1609344, 1000), "m"),
    ("lb lbs pound pounds", 1, "lb"), ("oz ounce ounces", Fraction(1, 16), "lb"), ("ton tons", 1, "ton"),
    ("gallon gallons gal", 1, "gallon"), ("unit units u", 1, "unit"), ("rad rads radian radians", 1, "rad"),
    ("cent cents", Fraction(1, 100), "dollar"), ("dollar dollars USD usd", 1, "dollar"), ("euro euros", 1, "euro"),
    ("mph", Fraction(1609344, 3600 * 1000), "m -s"), ("kph kmh kmph", Fraction(1000, 3600), "m -s"),
    ("ha hectare hectares", 10000, "m m"), ("acre acres", 1, "acre"), ("cc", Fraction(1, 10**6), "m m m"),
)
_TOGETHER = {"Nm": "N m", "kWh": "kW h", "Wh": "W h", "Ah": "A h", "mAh": "mA h", "kNm": "kN m"}
_CAPITALS = {"MM", "CM", "KM", "FT", "IN", "KG", "Kg", "Km", "Cm", "LB", "Lb", "ML", "Ml", "OZ", "Hr", "HR", "SEC", "MI"}
_TURNS = {"less", "more", "than", "not", "or", "and", "plus", "minus", "times", "over", "at", "least", "most", "if",
          "but", "except", "to", "half", "about", "where", "for", "when", "with", "otherwise", "only", "nor", "by"}
"""Words after a number that make it another answer."""
SYMBOLS = frozenset("mgshtlLNJWVAKCFTuΩ")
"""Units of one letter, which could be a variable as well."""
_MOST_FACTORS = 8
_TOKEN = re.compile(r"\s*(?:(\^)?\s*\{?\s*(-?\d)\s*\}?(?![\d.])|([^\W\d_]+)\.?|([/·()]))")


@dataclass(frozen=True)
class Size:
    factor: Fraction
    dimensions: frozenset[tuple[str, int]]


def _table() -> tuple[dict[str, str], dict[str, Size]]:
    """(name of each spelling, size of each name)."""
    names, sizes = {}, {}

    def add(spellings: list[str], factor: Fraction, base: str) -> None:
        name = next(one for one in sorted(spellings, key=len, reverse=True) if not one.endswith("s") or len(spellings) == 1)
        powers = Counter[str]()
        for part in base.split():
            powers[part.lstrip("-")] += -1 if part.startswith("-") else 1
        sizes[name] = Size(factor, frozenset((part, power) for part, power in powers.items() if power))
        names.update({one: name for one in [*spellings, name]})

    for symbol, words, factor, base in _PREFIXED:
        for short, long, power in _PREFIXES:
            spelled = [f"{long}{word}" for word in words.split()]
            add([short + symbol, *spelled, *(f"{word}s" for word in spelled)], Fraction(10) ** power * factor, base)
    for spellings, number, base in _OTHERS:
        add(spellings.split(), Fraction(number), base)
    return names | {f"{prefix}l": names[f"{prefix}L"] for prefix in ("", "m", "c", "d")}, sizes


_NAMES, _SIZES = _table()


def symbolic(text: str) -> str | None:
    r"""The factors of a unit in symbols or known names, as the text spells them: `m per s` of `\mathrm{m/s}`."""
    factors = _factors(text)
    if factors is None or not all(_name(name) in _SIZES for name, _ in factors):
        return None
    return " ".join(f"per {name}" if inverse else name for name, inverse in factors)


def named(text: str) -> str | None:
    """The unit by its one name, or None where the words after a number make it something else."""
    factors = _factors(text)
    if factors is None or _TURNS & {name.lower() for name, _ in factors}:
        return None
    counted = Counter[str]()
    for name, inverse in factors:
        counted[_name(name)] += -1 if inverse else 1
    ordered = sorted(counted.items(), key=lambda item: (item[1] < 0, item[0]))
    return " ".join(f"per {name}" if power < 0 else name for name, power in ordered for _ in range(abs(power)))


@lru_cache(maxsize=256)
def size(name: str) -> Size | None:
    """Of a unit by its one name; None where it is no measure that we know, as apples."""
    factor, powers = Fraction(1), Counter[str]()
    inverse = False
    for part in name.split():
        if part == "per":
            inverse = True
            continue
        if part not in _SIZES:
            return None
        one = _SIZES[part]
        factor = factor / one.factor if inverse else factor * one.factor
        for base, power in one.dimensions:
            powers[base] += -power if inverse else power
        inverse = False
    return Size(factor, frozenset((base, power) for base, power in powers.items() if power))


def both_bare(first: str, second: str) -> bool:
    """Whether neither says which unit: units and square units."""
    return set(f"{first} {second}".split()) == {"unit"}


def is_known(name: str) -> bool:
    return size(name) is not None


def letters(text: str) -> list[str] | None:
    """The letters of a unit that could be a product of variables: m, s and s of `m s s`."""
    parts = text.split()
    return parts if set(parts) <= SYMBOLS and "Ω" not in parts else None


def _name(spelling: str) -> str:
    lower = spelling.lower()
    if spelling in _NAMES or ((len(spelling) > 3 or spelling in _CAPITALS) and lower in _NAMES):
        return _NAMES.get(spelling) or _NAMES[lower]
    return lower[:-1] if lower.endswith("s") and not lower.endswith("ss") else lower


def _factors(text: str) -> list[tuple[str, bool]] | None:
    """(spelling, whether it divides) of each factor, repeated to its power."""
    s = re.sub(r"\\(?:[,;:! ]|quad|cdot|times)|[~.]", " ", re.sub(r"\\mu\s*", "µ", text.replace(r"\Omega", "Ω"))).rstrip()
    tokens = list(_TOKEN.finditer(s))
    if "".join(token.group() for token in tokens) != s:
        return None
    found: list[tuple[str, bool]] = []
    inverse, below, raised, words = False, False, 1, 0
    for token in tokens:
        caret, digits, word, sign = token.groups()
        if word:
            lower = word.lower()
            if word in ("the", "a", "an"):
                continue
            words += 1
            if lower == "per":
                inverse = True
            elif lower in ("square", "sq", "cubic", "cu"):
                raised = 3 if lower.startswith("cu") else 2
            elif lower in ("squared", "cubed") and found:
                found += [found[-1]] * (2 if lower == "cubed" else 1)
            else:
                found += [(part, inverse) for part in _TOGETHER.get(word, word).split()] * raised
                inverse, raised = below, 1
        elif digits:
            power = int(digits)
            if not found or not caret or not power:
                return None
            name, divides = found.pop()
            found += [(name, divides != (power < 0))] * abs(power)
        elif sign == "/":
            inverse = True
        elif sign == "(":  # J/(kg K)
            below = inverse
        elif sign == ")":
            inverse = below = False
    if not found or len(found) > _MOST_FACTORS or words > _MOST_FACTORS or (inverse and not below) or raised > 1:
        return None
    return found
