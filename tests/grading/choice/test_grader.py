"""The stated letter, whatever the reply wraps around it; two letters are none; a constant letter earns no more than chance."""

import json
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmas_assets.grading.choice.grader import grade_at_once, letter_of, options_of
from tmas_assets.grading.pool import GraderPool
from tmas_assets.records import Problem

OPTIONS = json.dumps({"options": ["2.1 eV", "3.2 eV", r"\frac{1}{2}", "both A and B"]})
PIECES = [
    "A", "B", "C", "I", "a", "(B)", "Answer: ", "answer is ", "option ", "not ", " or ", " and ", ", ", r"\boxed{", "}", "{", "(", ")",
    "\n", " ", ". ", "? ", ": ", "**", "$", "<think>", "</think>", "答案", "选", "是", "故选", "Antwort ", "ist ", "3.2 eV", "rather than ",
    "fails ", "must be ", "so ", "It is correct. ", "Wait, ", "none of ", r"\text{", r"\Delta ", "Ｂ", "E. coli ", "|", "✓", "~~", "_", "-",
]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.text(max_size=80))


def letter(text, options="", gold="A"):
    return grade_at_once(gold=gold, text=text, grading_data=options).extracted


@given(TEXTS, st.sampled_from("ABCD"), st.sampled_from(["", OPTIONS]))
def test_any_text_is_right_or_wrong(text, gold, options):
    verdict = grade_at_once(gold=gold, text=text, grading_data=options)
    assert verdict.outcome == ("right" if verdict.extracted == gold else "wrong")


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join), st.sampled_from(["", " Answer: B", "\nB"]))
@settings(max_examples=30)
def test_a_long_loop_of_anything_takes_no_time(loop, end):
    text = (loop * 200_000)[:200_000] + end
    started = time.process_time()
    grade_at_once(gold="A", text=text, grading_data=OPTIONS)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("piece", [
    "(", "{", "\\", r"\boxed{", r"\boxed{A} ", "<think>", "Answer: ", "Answer: A or ", "answer to x ", "\n", "B\n", "A, ", "| A |", "答案", "选",
    "\nno, ", "Wait ", ", wait, ", "A) x ", "(A) x\n", "Answer: A, ", "Answer: A\n", "/A/ ", "<A>\n", "ب ", "A–", "~~", "_a_ ", "<b", "- A correct\n", "it must be C. ", "\ue000", "ﷺ",
])  # fmt: skip
def test_a_flood_takes_no_time(piece):
    text = (piece * 200_000)[:200_000]
    started = time.process_time()
    for end in ("", " Answer: B", "\nB"):
        grade_at_once(gold="A", text=text + end, grading_data=OPTIONS)
    assert time.process_time() - started < 4


@given(st.sampled_from("ABCDEFGHIJ"), st.sampled_from([
    "{}", "({})", "**{}**", "Answer: {}", "**ANSWER: {}**", "The answer is {}.", r"\boxed{{{}}}", r"$\boxed{{\text{{{}}}}}$", "Option {}",
    "The correct option is ({}).", "故选 {}。", "答案：{}", "Antwort: {}", "Réponse : {}", "Ответ: {}", "答えは{}です", "정답은 {}입니다", "الإجابة: {}",
    '{{"answer": "{}"}}', "<answer>{}</answer>", "Answer: {}) some text", "I choose {}.", "{} is the correct answer.", "It has to be {}.",
]), st.booleans())  # fmt: skip
def test_every_letter_is_read_in_every_wrapping(wanted, wrapping, thinking):
    before = "<think>Answer: A. Answer: B. Answer: C</think>\n" if thinking else ""
    assert letter(before + wrapping.format(wanted)) == wanted


@given(st.permutations("ABCD"), st.sampled_from(["Answer: {} or {}", "Answer: {} and {}", "Answer: {}, {}", "{} or {}", r"\boxed{{{}, {}}}",
                                                 r"\boxed{{{}}} and \boxed{{{}}}", "The answer is either {} or {}."]))
def test_two_letters_are_never_right(letters, wrapping):
    text = wrapping.format(*letters[:2])
    assert [grade_at_once(gold=gold, text=text).outcome for gold in "ABCD"] == ["wrong"] * 4


@given(st.text(alphabet=st.characters(exclude_categories=["L"]), max_size=60))
def test_a_text_without_letters_names_none(text):
    # letters of other shapes (full-width, circled) are symbols to Unicode, and are letters here
    found = letter(text)
    assert found is None or any(not sign.isascii() for sign in text)


def test_the_letters_reach_as_far_as_the_options():
    assert letter("Answer: E", OPTIONS) is None
    assert letter("Answer: J") == "J"
    assert letter("Answer: K") is None
    assert letter("Answer: M", gold="M") == "M"


def test_the_text_of_one_option_counts_and_of_two_it_does_not():
    assert letter("The answer is 3.2 eV.", OPTIONS) == "B"
    assert letter(r"\boxed{0.5}", OPTIONS) == "C"
    assert letter("Answer: both A and B", OPTIONS) == "D"
    assert letter("Answer: 3.2 eV", json.dumps({"options": ["3.2 eV", "3.2 eV", "1"]})) is None
    assert letter("Answer: 5 meV", json.dumps({"options": ["5 MeV", "5 meV"]})) == "B"


@pytest.mark.parametrize(("gold", "options", "wanted"), [
    ("B", (), "B"), ("b", (), "B"), (" (B) ", (), "B"), ("B.", (), "B"), ("Z", (), "Z"), ("7", (), None), ("", (), None), ("A, B", (), None),
    ("E", ("1", "2"), None), ("2", ("1", "2"), "B"), ("B", ("B", "A"), "B"),
])  # fmt: skip
def test_a_gold_is_a_letter_or_the_text_of_an_option(gold, options, wanted):
    assert letter_of(gold, options) == wanted


@pytest.mark.parametrize("data", ["{", "[]", '{"options": "AB"}', '{"options": [1, 2]}', '{"options": ["a"]}', json.dumps({"options": ["x"] * 27})])
def test_unusable_options_are_a_failure_and_not_an_answer(data):
    verdict = grade_at_once(gold="A", text="Answer: A", grading_data=data)
    assert (verdict.outcome, verdict.failure.kind) == ("failed", "bad_options")
    with pytest.raises(ValueError):  # noqa: PT011 - JSON's own error among them
        options_of(data)


def test_a_gold_that_is_no_option_is_a_failure():
    verdict = grade_at_once(gold="17", text="Answer: A")
    assert (verdict.outcome, verdict.failure.kind) == ("failed", "unparseable_gold")


def test_a_constant_letter_earns_a_quarter_of_shuffled_items():
    draw = random.Random(7)
    right = dict.fromkeys("ABCD", 0)
    with GraderPool() as graders:
        for item in range(2_000):
            texts = [f"{item}.{place} eV" for place in range(4)]
            draw.shuffle(texts)
            gold = "ABCD"[texts.index(f"{item}.0 eV")]
            problem = Problem(benchmark="made up", release="1", id=str(item), statement="", answer=gold, grader="choice",
                              grading_data=json.dumps({"options": texts}))
            for constant in right:
                right[constant] += graders.grade_sync(problem, f"The answer is {constant}.").outcome == "right"
    assert sum(right.values()) == 2_000
    assert all(0.22 < count / 2_000 < 0.28 for count in right.values()), right


@given(st.permutations("ABCD"), st.sampled_from([
    "Answer: {}) 5 {}) 6 {}) 7", "Answer: ({}) 5 ({}) 6", "Answer: {}. red\n{}. green\n{}. blue", "Answer: {}) red, {}) green", "Answer: {}) 5 or {}) 6",
    r"\boxed{{{}) 5 {}) 6}}", "Answer: {}–{}", "Answer: {}—{}", "Answer: {} and/or {}", "Answer: {}, Answer: {}, Answer: {}", "Answer: {}. Answer: {}.",
]))  # fmt: skip
def test_options_that_are_listed_are_no_answer(letters, wrapping):
    text = wrapping.format(*sorted(letters[:3]))
    assert [grade_at_once(gold=gold, text=text).outcome for gold in "ABCD"] == ["wrong"] * 4


@given(st.permutations("ABCD"), st.sampled_from([
    "Answer: {0}. Actually, it is {1}.", "Answer: {0}. Wait, {1}.", "Answer: {0}, no wait, {1}", "Final answer: {0}. Sorry, I meant {1}.", "Answer: {0} - no, {1}",
    "Answer: {0}, or rather {1}", "Answer: {0}. On second thought, it's {1}.", "Answer: {0}\n\nHmm, it should be {1}.", "Answer: ruling out {0}, {2} and {3} gives {1}",
    "Answer: setting aside {0} yields {1}", "Answer: having excluded {0}, {2} and {3}, {1}", "Answer: crossing out {0} and {2}, we get {1}",
    "Answer: it can't be {0} or {2}; {1}", "Answer: not {0}, {1}", "Answer: {1} (although {0} is tempting)", "Answer: {1}, even though {0} looks right",
    "Answer: {1}. No, {0} is not it.", "Answer: everything but {1} fails", "Answer: {1}; {0} and {2} are wrong",
]))  # fmt: skip
def test_the_letter_that_is_left_or_corrected_to_counts(letters, wrapping):
    assert letter(wrapping.format(*letters)) == letters[1]


@pytest.mark.parametrize("text", ["anything but A", "everything but A", "all except A", "any option but A", r"\boxed{-A}"])
def test_all_but_one_is_not_that_one(text):
    assert letter(text if text.startswith("\\") else f"Answer: {text}") is None


@pytest.mark.parametrize(("script", "mark"), [("أبجد", "الإجابة: {}"), ("অবডঢ", "উত্তর: {}"), ("কখগঘ", "উত্তর: ({})"), ("कखगघ", "उत्तर: {}"), ("ＡＢＣＤ", "答え：{}")])
def test_letters_of_other_scripts_count_in_their_order(script, mark):
    assert [letter(mark.format(own)) for own in script] == list("ABCD")
