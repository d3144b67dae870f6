"""MAS-TTS tries solutions out: who writes tests, what they see, when they are written anew, and who hears what came of it."""

import json

import pytest

from tests.strategies.adaptive import REFUSED, cast, conclusion, prompts, run, turn, verdict, votes
from tests.strategies.team import LocalTeam
from tmas_assets.agents.mas_tts.trial import Execution
from tmas_assets.records import Problem
from tmas_assets.strategies import Ran
from tmas_assets.strategies.mas_tts import Settings

CODE = Problem(
    benchmark="toy", release="1", id="p", statement="Write a function f(n) that returns twice n.", answer="GOLDEN", grader="code",
    grading_data=json.dumps({"tests": "assert f(7) == 'HIDDEN'", "entry_point": "f"}),
)  # fmt: skip
CONCEPTS = Problem(
    benchmark="toy", release="1", id="c", statement="Use dog, run, tree.", answer="dog, run, tree", grader="concepts",
    grading_data=json.dumps({"concepts": ["dog", "run", "tree"]}),
)  # fmt: skip
FRAMES = '  File "answer.py", line 9, in <module>\n  File "tests", line 1, in <module>\n'
PASSED = Ran(stdout="seen by f\n", stderr="", ended="passed")
TESTS_FAULT = Ran(stdout="", stderr=FRAMES + "TypeError: f() takes 2", ended="exit status 1")
FAILED = Ran(stdout="", stderr=FRAMES + "AssertionError", ended="exit status 1")


def team(result: Ran = PASSED, **says) -> LocalTeam:
    usual = {"solution": "```python\ndef f(n):\n    return 2 * n  # CANDIDATE\n```"} | says
    made = LocalTeam(cast(**usual).answer, runs=lambda program: result)
    return made


def test_the_executor_writes_tests_from_the_statement_alone():
    asked = team()
    run(asked, Settings(), 1, CODE)
    [prompt] = prompts(asked, "executor")
    assert CODE.statement in prompt
    assert not any(word in prompt for word in ("CANDIDATE", "GOLDEN", "HIDDEN"))
    everything = "".join(message.content for request in asked.asked for message in request.messages)
    assert "GOLDEN" not in everything
    assert "HIDDEN" not in everything


def test_the_candidates_code_runs_with_the_written_tests_and_the_evaluator_hears_of_it():
    asked = team()
    made = run(asked, Settings(), 1, CODE)[0]
    [program] = asked.ran
    assert "CANDIDATE" in program
    assert "assert f(2) == 4" in program
    assert "HIDDEN" not in program
    found = turn(made, Execution)
    assert (found.kind, found.written, found.ended, found.stdout, found.broken) == ("tests", "assert f(2) == 4", "passed", "seen by f\n", None)
    [logged] = [one for one in made.memory.turns if one.kind == "Execution"]
    assert (logged.role, logged.about, logged.trace is not None) == ("executor", ("r0t00c0",), True)
    [evaluator] = prompts(asked, "evaluator")
    assert "Result: passed" in evaluator
    assert "seen by f" in evaluator


@pytest.mark.parametrize("result", [PASSED, FAILED])
def test_tests_that_did_not_prove_broken_are_used_again_and_not_paid_for_twice(result):
    asked = team(result, critic=votes("disagree"))
    made = run(asked, Settings(critic_iterations=1), 3, CODE)
    assert len(asked.by_role("executor")) == 1
    assert len(asked.ran) == 3
    turns = [one for round_ in made for one in round_.memory.turns if one.kind == "Execution"]
    assert [one.trace is not None for one in turns] == [True, False, False]
    assert conclusion(made[2]).spent.calls == len(asked.asked)


@pytest.mark.parametrize(
    ("says", "result", "reason"),
    [
        ({}, TESTS_FAULT, "line 1 of the tests stopped with TypeError"),
        ({}, FAILED, "fails on a solution that all critics agree on"),
        ({"executor": "```python\nassert g(2) == 4\n```"}, PASSED, "need g, which the problem does not mention"),
    ],
)
def test_broken_tests_are_written_anew_in_the_next_round_with_what_was_wrong(says, result, reason):
    asked = team(result, **says)
    made = run(asked, Settings(), 2, CODE)
    assert reason in turn(made[0], Execution).broken
    first, second = prompts(asked, "executor")
    assert "did not work" not in first
    assert "did not work" in second
    assert reason in second
    assert turn(made[0], Execution).written in second
    assert "The tests are broken, so this says nothing of the solution" in prompts(asked, "evaluator")[0]


@pytest.mark.parametrize("reply", ["I have no tests.", "", REFUSED])
def test_without_usable_tests_nothing_runs_the_evaluator_judges_by_itself_and_they_are_asked_for_again(reply):
    asked = team(executor=reply)
    made = run(asked, Settings(), 2, CODE)
    assert asked.ran == []
    assert "tried out" not in prompts(asked, "evaluator")[0]
    assert len(asked.by_role("executor")) == 2
    [logged] = [one for one in made[0].memory.turns if one.kind == "Execution"]
    assert (logged.data, logged.parse) == (None, "parse_error" if reply == "I have no tests." else "failed")


def test_execution_can_be_turned_off():
    asked = team()
    run(asked, Settings(execute="off"), 1, CODE)
    assert asked.ran == []
    assert not asked.by_role("executor")


def test_a_solution_without_code_is_told_to_the_evaluator_and_not_run():
    asked = team(solution="")
    run(asked, Settings(), 1, CODE)
    assert asked.ran == []


def test_a_spent_budget_writes_no_tests():
    asked = team()
    run(asked, Settings(token_budget=1, experts=1, ceo=False), 1, CODE)
    assert not asked.by_role("executor")
    assert asked.ran == []


def test_a_code_round_makes_one_call_more_where_tests_are_written():
    for problem, more in ((CODE, 1), (CONCEPTS, 0)):
        asked = team()
        run(asked, Settings(), 1, problem)
        assert len(asked.asked) == 1 + 1 + 1 + 2 + more + 1


def test_words_of_a_text_are_counted_without_a_call_and_the_evaluator_hears_which_are_missing():
    asked = team(solution="A dog ran over the green meadow.")
    made = run(asked, Settings(), 1, CONCEPTS)[0]
    assert turn(made, Execution).missing == ("tree",)
    assert not asked.by_role("executor")
    assert asked.ran == []
    assert "Words not used: tree" in prompts(asked, "evaluator")[0]


def test_a_program_of_standard_input_runs_on_an_input_that_the_executor_wrote():
    problem = CODE.model_copy(update={"grading_data": json.dumps({"stdin": "HIDDEN", "stdout": "14"})})
    asked = team(solution="```python\nprint(2 * int(input()))\n```", executor="```\n7\n```", evaluator=verdict("accept"))
    made = run(asked, Settings(), 1, problem)[0]
    assert turn(made, Execution).kind == "input"
    assert asked.ran[0].strip() == "print(2 * int(input()))"
    assert "HIDDEN" not in prompts(asked, "executor")[0]
    assert "one small input" in prompts(asked, "executor")[0]
