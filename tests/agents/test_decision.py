"""The agents of a team decision: both forms of each reply are read alike, and what is off is an error, never a guess."""

import json

import pytest
from jsonschema import Draft202012Validator

from tests.strategies.deciding import EXPERTS, HYPOTHESIS, PROBLEM
from tmas_assets.agents.decision import choice, finding, order, plan
from tmas_assets.agents.decision.finding_reply import FindingError, finding_in
from tmas_assets.agents.decision.material import DecisionLimits, claims_block
from tmas_assets.agents.labelled import LabelError, labelled, once, parts
from tmas_assets.records import STANCES, Claim, Consensus, Failure, problem_of
from tmas_assets.strategies.team_decision.settings import READY

SEATS = tuple(READY[name] for name in EXPERTS)
CLAIMS = (Claim(id="c1", text="It sells", experts=("market",)), Claim(id="c2", text="It pays", experts=("risk",)))
LINES = """Some thoughts first: the price is high.

**Reason:** The survey is small
and old.
Verdict: Conditional.
* Score: 6/10
- Confidence: 55 %
Claims: c1, C2
Condition: a pilot first
Condition: a second supplier
Assumption: demand holds
Evidence: survey | 40 of 120 would buy
Evidence: [costs] | the unit costs 9
Evidence: assumption | rent stays
Risk: low | High | the supplier fails
Change: a larger survey
Question: who pays for returns?
Calculation: margin | price - cost | price = 24 (costs); cost = 1,009.5 | 15
"""
OBJECT = {
    "reason": "The survey is small and old.", "verdict": "conditional", "score": 6, "confidence": 0.55, "claims": ["c1", "c2"],
    "conditions": ["a pilot first", "a second supplier"], "assumptions": ["demand holds"],
    "evidence": [{"text": "40 of 120 would buy", "source": "survey"}, {"text": "the unit costs 9", "source": "costs"},
                 {"text": "rent stays", "source": "assumption"}],
    "risks": [{"text": "the supplier fails", "likelihood": "low", "impact": "high"}], "would_change": "a larger survey",
    "open_questions": ["who pays for returns?"],
    "calculations": [{"name": "margin", "formula": "price - cost", "claimed": 15, "inputs": [
        {"name": "price", "value": 24, "source": "costs"}, {"name": "cost", "value": 1009.5, "source": ""}]}],
}  # fmt: skip


def read(answer, argues=None):
    return finding_in(answer, expert="market", claims=["c1", "c2"], evidence=["survey", "costs"], argues=argues)


def test_lines_and_an_object_that_say_the_same_are_the_same_finding():
    found = read(LINES)
    assert found == read(f"Here it is:\n```json\n{json.dumps(OBJECT)}\n```")
    assert found.aside == ()
    assert (found.score, found.confidence, found.calculations[0].inputs[1].value) == (6, 0.55, 1009.5)


def test_a_stored_finding_is_read_back_as_itself():
    found = read(LINES)
    assert read(found.model_dump_json()) == found


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"verdict": "not oppose"}, "none of"), ({"verdict": "support or oppose"}, "none of"), ({"verdict": "supportive"}, "none of"),
        ({"verdict": ""}, "none of"), ({"score": 11}, "between 0 and 10"), ({"score": "high"}, "no number"), ({"score": True}, "no number"),
        ({"score": None}, "no number"), ({"score": "7 or 8"}, "no number"), ({"score": float("1e300") * 10}, "no number"), ({"confidence": 55}, "between 0 and 1"),
        ({"confidence": "150%"}, "between 0 and 1"), ({"confidence": "nan"}, "no number"), ({"reason": "  "}, "reason"), ({"reason": "..."}, "reason"),
    ],
)  # fmt: skip
def test_a_finding_whose_core_is_off_is_an_error(change, words):
    with pytest.raises(FindingError, match=words):
        read(json.dumps(OBJECT | change))


@pytest.mark.parametrize("missing", ["Verdict", "Score", "Confidence", "**Reason"])
def test_lines_without_one_of_the_core_are_an_error(missing):
    with pytest.raises(FindingError):
        read("\n".join(line for line in LINES.splitlines() if missing not in line and not line.startswith("and old")))


def test_two_verdicts_are_none():
    with pytest.raises(FindingError, match="2 times with different values"):
        read(LINES + "Verdict: support\n")
    assert read(LINES + "Verdict: Conditional.\n").verdict == "conditional"


@pytest.mark.parametrize(
    ("field", "items", "kept"),
    [
        ("risks", ["fire", {"text": "x", "likelihood": "unlikely", "impact": "low"}, {"text": "y", "likelihood": "low", "impact": "low"}], 1),
        ("assumptions", [3, "", "--", "a"], 1), ("evidence", [{"source": "survey"}, {"text": "x"}], 1), ("assumptions", ["a"] * 9, 5),
        ("calculations", [{"name": "x"}, {"formula": "1", "inputs": [{"name": "a", "value": "many"}]}, {"formula": "1 + 1"}], 1),
        ("calculations", [{"formula": "1", "inputs": [{"name": "a", "value": 1}] * 13}, {"formula": "1"}], 1),
    ],
)  # fmt: skip
def test_an_item_that_cannot_be_used_is_left_aside_named_and_costs_no_other(field, items, kept):
    found = read(json.dumps(OBJECT | {field: items}))
    assert len(getattr(found, field)) == kept
    assert len([note for note in found.aside if "cannot be read" in note or "more than" in note]) == len(items) - kept


def test_a_pointer_to_evidence_that_was_not_shown_is_an_assumption_and_named():
    found = read(json.dumps(OBJECT | {"evidence": [{"text": "x", "source": "a study"}]}))
    assert (found.evidence[0].source, found.aside) == (
        "assumption", ("evidence points to 'a study', which is no evidence shown: taken as an assumption",),
    )  # fmt: skip


@pytest.mark.parametrize(("argues", "verdict", "good"), [("for", "support", 1), ("against", "oppose", 1), ("for", "oppose", 0), ("against", "conditional", 0)])
def test_the_red_team_holds_its_side(argues, verdict, good):
    text = json.dumps(OBJECT | {"verdict": verdict})
    if good:
        assert read(text, argues).argues == argues
    else:
        with pytest.raises(FindingError, match=f"argue {argues}"):
            read(text, argues)


def planned(answer, call, recruits=1):
    return plan.read(call(answer), experts=SEATS, claims=5, recruits=recruits)


def test_a_plan_in_lines_is_the_plan_of_the_object(call):
    lines = "Reason: by field\nRecruit: Tax | taxes\nClaim: market, Tax | It sells\nClaim: risk,finance,technology | It pays"
    body = {"reason": "by field", "recruit": [{"name": "tax", "remit": "taxes"}], "claims": [
        {"text": "It sells", "experts": ["market", "tax"]}, {"text": "It pays", "experts": ["finance", "technology", "risk"]}]}  # fmt: skip
    assert planned(lines, call) == planned(json.dumps(body), call)
    assert [seat.name for seat in planned(lines, call).plan.experts] == [*EXPERTS, "tax"]
    assert [seat.name for seat in planned(lines, call, recruits=0).plan.experts] == [*EXPERTS]


@pytest.mark.parametrize(
    ("answer", "action"),
    [
        ("Reason: x\nAction: stop\nGap: -", "stop"), ("Action: **Continue**", "continue"), ('{"action": "recruit", "name": "tax"}', "recruit"),
        ("Action: do not stop", None), ("Action: stop or continue", None), ("We should stop.", None), ("Action: stop\nAction: continue", None),
        ('{"action": "stopping"}', None), ('{"action": "continue", "tokens": "many"}', None), ("", None),
    ],
)  # fmt: skip
def test_an_order_is_one_of_three_words_or_an_error(call, answer, action):
    found = order.read(call(answer))
    assert (found.action, found.parse == "parsed") == (action, action is not None)
    assert (found.parse_error is None) == (action is not None)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("Reason: x\nDecision: go-if\nCondition: a pilot", "go_if"), ("Reason: x\nDecision: No go.", "no_go"), ("Reason: x\nDecision: NEED DATA", "need_data"),
        ('{"reason": "x", "decision": "go"}', "go"), ("Decision: go", None), ("Reason: x\nDecision: go ahead", None), ("Reason: x\nDecision: not go", None),
        ("Reason: x\nDecision: go\nDecision: no go", None), ("It is a go.", None), ('{"reason": "x", "decision": "maybe"}', None),
    ],
)  # fmt: skip
def test_a_decision_is_one_of_four_with_a_reason_or_an_error(call, answer, said):
    found = choice.read(call(answer))
    assert (found.choice, found.parse == "parsed") == (said, said is not None)


def test_a_failed_or_empty_reply_is_failed_for_every_role(call):
    failure = Failure(boundary="endpoint", kind="http_500", detail="down")
    for reply in (call("", "failed", failure), call("", "empty")):
        assert planned("x", lambda _, reply=reply: reply).parse == "failed"
        assert order.read(reply).parse == choice.read(reply).parse == "failed"
        assert finding.read(reply, PROBLEM, seat=SEATS[0], claims=CLAIMS, argues=None).parse == "failed"


def test_a_reply_that_was_cut_off_says_so(call):
    found = finding.read(call('{"reason": "x', "truncated"), PROBLEM, seat=SEATS[0], claims=CLAIMS, argues=None)
    assert (found.finding, "cut off after 64 tokens" in found.parse_error) == (None, True)


def requests(ask, problem=PROBLEM, limits=None, **how):
    limits, a = limits or DecisionLimits(), ask(**how)
    standing = order.Standing(
        claims=CLAIMS, findings=(read(LINES),), contradictions=(),
        consensus=Consensus(asked=2, cast=1, missing=("risk",), within_one_step=1, share=0.5, spread=None),
    )  # fmt: skip
    means = order.Means(calls=3, tokens=9, rounds_left=1, recruits=1, token_limits=(64,))
    seen = {"seat": SEATS[0], "claims": CLAIMS, "argues": None, "calculations": True, "limits": limits}
    return {
        "plan": plan.ask(problem, a, experts=SEATS, claims=3, recruits=1, limits=limits),
        "first": finding.ask(problem, a, own=None, others=(), gap="", **seen),
        "again": finding.ask(problem, a, own=read(LINES), others=(read(LINES),), gap="the price", **seen),
        "order": order.ask(problem, a, standing=standing, means=means, limits=limits),
        "choice": choice.ask(problem, a, standing=standing, cut_short="cap reached", limits=limits),
    }


@pytest.mark.parametrize("max_tokens", [64, 256, 4096])
def test_a_reply_of_the_schema_is_read_whatever_the_budget(ask, call, max_tokens):
    made = {name: json.loads(request.response_schema) for name, request in requests(ask, structured=True, max_tokens=max_tokens).items()}
    text = "The sum is fine."
    values = {"text": text, "reason": text, "gap": text, "remit": text, "name": "tax", "would_change": text, "revised": text, "cost": text,
              "formula": "1 + 1", "claimed": 2, "value": 2}  # fmt: skip

    def value(schema, key=""):
        if "enum" in schema:
            return schema["enum"][0]
        if schema["type"] == "object":
            return {name: value(part, name) for name, part in schema["properties"].items()}
        if schema["type"] == "array":
            return [value(schema["items"], key)] * max(1, schema["minItems"])
        return values.get(key, "tax" if "a-z_" in schema.get("pattern", "") else text)

    for name, schema in made.items():
        Draft202012Validator.check_schema(schema)
        reply = value(schema)
        Draft202012Validator(schema).validate(reply)
        said = json.dumps(reply)
        match name:
            case "plan":
                assert planned(said, call).parse == "parsed"
            case "order":
                assert order.read(call(said)).action == "continue"
            case "choice":
                assert choice.read(call(said)).choice == "go"
            case _:
                assert read(said).aside == ()


def test_the_hypothesis_comes_first_and_what_models_wrote_is_fenced(ask):
    made = {name: request.messages[-1].content for name, request in requests(ask).items()}
    assert len({request.messages[0] for request in requests(ask).values()}) == 1
    for prompt in made.values():
        assert prompt.startswith(f"Problem: {HYPOTHESIS.statement}\n\nGoal: Earn money with it\nConstraints: budget: 100,000 EUR; EU only\n\n")
        assert "Task: " in prompt.rsplit("~~~", 1)[-1]
        outside = "".join(prompt.split("~~~")[::2])
        assert not any(words in outside for words in ("It sells", "a pilot first", "the price", "40 of 120"))
    assert "No answer from: risk; this is no agreement." in made["order"]
    assert "cut short: cap reached" in made["choice"]


def test_without_evidence_the_prompt_says_that_all_is_assumed_and_another_language_is_asked_for(ask):
    bare = problem_of(HYPOTHESIS.model_copy(update={"evidence": (), "language": "German"}), benchmark="b", release="1", id="x")
    for request in requests(ask, bare).values():
        assert "Everything is an assumption." in request.messages[-1].content
        assert "Write all texts in German." in request.messages[-1].content


def test_long_material_is_cut_to_its_share_and_says_so(ask):
    long = HYPOTHESIS.model_copy(update={"evidence": tuple(piece.model_copy(update={"text": "figures " * 900}) for piece in HYPOTHESIS.evidence)})
    problem = problem_of(long, benchmark="b", release="1", id="x")
    for request in requests(ask, problem, DecisionLimits(evidence_chars=1000, findings_chars=800)).values():
        assert len(request.messages[-1].content) < 6000
        assert request.messages[-1].content.count("characters left out") >= 2


def test_every_schema_that_goes_out_is_part_of_the_digest():
    for agent in (plan, finding, order, choice):
        assert all(json.loads(text) for text in agent.schemas(finding.Sampling(max_tokens=256)))
    (first, *_) = finding.schemas(finding.Sampling(max_tokens=4096))
    assert json.loads(first)["properties"]["verdict"]["enum"] == list(STANCES)


def test_labels_are_exact_and_go_on_over_lines():
    found = labelled("Verdict - no\nthe verdict: x\nVERDICT: y\n  and z\n\nnot this\nVerdict:\nOther: o", ("verdict",))
    assert found == {"verdict": ("y and z",)}
    assert once(found, "verdict") == "y and z"
    with pytest.raises(LabelError, match="is missing"):
        once(found, "score")
    assert parts("a | b | c | d", 3) == ("a", "b", "c | d")
    assert parts("a", 3) == ("a", "", "")


def test_no_claim_is_lost_however_long_claims_are():
    claims = [Claim(id=f"c{n}", text=f"claim {n} " + "w" * 300, experts=("market",)) for n in range(1, 13)]
    block = claims_block(claims)
    assert [line[:13].split(" ")[:3] for line in block.split("\n") if line.startswith("c")] == [[f"c{n}:", "claim", str(n)] for n in range(1, 13)]
    assert len(block) < 850
    assert claims_block(claims[:2]).count("w") == 600
