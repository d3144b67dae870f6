"""Checks of a decision tell what is bad from what is not made yet, and what is backed from what only says so."""

from typing import Any

import pytest

from tests.reports.decided import decision, finding, repeat, voice
from tmas_assets.engine.decision_checks import ARITHMETIC, BACKED, CHECKS, COVERED, SCHEMA, checks
from tmas_assets.records import Calculation, Cited, Evidence, Hypothesis, Quantity
from tmas_assets.reports.decision_report import Check, RepeatReport

HYPOTHESIS = Hypothesis(statement="Sell it", evidence=(Evidence(id="survey", text="x"), Evidence(id="costs", text="x")))
GATE: dict[str, Any] = {"voices": (), "decision": None, "stopped": None}


def made(**change: Any) -> RepeatReport:
    plan = repeat("x").plan.model_copy(update={"fault": None})
    both = (voice("x", said=finding("x", claims=("c1", "c2"))), voice("x", "risk", said=finding("x", "risk")))
    return repeat("x").model_copy(update={"plan": plan, "voices": both} | change)


def found(name: str, *repeats: RepeatReport) -> Check:
    return next(one for one in checks(HYPOTHESIS, repeats) if one.name == name)


def heard(**change: Any) -> RepeatReport:
    return made(voices=(voice("x", said=finding("x", **change)),))


@pytest.mark.parametrize("name", CHECKS)
def test_nothing_is_wrong_with_a_plan_that_waits_for_approval(name):
    one = found(name, made(**GATE))
    assert (one.outcome, one.offences) == ("not yet", ())


@pytest.mark.parametrize("name", CHECKS)
def test_of_a_hypothesis_that_was_not_begun_nothing_has_passed(name):
    assert found(name).outcome == "not yet"


def test_what_is_not_made_is_counted_apart_from_what_could_not_be_read():
    assert found(SCHEMA, made(**GATE)).said == "2 seats and 1 decisions, 0 missing or unreadable, 3 not made yet"
    lost = made(**GATE | {"voices": repeat("x").lost})
    assert found(SCHEMA, lost).outcome == "warning"
    assert found(SCHEMA, lost).offences == ("r0: risk has no readable finding",)
    assert found(SCHEMA, made(decision=None)).offences == ("r0: no decision of the CEO",)
    assert found(SCHEMA, made()).outcome == "passed"


def test_a_claim_that_nobody_covers_is_one_once_the_decision_is_made():
    assert found(COVERED, made()).outcome == "passed"
    assert found(COVERED, heard(claims=("c1",))).offences == ("r0 c2: x",)
    assert found(COVERED, heard(claims=("c1",)).model_copy(update={"stopped": None})).outcome == "not yet"


def test_a_result_that_had_to_be_corrected_is_a_warning_that_says_both():
    wrong = Calculation(name="margin", formula="a + b", inputs=(Quantity(name="a", value=4), Quantity(name="b", value=6)),
                        claimed=5, result=10, status="corrected")  # fmt: skip
    one = found(ARITHMETIC, heard(calculations=(wrong,)))
    assert one.outcome == "warning"
    assert one.offences == ("r0t01/market/expert margin: said 5, is 10",)
    assert one.said == "1 of 1 calculations computed again, 1 corrected"
    right = wrong.model_copy(update={"claimed": 10, "status": "confirmed"})
    assert found(ARITHMETIC, heard(calculations=(right,))).outcome == "passed"


def test_assumptions_alone_back_nothing():
    one = found(BACKED, heard(evidence=(), calculations=(), assumptions=("They buy it",)))
    assert (one.outcome, one.said) == ("warning", "0 pointers to evidence, 1 marked assumptions, 0 findings or pointers without either")
    assert one.offences == ("no finding points to any evidence that is there: all rests on assumptions",)
    assert found(BACKED, heard(evidence=(Cited(text="x", source="survey"),), calculations=())).outcome == "passed"


def test_only_what_breaks_the_record_itself_fails():
    hidden = made(voices=(voice("x", said=finding("x")), voice("x", "risk", said=finding("x", "risk", verdict="oppose"))))
    listed = decision("x").model_copy(update={"contradictions": ()})
    assert {one.name for one in checks(HYPOTHESIS, (hidden.model_copy(update={"decision": listed}),)) if one.outcome == "failed"} == {
        "contradictions_listed"}  # fmt: skip
