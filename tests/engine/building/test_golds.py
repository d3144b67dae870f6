"""Golds that a reward can be paid by are kept in order; every other one is dropped with its reason, and nothing is guessed."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tmas_assets.engine.building import golds
from tmas_assets.engine.building.golds import GoldFault, sound
from tmas_assets.engine.graders import Graders
from tmas_assets.records import Failure, Problem, SourceProblem, Verdict, canonical_json


@pytest.fixture(scope="module")
def submit():
    with Graders(max_workers=1) as graders:
        yield graders.submit


def candidate(answer, id_="s/1", statement="What is it?", grader="math", **changes):
    problem = Problem(benchmark="problem_file", release="r", id=id_, statement=statement, answer=answer, grader=grader, source="f 1", **changes)
    return SourceProblem(problem=problem, source="s", licence="MIT", topic="s")


def reasons(candidates, submit):
    return [one.reason for one in sound(candidates, submit).dropped]


@pytest.mark.parametrize("gold", ["7", "007", r"\frac{1}{2}", r"$x^2+1$", r"\left(3, \frac{\pi}{2}\right)", r"\text{even}", "10^{100}", r"[1, \infty)"])
def test_a_gold_that_equals_itself_is_kept(submit, gold):
    assert sound([candidate(gold)], submit).kept == (candidate(gold),)


@pytest.mark.parametrize("gold", [None, "", " \n"])
def test_a_missing_gold_is_dropped(submit, gold):
    assert reasons([candidate(gold)], submit) == ["no gold"]


@pytest.mark.parametrize("gold", [r"\begin{cases", r"\frac{7}{18", r"\begin{pmatrix} 1 \\ 2", r"x}"])
def test_a_gold_that_does_not_parse_is_dropped_and_never_pays(submit, gold):
    (one,) = sound([candidate(gold)], submit).dropped
    assert one.reason == "unparseable gold"
    assert gold.replace("\\", "\\\\") in one.detail


def test_a_gold_that_is_no_integer_under_the_grader_of_integers_is_dropped(submit):
    assert reasons([candidate("x", grader="integer"), candidate("7.5", grader="integer")], submit) == ["unparseable gold"] * 2


@pytest.mark.parametrize(
    ("statement", "gold"), [(r"Find $x$. \boxed{55}", "55"), ("Find x. The answer is 55.", "55"), ("Add them, 1 + 2 + ... + 10 = 55. What is it?", "55")])
def test_a_gold_that_its_statement_gives_away_is_dropped(submit, statement, gold):
    (one,) = sound([candidate(gold, statement=statement)], submit).dropped
    assert one.reason == "leaked gold"
    assert "'55'" in one.detail or "= 55" in one.detail


def test_a_reference_program_that_fails_its_own_tests_is_dropped_with_the_reason():
    data = canonical_json({"tests": "assert f(2) == 4", "entry_point": "f"})
    good, bad = (candidate(f"def f(x):\n    return x * {by}\n", id_, grader="code", grading_data=data) for id_, by in (("s/1", "x"), ("s/2", "3")))
    with Graders(max_workers=2) as graders:
        found = sound([good, bad], graders.submit)
    assert found.kept == (good,)
    (one,) = found.dropped
    assert (one.problem, one.reason) == ("s/2", "not equal to itself")
    assert "a test fails (line 1 of the tests)" in one.detail


@pytest.mark.parametrize("data", ["", "{}", '{"options": "x"}'])
def test_grading_data_that_its_grader_cannot_use_is_a_reason_of_its_own(data):
    grader, answer = ("choice", "A") if "options" in data else ("code", "def f(): pass")
    with Graders(max_workers=1) as graders:
        assert reasons([candidate(answer, grader=grader, grading_data=data)], graders.submit) == ["bad grading data"]


def test_a_key_letter_that_no_option_has_is_dropped(submit):
    data = canonical_json({"options": ["3", "4"]})
    assert reasons([candidate("E", grader="choice", grading_data=data), candidate("B", grader="choice", grading_data=data)], submit) == ["unparseable gold"]


def fixed(verdict):
    def submit(problem, text):
        done = Future()
        done.set_result(verdict)
        return done

    return submit


def failed(kind):
    return fixed(Verdict(outcome="failed", failure=Failure(boundary="grader", kind=kind, detail="as told")))


def test_a_gold_that_rules_leave_undecided_or_too_long_is_dropped():
    assert reasons([candidate("7")], fixed(Verdict(outcome="undecided", extracted="7"))) == ["undecided"]
    (one,) = sound([candidate("7")], failed("timeout")).dropped
    assert (one.reason, one.detail) == ("undecided", "gold '7', timeout: as told")


def test_a_gold_in_words_only_that_the_rules_read_differently_never_passes_silently(submit):
    found = sound([candidate("7", "s/1"), candidate(r"\text{see the figure } \boxed{}", "s/2")], submit)
    assert [one.problem.id for one in found.kept] == ["s/1"]
    assert len(found.dropped) == 1


@pytest.mark.parametrize("kind", ["sandbox", "crash"])
def test_a_grader_that_breaks_is_an_error_and_drops_nothing(kind):
    with pytest.raises(GoldFault, match=rf"gold of s/1 \(f 1\): grader math does not work here, {kind}: as told\. .*mend that and build again"):
        sound([candidate("7")], failed(kind))


def test_without_a_sandbox_no_reference_program_is_judged(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    data = canonical_json({"tests": "assert f(2) == 4", "entry_point": "f"})
    with Graders(max_workers=1) as graders, pytest.raises(GoldFault, match="grader code does not work here, sandbox"):
        sound([candidate("def f(x):\n    return x * x\n", grader="code", grading_data=data)], graders.submit)


def test_order_is_that_of_the_candidates_whatever_order_grades_come_in():
    candidates = [candidate("7" if n % 3 else None, f"s/{n}", statement=f"What is it, {n}?") for n in range(60)]
    with ThreadPoolExecutor(8) as pool:

        def submit(problem, text):
            number = int(problem.id.removeprefix("s/"))
            outcome = "right" if number % 2 else "wrong"
            return pool.submit(lambda: time.sleep(0.002 * (7 - number % 8)) or Verdict(outcome=outcome))

        found = sound(candidates, submit)
    order = [one.problem.id for one in candidates]
    assert [one.problem.id for one in found.kept] == [id_ for n, id_ in enumerate(order) if n % 3 and n % 2]
    assert [(one.problem, one.reason) for one in found.dropped] == [
        (id_, "not equal to itself" if n % 3 else "no gold") for n, id_ in enumerate(order) if not (n % 3 and n % 2)]


def test_no_more_grades_are_on_their_way_than_the_window_holds(monkeypatch):
    monkeypatch.setattr(golds, "_WINDOW", 10)
    under_way, most, lock = 0, 0, threading.Lock()
    with ThreadPoolExecutor(4) as pool:

        def work():
            nonlocal under_way
            time.sleep(0.001)
            with lock:
                under_way -= 1
            return Verdict(outcome="right")

        def submit(problem, text):
            nonlocal under_way, most
            with lock:
                under_way += 1
                most = max(most, under_way)
            return pool.submit(work)

        assert len(sound([candidate("7", f"s/{n}") for n in range(200)], submit).kept) == 200
    assert most <= 10


def test_golds_are_sound_at_a_thousand_in_a_few_seconds_and_all_are_accounted_for(submit):
    candidates = [candidate(str(n) if n % 100 else None, f"s/{n}", statement="How many?") for n in range(1_000)]
    started = time.process_time()
    found = sound(candidates, submit)
    assert (len(found.kept), len(found.dropped)) == (990, 10)
    assert time.process_time() - started < 5
