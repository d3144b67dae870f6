"""Each role: what its request carries, and what becomes of every kind of reply."""

import json
from collections.abc import Callable

import pytest
from jsonschema import Draft202012Validator

from tmas_assets.agents import Ask, Limits, experience, guideline, prompt_digests, solution, summary, verification
from tmas_assets.records import (
    BankUpdate,
    Branch,
    Call,
    ChatRequest,
    Failure,
    MemoryEntry,
    Problem,
    Rollout,
    Summary,
    Verification,
)

FAILURE = Failure(boundary="context", kind="context_overflow", detail="prompt of 3000 tokens, window 2048")
Maker = Callable[..., ChatRequest]


def user(request: ChatRequest) -> str:
    return request.messages[-1].content


@pytest.fixture
def requests(
    problem: Problem,
    ask: Callable[..., Ask],
    rollout: Callable[..., Rollout],
    check: Callable[..., Verification],
    review: Callable[[str], Summary],
    entry: Callable[..., MemoryEntry],
) -> Callable[..., dict[str, ChatRequest]]:
    """One request of every role about the same round; the verified rollout is the first of the round."""

    def build(
        proof: bool = False, limits: Limits | None = None, structured: bool = False, max_tokens: int = 192
    ) -> dict[str, ChatRequest]:
        limits, a = limits or Limits(), ask(structured=structured, max_tokens=max_tokens)
        first, second = (rollout("first " * 40, 0), review("fine")), (rollout("second " * 40, 1), None)
        notes, tried = (entry("e001", "n is odd"),), (entry("g001", "use parity"),)
        return {
            "plain": solution.ask(problem, a, proof=proof, branch="plain", shown=(), memory=(), limits=limits),
            "refine": solution.ask(
                problem, a, proof=proof, branch="refine", shown=(first,), memory=notes, limits=limits
            ),
            "explore": solution.ask(problem, a, proof=proof, branch="explore", shown=(), memory=tried, limits=limits),
            "verification": verification.ask(problem, a, proof=proof, rollout=first[0], limits=limits),
            "summary": summary.ask(
                problem, a, proof=proof, rollout=first[0], checks=(check("step 2 is wrong", 0.0),), limits=limits
            ),
            "experience": experience.ask(
                problem, a, proof=proof, round_=(first, second), bank=notes, limits=limits
            ),
            "guideline": guideline.ask(problem, a, proof=proof, round_=(first, second), bank=tried, limits=limits),
        }

    return build


def test_every_request_carries_where_it_stands(requests: Maker, ask: Callable[..., Ask]) -> None:
    for name, request in requests().items():
        assert request.role == (name if name not in ("plain", "refine", "explore") else "solution")
        expected = ask()
        assert (request.seed, request.sample, request.affinity, request.priority) == (5, "r0/t00/c0", "p1", 2)
        assert request.sampling == expected.sampling


def test_all_roles_share_system_message_and_problem_and_end_with_their_task(requests: Maker, problem: Problem) -> None:
    made = requests()
    assert len({request.messages[0].content for request in made.values()}) == 1
    for request in made.values():
        assert user(request).startswith(f"Problem: {problem.statement}\n\n")
        assert "Task: " in user(request).rsplit("~~~", 1)[-1]
    assert len({user(request).rsplit("Task: ", 1)[1] for request in made.values() if request.role != "solution"}) == 4


def shared(a: ChatRequest, b: ChatRequest) -> str:
    pairs = zip(user(a), user(b), strict=False)
    length = next((i for i, (x, y) in enumerate(pairs) if x != y), 0)
    return user(a)[:length]


def test_requests_about_one_solution_share_it_as_prefix(requests: Maker) -> None:
    made = requests()
    for other in ("summary", "refine", "experience"):
        assert "first first" in shared(made["verification"], made[other])
        assert shared(made["verification"], made[other]).rstrip().endswith("~~~")


def test_the_bank_agents_share_the_round_as_prefix(requests: Maker) -> None:
    made = requests()
    assert shared(made["experience"], made["guideline"]).rstrip().endswith("second\n~~~")


def test_each_branch_shows_its_material_only(requests: Maker) -> None:
    made = {name: user(request) for name, request in requests().items()}
    assert "~~~" not in made["plain"]
    assert "first first" in made["refine"]
    assert "n is odd" in made["refine"]
    assert "use parity" not in made["refine"]
    assert "use parity" in made["explore"]
    assert "first first" not in made["explore"]


@pytest.mark.parametrize("branch", ["plain", "explore"])
def test_a_branch_refuses_material_that_it_does_not_show(
    problem: Problem, ask: Callable[..., Ask], rollout: Callable[..., Rollout], branch: Branch
) -> None:
    with pytest.raises(ValueError, match=f"branch {branch} was given 1 rollouts"):
        solution.ask(
            problem, ask(), proof=False, branch=branch, shown=((rollout("x"), None),), memory=(), limits=Limits()
        )


def test_a_refinement_refuses_entries_of_the_other_bank(
    problem: Problem, ask: Callable[..., Ask], entry: Callable[..., MemoryEntry]
) -> None:
    with pytest.raises(ValueError, match=r"entries of \['guideline'\]"):
        solution.ask(
            problem, ask(), proof=False, branch="refine", shown=(), memory=(entry("g001", "x"),), limits=Limits()
        )


def test_answers_are_boxed_and_proofs_are_not(requests: Maker) -> None:
    for name in ("plain", "refine", "explore"):
        assert r"\boxed{}" in user(requests()[name])
        assert r"\boxed" not in user(requests(proof=True)[name])
        assert "rigorous" in user(requests(proof=True)[name])
    assert "rigor" in user(requests(proof=True)["verification"])


@pytest.mark.parametrize("proof", [False, True])
def test_the_example_is_the_same_turn_before_every_role(requests: Maker, proof: bool) -> None:
    made = requests(proof=proof, limits=Limits(example=True))
    assert len({request.messages[:3] for request in made.values()}) == 1
    assert [message.role for message in made["plain"].messages] == ["system", "user", "assistant", "user"]
    assert (r"\boxed{" in made["plain"].messages[2].content) is not proof
    assert len(requests(proof=proof)["plain"].messages) == 2


def test_the_example_asks_as_a_plain_solution_is_asked(requests: Maker) -> None:
    for proof in (False, True):
        made = requests(proof=proof, limits=Limits(example=True))["plain"]
        asked, example = (made.messages[i].content.split("Task: ")[1] for i in (-1, 1))
        assert asked.startswith(example.rstrip("."))


def test_only_roles_that_return_records_ask_for_a_schema_and_only_when_asked_to(requests: Maker) -> None:
    with_schema = {name for name, request in requests(structured=True).items() if request.response_schema}
    assert with_schema == {"verification", "experience", "guideline"}
    assert not any(request.response_schema for request in requests().values())


@pytest.mark.parametrize("max_tokens", [32, 160, 400, 4096])
def test_a_reply_of_the_schema_is_read_whatever_the_budget(
    requests: Maker, call: Callable[..., Call], entry: Callable[..., MemoryEntry], max_tokens: int
) -> None:
    made = requests(structured=True, max_tokens=max_tokens)
    text = "The sum is seven."
    replies = {
        "verification": {"critique": text, "score": 0.5},
        "experience": {"conclusions": [text], "pitfalls": [], "refuted": [{"id": "e001", "reason": text}]},
        "guideline": {"strategies": [text], "refuted": []},
    }
    for name, reply in replies.items():
        schema = json.loads(made[name].response_schema or "")
        Draft202012Validator.check_schema(schema)
        assert list(schema["properties"]) == list(reply)
        Draft202012Validator(schema).validate(reply)
    assert verification.read(call(json.dumps(replies["verification"]))).score == 0.5
    read = experience.read(call(json.dumps(replies["experience"])), bank=(entry("e001", "n is odd"),))
    assert read.update == BankUpdate(added=(("conclusion", text),), refuted=(("e001", text),))


def test_on_a_short_budget_no_reply_can_outgrow_it_and_on_a_long_one_texts_are_free(requests: Maker) -> None:
    def refused(max_tokens: int, critique: str) -> bool:
        schema = json.loads(requests(structured=True, max_tokens=max_tokens)["verification"].response_schema or "")
        return not Draft202012Validator(schema).is_valid({"critique": critique, "score": 1})

    assert refused(160, "The sum " + "is right and " * 10 + "done.")
    assert refused(160, "1.1.2.5")
    assert not refused(160, "The sum is right.")
    assert not refused(4096, r"\frac{1}{2} " * 500)


def test_only_ids_of_the_bank_can_be_refuted_under_the_schema(requests: Maker) -> None:
    schema = json.loads(requests(structured=True)["experience"].response_schema or "")
    reply = {"conclusions": ["The sum is seven."], "pitfalls": []}
    good, bad = ({**reply, "refuted": [{"id": id_, "reason": "It fails for three."}]} for id_ in ("e001", "e009"))
    assert Draft202012Validator(schema).is_valid(good)
    assert not Draft202012Validator(schema).is_valid(bad)


def test_without_a_bank_nothing_can_be_refuted(problem: Problem, ask: Callable[..., Ask]) -> None:
    for role in (experience, guideline):
        request = role.ask(problem, ask(structured=True), proof=False, round_=(), bank=(), limits=Limits())
        assert "refuted" not in user(request)
        assert "refuted" not in (request.response_schema or "")


def test_a_summary_is_not_shown_checks_that_could_not_be_read(
    problem: Problem, ask: Callable[..., Ask], rollout: Callable[..., Rollout], check: Callable[..., Verification]
) -> None:
    checks = (check("", None), check("sound", 1.0))
    made = user(summary.ask(problem, ask(), proof=False, rollout=rollout("x"), checks=checks, limits=Limits()))
    assert "Check 1, score 1" in made
    assert "unknown" not in made


@pytest.mark.parametrize(
    ("answer", "text", "boxed"),
    [
        (r"so \boxed{3}, no \boxed{\frac{1}{2}}.", r"so \boxed{3}, no \boxed{\frac{1}{2}}.", r"\frac{1}{2}"),
        (r"so \boxed{3}, no \boxed{4", r"so \boxed{3}, no \boxed{4", "3"),
        ("the answer is 7", "the answer is 7", None),
        ("", "", None),
    ],
)
def test_the_answer_of_a_solution_is_its_last_complete_box(
    call: Callable[..., Call], answer: str, text: str, boxed: str | None
) -> None:
    assert solution.read(call(answer), proof=False) == solution.Solution(text=text, answer=boxed)
    assert solution.read(call(answer), proof=True).answer is None


@pytest.mark.parametrize("status", ["failed", "empty", "truncated"])
def test_no_reply_is_failed_in_every_role_and_says_why(
    call: Callable[..., Call], status: str
) -> None:
    gone = call("", status=status, failure=FAILURE if status == "failed" else None)
    for read in (verification.read(gone), summary.read(gone), experience.read(gone, bank=()), guideline.read(gone, bank=())):
        assert read.parse == "failed"
        assert ("context_overflow" if status == "failed" else status) in (read.parse_error or "")


@pytest.mark.parametrize(
    ("answer", "score", "critique"),
    [
        ("Step 2 drops a sign.\nScore: \\boxed{0.5}", 0.5, "Step 2 drops a sign."),
        ('{"critique": "uses \\frac{1}{2} twice", "score": 0}', 0.0, r"uses \frac{1}{2} twice"),
        ('Sure:\n```json\n{"score": "1.0", "critique": "sound"}\n```', 1.0, "sound"),
        ('{"critique": "it says Score: \\\\boxed{0}", "score": 1}', 1.0, r"it says Score: \boxed{0}"),
    ],
)
def test_both_forms_of_a_verification_are_read(
    call: Callable[..., Call], answer: str, score: float, critique: str
) -> None:
    checked = verification.read(call(answer))
    assert (checked.score, checked.critique, checked.parse, checked.parse_error) == (score, critique, "parsed", None)


@pytest.mark.parametrize(
    "answer",
    ['{"critique": "good", "score": 0.7}', '{"critique": "good", "score": true}', '{"critique": "good"}',
     '{"score": 1}', '{"critique": "cut of', "All fine.", r"\boxed{1}", r"Score: \boxed{7/10}"],
)  # fmt: skip
def test_a_verification_without_a_readable_score_is_a_parse_error_and_no_score(
    call: Callable[..., Call], answer: str
) -> None:
    checked = verification.read(call(answer))
    assert (checked.score, checked.parse) == (None, "parse_error")
    assert checked.parse_error


def test_a_parse_error_of_a_reply_cut_off_says_so(call: Callable[..., Call]) -> None:
    error = verification.read(call('{"critique": "and so', status="truncated")).parse_error
    assert error
    assert "cut off after 64 tokens" in error


def test_a_summary_takes_any_words_and_refuses_a_reply_without(call: Callable[..., Call]) -> None:
    assert summary.read(call(" The answer is right. ")).text == "The answer is right."
    assert summary.read(call("...}}}")).parse == "parse_error"


def test_a_refutation_of_an_unknown_id_is_left_aside_and_costs_nothing_else(
    call: Callable[..., Call], entry: Callable[..., MemoryEntry]
) -> None:
    reply = {
        "conclusions": ["n is  even\nhere", " ... "],
        "pitfalls": ["a sign is lost"],
        "refuted": [{"id": "e001", "reason": "n = 3"}, {"id": "e077", "reason": "no"}, {"id": "g001"}],
    }
    read = experience.read(call(json.dumps(reply)), bank=(entry("e001", "n is odd"),))
    assert read.parse == "parsed"
    assert read.update == BankUpdate(
        added=(("conclusion", "n is even here"), ("pitfall", "a sign is lost")), refuted=(("e001", "n = 3"),)
    )
    assert read.parse_error
    for left in ("'...'", "'e077'", "'g001'"):
        assert left in read.parse_error


def test_guidelines_are_strategies(call: Callable[..., Call]) -> None:
    read = guideline.read(call('{"strategies": ["use induction"]}'), bank=())
    assert read.update == BankUpdate(added=(("strategy", "use induction"),))
    assert read.parse_error is None


@pytest.mark.parametrize("answer", ['{"conclusions": "one", "pitfalls": []}', '{"pitfalls": []}', "I learned a lot."])
def test_a_bank_reply_that_breaks_its_form_is_a_parse_error_without_update(
    call: Callable[..., Call], answer: str
) -> None:
    read = experience.read(call(answer), bank=())
    assert (read.update, read.parse) == (None, "parse_error")


def test_every_role_has_a_digest_and_they_differ() -> None:
    digests = prompt_digests((solution, verification, summary, experience, guideline))
    assert set(digests) == {f"{role}.txt" for role in ("solution", "verification", "summary", "experience", "guideline")}
    assert len(set(digests.values())) == 5
