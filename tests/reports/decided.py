"""A decision report whose every text is given, for tests of its registers, Markdown and page."""

from datetime import UTC, datetime

from tmas_assets.records import (
    Approval,
    Calculation,
    Cited,
    Claim,
    Consensus,
    Contradiction,
    Decision,
    DimensionScore,
    Dissent,
    Evidence,
    Expert,
    Finding,
    Hypothesis,
    NextExperiment,
    Order,
    Plan,
    Quantity,
    Risk,
    RoleTokens,
)
from tmas_assets.reports.decision_report import AuditLine, Check, DecisionReport, Intervention, RepeatReport, Voice
from tmas_assets.reports.report_rows import InputDigest, ModelUse
from tmas_assets.statistics.flips import flips

WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def finding(text: str, expert: str = "market", **change: object) -> Finding:
    calculation = Calculation(
        name=text, formula=text, inputs=(Quantity(name=text, value=24, source="costs"), Quantity(name="guess", value=9)),
        claimed=15, result=15, status="confirmed", how=text,
    )  # fmt: skip
    body = {
        "expert": expert, "verdict": "support", "score": 7, "confidence": 0.6, "reason": text, "claims": ("c1",),
        "conditions": (text,), "assumptions": (text,), "evidence": (Cited(text=text, source="survey"), Cited(text=f"{text}!", source="assumption")),
        "risks": (Risk(text=text, likelihood="low", impact="high"),), "would_change": text, "open_questions": (text,),
        "calculations": (calculation,), "revised": text, "aside": (text,),
    }  # fmt: skip
    return Finding.model_validate(body | change)


def voice(text: str, expert: str = "market", *, round_: int = 1, said: Finding | None = None, model: str = "m") -> Voice:
    return Voice(seat=expert, round=round_, turn=f"r0t{round_:02d}/{expert}/expert", finding=said or finding(text, expert),
                 parse_error=None, model=model, call="c" * 64)  # fmt: skip


def decision(text: str, choice: str = "go_if") -> Decision:
    return Decision(
        decision=choice, asked="go", reason=text, conditions=(text,), agreed=(text,),
        scores=(DimensionScore(expert="market", verdict="support", score=7, confidence=0.6, round=1),),
        dissent=(Dissent(expert="risk", verdict="oppose", steps=-2, reason=text),),
        insufficient=(Dissent(expert="market", verdict="insufficient", steps=-1, reason=text),),
        red_team=Dissent(expert="red_team", verdict="oppose", steps=-2, reason=text, assigned=True),
        contradictions=(Contradiction(about="c1", first="market", second="risk", text=text),),
        next_experiments=(NextExperiment(text=text, cost=text),),
        consensus=Consensus(asked=2, cast=1, missing=("risk",), within_one_step=1, share=0.5, spread=None),
        uncovered=("c2",), clamped=text, partial=text, calls=9, tokens=900,
    )  # fmt: skip


def repeat(text: str, number: int = 0, choice: str = "go_if") -> RepeatReport:
    plan = Plan(claims=(Claim(id="c1", text=text, experts=("market",)), Claim(id="c2", text=text, experts=("risk",))),
                experts=(Expert(name="market", remit=text), Expert(name="risk", remit=text, protected=True)), reason=text, fault=text)  # fmt: skip
    lost = Voice(seat="risk", round=1, turn="r0t01/risk/expert", finding=None, parse_error=text, model="m", call="d" * 64)
    return RepeatReport(
        repeat=number, plan=plan, plan_turn="r0t00/plan/ceo", experts=plan.experts, stopped=text, decision=decision(text, choice),
        approval=Approval(problem="bottle", plan="p", who=text, when=WHEN, why=text),
        orders=(Order(asked="continue", granted="continue", reason=text, gap=text, clamped=text),),
        voices=(voice(text), voice(text, round_=2, model=f"person: {text}"), lost),
    )  # fmt: skip


def report(text: str, **change: object) -> DecisionReport:
    repeats = (repeat(text), repeat(text, 1, "no_go"))
    hypothesis = Hypothesis(
        statement=text, goal=text, success_criteria=(text,), constraints=(text,), options=(text,), owner=text,
        evidence=(Evidence(id="survey", title=text, text=text, source=text),),
    )  # fmt: skip
    body = DecisionReport(
        experiment="decided", problem=text, problem_digest="0" * 64, hypothesis=hypothesis, status=text, repeats=repeats,
        flips=flips([one.decision for one in repeats]),
        checks=(Check(name="claims_backed", outcome="failed", said=text, offences=(text,)),),
        tokens=(RoleTokens(role=text, calls=9, prompt_tokens=800, completion_tokens=100, unknown=0),),
        models=(ModelUse(model=text, identity=text, roles=(text,)),),
        people=(Intervention(what="wrote", turn=text, who=text, when=WHEN, why=text, in_force=True),),
        audit=(AuditLine(turn=text, role=text, kind="Finding", parse="parsed", model=text, call="c" * 64, status="complete",
                         prompt_tokens=8, completion_tokens=1),),
        digests=(InputDigest(name=text, digest="0" * 64),),
    )  # fmt: skip
    return body.model_copy(update=change)
