"""Which numbers in the words of a decision are explained by its record, and which come from nowhere."""

import pytest

from tests.reports.decided import decision, finding, repeat, voice
from tmas_assets.engine.decision_checks import EXPLAINED, checks
from tmas_assets.engine.decision_numbers import numbers, unexplained
from tmas_assets.records import Calculation, Cited, Evidence, Hypothesis, Quantity, Sensitivity

HYPOTHESIS = Hypothesis(
    statement="We should sell it from 2031 on.", constraints=("budget: 400,000 EUR",),
    evidence=(Evidence(id="survey", text="47 of 120 would buy it."), Evidence(id="costs", text="item,eur\nprice,24\nbuilding,1100000\nunits,24,5", format="csv")),
)  # fmt: skip
MARGIN = Calculation(
    name="margin", formula="price - cost", inputs=(Quantity(name="price", value=24, source="costs"), Quantity(name="cost", value=9.26)),
    result=14.74, status="computed", sensitivity=(Sensitivity(name="price", low=12.34, high=17.14),),
)  # fmt: skip


def found(text: str) -> list[str]:
    """Numbers of a decision with this reason that nothing explains."""
    said = finding("", assumptions=("a return rate of 6.5 %",), evidence=(Cited(text="33 towns", source="assumption"),),
                   calculations=(MARGIN,), conditions=(), risks=(), would_change="", revised="")  # fmt: skip
    made = repeat("x").model_copy(update={"voices": (voice("", said=said),), "decision": decision("").model_copy(update={"reason": text})})
    return [offence.split(": ")[1].split(" in ")[0] for offence in unexplained(HYPOTHESIS, made)]


@pytest.mark.parametrize(
    "text",
    [
        "From 2031 on, within 400,000 EUR", "47 of 120", "a price of 24", "24.00 EUR", "1.1 was c1 in t02 of v2.5", "1,100,000 to build",
        "about 1,000,000 to build", "a margin of 14.74", "some 15 EUR", "14.7 EUR", "12.3 to 17.1", "9.26 each", "6.5 % return", "0.065",
        "33 towns", "units of 24", "5 each", "both 2 experts", "confidence 60 %", "no number at all", "24.", "(24)",
    ],
)  # fmt: skip
def test_what_the_record_has_or_rounds_to_is_explained(text):
    assert found(text.removeprefix("1.1 was ")) == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("They earn 3,700,000 EUR", ["3,700,000"]), ("48 of 120", ["48"]), ("a margin of 14.8", ["14.8"]), ("25 EUR, then 26", ["25", "26"]),
        ("7.5 % return", ["7.5 %"]), ("in 2032", ["2032"]), ("a third of 98", ["98"]), ("450,000 EUR", ["450,000"]), ("61 %", ["61 %"]), ("4000 EUR", ["4000"]), ("2400", ["2400"]),
    ],
)  # fmt: skip
def test_what_nothing_in_the_record_has_is_named(text, numbers):
    assert found(text) == numbers


@pytest.mark.parametrize(
    ("text", "values"),
    [("1,234.5", [1234.5]), ("24,5", [24.5]), ("1,2,3", [1, 2, 3]), ("1.234.567,5", [1234567.5]), ("see 7,", [7]), ("9" * 500, []), (" ".join("1" * 400), [1] * 400), ("1.2.3", []), ("c1 r0t01 GPT4", []), ("12 %, 13", [12, 13]), ("2026-03-01", [2026, 3, 1])],
)
def test_numbers_are_read_as_written(text, values):
    assert [value for _, value, _ in numbers(text)] == pytest.approx(values)


def test_a_number_that_an_expert_backs_with_evidence_that_has_it_not_is_an_offence_and_no_grave_one():
    said = finding("fine", evidence=(Cited(text="91 of 120 would buy it", source="survey"),), calculations=(), risks=())
    made = repeat("fine").model_copy(update={"voices": (voice("", said=said),)})
    [check] = [one for one in checks(HYPOTHESIS, (made,)) if one.name == EXPLAINED]
    assert check.outcome == "warning"
    assert check.offences == ("r0t01/market/expert: 91 in '91 of 120 would buy it'",)
    assert check.said == "2 numbers in words, 1 of them from nowhere"
