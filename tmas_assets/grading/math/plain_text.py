r"""Brings a reply into plain running text: emphasis off, other scripts parted from digits, signs that look alike made one.

Positions change. Leaves out which part of the text is the answer (`find_answer.py`) and the spelling of LaTeX (`latex.py`).
"""

import re
from html import unescape

_SCRIPTS = "\u0590-\u06ff\u0900-\u0965\u0970-\u0e4f\u0e5a-\u0e7f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Letters that stand beside digits without a space: Hebrew, Arabic, those of India, Thai, kana, Chinese, Korean."""
_ARABIC_DIGITS = "\u0660-\u0669\u06f0-\u06f9"
_SCALES = {"百": 10**2, "千": 10**3, "천": 10**3, "万": 10**4, "萬": 10**4, "만": 10**4, "億": 10**8, "亿": 10**8, "억": 10**8}
_SCALED = re.compile(rf"(\d+(?:\.\d+)?)\s?([{''.join(_SCALES)}])(?![\d]|[{''.join(_SCALES)}])")
_MATHEMATICAL = rf"[0-9A-Za-z{_ARABIC_DIGITS}\\$%°²³(√+\-−*]"
_BEFORE = re.compile(rf"(?<=(?![{_ARABIC_DIGITS}])[{_SCRIPTS}])(?={_MATHEMATICAL})")
_AFTER = re.compile(rf"(?<=[0-9A-Za-z{_ARABIC_DIGITS}%°²³)$])(?=(?![{_ARABIC_DIGITS}])[{_SCRIPTS}])")
_WIDE = str.maketrans({code: chr(code - 0xFEE0) for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B),
                                                               0xFF08, 0xFF09, 0xFF0B, 0xFF1D, 0xFF1C, 0xFF1E, 0xFF05, 0xFF0F, 0xFF0E)}
                      | {"－": "−", "‑": "-", "‐": "-", "⁄": "/", "∕": "/", "\u200b": "", "\u2060": "", "\ufeff": ""})
_EMPHASIS = tuple(re.compile(rf"(?<![\w)\]}}^\\{mark[0]}])({re.escape(mark)})(?![\s{mark[0]}])([^\n]{{1,400}}?)(?<![\s{mark[0]}\\])\1(?![\w{mark[0]}])", re.ASCII)
                  for mark in ("***", "**", "*", "___", "__"))
_ENTITIES = re.compile(r"&(?:[lg]t|[lg]e|ne|nbsp|minus|times|pi);")
_HTML = re.compile(r"<(?:b|i|u|em|strong|mark|span|p|div|center|h[1-6]|code|big|small)(?: [^<>\n]{0,80})?>(.*?)</[a-z]{1,8}[1-6]?>|<br ?/?>",
                   re.IGNORECASE | re.DOTALL)
_SPACED = re.compile(r"(?<![\w)\]}*\\])\*\*\s?(?=\S)([^\n*]{1,400}?)\s?\*\*(?![\w*])", re.ASCII)


def plain_text(text: str) -> str:
    r"""`The answer is **42**.` without the stars; `共有４２种` as `共有 42 种`."""
    if "&" in text:
        text = _ENTITIES.sub(lambda entity: unescape(entity.group()), text)
    if "<" in text:
        text = _HTML.sub(r"\1", text)
    if "*" in text or "__" in text:
        for pattern in _EMPHASIS:
            text = pattern.sub(r"\2", text)
        text = _SPACED.sub(r"\1", text)
    if text.isascii():
        return text
    text = _SCALED.sub(_unscaled, text.translate(_WIDE))
    return _AFTER.sub(" ", _BEFORE.sub(" ", text))


def _unscaled(found: re.Match[str]) -> str:
    whole, _, decimals = found.group(1).partition(".")
    scale = len(str(_SCALES[found.group(2)])) - 1
    if len(decimals) > scale:
        return found.group()
    return (whole + decimals.ljust(scale, "0")).lstrip("0") or "0"
