"""The parts of a prompt that all roles of a decision share: hypothesis, evidence, claims, findings, what was measured.

Findings are cut to a share each, so that none can crowd out another. Leaves out the roles' tasks.
"""

from collections.abc import Sequence

from tmas_assets.agents.material import clip, fenced, message, problem_block
from tmas_assets.agents.prompt import load
from tmas_assets.records import (
    Calculation,
    Claim,
    Consensus,
    Contradiction,
    Evidence,
    Finding,
    Hypothesis,
    Problem,
    Record,
    Sampling,
    hypothesis_of,
)

ROLE = "expert"
"""One of the roles whose prompts are made of this."""
PROMPT = load("decision/material.txt", marks={
    "goal": "text", "success_criteria": "text", "constraints": "text", "options": "text", "owner": "text",
    "evidence": "about fence id text", "no_evidence": "", "claims": "fence text", "finding": "expert fence side text",
    "own": "fence text", "gap": "fence text", "measured": "asked cast missing within", "missing": "names",
    "contradictions": "fence text", "language": "language",
})  # fmt: skip
_LINES = ("goal", "success_criteria", "constraints", "options", "owner")
NOTE_CHARS = 800
"""A gap, a remit or a list of contradictions is shown up to so many characters."""


class DecisionLimits(Record):
    """Characters of a prompt of a decision; what is cut is said there. The hypothesis itself is never cut."""

    evidence_chars: int = 2000
    """All pieces of evidence together. Raise it with the window: what is cut no expert has seen."""
    findings_chars: int = 3000
    """All findings together."""


def schemas(sampling: Sampling) -> tuple[str, ...]:
    return ()


def hypothesis_blocks(problem: Problem, limits: DecisionLimits, *, seen: Sequence[str] | None = None) -> str:
    """The hypothesis with the evidence; `seen`: ids of the pieces that are shown, None for all."""
    hypothesis = hypothesis_of(problem)
    about = []
    for name in _LINES:
        value = getattr(hypothesis, name)
        text = value if isinstance(value, str) else "; ".join(value)
        if text:
            about.append(PROMPT.render(name, text=text))
    return message(problem_block(problem), "\n".join(about), _evidence(visible(hypothesis, seen), limits))


def visible(hypothesis: Hypothesis, seen: Sequence[str] | None) -> tuple[Evidence, ...]:
    """The pieces of evidence that one who sees only `seen` sees."""
    return tuple(piece for piece in hypothesis.evidence if seen is None or piece.id in seen)


def _evidence(pieces: Sequence[Evidence], limits: DecisionLimits) -> str:
    if not pieces:
        return PROMPT.render("no_evidence")
    share = limits.evidence_chars // len(pieces)
    blocks = []
    for piece in pieces:
        fence, text = fenced(piece.text, share)
        about = "; ".join(part for part in (piece.title, piece.source) if part)
        blocks.append(PROMPT.render("evidence", id=piece.id, about=f" ({about})" if about else "", fence=fence, text=text))
    return message(*blocks)


def claims_block(claims: Sequence[Claim]) -> str:
    """Every claim on a line of its own; where not all fit, long ones are cut to an equal share, so that none is lost."""
    lines = [f"{claim.id}: {' '.join(claim.text.split())}" for claim in claims]
    if len("\n".join(lines)) > NOTE_CHARS:
        share = NOTE_CHARS // len(lines) - 1
        lines = [line if len(line) <= share else f"{line[: share - 1]}…" for line in lines]
    return noted("claims", "\n".join(lines))


def noted(section: str, text: str) -> str:
    """A short text that a model wrote, fenced off; empty for none."""
    if not text:
        return ""
    fence, shown = fenced(text, NOTE_CHARS)
    return PROMPT.render(section, fence=fence, text=shown)


def finding_blocks(findings: Sequence[Finding], limits: DecisionLimits, *, own: Finding | None = None) -> str:
    """One's own finding, then those of others in the order given, each within an equal share."""
    share = max(200, limits.findings_chars // max(1, len(findings) + (own is not None)))
    blocks = []
    if own is not None:
        fence, text = fenced(spelled(own), share)
        blocks.append(PROMPT.render("own", fence=fence, text=text))
    for finding in findings:
        fence, text = fenced(spelled(finding), share)
        side = f" (was told to argue {finding.argues})" if finding.argues else ""
        blocks.append(PROMPT.render("finding", expert=finding.expert, side=side, fence=fence, text=text))
    return message(*blocks)


def spelled(finding: Finding) -> str:
    """A finding in lines, the verdict first, since the end is kept where a long one is cut: what would change it last."""
    lists = (
        ("Conditions", finding.conditions),
        ("Assumptions", finding.assumptions),
        ("Evidence", tuple(f"{cited.text} [{cited.source}]" for cited in finding.evidence)),
        ("Calculations", tuple(_calculation(one) for one in finding.calculations)),
        ("Open questions", finding.open_questions),
        ("Risks", tuple(f"{risk.text} (likelihood {risk.likelihood}, impact {risk.impact})" for risk in finding.risks)),
        ("Would change it", (finding.would_change,) if finding.would_change else ()),
    )
    lines = [f"{finding.verdict}, score {finding.score:g} of 10, confidence {finding.confidence:g}", finding.reason]
    return "\n".join([*lines, *(f"{name}: {'; '.join(values)}" for name, values in lists if values)])


def _calculation(one: Calculation) -> str:
    inputs = ", ".join(f"{quantity.name} = {quantity.value:g} [{quantity.source}]" for quantity in one.inputs)
    result = f"{one.result:g} ({one.status})" if one.result is not None else f"no result ({one.status})"
    return f"{one.name}: {one.formula} with {inputs or 'no inputs'} gives {result}"


def measured_block(consensus: Consensus, contradictions: Sequence[Contradiction]) -> str:
    """How far the experts agree, who is missing, and what cannot both be right."""
    missing = PROMPT.render("missing", names=", ".join(consensus.missing)) if consensus.missing else ""
    counted = PROMPT.render("measured", cast=str(consensus.cast), asked=str(consensus.asked),
                            within=str(consensus.within_one_step), missing=missing)  # fmt: skip
    return message(counted, noted("contradictions", "\n".join(one.text for one in contradictions)))


def language_line(problem: Problem) -> str:
    """Empty for English, which the prompts are in."""
    language = hypothesis_of(problem).language
    return "" if language.lower() == "english" else PROMPT.render("language", language=clip(language, 40))
