"""Properties of the math grader over made-up golds and answers: a gold is itself, order and wrapping change nothing."""

import time

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tmas_assets.grading.math.grader import Question, decide, grade_at_once

OUTCOMES = ("right", "wrong", "undecided", "failed")
FEW = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
MANY = settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])

integers = st.integers(-10**6, 10**6).map(str)
decimals = st.tuples(st.integers(-999, 999), st.integers(0, 99)).map(lambda pair: f"{pair[0]}.{pair[1]:02d}")
fractions = st.tuples(st.integers(-99, 99), st.integers(1, 99)).map(lambda pair: rf"\frac{{{pair[0]}}}{{{pair[1]}}}")
roots = st.tuples(st.integers(1, 20), st.integers(2, 60)).map(lambda pair: rf"{pair[0]}\sqrt{{{pair[1]}}}")
powers = st.tuples(st.integers(2, 12), st.integers(-300, 300)).map(lambda pair: f"{pair[0]}^{{{pair[1]}}}")
angles = st.integers(1, 360).map(lambda angle: rf"{angle}^\circ")
percentages = st.integers(1, 100).map(lambda share: rf"{share}\%")
constants = st.one_of(integers, decimals, fractions, roots, powers, st.sampled_from([r"\pi", r"\frac{\pi}{6}", "e", "i", "5!"]))
symbols = st.sampled_from(["x", "n", "a", "R", r"\alpha", "x_1", "a_n", r"\lambda"])


def combined(parts):
    return st.one_of(
        st.tuples(parts, st.sampled_from([" + ", " - ", r" \cdot "]), parts).map("".join),
        st.tuples(parts, parts).map(lambda pair: rf"\frac{{{pair[0]}}}{{{pair[1]}}}"),
        parts.map(lambda part: rf"\left({part}\right)^2"), parts.map(lambda part: rf"\sqrt{{{part}}}"),
        parts.map(lambda part: rf"\lfloor {part} \rfloor"), parts.map(lambda part: rf"\sin {part}"),
        parts.map(lambda part: f"({part})!"), parts.map(lambda part: f"|{part}|"),
    )


expressions = st.recursive(st.one_of(constants, symbols), combined, max_leaves=5)
values = st.one_of(constants, angles, percentages, expressions)
members = st.lists(values, min_size=2, max_size=4)
tuples = members.map(lambda parts: f"({', '.join(parts)})")
intervals = st.tuples(st.sampled_from("(["), constants, st.one_of(constants, st.just(r"\infty")), st.sampled_from(")]")).map(
    lambda parts: f"{parts[0]}{parts[1]}, {parts[2]}{parts[3]}")
relations = st.tuples(symbols, st.sampled_from(["=", "<", r" \le ", r" \ge ", r" \ne ", r" \in "]), values).map("".join)
words = st.sampled_from(["odd n", "no solution", "All powers of 2", r"\text{Evelyn}", "yes", "n is prime", "(C)"])
golds = st.one_of(
    values, members.map(", ".join), members.map(lambda parts: rf"\{{{', '.join(parts)}\}}"), tuples, intervals, relations,
    words, st.lists(intervals, min_size=2, max_size=2).map(r" \cup ".join), st.lists(tuples, min_size=2, max_size=3).map(", ".join),
    values.map(lambda value: f"f(x) = {value}"), members.map(" : ".join), members.map(r" \text{ and } ".join),
    members.map(lambda parts: r"\begin{pmatrix} " + r" \\ ".join(parts) + r" \end{pmatrix}"),
    values.map(lambda value: rf"{value} \text{{ cm}}"), values.map(lambda value: rf"x \equiv {value} \pmod 7"),
    members.map(lambda parts: rf"{', '.join(parts)}, \ldots, n"), values.map(lambda value: rf"\sum_{{k=1}}^{{n}} {value}"),
)  # fmt: skip


def outcome(gold, text):
    verdict = grade_at_once(gold=gold, text=text)
    return (decide(verdict) if isinstance(verdict, Question) else verdict).outcome


@MANY
@given(st.text(max_size=300), golds)
def test_any_text_at_all_gets_an_outcome(text, gold):
    started = time.process_time()
    for reply in (text, rf"\boxed{{{text}}}", f"Answer: {text}", f"${text}$"):
        verdict = grade_at_once(gold=gold, text=reply)
        assert isinstance(verdict, Question) or verdict.outcome in OUTCOMES
    assert time.process_time() - started < 2


@MANY
@given(golds)
def test_a_gold_is_never_a_wrong_answer_to_itself(gold):
    assert outcome(gold, rf"So it is \boxed{{{gold}}}.") in ("right", "undecided")


@MANY
@given(st.text(min_size=1, max_size=40))
def test_nor_is_any_text_that_may_be_a_gold(gold):
    assume(not set(gold) & set("{}\\"))
    assert outcome(gold, rf"\boxed{{{gold}}}") != "wrong"


@FEW
@given(st.lists(constants, min_size=2, max_size=4, unique=True), st.lists(constants, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_a_set_changes_nothing(wanted, given_members, source):
    gold, other_gold = ", ".join(wanted), ", ".join(source.sample(wanted, len(wanted)))
    answers = [given_members, source.sample(given_members, len(given_members)), wanted]
    outcomes = [outcome(one, rf"\boxed{{\{{{', '.join(answer)}\}}}}") for one in (gold, other_gold) for answer in answers]
    assert outcomes[0] == outcomes[1] == outcomes[3] == outcomes[4]
    assert outcomes[2] == outcomes[5] == "right"


@FEW
@given(constants, constants)
def test_what_stands_around_an_answer_changes_nothing(gold, answer):
    plain = outcome(gold, rf"\boxed{{{answer}}}")
    for text in (rf"\boxed{{${answer}$}}", rf"We find $\boxed{{ {answer} }}$, as claimed.", rf"\[\boxed{{\displaystyle {answer}}}.\]",
                 rf"\boxed{{\boxed{{{answer}}}}}", rf"<think>Is it \boxed{{17}}?</think>\boxed{{{answer}}}", rf"\fbox{{{answer}}}",
                 rf"Is it 3? No.</think> It is \boxed{{{answer}}}", rf"\boxed{{{{{answer}}}}}", rf"\boxed{{\left({answer}\right)}}",
                 rf"First \boxed{{12345678}}. But then $\boxed{{{answer}}}$"):
        assert outcome(gold, text) == plain, text
    for text in (f"The answer is ${answer}$.", f"**Final Answer**\n\n$${answer}$$", rf"Hence \({answer}\)."):
        assert outcome(gold, text) == plain, text


@FEW
@given(st.one_of(constants, expressions), st.one_of(constants, expressions))
def test_which_of_two_values_is_the_gold_changes_nothing(one, other):
    outcomes = outcome(one, rf"\boxed{{{other}}}"), outcome(other, rf"\boxed{{{one}}}")
    assert outcomes[0] == outcomes[1] or "undecided" in outcomes  # 1/0 is no answer, and as a gold for a reader


@FEW
@given(intervals, intervals)
def test_an_interval_is_a_relation_whichever_is_the_gold(one, other):
    assume(r"\infty" not in other)
    low, high = other[1:-1].split(", ")
    sign = {"(": "<", ")": "<", "[": r"\le", "]": r"\le"}
    relation = f"{low} {sign[other[0]]} x {sign[other[-1]]} {high}"
    assert outcome(one, rf"\boxed{{{relation}}}") == outcome(relation, rf"\boxed{{{one}}}")
