r"""Brings an answer into one spelling: Unicode signs, spacing, fonts and the many names of one LaTeX command.

The result is LaTeX without math delimiters, sizes or thin spaces, in which words stand inside `\text{...}` where the
source marked them so. Leaves out every reading of what the text means.
"""

import re
from html import unescape

from tmas_assets.grading.math.units import symbolic

_SIGNS = {
    "−": "-", "‑": "-", "‐": "-", "–": "-", "—": "-", "‒": "-", "﹣": "-", "×": r"\times ", "✕": r"\times ", "·": r"\cdot ", "⋅": r"\cdot ",
    "∙": r"\cdot ", "•": r"\cdot ", "∗": r"\cdot ", "÷": "/", "∕": "/", "⁄": "/", "∞": r"\infty ", "≤": r"\le ",
    "⩽": r"\le ", "≥": r"\ge ", "⩾": r"\ge ", "≠": r"\ne ", "≈": r"\approx ", "≡": r"\equiv ", "∈": r"\in ",
    "∪": r"\cup ", "∩": r"\cap ", "∖": r"\setminus ", "∅": r"\emptyset ", "±": r"\pm ", "∓": r"\mp ", "º": "°",
    "˚": "°", "℃": "°", "€": " ", "£": " ", "¥": " ", "₹": " ", "₽": " ", "₩": " ", "¢": " ", "′": "'", "’": "'", "‘": "'", "“": '"', "”": '"', "…": r"\ldots ", "⋯": r"\ldots ",
    "ℝ": r"\mathbb{R}", "ℤ": r"\mathbb{Z}", "ℕ": r"\mathbb{N}", "ℚ": r"\mathbb{Q}", "ℂ": r"\mathbb{C}", "⌊": r"\lfloor ",
    "⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil ", "⟨": r"\langle ", "⟩": r"\rangle ", "∣": "|", "∶": ":", "。": ". ",
    "、": ",", "【": "[", "】": "]", "「": "", "」": "", "π": r"\pi ", "α": r"\alpha ", "β": r"\beta ", "γ": r"\gamma ",
    "δ": r"\delta ", "ε": r"\epsilon ", "θ": r"\theta ", "λ": r"\lambda ", "μ": r"\mu ", "ρ": r"\rho ", "σ": r"\sigma ",
    "τ": r"\tau ", "φ": r"\phi ", "ϕ": r"\phi ", "ω": r"\omega ", "∧": ",", "\u200b": "", "\u200c": "", "\u200d": "",
    "\u2060": "", "\ufeff": "", "\u00a0": " ", "\u2002": " ", "\u2003": " ", "\u2009": " ", "\u202f": " ", "\u3000": " ",
    "\u2028": " ", "\u2029": " ",
}
_VULGAR = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5),
    "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8), "⅑": (1, 9), "⅒": (1, 10),
}
_FULL_WIDTH = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
_TABLE = str.maketrans(
    {**_SIGNS, **{sign: rf"\frac{{{top}}}{{{bottom}}}" for sign, (top, bottom) in _VULGAR.items()}}) | _FULL_WIDTH
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿˣʸᶻᵃᵇᶜᵈᵉⁱᵏᵐᵖᵗ", "0123456789+-()nxyzabcdeikmpt")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋ₙₐₓᵢⱼₖₘₚₜ", "0123456789+-naxijkmpt")
_RAISED_RUN, _LOWERED_RUN = (re.compile(f"[{''.join(map(chr, table))}]+") for table in (_RAISED, _LOWERED))
_ENTITIES = re.compile(r"&(lt|gt|amp|le|ge|ne|nbsp|minus|times|pi|infin|radic|quot|apos|#x?[0-9A-Fa-f]{1,6});")

_FONT = r"\\(?:mathbf|boldsymbol|bm|mathit|mathsf|mathtt|mathcal|mathnormal|bold|bf|rm|it)(?![A-Za-z])"
_FONTS = re.compile(_FONT)
_IN_FONT = re.compile(_FONT + r"\s*\{([^{}]*)\}")
_TEXT = re.compile(r"\\(?:text(?:bf|it|rm|tt|sf|normal|sl|up|md)?|mbox|hbox|mathrm|operatorname\*?)\s*\{([^{}]*)\}")
_DROPPED = re.compile(
    r"\\(?:color|textcolor|tag|label|phantom|[hv]space|mathop)\*?\s*\{[^{}]*\}|\\(?:tiny|small|large|Large|LARGE|huge|Huge"
    r"|normalsize|underline|overset|underset|left|right|[bB]igg?[lrm]?|displaystyle|textstyle|scriptstyle|limits|nolimits|mathstrut|strut|hfill|null)"
    r"(?![A-Za-z])")
_SPACES = re.compile(r"(?<!\\)\\(?:[,;:!> ]|(?:qq?uad|enspace|thinspace|medspace|thickspace|nbsp)(?![A-Za-z]))|~|\s+")
_TWICE_ESCAPED = re.compile(r"\\\\(?=[A-Za-z]{2})")
_LINE_ENDS = re.compile(r"\\+[\s.]*$")
_WHOLE_TEXT = re.compile(r"\\text\s*\{([^{}]*)\}")
_ALIGNED = re.compile(r"\\(?:begin|end)\{(?:aligned|align|gathered|gather|split|equation)\*?\}")
_POWER = r"(?:\s*\^\s*(?:\{\s*-?\s*\d\s*\}|\d))?"
_UPRIGHT = r"\\(?:text(?:rm|normal|up)?|mathrm|operatorname|rm|unit|si)\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}" + _POWER
_BRACED = re.compile(r"\\left\s*\\\{\s*\\begin\{(?:array|aligned|matrix)\}\s*(?:\{[clr| ]*\})?(.*?)\\end\{(?:array|aligned|matrix)\}\s*\\right\s*\.", re.DOTALL)
_COLUMN = re.compile(r"(?<![(\[|.{])\\begin\{array\}\s*\{[|\s]*[clr][|\s]*\}(.*?)\\end\{array\}", re.DOTALL)
"""Lines under each other, which are no vector without brackets."""
_UNIT_FRACTION = re.compile(rf"\\frac\s*\{{\s*({_UPRIGHT})\s*\}}\s*\{{\s*({_UPRIGHT})\s*\}}")
_GAP = r"(?:\s|~|\\[,;:! ]|\\q?quad(?![A-Za-z]))*+"
_FACTOR = rf"(?:(?:\\mu(?![A-Za-z]){_GAP})?{_UPRIGHT}|\\Omega(?![A-Za-z]){_POWER})"
_UPRIGHT_UNIT = re.compile(
    rf"(?:(?<=[\d)}}])|(?<=\\pi)){_GAP}({_FACTOR}(?:{_GAP}(?:/|\\cdot(?![A-Za-z]))?{_GAP}{_FACTOR}){{0,8}})"
    rf"(?={_GAP}\.?{_GAP}(?:$|[,;)\]=]|\\\}}|\\text|\\approx|\\implies))")
_MARKS = re.compile(r"\\(?:text(?:rm|normal|up)?|mathrm|operatorname|rm|unit|si)\s*\{|\{|\}")
_GROUPED = re.compile(r"(?<=\d)(?:\{,\}|,\s*\\!|\\[,;: ]|\\thinspace)\s*(?=\d{3}(?!\d))")
_STARS = re.compile(r"^(?:\*\*|__)+|(?:\*\*|__)+$")
_QUOTED = re.compile(r"([`'\"]+)(.*?)[`'\"]+", re.DOTALL)
_FUNCTIONS = ("arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|log|ln|lg|exp|sqrt|max|min|gcd|lcm|mod|det|"
              "floor|ceil|abs")
_ONE_NAME: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"\\[dtc]frac(?![A-Za-z])", r"\\frac"),
        (r"\\[dt]binom(?![A-Za-z])", r"\\binom"),
        (r"\\(?:leqslant|leqq|leq)(?![A-Za-z])|<=|=<", r"\\le "),
        (r"\\(?:geqslant|geqq|geq)(?![A-Za-z])|>=", r"\\ge "),
        (r"\\(?:neq|not\s*=)(?![A-Za-z])|(?<=\s)!=", r"\\ne "),
        (r"\\lt(?![A-Za-z])", "<"),
        (r"\\gt(?![A-Za-z])", ">"),
        (r"\\(?:times|ast|bullet)(?![A-Za-z])", r"\\cdot "),
        (r"(?<=[\w)}])\*\*(?=[\w({])", "^"),
        (r"\\mathbb\{R\}\s*\^\s*\{?\s*(?:\*|\\(?:ast|times))\s*\}?", r"\\mathbb{R}\\setminus \\{0\\}"),
        (r"\\mathbb\{R\}\s*(?:\^\s*\{?\s*\+\s*\}?|_\s*\{\s*>\s*0\s*\})", r"(0,\\infty)"),
        (r"\*", r"\\cdot "),
        (r"\\(?:div)(?![A-Za-z])", "/"),
        (r"\^\s*(?:\{\s*\\circ\s*\}|\\circ(?![A-Za-z]))|\\degrees?(?![A-Za-z])|(?<=\d)\s*\\circ(?![A-Za-z])", "°"),
        (r"\\%", "%"),
        (r"\\(?:dots|cdots|dotsc|dotsb|dotso)(?![A-Za-z])|\.\.\.+", r"\\ldots "),
        (r"\\(?:lbrace|lbrack)(?![A-Za-z])", r"\\{"),
        (r"\\(?:rbrace|rbrack)(?![A-Za-z])", r"\\}"),
        (r"\\(?:lvert|rvert|vert|mvert)(?![A-Za-z])", "|"),
        (r"\\(?:varnothing|O)(?![A-Za-z])", r"\\emptyset "),
        (r"\\(?:backslash|smallsetminus)(?![A-Za-z])", r"\\setminus "),
        (r"\\(?:lor|vee)(?![A-Za-z])", r"\\text{ or }"),
        (r"\\(?:land|wedge)(?![A-Za-z])", r"\\text{ and }"),
        (r"\\var(phi|epsilon|theta|rho|sigma|kappa)(?![A-Za-z])", r"\\\1 "),
        (r"\\text\{\s*(\(?\s*mod)(?:ulo)?\s*\}", r" \1 "),
        (r"(\\(?:begin|end))\{(?:[pbB]?matrix\*?|smallmatrix|array)\}(?:\{[clr| ]*\})?", r"\1{matrix}"),
        (r"\s*\\text\{\s*(?:percent(?:age)?|per cent|pct)\.?\s*\}|\s*(?<![A-Za-z])(?:percent(?:age)?|per cent|pct)\b", "%"),
        (r"\s*\\text\{\s*deg(?:ree)?s?\s*\}|(?<=[\d\s)}])\s*deg(?:ree)?s?\b|°\s*[CF]\b", "°"),
        (r"\\text\{\s*infinity\s*\}", r"\\infty "),
        (r"\\mathbb\s*([A-Z])(?![A-Za-z])|\\([ZRNQ])(?![A-Za-z])", r"\\mathbb{\1\2}"),
        (r"(?<![A-Za-z])(?:USD|EUR|GBP|US)\s*(?=\d)", ""),
        (r"(?<=\d)\s*x\s*(?=10\s*\^)|(?<=\d) x (?=\d)", r"\\cdot "),
        (r"(?<![\w)])(\d+|[a-z]) choose (\d+|[a-z])(?!\w)", r"\\binom{\1}{\2}"),
        (r"(?<![\\A-Za-z])log(?:_\{?(\w+)\}?|(\d+)(?=\s*\())", r"\\log_{\1\2}"),
        (r"(?:\\equiv|=)(?=[^=]*mod)", r"\\equiv "),
        (r"\(?\s*\\?[pb]?mod\s*\{?\s*(\w+|\\[A-Za-z]+)\s*\}?\s*\)?\s*$", r"\\pmod{\1}"),
        (r"(?:\{\s*\}|(?<=\s)|^)\s*[_^]\s*\{?(\w+)\}?\s*C\s*_\s*\{?(\w+)\}?", r"\\binom{\1}{\2}"),
        (r"(?<![\w.])(\d+)C(\d+)(?!\w)", r"\\binom{\1}{\2}"),
        (r"(?<![A-Za-z\\])C_\s*(?:\{([^{}]*)\}|(\w))\s*\^\s*(?:\{([^{}]*)\}|(\w))", r"\\binom{\1\2}{\3\4}"),
        (r"_\{(\w),\s*(\w)\}", r"_{\1\2}"),
        (r"=\s*(-?\d*\.\d+)\s*\\ldots\s*$", r"\\approx \1"),
        (r"(?<![\\A-Za-z])(?:[Ii]nfinity|infty|inf)(?![A-Za-z])", r"\\infty "),
        (r"(?<![\\A-Za-z])pi(?![A-Za-z])", r"\\pi "),
        (r"(?<![\\A-Za-z])([A-Za-z])sqrt(?=\s*\()", r"\1 \\sqrt"),
        (rf"(?<![\\A-Za-z])({_FUNCTIONS})(?=\s*[({{\d])", r"\\\1"),
    )
)
_REPEATING = re.compile(
    r"(\d*)\.(\d*)(?:\\(?:overline|bar|dot)\s*\{(\d+)\}|\((\d+)\)|()(?P<digit>\d)(?P=digit){2,}\s*\\ldots"
    r"|()(?P<period>\d{2,}?)(?P=period)+\s*\\ldots)")
_SCIENTIFIC = re.compile(  # 2e-1 is twice Euler's number less one
    r"([+-]?(?:\d+|\d*\.\d+))(?:E(?=[+-]?\d)|e(?=\d|[+-]0)|(?<=\.\d)e|(?<=\d\.\d\d)e|(?<=\d\d\d)e|(?<![\d.])1e)([+-]?\d{1,5})")
_APOSTROPHES = re.compile(r"(?<![\d.,'])\d{1,3}(?:'\d{3})+(?![\d'])")
_POINTS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:(?:\.\d{3}){2,}(?![\d.,])|(?:\.\d{3})+,\d+(?![\d.,]))")
LONGEST = 2_000
"""Characters. A longer answer is left as it is: nobody's final answer is that long."""


def one_spelling(text: str) -> str:
    """`text` in the one spelling. Longer texts than LONGEST come back unchanged."""
    if len(text) > LONGEST:
        return text
    if "&" in text:
        text = _ENTITIES.sub(lambda entity: unescape(entity.group()), text)
    s = re.sub(r"√\s*(\d+(?:\.\d+)?|[A-Za-z])", r"\\sqrt{\1}", text).replace("√", r"\sqrt ")
    s = re.sub(r"[∛∜]\s*(?:(\d+(?:\.\d+)?|[A-Za-z])|(?=\())", _higher_root, s)
    if not s.isascii():
        s = _RAISED_RUN.sub(lambda m: "^{" + m.group().translate(_RAISED) + "}", s)
        s = _LOWERED_RUN.sub(lambda m: "_{" + m.group().translate(_LOWERED) + "}", s)
        s = re.sub(r"\d", lambda digit: str(int(digit.group())), s)
    s = _BRACED.sub(r"\\begin{cases}\1\\end{cases}", s)
    s = _COLUMN.sub(r" \1 ", _unwrapped(_LINE_ENDS.sub("", s.translate(_TABLE))))
    if _ALIGNED.search(s):
        s = re.sub(r"\\\\(\s*(?=&?\s*[=<>]))?", lambda line: " , " if line.group(1) is None else " ", _ALIGNED.sub(" ", s)).replace("&", "")
    if r"\begin" not in s:
        s = re.sub(r"\\?&", r"\\text{ and }", _TWICE_ESCAPED.sub(r"\\", s))
    s = re.sub(r"\{\s*\\rm(?![A-Za-z])\s*([^{}]*)\}", r"\\mathrm{\1}", s)
    s = re.sub(r"(?<!\\)\\[()\[\]]", " ", s)
    s = re.sub(r"^(?:minus|negative)\s+(?=\d)", "-", s)
    s = re.sub(r"\\?\$", " ", s)
    if r"\text" in s or r"\mathrm" in s or r"\Omega" in s:
        s = _UPRIGHT_UNIT.sub(_unit, _UNIT_FRACTION.sub(r"\1 / \2", s))
    s = re.sub(r"(?<=\d)\{,\}(?=\d)", ".", _GROUPED.sub("", s)).replace("{:}", ":")
    s = _FONTS.sub("", _IN_FONT.sub(r" \1 ", _DROPPED.sub(" ", s)))
    s = re.sub(r"\\(?:[bB]oxed|fbox|framebox)(?![A-Za-z])", "", s)
    for _ in range(3):  # text inside text
        s = _TEXT.sub(_word_or_letter, s)
    if (whole := _WHOLE_TEXT.fullmatch(s.strip(" ."))) and re.search(r"[\d=]", s):
        s = whole.group(1)
    s = _SPACES.sub(" ", s)
    for pattern, name in _ONE_NAME:
        s = pattern.sub(name, s)
    s = _REPEATING.sub(_repeating, s)
    s = numerals(_SPACES.sub(" ", s))
    return _bare(_unwrapped(_bare(s)))


def numerals(s: str) -> str:
    """Numbers without grouping signs, with a decimal point. A comma may also part a list, so it stays."""
    if found := _SCIENTIFIC.fullmatch(s.strip()):
        return rf"{found.group(1)}\cdot 10^{{{found.group(2)}}}"
    s = _APOSTROPHES.sub(lambda found: found.group().replace("'", ""), s)
    s = _POINTS.sub(lambda found: found.group().replace(".", "").replace(",", "."), s)
    if found := re.fullmatch(r" ?([+-]?\d{1,3}(?: \d{3})+)(?:([.,]\d+)|( \d+/\d+))? ?", s):
        whole, decimals, fraction = found.groups()
        s = whole.replace(" ", "") + (decimals or "").replace(",", ".") + (fraction or "")
    return s


def _bare(s: str) -> str:
    """Without punctuation around it; a leading point may start a decimal."""
    s = s.strip(" ,;:\n").rstrip(" .,;:\n")
    return s if re.match(r"\.\d", s) else s.lstrip(" .,;:\n")


def _unwrapped(s: str) -> str:
    s = _STARS.sub("", s.strip()).strip()
    quoted = _QUOTED.fullmatch(s)
    return quoted.group(2).strip() if quoted else s.strip("`")


def _unit(found: re.Match[str]) -> str:
    r"""\,\mathrm{m}\,\mathrm{s}^{-1} as \unit{m per s}; other words stay as they are."""
    factors = symbolic(_MARKS.sub(" ", found.group(1)))
    return rf" \unit{{{factors}}}" if factors is not None else found.group()


def _word_or_letter(found: re.Match[str]) -> str:
    content = found.group(1)
    bare = content.strip()
    if re.fullmatch(_FUNCTIONS, bare):
        return f"\\{bare} "
    if re.fullmatch(r"[^A-Za-z\\]*[A-Za-z]?[^A-Za-z\\]*", bare):
        return f" {bare} "  # a letter, a number or a sign set upright
    return rf"\text{{{content}}}"


def _higher_root(found: re.Match[str]) -> str:
    degree = 3 if found.group().startswith("∛") else 4
    return rf"\sqrt[{degree}]" + (f"{{{found.group(1)}}}" if found.group(1) else "")


def _repeating(found: re.Match[str]) -> str:
    """0.1666... written with a bar, with brackets or to the third repetition is 1/6 exactly."""
    whole, fixed = found.group(1), found.group(2)
    period = found.group(3) or found.group(4) or found.group("digit") or found.group("period")
    if found.group("digit") or found.group("period"):  # the pattern took as much as it could into the fixed part
        while fixed.endswith(period):
            fixed = fixed.removesuffix(period)
    top = int((whole or "0") + fixed + period) - int((whole or "0") + fixed)
    return rf"\frac{{{top}}}{{{'9' * len(period)}{'0' * len(fixed)}}}"
