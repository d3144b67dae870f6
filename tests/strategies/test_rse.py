"""RSE: one distillation a rollout, a bank that only grows, and guided answers that see it and no earlier answer."""

import asyncio
import json
from collections import Counter

import pytest

from tests.strategies.team import LocalTeam, go, replies, shuffled
from tmas_assets.memory import live
from tmas_assets.records import Failure, Problem, StrategyChoice, digest
from tmas_assets.strategies import strategy, strategy_digest
from tmas_assets.strategies.rse import Settings
from tmas_assets.strategies.single import Settings as SingleSettings

PROBLEM = Problem(benchmark="toy", release="1", id="p", statement="What is $1 + 1$?", answer="2", grader="math")
REFUSED = Failure(boundary="request", kind="bad_request", detail="no")


def word(place):
    """`r0t01c2` as one word, so that notes of two places are not alike."""
    return place.translate(str.maketrans("0123456789", "abcdefghij"))


async def taught(request):
    """Every answer and every note names where it was made."""
    place = word(request.sample.split("/")[0])
    if request.role == "distillation":
        return json.dumps({"propositions": [f"Fact {place} holds"], "pitfalls": [f"Trap {place} waits"]})
    return f"Answer {place} is \\boxed{{1}}"


def asked(team, role, iteration):
    return [request for request in team.by_role(role) if f"t{iteration:02d}" in request.sample]


def test_eight_rollouts_make_sixteen_calls_an_iteration_and_all_answers_count():
    team = LocalTeam(taught)
    made = go(team, PROBLEM, "rse", Settings(population=8), 4)
    for t in range(4):
        assert Counter(r.role for r in team.asked if f"t{t:02d}" in r.sample) == {"solution": 8, "distillation": 8}
    assert [len(one.rollouts) for one in made] == [8] * 4 == [strategy("rse").population(Settings(population=8), 3)] * 4
    assert not strategy("rse").chooses(Settings())
    assert Settings().population == 32


def test_iteration_zero_is_the_very_request_of_a_single_call():
    many, one = LocalTeam(), LocalTeam()
    go(many, PROBLEM, "rse", Settings(population=4), 1)
    go(one, PROBLEM, "single", SingleSettings(samples=4), 1)
    assert [request.key("m") for request in many.by_role("solution")] == [request.key("m") for request in one.asked]


def test_a_distillation_sees_its_own_answer_and_no_other_text():
    team = LocalTeam(taught)
    go(team, PROBLEM, "rse", Settings(population=3), 2)
    for t in (0, 1):
        for number, request in enumerate(asked(team, "distillation", t)):
            text = "".join(message.content for message in request.messages)
            assert f"Answer {word(f'r0t{t:02d}c{number}')} is" in text
            assert text.count("Answer") == 1
            assert "Fact" not in text
            assert "Trap" not in text


def test_a_guided_answer_sees_rules_then_all_pitfalls_then_all_propositions_then_the_question_and_no_answer():
    team = LocalTeam(taught)
    made = go(team, PROBLEM, "rse", Settings(population=3), 3)
    plain = asked(team, "solution", 0)[0]
    for t in (1, 2):
        for request in asked(team, "solution", t):
            system, question = request.messages[0].content, request.messages[1:]
            assert question == plain.messages[1:]
            earlier = [word(f"r0t{s:02d}c{number}") for s in range(t) for number in range(3)]
            places = [system.index("hypotheses"), *(system.index(f"Trap {place} waits") for place in earlier),
                      *(system.index(f"Fact {place} holds") for place in earlier)]  # fmt: skip
            assert places == sorted(places)
            assert system.count("Trap") == system.count("Fact") == 3 * t
            assert "Answer" not in system
        assert {r.branch for r in made[t].rollouts} == {"refine"}
        assert {r.parents for r in made[t].rollouts} == {()}
        assert {r.memory_digest for r in made[t].rollouts} == {digest(made[t - 1].memory)}


def test_the_bank_names_the_rollout_that_each_line_was_distilled_from():
    made = go(LocalTeam(taught), PROBLEM, "rse", Settings(population=2), 2)
    lines = {entry.text: (entry.polarity, entry.born, entry.sources) for entry in made[1].memory.entries}
    assert lines[f"Fact {word('r0t00c1')} holds"] == ("conclusion", 0, ("r0t00c1",))
    assert lines[f"Trap {word('r0t01c0')} waits"] == ("pitfall", 1, ("r0t01c0",))
    assert len(lines) == 8
    assert [(write.bank, write.added, write.merged) for write in made[1].memory.writes] == [("experience", 2, 0)] * 2


def test_lines_that_repeat_are_one_whose_support_counts_rollouts_over_all_rounds():
    async def answer(request):
        if request.role == "distillation":
            return json.dumps({"propositions": ["The sum is even"], "pitfalls": []})
        return await taught(request)

    made = go(LocalTeam(answer), PROBLEM, "rse", Settings(population=3), 2)
    (entry,) = made[1].memory.entries
    assert (entry.support, entry.born, entry.last_seen) == (6, 0, 1)
    assert entry.sources == tuple(f"r0t{t:02d}c{number}" for t in range(2) for number in range(3))
    assert sum(write.merged for write in made[1].memory.writes) == 3


def test_a_line_alike_or_contained_is_absorbed_and_no_longer_shown():
    async def answer(request):
        if request.role == "distillation":
            longer = ", as both are odd" if "t01" in request.sample else ""
            return json.dumps({"propositions": [f"The sum is even{longer}"], "pitfalls": []})
        return await taught(request)

    team = LocalTeam(answer)
    made = go(team, PROBLEM, "rse", Settings(population=1), 3)
    assert [(e.state, e.reason) for e in made[1].memory.entries] == [("evicted", "part of e002"), ("live", None)]
    assert made[1].memory.writes[0].evicted == 1
    assert asked(team, "solution", 2)[0].messages[0].content.count("The sum is even") == 1


def test_a_threshold_of_one_joins_parts_only():
    async def answer(request):
        if request.role == "distillation":
            return json.dumps({"propositions": ["a sum b is even", "b sum a is even"], "pitfalls": []})
        return await taught(request)

    for threshold, lines in ((0.8, 1), (1.0, 2)):
        made = go(LocalTeam(answer), PROBLEM, "rse", Settings(population=1, threshold=threshold), 1)
        assert len(live(made[0].memory.entries, "experience")) == lines


def says(*lines):
    async def answer(request):
        if request.role == "distillation":
            return json.dumps({"propositions": lines, "pitfalls": []})
        return await taught(request)

    return answer


def test_with_embeddings_lines_are_compared_by_their_vectors_old_ones_too_and_the_encoder_is_the_settings():
    """The team's vectors count letters: an anagram is the same to them, and wholly other words to Jaccard."""
    calls = []

    class Counting(LocalTeam):
        async def embed(self, model, digest, texts):
            calls.append((model, digest, list(texts)))
            return await super().embed(model, digest, texts)

    async def answer(request):
        line = "listen" if "t00" in request.sample else "a silent"
        return await says(line)(request)

    settings = Settings(population=1, similarity="embedding", encoder={"model": "m", "digest": "d"})
    made = go(Counting(answer), PROBLEM, "rse", settings, 2)
    assert calls == [("m", "d", ["listen"]), ("m", "d", ["a silent", "listen"])]
    assert [(e.text, e.state) for e in made[1].memory.entries] == [("listen", "evicted"), ("a silent", "live")]
    assert made[1].memory.entries[0].reason == "like e002: similarity 0.926 over 0.8"
    plain = go(LocalTeam(answer), PROBLEM, "rse", Settings(population=1), 2)
    assert [e.state for e in plain[1].memory.entries] == ["live", "live"]


def test_without_a_readable_distillation_no_vector_is_asked_for():
    class Refusing(LocalTeam):
        async def embed(self, model, digest, texts):
            raise AssertionError("asked for vectors of nothing new")

    async def answer(request):
        return "nothing" if request.role == "distillation" else await taught(request)

    go(Refusing(answer), PROBLEM, "rse", Settings(population=1, similarity="embedding"), 1)


@pytest.mark.parametrize(("apart", "lines"), [(False, 1), (True, 2)])
def test_lines_with_other_numbers_are_kept_apart_only_where_that_is_set(apart, lines):
    answer = says("the sum of 12 and 35 and 7 is surely 54", "the sum of 12 and 35 and 7 is surely 64")
    made = go(LocalTeam(answer), PROBLEM, "rse", Settings(population=1, keep_formulas_apart=apart), 1)
    assert len(live(made[0].memory.entries, "experience")) == lines


def test_the_encoder_is_part_of_the_strategys_digest():
    choices = [{"similarity": "embedding"}, {"similarity": "embedding", "encoder": {"model": "x", "digest": "y"}},
               {"similarity": "embedding", "encoder": {"model": "x", "digest": "z"}}]  # fmt: skip
    assert len({strategy_digest(StrategyChoice(name="rse", settings=settings)) for settings in choices}) == 3


@pytest.mark.parametrize("broken", [REFUSED, "", "I learned much.", '{"propositions": ["x'])
def test_a_failed_distillation_loses_nothing_of_the_bank_and_says_why(broken):
    async def answer(request):
        return broken if request.role == "distillation" and "t01" in request.sample else await taught(request)

    made = go(LocalTeam(answer), PROBLEM, "rse", Settings(population=2), 3)
    assert made[1].memory.entries == made[0].memory.entries
    assert len(made[1].memory.writes) == 2
    assert all(w.parse != "parsed" and w.parse_error and w.added == w.merged == 0 for w in made[1].memory.writes)
    assert len(made[2].memory.entries) == 2 * len(made[0].memory.entries)


def test_an_empty_or_failed_answer_is_not_distilled():
    async def answer(request):
        if request.role == "solution" and "t00" in request.sample:
            return {"c0": REFUSED, "c1": " \n"}.get(request.sample[5:7]) or await taught(request)
        return await taught(request)

    team = LocalTeam(answer)
    made = go(team, PROBLEM, "rse", Settings(population=3), 1)
    assert [request.sample for request in team.by_role("distillation")] == ["r0t00c2/distillation"]
    assert len(made[0].rollouts) == 3


def test_with_an_empty_bank_the_plain_problem_is_asked_under_another_seed():
    async def answer(request):
        return "nothing" if request.role == "distillation" else await taught(request)

    team = LocalTeam(answer)
    made = go(team, PROBLEM, "rse", Settings(population=1), 2)
    assert (made[1].rollouts[0].branch, made[1].rollouts[0].memory_digest) == ("plain", None)
    first, second = team.by_role("solution")
    assert first.messages == second.messages
    assert first.seed != second.seed


def test_a_distillation_starts_when_its_answer_ends_whatever_the_others_do():
    distilled = asyncio.Event()

    async def answer(request):
        if request.role == "distillation":
            distilled.set()
        if request.role == "solution" and "c1/" in request.sample:
            await asyncio.wait_for(distilled.wait(), 5)  # a barrier between the stages would wait for ever
        return await replies(request)

    go(LocalTeam(answer), PROBLEM, "rse", Settings(population=2), 1)


def test_the_order_of_replies_changes_nothing():
    settings = Settings(population=4)
    calm = go(LocalTeam(), PROBLEM, "rse", settings, 3)
    assert go(LocalTeam(shuffled(1)), PROBLEM, "rse", settings, 3) == calm
    assert go(LocalTeam(shuffled(2)), PROBLEM, "rse", settings, 3) == calm
