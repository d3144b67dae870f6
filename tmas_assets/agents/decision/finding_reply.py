"""Makes a `Finding` of an expert's reply: a JSON object, or lines such as `Verdict: oppose`.

Exact: a verdict, score or confidence that is missing, off its scale or stands twice is a parse error. Of the lists, an item
that cannot be used is left aside by itself and named. A pointer to evidence that the expert was not shown turns into
`assumption`, and that is named too.
"""

import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeVar, get_args

from pydantic import BaseModel, JsonValue, ValidationError

from tmas_assets.agents.json_reply import ReplyError
from tmas_assets.agents.json_reply import read as read_json
from tmas_assets.agents.labelled import LabelError, labelled, once, parts
from tmas_assets.records import ASSUMPTION, STANCES, Calculation, Cited, Finding, Quantity, Risk, Side, Stance
from tmas_assets.records.decision import Level

MOST = 5
"""Calculations of one finding, and items of every other list."""
MOST_INPUTS = 12
_LABELS = (
    "reason", "verdict", "score", "confidence", "claims", "condition", "assumption", "evidence", "risk", "change", "question",
    "calculation", "revised",
)  # fmt: skip
_ALIASES = {"insufficient evidence": "insufficient", "supports": "support", "opposes": "oppose"}
_OF_TEN = re.compile(r"(.*?)\s*(?:/|out of|of)\s*10")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_NUMBER = re.compile(r"[-+]?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:[eE][-+]?\d{1,2})?")
_INPUT = re.compile(r"([A-Za-z]\w{0,39})\s*=\s*([^()=]+?)\s*(?:\(([^()]*)\))?")
T = TypeVar("T")


class FindingError(ValueError):
    """The reply holds no finding; the text says what is missing or off."""


class _Reply(BaseModel):
    reason: str = ""
    verdict: str
    score: JsonValue
    confidence: JsonValue
    claims: list[JsonValue] = []
    conditions: list[JsonValue] = []
    assumptions: list[JsonValue] = []
    evidence: list[JsonValue] = []
    risks: list[JsonValue] = []
    would_change: str = ""
    open_questions: list[JsonValue] = []
    calculations: list[JsonValue] = []
    revised: str = ""


class _Input(BaseModel):
    name: str
    value: JsonValue
    source: str = ""


class _Calculation(BaseModel):
    name: str = ""
    formula: str
    inputs: list[_Input] = []
    claimed: JsonValue = None


class _Cited(BaseModel):
    text: str
    source: str = ""


class _Risk(BaseModel):
    text: str
    likelihood: str
    impact: str


@dataclass
class _Reading:
    claims: Collection[str]
    evidence: Collection[str]
    aside: list[str] = field(default_factory=list)

    def each(self, items: list[JsonValue], what: str, make: Callable[[JsonValue], T]) -> tuple[T, ...]:
        made: list[T] = []
        for item in items:
            try:
                one = make(item)
            except (ValidationError, FindingError, TypeError):
                self.aside.append(f"{what} {str(item)[:60]!r} cannot be read")
                continue
            if len(made) < MOST:
                made.append(one)
            else:
                self.aside.append(f"{what} {str(item)[:60]!r} is one more than {MOST}")
        return tuple(made)

    def source(self, text: str, what: str) -> str:
        spelled = text.strip().strip("[]").strip()
        if spelled in self.evidence:
            return spelled
        if spelled.lower() not in ("", ASSUMPTION):
            self.aside.append(f"{what} points to {spelled[:40]!r}, which is no evidence shown: taken as an assumption")
        return ASSUMPTION

    def cited(self, item: JsonValue) -> Cited:
        found = _Cited.model_validate(item)
        return Cited(text=_words(found.text), source=self.source(found.source, "evidence"))

    def calculation(self, item: JsonValue) -> Calculation:
        found = _Calculation.model_validate(item)
        if len(found.inputs) > MOST_INPUTS:
            raise FindingError(f"{len(found.inputs)} inputs")
        inputs = tuple(
            Quantity(name=one.name.strip(), value=number(one.value), source=self.source(one.source, f"input {one.name[:40]!r}"))
            for one in found.inputs
        )
        claimed = None if found.claimed in (None, "") else number(found.claimed)
        return Calculation(name=" ".join(found.name.split()), formula=found.formula.strip(), inputs=inputs, claimed=claimed)


def finding_in(
    answer: str, *, expert: str, claims: Collection[str], evidence: Collection[str], argues: Side | None = None,
    cut: bool = False,
) -> Finding:
    """`claims`, `evidence`: ids that the expert was shown. The red team must hold the side that it `argues`. `cut`: whether the reply
    was cut off. Raises
    FindingError."""
    try:
        reply = _reply(answer, cut=cut)
        reading = _Reading(claims, evidence)
        verdict = stance(reply.verdict)
        if argues is not None and verdict != (side := "support" if argues == "for" else "oppose"):
            raise FindingError(f"was to argue {argues} the hypothesis, so to {side}, and says {verdict}")
        return Finding(
            expert=expert,
            argues=argues,
            verdict=verdict,
            score=_within(score(reply.score), 10, "score"),
            confidence=_within(confidence(reply.confidence), 1, "confidence"),
            reason=_words(reply.reason),
            claims=_claims(reply.claims, reading),
            conditions=reading.each(reply.conditions, "condition", _text),
            assumptions=reading.each(reply.assumptions, "assumption", _text),
            evidence=reading.each(reply.evidence, "evidence", reading.cited),
            risks=reading.each(reply.risks, "risk", _risk),
            would_change=" ".join(reply.would_change.split()),
            open_questions=reading.each(reply.open_questions, "question", _text),
            calculations=reading.each(reply.calculations, "calculation", reading.calculation),
            revised=" ".join(reply.revised.split()),
            aside=tuple(reading.aside),
        )
    except (ReplyError, LabelError, ValidationError) as error:
        raise FindingError(str(error)) from error


def _reply(answer: str, *, cut: bool) -> _Reply:
    try:
        return read_json(answer, _Reply)
    except ReplyError as no_object:
        found = labelled(answer, _LABELS, cut=cut)
        try:
            return _Reply(verdict=once(found, "verdict"), score=once(found, "score"), confidence=once(found, "confidence"),
                          **_lists(found))  # fmt: skip
        except LabelError as no_line:
            raise FindingError(f"{no_line}; {no_object}") from no_object


def _lists(found: Mapping[str, tuple[str, ...]]) -> dict[str, JsonValue]:
    """The values of lines that may stand several times, as the fields of a JSON reply."""
    cited, risks, calculations = (found.get(label, ()) for label in ("evidence", "risk", "calculation"))
    return {
        "reason": " ".join(found.get("reason", ())),
        "claims": [id_.strip() for value in found.get("claims", ()) for id_ in value.split(",") if id_.strip()],
        "conditions": list(found.get("condition", ())),
        "assumptions": list(found.get("assumption", ())),
        "evidence": [dict(zip(("source", "text"), parts(value, 2), strict=True)) for value in cited],
        "risks": [dict(zip(("likelihood", "impact", "text"), parts(value, 3), strict=True)) for value in risks],
        "would_change": " ".join(found.get("change", ())),
        "open_questions": list(found.get("question", ())),
        "calculations": [_calculation_line(value) for value in calculations],
        "revised": " ".join(found.get("revised", ())),
    }


def _calculation_line(value: str) -> JsonValue:
    """`name | formula | a = 1 (source); b = 2 (source) | result`; the line itself where its inputs cannot be read."""
    name, formula, inputs, claimed = parts(value, 4)
    matches = [_INPUT.fullmatch(part.strip()) for part in inputs.split(";") if part.strip()]
    if any(match is None for match in matches):
        return value
    told: list[JsonValue] = [{"name": match[1], "value": match[2], "source": match[3] or ""} for match in matches if match]
    return {"name": name, "formula": formula, "inputs": told, "claimed": claimed or None}


def stance(text: str) -> Stance:
    spelled = " ".join(text.lower().replace("_", " ").split()).strip(".*`\"' ")
    spelled = _ALIASES.get(spelled, spelled)
    for known in STANCES:
        if known == spelled:
            return known
    raise FindingError(f"verdict {text[:40]!r} is none of {', '.join(STANCES)}")


def number(value: JsonValue) -> float:
    """A finite number, or the text of one with or without commas between thousands. Raises FindingError."""
    if isinstance(value, str):
        text = value.strip()
        text = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text
        if not _NUMBER.fullmatch(text):
            raise FindingError(f"{value[:40]!r} is no number")
        return float(text)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300 or not math.isfinite(value):
        raise FindingError(f"{str(value)[:40]} is no number")
    return float(value)


def score(value: JsonValue) -> float:
    if isinstance(value, str) and (of_ten := _OF_TEN.fullmatch(value.strip())):
        return number(of_ten[1])
    return number(value)


def confidence(value: JsonValue) -> float:
    if isinstance(value, str) and value.strip().endswith("%"):
        return number(value.strip()[:-1].strip()) / 100
    return number(value)


def _within(value: float, most: float, what: str) -> float:
    if not 0 <= value <= most:
        raise FindingError(f"{what} {value:g} is not between 0 and {most:g}")
    return value


def _claims(items: list[JsonValue], reading: _Reading) -> tuple[str, ...]:
    said = [str(item).strip().lower() for item in items]
    if unknown := [id_ for id_ in said if id_ not in reading.claims]:
        reading.aside.append(f"no claim {', '.join(id_[:40] for id_ in unknown[:MOST])}")
    return tuple(id_ for id_ in reading.claims if id_ in said)


def _risk(item: JsonValue) -> Risk:
    found = _Risk.model_validate(item)
    return Risk(text=_words(found.text), likelihood=_level(found.likelihood), impact=_level(found.impact))


def _level(text: str) -> Level:
    for known in get_args(Level):
        if known == text.strip().lower():
            return known  # type: ignore[no-any-return]
    raise FindingError(f"{text[:40]!r} is not low, medium or high")


def _text(item: JsonValue) -> str:
    if not isinstance(item, str):
        raise FindingError("no text")
    return _words(item)


def _words(text: str) -> str:
    flat = " ".join(text.split())
    if not any(sign.isalnum() for sign in flat):
        raise FindingError("a text without words, where a reason is needed")
    return flat
