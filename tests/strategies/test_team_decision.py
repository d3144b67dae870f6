"""Team decision: who is asked what and sees what, from the plan to the decision; bounds that no reply can move."""

import json
from collections import Counter

import pytest

from tests.strategies.deciding import (
    EXPERTS,
    HYPOTHESIS,
    at,
    decide,
    decision,
    finding,
    findings,
    orders,
    plan,
    replies,
    says,
    speaks,
)
from tests.strategies.team import LocalTeam, shuffled
from tests.strategies.test_formula import run as run_python
from tmas_assets.records import Calculation, Failure, Finding, Problem, Quantity, StrategyChoice
from tmas_assets.strategies import AwaitsApproval, StrategyFault, settings_of, strategy
from tmas_assets.strategies.team_decision.consensus import contradictions
from tmas_assets.strategies.team_decision.settings import READY, Settings
from tmas_assets.strategies.team_decision.state import decision_of, state_of

REFUSED = Failure(boundary="endpoint", kind="http_500", detail="down")


def prompts(team, seat, iteration=None):
    return [r.messages[-1].content for r in team.asked if speaks(r) == seat and iteration in (None, at(r))]


def decided(choice, **more):
    return json.dumps({"reason": "because", "decision": choice, **more})


def ordered(action, **more):
    return json.dumps({"reason": "because", "action": action, **more})


def test_a_decision_is_one_plan_then_every_seat_a_round_with_an_order_before_each_debate_and_one_decision():
    team = LocalTeam(replies)
    made = decide(team)
    assert Counter(at(r) for r in team.asked) == {0: 1, 1: 5, 2: 6, 3: 6, 4: 1}
    assert Counter(r.role for r in team.asked) == {"ceo": 4, "expert": 12, "red_team": 3}
    assert [len(one.rollouts) for one in made] == [0, 0, 0, 0, 1]
    chosen = made[-1].rollouts[0]
    assert (chosen.branch, chosen.answer) == ("chosen", decision(made).decision)
    assert chosen.text.startswith(f"Decision: {chosen.answer}\nReason: ")
    assert decision_of(made) == decision(made)


def test_every_call_is_in_one_turn():
    team = LocalTeam(says(decision1="?", order="?"))
    made = decide(team)
    traces = [turn.trace.call for one in made for turn in one.memory.turns if turn.trace]
    assert sorted(traces) == sorted(request.key("local") for request in team.asked)
    assert decision(made).calls == len(team.asked)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_replies_changes_nothing(seed):
    assert decide(LocalTeam(shuffled(seed, replies))) == decide(LocalTeam(replies))


def test_r3_the_ceo_splits_the_hypothesis_into_claims_each_for_some_experts():
    team = LocalTeam(says(plan=json.dumps({"reason": "so", "claims": [
        {"text": "People buy it", "experts": ["Market", "nobody"]}, {"text": "It pays", "experts": []}, {"text": " ?! ", "experts": []},
        {"text": "It is safe", "experts": ["risk"]}, {"text": "One more", "experts": ["risk"]},
    ]})))  # fmt: skip
    found = plan(decide(team, max_claims=3))
    assert [(claim.id, claim.text, claim.experts) for claim in found.claims] == [
        ("c1", "People buy it", ("market",)), ("c2", "It pays", EXPERTS), ("c3", "It is safe", ("risk",))
    ]  # fmt: skip
    assert found.fault is None
    assert len(found.aside) == 4
    assert "c1" in prompts(team, "market", 1)[0].split("Your claims: ")[1].splitlines()[0]


def test_r3_an_expert_without_a_claim_is_given_all():
    found = plan(decide(LocalTeam(says(plan=json.dumps({"claims": [{"text": "It pays", "experts": ["finance"]}]})))))
    assert found.claims[0].experts == EXPERTS
    assert "market, technology, risk" in found.aside[0]


@pytest.mark.parametrize("reply", ["Let us think.", '{"claims": []}', '{"claims": [{"text": "  "}]}', REFUSED])
def test_r3_without_a_readable_plan_the_whole_hypothesis_is_the_one_claim_and_the_plan_says_so(reply):
    made = decide(LocalTeam(says(plan=reply)))
    found = plan(made)
    assert [(claim.text, claim.experts) for claim in found.claims] == [(HYPOTHESIS.statement, EXPERTS)]
    assert found.fault == made[0].memory.turns[0].parse_error is not None
    assert made[0].memory.turns[0].data is None


def test_r4_first_answers_are_independent_nobody_sees_anybody():
    team = LocalTeam(replies)
    made = decide(team)
    said = [text.split()[0] for one in made[:2] for f in findings([one]) for text in (f.reason,)]
    assert len(said) == 5
    for seat in (*EXPERTS, "red_team"):
        (prompt,) = prompts(team, seat, 1)
        assert not any(word in prompt for word in said)
        assert "Finding of" not in prompt
        assert "finding so far" not in prompt


def test_r4_then_everyone_sees_its_own_and_all_other_findings_of_the_last_round_and_none_older():
    team = LocalTeam(replies)
    made = decide(team)
    for iteration in (2, 3):
        last = {f.expert: f.reason for f in findings([made[iteration - 1]])}
        older = [f.reason for one in made[: iteration - 1] for f in findings([one])]
        now = [f.reason for f in findings([made[iteration]])]
        for seat in (*EXPERTS, "red_team"):
            (prompt,) = prompts(team, seat, iteration)
            own, others = prompt.split("Your own finding so far:")[1].split("Finding of", 1)
            assert last[seat] in own
            assert all(last[other] in others for other in last if other != seat)
            assert not any(reason in prompt for reason in [*older, *now])


def test_r4_the_debate_is_bounded_and_may_be_left_out():
    team = LocalTeam(replies)
    made = decide(team, debate_rounds=0)
    assert Counter(at(r) for r in team.asked) == {0: 1, 1: 5, 2: 1}
    assert decision(made).partial is None


def test_r5_a_finding_keeps_verdict_score_confidence_assumptions_evidence_risks_and_what_would_change_it():
    text = finding("x", "conditional", score="7.5/10", confidence="60%", conditions=["a pilot"], open_questions=["who?"], claims=["c2", "c9"],
                   evidence=[{"text": "a", "source": "costs"}, {"text": "b", "source": "rumour"}], risks=[
                       {"text": "fire", "likelihood": "low", "impact": "high"}, {"text": "flood", "likelihood": "rare", "impact": "high"}])  # fmt: skip
    made = decide(LocalTeam(says(market=text)))
    found = next(f for f in findings(made[:2]) if f.expert == "market")
    assert (found.verdict, found.score, found.confidence, found.claims) == ("conditional", 7.5, 0.6, ("c2",))
    assert [(cited.text, cited.source) for cited in found.evidence] == [("a", "costs"), ("b", "assumption")]
    assert [(risk.text, risk.likelihood, risk.impact) for risk in found.risks] == [("fire", "low", "high")]
    assert (found.conditions, found.open_questions, found.would_change) == (("a pilot",), ("who?",), "x change")
    assert len(found.aside) == 3


def test_r6_calculations_are_computed_again_and_what_everyone_sees_next_is_the_computed_number():
    told = {"name": "margin", "formula": "price - cost", "claimed": 99,
            "inputs": [{"name": "price", "value": "24", "source": "costs"}, {"name": "cost", "value": 9}]}  # fmt: skip
    team = LocalTeam(says(finance=finding("f", calculations=[told])), runs=run_python)
    made = decide(team)
    (one,) = next(f for f in findings(made[:2]) if f.expert == "finance").calculations
    assert (one.claimed, one.result, one.status) == (99, 15, "corrected")
    assert [(q.name, q.value, q.source) for q in one.inputs] == [("price", 24, "costs"), ("cost", 9, "assumption")]
    assert "price - cost with price = 24 [costs], cost = 9 [assumption] gives 15 (corrected)" in prompts(team, "market", 2)[0]
    assert len(team.ran) == 3


@pytest.mark.parametrize("formula", ["__import__('os').system('id')", "price.__class__", "9**9**9**9", "open('x').read()"])
def test_r6_a_hostile_formula_never_reaches_the_sandbox(formula):
    team = LocalTeam(says(finance=finding("f", calculations=[{"name": "x", "formula": formula, "inputs": [{"name": "price", "value": 1}]}])))
    made = decide(team)
    (one,) = next(f for f in findings(made) if f.expert == "finance").calculations
    assert (one.status, one.result) == ("refused", None)
    assert team.ran == []


def test_r6_no_calculation_asks_no_sandbox_and_they_can_be_switched_off():
    team = LocalTeam(replies)
    decide(team)
    off = LocalTeam(says(finance=finding("f", calculations=[{"name": "x", "formula": "1 + 1", "inputs": []}])))
    made = decide(off, calculations=False)
    assert team.ran == off.ran == []
    assert {c.status for f in findings(made) for c in f.calculations} == {"unchecked"}


def test_r7_the_red_team_argues_in_every_round_against_what_the_experts_lean_to():
    team = LocalTeam(says(**{seat: lambda r: finding(speaks(r), "support" if at(r) == 1 else "oppose") for seat in EXPERTS}))
    made = decide(team)
    assert [f.argues for f in findings(made) if f.expert == "red_team"] == ["against", "against", "for"]
    assert ["you argue against" in prompt for prompt in prompts(team, "red_team")] == [True, True, False]
    assert decision(made).red_team.assigned
    assert "red_team" not in [one.expert for one in decision(made).dissent]


def test_r7_a_red_team_that_changes_sides_is_not_heard():
    made = decide(LocalTeam(says(red_team=finding("r", "conditional"))))
    assert not [f for f in findings(made) if f.expert == "red_team"]
    turn = next(turn for turn in made[1].memory.turns if turn.role == "red_team")
    assert (turn.parse, "argue against" in turn.parse_error) == ("parse_error", True)


def test_r7_the_risk_expert_is_in_every_prompt_first_and_no_majority_overrules_it():
    seats = dict.fromkeys(("market", "finance", "technology"), finding("yes", "support", score=10, confidence=1))
    team = LocalTeam(says(**seats, risk=finding("no", "oppose", conditions=["insure it"]), decision1=decided("go")))
    found = decision(decide(team))
    assert (found.asked, found.decision) == ("go", "go_if")
    assert "risk: insure it" in found.conditions
    assert "risk" in found.clamped
    assert [one.expert for one in found.dissent] == ["market", "finance", "technology", "risk"]
    for request in team.asked:
        prompt = request.messages[-1].content
        if at(request) >= 2 and speaks(request) != "risk":
            assert prompt.index("Finding of risk") == prompt.index("Finding of ")


@pytest.mark.parametrize("asked", ["go", "go_if"])
def test_r7_the_silence_of_the_risk_expert_is_no_consent(asked):
    seats = dict.fromkeys(("market", "finance", "technology"), finding("yes"))
    found = decision(decide(LocalTeam(says(**seats, risk=REFUSED, decision1=decided(asked, conditions=["x"])))))
    assert (found.asked, found.decision) == (asked, "need_data")
    assert "risk was not heard" in found.clamped


def test_r7_a_go_if_keeps_what_the_risk_expert_demands():
    found = decision(decide(LocalTeam(says(risk=finding("no", "oppose"), decision1=decided("go_if", conditions=["a pilot"])))))
    assert found.conditions == ("a pilot", "risk: no change")


def test_r8_stop_ends_the_run_before_any_further_finding():
    team = LocalTeam(says(order=ordered("stop")))
    made = decide(team)
    assert Counter(at(r) for r in team.asked) == {0: 1, 1: 5, 2: 2}
    assert [speaks(r) for r in team.asked if at(r) == 2] == ["order", "decision1"]
    assert made[2].memory.stopped == "the CEO stopped: because"
    assert [(o.asked, o.granted, o.reason) for o in orders(made)] == [("stop", "stop", "because")]
    assert [one.rollouts[0].branch for one in made[2:]] == ["chosen"] * 3
    assert len({one.rollouts[0].text for one in made[2:]}) == 1


def test_r8_a_gap_is_named_to_everyone_in_that_round_only():
    team = LocalTeam(says(order=lambda r: ordered("continue", gap="the price" if at(r) == 2 else "")))
    decide(team)
    for seat in (*EXPERTS, "red_team"):
        assert ["the price" in prompt for prompt in prompts(team, seat)] == [False, True, False]


def test_r8_a_recruit_answers_alone_first_and_hard_limits_bound_how_many_join():
    team = LocalTeam(says(order=ordered("recruit", name="Supply chain", remit="who makes it"), supply_chain=finding("s")))
    made = decide(team, max_extra_experts=1)
    first, again = prompts(team, "supply_chain")
    assert "Finding of" not in first
    assert "Finding of market" in again
    assert "~~~\nwho makes it\n~~~" in first
    assert [(o.asked, o.granted, o.recruit and o.recruit.name) for o in orders(made)] == [
        ("recruit", "recruit", "supply_chain"), ("recruit", "continue", None)
    ]  # fmt: skip
    assert orders(made)[1].clamped
    assert decision(made).consensus.asked == 5


@pytest.mark.parametrize(("name", "remit"), [("risk", "again"), ("", "x"), ("Legal", " "), ("Red Team", "x"), ("123", "x")])
def test_r8_a_recruit_without_name_or_remit_or_with_a_taken_name_does_not_join(name, remit):
    made = decide(LocalTeam(says(order=ordered("recruit", name=name, remit=remit))))
    assert {(o.granted, o.recruit) for o in orders(made)} == {("continue", None)}
    assert all(o.clamped for o in orders(made))


def test_r8_the_ceo_may_recruit_in_its_plan_too_and_both_together_are_bounded():
    recruits = [{"name": "legal", "remit": "law"}, {"name": "tax", "remit": "tax"}]
    text = json.dumps({"claims": [{"text": "It is legal", "experts": ["legal"]}], "recruit": recruits})
    made = decide(LocalTeam(says(plan=text, order=ordered("recruit", name="press", remit="news"))), max_extra_experts=1)
    assert [seat.name for seat in plan(made).experts] == [*EXPERTS, "legal"]
    assert {o.granted for o in orders(made)} == {"continue"}
    assert len(state_of(made).experts) == 5


def test_r8_an_order_that_cannot_be_read_changes_nothing_and_is_logged():
    team = LocalTeam(says(order="We should not stop."))
    made = decide(team)
    assert Counter(at(r) for r in team.asked) == {0: 1, 1: 5, 2: 6, 3: 6, 4: 1}
    assert {(o.asked, o.granted) for o in orders(made)} == {(None, "continue")}
    assert all("no order could be read" in o.clamped for o in orders(made))


def test_r8_the_ceo_changes_caps_of_answers_within_its_choices_and_no_seat_goes_above_its_own():
    roster = ["market", {"name": "finance", "max_tokens": 20}, "risk"]
    team = LocalTeam(says(order=lambda r: ordered("continue", tokens=40 if at(r) == 2 else None)))
    made = decide(team, roster=roster, token_limits=[16, 32, 48])
    caps = {(at(r), speaks(r)): r.sampling.max_tokens for r in team.asked}
    assert [caps[t, "market"] for t in (1, 2, 3)] == [64, 32, 32]
    assert [caps[t, "finance"] for t in (1, 2, 3)] == [20, 20, 20]
    assert (orders(made)[0].tokens_asked, orders(made)[0].tokens) == (40, 32)
    assert "40" in orders(made)[0].clamped


def test_r10_a_failed_expert_is_missing_and_agrees_with_nobody():
    seats = dict.fromkeys(("market", "finance"), finding("yes"))
    made = decide(LocalTeam(says(**seats, technology=REFUSED, risk=finding("maybe", "conditional"), decision1=decided("go"))))
    found = decision(made).consensus
    assert (found.asked, found.cast, found.missing) == (4, 3, ("technology",))
    assert (found.within_one_step, found.share, found.spread) == (3, 0.75, 0)
    assert "No answer: technology" in made[-1].rollouts[0].text


@pytest.mark.parametrize("reply", ["I agree with everyone.", "", '{"verdict": "agree", "score": 5, "confidence": 1}', REFUSED])
def test_r10_no_reply_without_a_verdict_is_a_vote(reply):
    found = decision(decide(LocalTeam(says(**dict.fromkeys(EXPERTS, reply), decision1=decided("go")))))
    assert (found.consensus.cast, found.consensus.share, found.scores) == (0, None, ())
    assert (found.asked, found.decision) == ("go", "need_data")
    assert "no expert was heard" in found.clamped


def test_r10_a_lost_revision_takes_back_nothing_that_was_said():
    made = decide(LocalTeam(says(market=lambda r: finding("first", "oppose") if at(r) == 1 else REFUSED)))
    found = next(one for one in decision(made).scores if one.expert == "market")
    assert (found.verdict, found.round) == ("oppose", 1)


def test_r10_no_consensus_is_forced_conflict_stays_in_the_record():
    told = {"market": finding("yes"), "finance": finding("no", "oppose"), "technology": finding("yes"), "risk": finding("hm", "insufficient")}
    found = decision(decide(LocalTeam(says(**told, decision1=decided("need_data")))))
    assert found.consensus.share == 0.5
    assert [(one.first, one.second) for one in found.contradictions] == [
        ("market", "finance"), ("finance", "technology")
    ]  # fmt: skip
    assert [(one.expert, one.steps) for one in found.dissent] == [("market", 2), ("finance", -1), ("technology", 2)]


def test_r10_two_experts_who_reckon_with_different_numbers_contradict_each_other():
    def told(value):
        return finding("x", calculations=[{"name": "m", "formula": "price", "inputs": [{"name": "price", "value": value}]}])

    found = decision(decide(LocalTeam(says(market=told(24), finance=told(30)), runs=run_python)))
    assert [one.text for one in found.contradictions if one.about == "price"] == ["price: market takes 24, finance takes 30"]


def test_r10_who_lacks_evidence_dissents_from_nothing_and_contradicts_nobody():
    told = {"market": finding("yes"), "finance": finding("no figures", "insufficient"), "technology": finding("yes"), "risk": finding("yes")}
    found = decision(decide(LocalTeam(says(**told, decision1=decided("go")))))
    assert (found.decision, found.dissent, found.contradictions) == ("go", (), ())
    assert [(one.expert, one.reason) for one in found.insufficient] == [("finance", "no figures reason")]
    assert found.red_team.expert == "red_team"


def test_r10_who_lacks_evidence_agrees_with_a_decision_that_asks_for_more():
    told = dict.fromkeys(EXPERTS, finding("no figures", "insufficient"))
    found = decision(decide(LocalTeam(says(**told, decision1=decided("need_data")))))
    assert (found.dissent, found.insufficient) == ((), ())


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ([("a", 24, "assumption")], [("a", 30, "assumption")]),
        ([("x1", 24, "assumption")], [("x1", 30, "assumption")]),
        ([("price", 24, "costs")], [("price", 30, "survey")]),
        ([("price", 24, "assumption"), ("price", 30, "assumption")], [("price", 30, "assumption")]),
        ([("price", 24, "costs")], [("price", 24, "costs")]),
    ],
)
def test_r10_inputs_that_are_not_the_same_quantity_contradict_nothing(mine, theirs):
    assert contradictions([reckoned("market", mine), reckoned("finance", theirs)]) == ()


def test_r10_the_same_quantity_of_one_source_with_other_values_is_a_contradiction():
    [one] = contradictions([reckoned("market", [("Price", 24, "costs")]), reckoned("finance", [("price", 30, "costs"), ("price", 31, "costs")])])
    assert one.text == "price: market takes 24, finance takes 30 or 31"


def reckoned(expert, inputs):
    """A finding with one calculation an input."""
    return Finding(expert=expert, verdict="support", score=5, confidence=0.5, reason="x", calculations=[
        Calculation(name=f"m{at}", formula=name, inputs=(Quantity(name=name, value=value, source=source),))
        for at, (name, value, source) in enumerate(inputs)
    ])  # fmt: skip


def test_r11_claims_that_no_finding_covers_are_named():
    told = dict.fromkeys(EXPERTS, finding("x", claims=["c2"]))
    assert decision(decide(LocalTeam(says(**told)))).uncovered == ("c1",)


def test_r12_speakers_come_in_a_seeded_order_that_differs_between_repeats_and_rounds():
    def order(repeat):
        return [[turn.id.split("/")[1] for turn in one.memory.turns if turn.kind == "Finding"] for one in decide(LocalTeam(replies), repeat)]

    assert order(0) == order(0)
    drawn = [tuple(one) for repeat in range(6) for one in order(repeat) if one]
    assert len(set(drawn)) > 12
    assert {frozenset(one) for one in drawn} == {frozenset((*EXPERTS, "red_team"))}


def test_r13_nobody_is_asked_before_a_person_has_approved_the_plan():
    team = LocalTeam(replies)
    team.approved = False
    with pytest.raises(AwaitsApproval):
        decide(team, approve_plan=True)
    assert [speaks(request) for request in team.asked] == ["plan"]
    decide(LocalTeam(replies), approve_plan=True)


def test_r13_a_persons_finding_and_plan_are_read_as_the_ones_they_amend():
    first = decide(LocalTeam(says(plan=json.dumps({
        "claims": [{"text": "It is legal", "experts": ["legal", "risk"]}], "recruit": [{"name": "legal", "remit": "law"}]
    }))))  # fmt: skip
    kept = next(f for f in findings(first[:2]) if f.expert == "risk").model_copy(update={"verdict": "oppose", "reason": "A person says no."})
    amended = decide(LocalTeam(says(plan=plan(first).model_dump_json(), risk=kept.model_dump_json())))
    assert next(f for f in findings(amended[:2]) if f.expert == "risk") == kept
    assert plan(amended).claims == plan(first).claims
    assert plan(amended).experts == plan(first).experts


@pytest.mark.parametrize("cap", range(2, 24))
def test_r14_no_reply_passes_the_cap_on_calls_and_every_cap_ends_in_a_decision(cap):
    answer = says(order=ordered("recruit", name="legal", remit="law"), legal=finding("l"), decision1="?", decision2="?")
    team = LocalTeam(answer)
    made = decide(team, max_calls=cap)
    found = decision(made)
    assert len(team.asked) == found.calls <= cap
    assert (found.asked, found.decision) == (None, "need_data")
    rounds_done = max(at(r) for r in team.asked)
    assert (f"cap reached: max_calls {cap}" in found.partial) == (rounds_done < 4)
    assert made[-1].rollouts[0].branch == "chosen"


def test_r14_once_the_tokens_are_spent_only_the_decision_is_asked_for():
    team = LocalTeam(replies)
    found = decision(decide(team, max_tokens=90))
    assert Counter(at(r) for r in team.asked) == {0: 1, 1: 5, 2: 1}
    assert found.partial == "cap reached: max_tokens 90, 90 spent"
    assert found.tokens == 105
    assert found.partial in prompts(team, "decision1")[0]


def test_r14_a_reply_of_unknown_length_counts_as_its_cap():
    class Silent(LocalTeam):
        async def ask(self, request):
            call = await super().ask(request)
            return call.model_copy(update={"usage": call.usage.model_copy(update={"completion_tokens": None, "prompt_tokens": None})})

    team = Silent(replies)
    found = decision(decide(team, max_tokens=6 * 64))
    assert Counter(at(r) for r in team.asked) == {0: 1, 1: 5, 2: 1}
    assert "cap reached" in found.partial


def test_r15_each_seat_may_have_a_model_of_its_own():
    roster = ["market", {"name": "finance", "role": "expert_finance"}, {"name": "press", "remit": "news"}]
    settings = Settings.model_validate({"roster": roster, "red_team": False})
    assert strategy("team_decision").roles(settings) == ("ceo", "expert", "expert_finance")
    team = LocalTeam(replies)
    decide(team, roster=roster, red_team=False)
    assert {speaks(r): r.role for r in team.asked if at(r) == 1} == {"market": "expert", "finance": "expert_finance", "press": "expert"}
    assert {turn.role for turn in decide(LocalTeam(replies), roster=roster)[1].memory.turns} == {"expert", "expert_finance", "red_team"}


def test_a_decision_that_cannot_be_read_is_asked_for_again_and_then_filled_in_as_need_data():
    team = LocalTeam(says(decision1="Go?", decision2=decided("no_go")))
    assert decision(decide(team)).decision == "no_go"
    made = decide(LocalTeam(says(decision1="Go?", decision2='{"decision": "go", "reason": ""}')))
    found = decision(made)
    assert (found.made, found.decision) == (False, "need_data")
    assert "without a reason" in found.partial


def test_a_go_if_without_any_condition_is_no_decision_to_go():
    seats = dict.fromkeys(EXPERTS, finding("yes"))
    found = decision(decide(LocalTeam(says(**seats, decision1=decided("go_if")))))
    assert (found.asked, found.decision) == ("go_if", "need_data")


def test_an_expert_sees_only_its_evidence_and_cannot_point_to_other_pieces():
    roster = [{"name": "market", "evidence": ["survey"]}, "risk"]
    team = LocalTeam(says(market=finding("m", evidence=[{"text": "x", "source": "costs"}])))
    made = decide(team, roster=roster)
    assert all("40 of 120" in prompt and "unit cost" not in prompt for prompt in prompts(team, "market"))
    assert all("unit cost" in prompt for prompt in [*prompts(team, "risk"), *prompts(team, "plan"), *prompts(team, "decision1")])
    assert next(f for f in findings(made) if f.expert == "market").evidence[0].source == "assumption"


def test_an_empty_roster_is_recruited_as_a_whole():
    text = json.dumps({"claims": [{"text": "It pays", "experts": ["finance"]}], "recruit": [{"name": "finance", "remit": "money"}]})
    made = decide(LocalTeam(says(plan=text)), roster=[])
    assert [seat.name for seat in plan(made).experts] == ["finance"]
    nobody = decide(LocalTeam(says(plan="?")), roster=[])
    assert decision(nobody).decision == "need_data"


def test_a_problem_with_a_gold_is_refused_in_words():
    sum_ = Problem(benchmark="b", release="1", id="p", statement="1 + 1?", answer="2", grader="math")
    from tests.strategies.team import go

    with pytest.raises(ValueError, match="it has a gold and is no hypothesis"):
        go(LocalTeam(replies), sum_, "team_decision", Settings(), 1)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"roster": ["marketing"]}, "no ready seat 'marketing'; there are market, finance"),
        ({"roster": ["risk", "risk"]}, "names must be unique"),
        ({"roster": [{"name": "ceo", "remit": "x"}]}, "none of ceo"),
        ({"roster": [{"name": "press"}]}, "remit"),
        ({"roster": [], "max_extra_experts": 0}, "nobody sits at the table"),
        ({"max_calls": 1}, "greater than or equal to 2"),
        ({"expert": 3}, "known: roster"),
    ],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(StrategyFault, match=words):
        settings_of(StrategyChoice(name="team_decision", settings=settings))


def test_a_ready_seat_keeps_what_a_roster_does_not_say():
    (seat,) = Settings.model_validate({"roster": [{"name": "risk", "max_tokens": 99}]}).roster
    assert seat == READY["risk"].model_copy(update={"max_tokens": 99})
