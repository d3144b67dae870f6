"""Each check passes what keeps its promise and names what breaks it."""

import pytest

from tmas_assets.benchmarks import difference
from tmas_assets.checks.golds import check_golds
from tmas_assets.checks.key_letters import check_key_letters
from tmas_assets.checks.listed_differences import check_listed_differences
from tmas_assets.checks.unique_ids import check_unique_ids
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.pinned_release import Pin, check_generated_digest, check_pinned_digests
from tmas_assets.grading.gold_reply import gold_reply
from tmas_assets.records import Problem, canonical_json


def problem(id_="a", **changes):
    return Problem(**{"benchmark": "b", "release": "r", "id": id_, "statement": "What?", "answer": "1", "grader": "math",
                      "source": f"b.csv {id_}", **changes})


def choices(letters, options=4):
    data = canonical_json({"options": [str(n) for n in range(options)]})
    return [problem(str(n), answer=letter, grader="choice", grading_data=data) for n, letter in enumerate(letters)]


@pytest.fixture(scope="module")
def submit():
    with Graders(max_workers=1) as graders:
        yield graders.submit


def test_an_id_on_two_items_is_named_with_both_rows():
    finding = check_unique_ids([problem("fig-207"), problem("b"), problem("fig-207", statement="Who?", source="b.csv z")])
    assert not finding.passed
    (offence,) = finding.offences
    assert offence.id == "fig-207"
    assert "b.csv fig-207 ('What?')" in offence.what
    assert "b.csv z ('Who?')" in offence.what


def test_different_ids_pass():
    finding = check_unique_ids([problem("a"), problem("A"), problem("a "), problem("a/b"), problem("a%2Fb")])
    assert finding.passed
    assert finding.looked_at == 5


def test_golds_that_hold_pass(submit):
    golds = [r"$\frac{7}{18}$", "045", "$a$ and $b$", r"even $n$", "4, 5", r"$\{1, 2\}$"]
    finding = check_golds([problem(str(n), answer=gold) for n, gold in enumerate(golds)], submit)
    assert finding.passed, finding.offences
    assert "0 wrong, 0 failed" in finding.said


def test_a_gold_that_its_grader_cannot_use_is_named(submit):
    finding = check_golds([problem("a"), problem("b", answer=r"\frac{7}{18"), problem("c", answer="x", grader="integer")], submit)
    assert not finding.passed
    assert [offence.id for offence in finding.offences] == ["b", "c"]
    assert finding.severity == "error"


def test_concepts_hold_where_their_bare_list_is_not_right(submit):
    words = ["dog", "park", "run", "ball"]
    one = problem(answer=", ".join(words), grader="concepts", grading_data=canonical_json({"concepts": words}))
    assert check_golds([one], submit).passed


def test_the_reply_of_a_faultless_solver_is_in_the_form_its_grader_reads():
    assert gold_reply(problem(answer="7")) == r"The answer is \boxed{7}."
    assert gold_reply(problem(answer="def f(): pass", grader="code")) == "```python\ndef f(): pass\n```"
    assert gold_reply(problem(answer="dog, park", grader="concepts")) == "dog, park"


def test_the_pinned_digest_has_to_be_the_one_the_table_was_made_from():
    pins = [Pin("a.csv", "1" * 64, "the benchmark"), Pin("b.csv", "2" * 64, "the benchmark")]
    assert check_pinned_digests(pins, {"a.csv": "1" * 64, "b.csv": "2" * 64}).passed
    finding = check_pinned_digests(pins, {"a.csv": "1" * 64, "b.csv": "3" * 64})
    assert [offence.id for offence in finding.offences] == ["b.csv"]
    assert not check_pinned_digests(pins, {"a.csv": "1" * 64}).passed, "a file the table does not record"
    assert not check_pinned_digests([Pin("a.csv", None, "its first load here")], {}).passed, "nothing known is no match"


def test_a_generator_has_to_give_what_it_gave_the_first_time():
    assert check_generated_digest("1" * 64, "1" * 64, "gym 1").passed
    finding = check_generated_digest("1" * 64, "2" * 64, "gym 1")
    assert not finding.passed
    assert "by the same settings" in finding.said


def test_a_gold_that_changed_in_place_is_a_warning_and_other_changes_are_listed():
    before = [problem("a"), problem("b"), problem("c")]
    after = [problem("a", answer="2"), problem("b", statement="Who?"), problem("d")]
    finding = check_listed_differences(3, difference(before, after), None, "no release before it")
    assert not finding.passed
    assert finding.severity == "warn"
    assert [offence.id for offence in finding.offences] == ["a"]
    assert "'1' is now '2'" in finding.offences[0].what
    assert [one.id for one in finding.listed] == ["b", "d", "c"]
    assert finding.said == (
        "since the last different table: 1 added, 1 gold, 1 removed, 1 statement; no release before it")


def test_golds_that_changed_between_two_releases_are_listed_only():
    finding = check_listed_differences(1, (), difference([problem()], [problem(answer="2")]), "v1")
    assert finding.passed
    assert [one.id for one in finding.listed] == ["a"]
    assert "since release v1: 1 gold" in finding.said


@pytest.mark.parametrize("letters", ["D" * 198, "B" * 40, "AB" * 99, "A" * 90 + "BCD" * 36])
def test_a_skewed_key_is_named_with_what_a_constant_letter_scores(letters):
    finding = check_key_letters(choices(letters))
    assert not finding.passed
    most = max(letters.count(letter) for letter in "ABCD")
    assert f"{most / len(letters):.0%}" in finding.offences[0].what


@pytest.mark.parametrize("letters", ["ABCD" * 50, "A" * 40 + "B" * 52 + "C" * 50 + "D" * 56, "AAAAB"])
def test_a_near_uniform_key_passes_and_a_short_one_is_not_tested(letters):
    assert check_key_letters(choices(letters)).passed


def test_problems_of_different_numbers_of_options_are_tested_apart():
    finding = check_key_letters([*choices("ABC" * 40, options=3), *choices("A" * 40, options=4)])
    assert [offence.id for offence in finding.offences] == ["4 options"]


def test_a_benchmark_without_letters_passes():
    assert check_key_letters([problem()]).said == "no problems with lettered options"
