"""Numbers in what was found and decided that nothing in the record explains: pure functions of the hypothesis and what was said.

A number is explained where the hypothesis, its evidence, a claim, an assumption marked as one, or the input or result of a
calculation has it, be it rounded or as a share of a hundred; so is a count of experts, claims or pieces of evidence.
Leaves out whether what explains it is true, and what is done about one that is not explained.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from tmas_assets.records import ASSUMPTION, Decision, Finding, Hypothesis
from tmas_assets.reports.decision_report import RepeatReport

_RUN = re.compile(r"(?<![\w.])\d[\d.,]{0,40}(?!\w)\s?%?", re.ASCII)
_THOUSANDS = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?|\d{1,3}(\.\d{3}){2,}(,\d+)?")
_PLAIN = re.compile(r"\d+([.,]\d+)?")
_SERIES = re.compile(r"\d+(,\d+)+")
_ROUND = 1000
"""From here on the noughts at the end of a number are taken for rounding."""


def numbers(text: str) -> Iterator[tuple[str, float, float]]:
    """Each number of a text as written, its value, and by how much it may be rounded. Names such as `c1` hold none, nor do
    dates and versions with dots."""
    for found in _RUN.finditer(text):
        unit = " %" if found[0].endswith("%") else ""
        run = found[0].rstrip("% .,")
        spelled = _digits(run)
        for digits in spelled:
            whole, _, decimals = digits.partition(".")
            noughts = len(whole) - len(whole.rstrip("0")) if not decimals and float(digits) >= _ROUND else 0
            yield (run if "," not in run or len(spelled) == 1 else digits) + unit, float(digits), 0.5 * 10.0 ** (noughts - len(decimals))


def _digits(run: str) -> Sequence[str]:
    """The numbers that digits, dots and commas spell, with a dot before the decimals."""
    if _THOUSANDS.fullmatch(run):
        return (run.replace(",", "") if run.find(",") < run.find(".") or "." not in run else run.replace(".", "").replace(",", "."),)
    if _PLAIN.fullmatch(run):
        return (run.replace(",", "."),)
    return run.split(",") if _SERIES.fullmatch(run) else ()


def unexplained(hypothesis: Hypothesis, one: RepeatReport) -> tuple[str, ...]:
    """Each such number of the standing findings and the decision, with where it stands."""
    known = set(_known(hypothesis, one))
    said = [(voice.turn, text) for voice in one.standing if voice.finding for text in _found(voice.finding)]
    said += [(f"r{one.repeat} decision", text) for text in (_decided(one.decision) if one.decision else ())]
    offences = [
        f"{where}: {written} in {' '.join(text.split())[:80]!r}"
        for where, text in said
        for written, value, rounding in numbers(text)
        if not any(_near(value / unit, rounding / unit, each) for unit in _units(written) for each in known)
    ]
    return tuple(dict.fromkeys(offences))


def _units(written: str) -> tuple[int, ...]:
    """12 % is 12 and 0.12."""
    return (1, 100) if written.endswith("%") else (1,)


def _near(value: float, rounding: float, known: float) -> bool:
    return abs(value - known) <= rounding * (1 + 1e-9)


def counted(one: RepeatReport) -> int:
    """How many numbers were looked at."""
    texts = [text for voice in one.standing if voice.finding for text in _found(voice.finding)]
    return sum(1 for text in (*texts, *(_decided(one.decision) if one.decision else ())) for _ in numbers(text))


def _found(finding: Finding) -> Iterable[str]:
    yield from (finding.reason, *finding.conditions, finding.would_change, finding.revised)
    yield from (risk.text for risk in finding.risks)
    yield from (cited.text for cited in finding.evidence if cited.source != ASSUMPTION)


def _decided(decision: Decision) -> Iterable[str]:
    return (decision.reason, *decision.conditions, *decision.agreed, *(each.text for each in decision.next_experiments))


def _known(hypothesis: Hypothesis, one: RepeatReport) -> Iterable[float]:
    texts = [hypothesis.statement, hypothesis.goal, *hypothesis.success_criteria, *hypothesis.constraints, *hypothesis.options]
    for piece in hypothesis.evidence:
        texts += [piece.title, piece.source, *(re.split(r"[,;\t\n]", piece.text) if piece.format == "csv" else [piece.text])]
    texts += [claim.text for claim in one.plan.claims] if one.plan else []
    counts = max(len(one.experts), len(one.plan.claims) if one.plan else 0, len(hypothesis.evidence))
    yield from map(float, range(counts + 1))
    for voice in one.standing:
        if voice.finding is None:
            continue
        texts += [*voice.finding.assumptions, *(cited.text for cited in voice.finding.evidence if cited.source == ASSUMPTION)]
        yield voice.finding.score
        yield voice.finding.confidence
        for calculation in voice.finding.calculations:
            yield from (put.value for put in calculation.inputs)
            varied = [value for each in calculation.sensitivity for value in (each.low, each.high)]
            yield from (value for value in (calculation.result, *varied) if value is not None)
    yield from (value / unit for text in texts for written, value, _ in numbers(text) for unit in _units(written))

