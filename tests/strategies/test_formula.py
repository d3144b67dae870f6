"""Formulas of models: plain arithmetic comes out bracketed and in floats, everything else is refused and never run."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.records import Calculation, Quantity
from tmas_assets.strategies import Ran
from tmas_assets.strategies.team_decision.calculation import computed, computing
from tmas_assets.strategies.team_decision.formula import Refused, spelled

NAMES = ("price", "cost", "units", "r")


def run(program: str) -> Ran:
    """The program in a process of its own, without our modules: what it prints is all there is."""
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=20, check=False)
    return Ran(stdout=done.stdout, stderr=done.stderr, ended="passed" if done.returncode == 0 else f"exit status {done.returncode}")


def asked(formula, claimed=None, **inputs):
    quantities = tuple(Quantity(name=name, value=value) for name, value in inputs.items())
    return Calculation(name="n", formula=formula, inputs=quantities, claimed=claimed)


def again(*calculations, tolerance=0.01):
    work = computing(calculations)
    return computed(work, run(work.program), tolerance=tolerance) if work.program else work.calculations


@pytest.mark.parametrize(
    "formula",
    [
        "__import__('os').system('id')", "import os", "open('/etc/passwd')", "().__class__", "price.__class__", "price.real",
        "[price][0]", "lambda: 1", "price if cost else units", "price == cost", "price and cost", "{price}", "f'{price}'",
        "'a' * 9", "b'a'", "True", "None", "1j", "...", "price @ cost", "price % cost", "price // cost", "price << 9", "~price",
        "not price", "eval(price)", "getattr(price, cost)", "price(cost)", "min()", "min(*price)", "round(price, ndigits=2)",
        "x := 1", "price; cost", "price\ncost", "print(price)", "unknown + 1", "i_price", "json", "9**9**9", "2**(price**2)",
        "(2**3)**4", "2**1000", "price**201", "10**-500", "9" * 400, "1e999", "(" * 300 + "1" + ")" * 300, "-" * 399 + "1",
        "+".join(["1"] * 150), "", "   ", "a" * 401, "price cost", "1,000 + 2", "\x00", "price # cost\n+ 1", "max((price, cost))",
    ],
)  # fmt: skip
def test_what_is_no_plain_arithmetic_is_refused_before_anything_runs(formula):
    with pytest.raises(Refused):
        spelled(formula, NAMES)
    (one,) = computing([asked(formula, price=1, cost=2, units=3, r=0.1)]).calculations
    assert (one.status, one.result) == ("refused", None)
    assert one.how
    assert computing([asked(formula, price=1, cost=2, units=3, r=0.1)]).program is None


@given(st.text(max_size=60))
def test_no_text_gets_through_as_anything_but_arithmetic(formula):
    try:
        found = spelled(formula, NAMES)
    except Refused:
        return
    allowed = {"i_price", "i_cost", "i_units", "i_r", "pow", "abs", "max", "min", "round", "sqrt", "exp", "log", "npv", "e", "inf"}
    words = "".join(sign if sign.isalnum() or sign == "_" else " " for sign in found).split()
    assert all(word in allowed or word[0].isdigit() for word in words)


@pytest.mark.parametrize(
    ("formula", "result"),
    [
        ("price - cost", 15), ("profit = price - cost", 15), ("Break even = 30000 / (price - cost)", 2000), ("2 * 3 ^ 2", 18),
        ("price × units − cost·units", 15000), ("npv(r, -100, 110)", 0), ("npv(0.5, -90, 45, 135)", 0), ("round(10 / 3, 2)", 3.33), ("max(price, cost) ** 2", 576),
        ("sqrt(abs(-16))", 4), ("exp(log(5))", 5), ("-price + +cost", -15), ("7 / 2", 3.5),
    ],
)  # fmt: skip
def test_arithmetic_is_computed_as_written(formula, result):
    (one,) = again(asked(formula, price=24, cost=9, units=1000, r=0.1))
    assert (one.status, one.result) == ("computed", pytest.approx(result, abs=1e-9))


def test_a_claimed_result_is_confirmed_within_the_tolerance_and_corrected_beyond():
    inputs = {"price": 24, "cost": 9}
    found = again(*(asked("price - cost", claimed, **inputs) for claimed in (15, 15.1, 15.2, -15)))
    assert [one.status for one in found] == ["confirmed", "confirmed", "corrected", "corrected"]
    assert {one.result for one in found} == {15}
    assert {one.claimed for one in found} == {15, 15.1, 15.2, -15}


def test_each_input_is_varied_by_a_tenth_alone():
    (one,) = again(asked("price * units - cost", price=10, units=2, cost=5))
    assert [(s.name, s.low, s.high) for s in one.sensitivity] == [("price", 13, 17), ("units", 13, 17), ("cost", 15.5, 14.5)]


def test_a_calculation_that_breaks_or_is_refused_spoils_no_other():
    found = again(
        asked("price / cost", price=1, cost=0), asked("open('x')"), asked("exp(price)", price=1e9), asked("(0-price) ** 0.5", price=2),
        asked("price ** cost", price=10, cost=1e6), asked("1 + 1"),
    )  # fmt: skip
    assert [one.status for one in found] == ["failed", "refused", "failed", "failed", "failed", "computed"]
    assert all(one.how for one in found)
    assert found[-1].result == 2


@pytest.mark.parametrize("name", ["a b", "1a", "import", "__x__", "x.y", "x)+(", "", "é"])
def test_a_name_that_is_no_name_is_refused(name):
    (one,) = computing([asked("1 + 1", **{name: 1.0})]).calculations if name != "import" else again(asked("1 + 1", **{"import": 1.0}))
    assert one.status == ("refused" if name != "import" else "computed")


def test_an_input_that_stands_twice_is_refused():
    twice = Calculation(name="n", formula="a", inputs=(Quantity(name="a", value=1), Quantity(name="a", value=2)))
    assert computing([twice]).calculations[0].status == "refused"


@pytest.mark.parametrize(
    ("stdout", "ended"), [("", "passed"), ("[1]", "passed"), ('[["ValueError", []]]', "passed"), ("[[2.0, []]]", "exit status 1"), ("{}", "passed")]
)
def test_output_that_is_not_the_programs_own_is_no_result(stdout, ended):
    work = computing([asked("1 + 1")])
    (one,) = computed(work, Ran(stdout=stdout, stderr="", ended=ended), tolerance=0.01)
    assert (one.status, one.result) == ("failed", None)


def test_all_calculations_of_a_finding_fit_into_what_the_sandbox_hands_back():
    inputs = {f"input{number}": 1.2345678901234567e-101 for number in range(12)}
    work = computing([asked(" + ".join(inputs), **inputs)] * 5)
    done = run(work.program)
    assert len(done.stdout) < 4000
    assert len(json.loads(done.stdout)) == 5
