"""Reads the JSON object out of a model's reply, with prose and fences around it and raw LaTeX backslashes in it.

Pure; raises nothing but ReplyError. The last object of the reply counts, so a draft before it is passed over. Does
not mend broken JSON: a reply cut off in the middle is an error, never a shorter record, and what stands inside an object
that cannot be read (a quotation with bare quotes around it, say) is part of it and never the reply.
"""

import json
import re
from typing import NoReturn, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

Shape = TypeVar("Shape", bound=BaseModel)

MAX_CHARS = 400_000
MAX_BEGINNINGS = 256
"""How many places where an object may begin are tried, the first and the last ones: bounds the work on a hostile reply."""

_BEGINNING = re.compile(r'\{\s*(?=["}])')
_ESCAPE = re.compile(r'\\(?:(?P<json>["\\/]|u[0-9a-fA-F]{4}|r(?=\\n))|(?P<word>[A-Za-z]+)|)')
_BRACE = re.compile(r"\\\\?[^\\]|[{}]", re.DOTALL)
"""A brace, or what a backslash (two, once mended) stands before."""
_UNSTORABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
# fmt: off
_LIKE_ESCAPES = frozenset([
    "nu", "neq", "ne", "nabla", "neg", "not", "nmid", "notin", "newline", "nolimits", "nexists", "nearrow",
    "nwarrow", "nleq", "ngeq", "nless", "ngtr", "nparallel", "nsim", "ncong", "nsubseteq", "nsupseteq", "nprec",
    "nsucc", "natural", "nonumber", "norm", "nobreak", "noindent", "normalsize", "nRightarrow", "nrightarrow",
    "times", "theta", "tau", "text", "textbf", "textit", "textrm", "texttt", "textsf", "textstyle", "to", "tan",
    "tanh", "tfrac", "triangle", "triangleq", "triangleleft", "triangleright", "top", "tilde", "therefore",
    "thickspace", "thinspace", "tbinom", "tag", "tiny",
])
# fmt: on
"""LaTeX commands that begin like \\n and \\t, which models also use before words for what they mean in JSON. The
other letters of JSON escapes (b, f, r) never stand before a word on purpose."""


class ReplyError(ValueError):
    """The reply's last object is missing, broken or of another shape; the text says which and where."""


def read(text: str, shape: type[Shape]) -> Shape:
    """The last object in `text`, validated as `shape`."""
    return last(text, shape)[0]


def last(text: str, shape: type[Shape]) -> tuple[Shape, str]:
    """The last object in `text`, validated as `shape`, and the text behind it."""
    if len(text) > MAX_CHARS:
        raise ReplyError(f"reply of {len(text)} characters, longer than {MAX_CHARS}")
    mended = _ESCAPE.sub(_mend, text)
    found: Shape | None = None
    problem, end, broken = "", 0, 0
    for match in _some([*_BEGINNING.finditer(mended)]):
        if match.start() < max(end, broken):
            continue
        try:
            value, end = _DECODER.raw_decode(mended, match.start())
            found, problem = shape.model_validate(_storable(value)), ""
        except ValidationError as error:
            found, problem = None, _reason(error)
        except (ValueError, RecursionError) as error:
            closing = _closing(mended, match.start(), depth=0)
            found, problem, broken = None, _reason(error), len(mended) if closing is None else closing
    if found is None:
        raise ReplyError(problem or "no JSON object in the reply")
    if broken and _closing(mended, end, depth=1) is not None:
        raise ReplyError("JSON object stands inside one that cannot be read")
    return found, mended[end:].replace("\\\\", "\\")


def _some(beginnings: list[re.Match[str]]) -> list[re.Match[str]]:
    half = MAX_BEGINNINGS // 2
    return beginnings if len(beginnings) <= MAX_BEGINNINGS else beginnings[:half] + beginnings[-half:]


def _closing(text: str, start: int, *, depth: int) -> int | None:
    """Where the braces are closed of which `depth` are open at `start`; None where they never are."""
    for sign in _BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(sign[0], 0)
        if depth == 0 and sign[0] == "}":
            return sign.end()
    return None


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "JSON object is nested too deeply"
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False)[0]
        return f"JSON object does not fit: {'.'.join(map(str, first['loc'])) or 'object'}: {first['msg']}"
    return f"JSON object cannot be read: {error}"


def _mend(match: re.Match[str]) -> str:
    """A backslash and what follows: JSON's own escapes stay, a backslash of LaTeX is doubled."""
    if match["json"]:
        return match[0]
    word = match["word"] or ""
    return match[0] if word[:1] in ("n", "t") and word not in _LIKE_ESCAPES else "\\" + match[0]


def _storable(value: JsonValue) -> JsonValue:
    """The value without control characters and lone surrogates, which databases and UTF-8 refuse."""
    match value:
        case str():
            return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", value.replace("\r\n", "\n"))
        case list():
            return [_storable(item) for item in value]
        case dict():
            return {key: _storable(item) for key, item in value.items()}
        case _:
            return value


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise ValueError(f"a key stands twice among {[key for key, _ in pairs]}")
    return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_once, parse_constant=_no_number)
