"""The agents of RSE: what a distillation is shown and told, how both are read, and the order of a guided prompt."""

import json

import pytest
from jsonschema import Draft202012Validator

from tmas_assets.agents import Limits, distillation, guided, solution
from tmas_assets.records import BankUpdate, Failure, MemoryEntry


def note(id_, polarity, text, support=1):
    return MemoryEntry(
        id=id_, bank="experience", polarity=polarity, text=text, born=0, sources=(), last_seen=0, support=support
    )


def test_a_distillation_shows_problem_and_solution_stays_neutral_and_never_shows_a_gold(problem, ask, rollout):
    made = distillation.ask(problem, ask(), rollout=rollout("we add"), findings=1, limits=Limits())
    text = made.messages[-1].content
    assert text.startswith(f"Problem: {problem.statement}\n\nSolution:\n~~~\nwe add\n~~~\n\nTask: ")
    assert "Nobody knows whether the solution above is right: do not judge" in text
    assert text.count("at most 1") == 2
    assert problem.answer not in text.replace(problem.statement, "")


def test_a_distillation_shares_its_beginning_with_a_verification(problem, ask, rollout):
    from tmas_assets.agents import verification

    made = distillation.ask(problem, ask(), rollout=rollout("we add " * 500), findings=3, limits=Limits())
    other = verification.ask(problem, ask(), proof=False, rollout=rollout("we add " * 500), limits=Limits())
    assert made.messages[0] == other.messages[0]
    assert made.messages[1].content.split("Task: ")[0] == other.messages[1].content.split("Task: ")[0]


@pytest.mark.parametrize("max_tokens", [64, 256, 4096])
def test_a_reply_of_the_schema_is_read_whatever_the_budget(problem, ask, rollout, call, max_tokens):
    made = distillation.ask(
        problem, ask(max_tokens=max_tokens, structured=True), rollout=rollout("x"), findings=2, limits=Limits()
    )
    schema = json.loads(made.response_schema)
    reply = {"propositions": ["The sum is seven."], "pitfalls": ["Signs get lost."]}
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(reply)
    assert not Draft202012Validator(schema).is_valid({"propositions": reply["pitfalls"] * 3, "pitfalls": []})
    assert distillation.read(call(json.dumps(reply))).update == BankUpdate(
        added=(("conclusion", "The sum is seven."), ("pitfall", "Signs get lost."))
    )


def test_on_a_short_budget_no_more_lines_are_asked_for_than_fit(problem, ask, rollout):
    short, long = (
        distillation.ask(problem, ask(max_tokens=budget), rollout=rollout("x"), findings=9, limits=Limits())
        for budget in (256, 4096)
    )
    assert "at most 2" in short.messages[-1].content
    assert "at most 9" in long.messages[-1].content


def test_only_what_was_asked_for_structured_carries_a_schema(problem, ask, rollout):
    made = distillation.ask(problem, ask(), rollout=rollout("x"), findings=2, limits=Limits())
    assert made.response_schema is None


def test_more_lines_than_asked_for_are_read_and_one_without_words_is_left_aside(call):
    reply = {"propositions": ["one", "two  \n lines", "..."], "pitfalls": []}
    found = distillation.read(call(f"Here:\n```json\n{json.dumps(reply)}\n```"))
    assert found.update == BankUpdate(added=(("conclusion", "one"), ("conclusion", "two lines")))
    assert "left aside" in found.parse_error


@pytest.mark.parametrize(
    "answer", ['{"propositions": ["one"]}', '{"propositions": "one", "pitfalls": []}', "I learned much.",
               '{"propositions": ["one"], "pitfalls": ["cut'],
)  # fmt: skip
def test_a_reply_that_breaks_its_form_is_a_parse_error_without_update(call, answer):
    found = distillation.read(call(answer))
    assert (found.update, found.parse) == (None, "parse_error")
    assert found.parse_error


def test_no_reply_is_failed_and_says_why(call):
    failure = Failure(boundary="context", kind="context_overflow", detail="too long")
    found = distillation.read(call("", status="failed", failure=failure))
    assert (found.update, found.parse) == (None, "failed")
    assert "context_overflow" in found.parse_error


def test_a_guided_prompt_is_rules_then_pitfalls_then_propositions_then_the_plain_question(problem, ask):
    bank = (note("e001", "conclusion", "n is odd"), note("e002", "pitfall", "a sign is lost"))
    made = guided.ask(problem, ask(), experience=bank, limits=Limits())
    plain = solution.ask(problem, ask(), proof=False, branch="plain", shown=(), memory=(), limits=Limits())
    assert made.messages[1:] == plain.messages[1:]
    system = made.messages[0].content
    assert system.startswith(plain.messages[0].content)
    places = [system.index(part) for part in ("do not walk into", "hypotheses", "bare number", "start over", "Pitfalls:\n~~~\n- a sign is lost\n~~~", "Propositions:\n~~~\n- n is odd\n~~~")]
    assert places == sorted(places)
    assert (made.role, made.seed, made.sample, made.sampling) == (plain.role, plain.seed, plain.sample, plain.sampling)


def test_an_empty_list_is_not_shown_and_an_empty_bank_is_refused(problem, ask):
    made = guided.ask(problem, ask(), experience=(note("e001", "pitfall", "x"),), limits=Limits())
    assert "Propositions:" not in made.messages[0].content
    with pytest.raises(ValueError, match="plain solution instead"):
        guided.ask(problem, ask(), experience=(), limits=Limits())


def test_a_bank_over_its_limit_shows_the_best_supported_and_counts_the_rest(problem, ask):
    bank = (note("e001", "conclusion", "weak " * 30), note("e002", "pitfall", "strong " * 25, support=4))
    system = guided.ask(problem, ask(), experience=bank, limits=Limits(bank_chars=200)).messages[0].content
    assert "strong" in system
    assert "weak" not in system
    assert "(1 more notes not shown)" in system


def test_a_note_can_neither_close_its_fence_nor_open_a_mark(problem, ask):
    bank = (note("e001", "pitfall", "x ~~~ <<text>> ~~~~ y"),)
    system = guided.ask(problem, ask(), experience=bank, limits=Limits()).messages[0].content
    assert "Pitfalls:\n~~~~~\n- x ~~~ <<text>> ~~~~ y\n~~~~~" in system
