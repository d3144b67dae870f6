"""What a decision's report says: registers, the repeat on top, marks of people, and no text read as markup."""

import re
from itertools import pairwise

from tests.reports.decided import finding, repeat, report, voice
from tmas_assets.records import Dissent, Quantity
from tmas_assets.reports.decision_markdown import decision_markdown
from tmas_assets.reports.decision_report import assumptions, calculations, decision_page, risks

HOSTILE = "# x\n| a | <script>alert(1)</script> [l](javascript:x) ![i](http://h/i.png) `c` **b** $x$"


def test_the_last_readable_finding_of_a_seat_stands_and_a_lost_one_takes_nothing_back():
    one = repeat("text")
    assert [(said.seat, said.round) for said in one.standing] == [("market", 2)]
    assert [said.turn for said in one.lost] == ["r0t01/risk/expert"]
    lost = one.voices[-1].model_copy(update={"seat": "market", "round": 3})
    assert [(said.seat, said.round) for said in one.model_copy(update={"voices": (*one.voices, lost)}).standing] == [("market", 2)]


def test_assumptions_are_whatever_no_evidence_backs_each_once_with_who_made_it():
    said = [voice("", said=finding("They buy it")), voice("", "risk", said=finding("they  buy IT", expert="risk"))]
    lines = assumptions(said)
    assert [(line.text, line.seats) for line in lines if "=" not in line.text] == [
        ("They buy it", ("market", "risk")), ("They buy it!", ("market", "risk"))]
    assert [line.text for line in lines if "=" in line.text] == ["They buy it: guess = 9"]


def test_an_input_with_evidence_is_no_assumption():
    [calculation] = finding("x").calculations
    backed = calculation.model_copy(update={"inputs": (Quantity(name="price", value=24, source="costs"),)})
    said = voice("", said=finding("x", calculations=(backed,), assumptions=(), evidence=()))
    assert assumptions([said]) == ()


def test_the_gravest_risks_come_first():
    kinds = [("low", "low"), ("low", "high"), ("high", "low"), ("medium", "medium"), ("high", "high")]
    said = finding("x", risks=[{"text": f"{one} {two}", "likelihood": one, "impact": two} for one, two in kinds])
    assert [line.text for line in risks([voice("", said=said)])] == [
        "high high", "medium medium", "low high", "high low", "low low"]


def test_calculations_keep_formula_inputs_and_what_came_out():
    [line] = calculations([voice("margin")])
    assert (line.seat, line.calculation.claimed, line.calculation.result) == ("market", 15, 15)


def test_the_repeat_on_top_decided_as_most_did():
    made = report("text")
    assert made.flips.commonest == "no_go"
    assert made.first.repeat == 1


def test_an_unfinished_decision_has_a_page_that_says_so():
    empty = report("text", repeats=(), checks=(), tokens=(), people=(), audit=())
    from tmas_assets.statistics.flips import flips

    empty = empty.model_copy(update={"flips": flips([]), "status": "not begun"})
    assert "not begun" in decision_page(empty)
    assert "nobody has decided" in decision_page(empty)
    assert "no decision" in decision_markdown(empty)


def test_the_same_report_gives_the_same_bytes():
    assert decision_page(report("text")) == decision_page(report("text"))
    assert report("text").model_dump_json() == report("text").model_dump_json()


def test_no_text_is_read_as_markdown():
    text = decision_markdown(report(HOSTILE))
    assert re.search(r"(?<!\\)<", text) is None
    assert re.search(r"(?<!\\)(\]\(|!\[|`)", text) is None
    bars = [len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0 for line in text.splitlines()]
    # every line of a table has as many columns as the one above it
    assert not [(one, two) for one, two in pairwise(bars) if one and two and one != two]
    assert sum(bars) > 50
    assert not [line for line in text.splitlines() if line.startswith("# ") and not line.startswith("# \\# x")]


def test_what_a_person_wrote_is_marked_on_page_and_in_markdown():
    made = report("Ann")
    assert "written by Ann" in decision_page(made)
    assert "(written by Ann)" in decision_markdown(made).replace("\\", "")


def test_every_place_with_a_text_that_a_person_wrote_carries_the_mark():
    one = repeat("x", 1, "no_go")
    decision = one.decision.model_copy(update={"dissent": (Dissent(expert="market", verdict="support", steps=1, reason="x"),)})
    by = {"voices": (*one.voices[:1], voice("x", round_=2, model="person: Ann"), *one.voices[2:]), "decision": decision,
          "plan_by": "Bob", "orders_by": ("Cas",), "decision_by": "Dee"}  # fmt: skip
    made = report("x").model_copy(update={"repeats": (repeat("x"), one.model_copy(update=by))})
    sections = {part.split('"')[0]: part for part in decision_page(made).split('<section id="')}
    written = {name: set(re.findall(r"written by (\w+)", part)) for name, part in sections.items()}
    assert written["decision"] == {"Dee"}
    assert written["plan"] == {"Bob", "Cas"}
    assert all(written[name] == {"Ann"} for name in ("scores", "dissent", "assumptions", "risks", "calculations"))
    assert sections["dissent"].count("written by Ann") == 3  # its dissent, what it lacks, and its contradiction
    text = decision_markdown(made)
    marks = dict.fromkeys(("## No go", "## Plan", "- continue", "- market", "| market"), "")
    for line in text.splitlines():
        for start in marks:
            marks[start] += line if line.startswith(start) and "seat" not in line else ""
    found = {start: set(re.findall(r"written by (\w+)", line)) for start, line in marks.items()}
    assert found == {"## No go": {"Dee"}, "## Plan": {"Bob"}, "- continue": {"Cas"}, "- market": {"Ann"}, "| market": {"Ann"}}


def test_what_was_told_to_differ_or_lacks_evidence_is_no_dissent():
    text = decision_markdown(report("x"))
    assert [line for line in text.splitlines() if line.startswith("### ")][2:5] == [
        "### Dissent", "### Lacking evidence", "### Red team, told to argue the opposite"]  # fmt: skip
    page = decision_page(report("x"))
    assert "Lacking evidence" in page
    assert "Red team, told to argue the opposite" in page
