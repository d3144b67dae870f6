"""TMAS on a team in this process: what is asked, what each branch sees, and that draws follow from seeds alone."""

import asyncio
from collections import Counter

import pytest

from tests.strategies.team import LocalTeam, replies, shuffled
from tmas_assets.records import Failure, Problem, Round, StrategyChoice
from tmas_assets.strategies import Here, StrategyFault, settings_of, strategy, strategy_digest
from tmas_assets.strategies.tmas import Settings, iterate

PROBLEM = Problem(
    benchmark="toy", release="1", id="p/1", statement="What is $1 + 1$?", answer="2", grader="math", source="test"
)


def here(iteration: int, repeat: int = 0, seed: int = 7) -> Here:
    return Here(seed=seed, repeat=repeat, iteration=iteration, strategy_digest="s")


def run(team: LocalTeam, settings: Settings, iterations: int, repeat: int = 0) -> list[Round]:
    async def go() -> list[Round]:
        rounds: list[Round] = []
        for t in range(iterations):
            rounds.append(await iterate(PROBLEM, tuple(rounds[-1:]), here(t, repeat), team, settings))
        return rounds

    return asyncio.run(go())


def test_an_iteration_with_the_papers_settings_makes_82_calls():
    team = LocalTeam()
    run(team, Settings(), 1)
    assert Counter(r.role for r in team.asked) == {
        "solution": 8,
        "verification": 64,
        "summary": 8,
        "experience": 1,
        "guideline": 1,
    }


def test_iteration_zero_is_plain_and_shows_no_memory():
    first = run(LocalTeam(), Settings(candidates=6, epsilon=1.0), 1)[0]
    assert {(r.branch, r.parents, r.memory_digest) for r in first.rollouts} == {("plain", (), None)}


@pytest.mark.parametrize(("refine_from", "parents"), [("paired", 1), ("best", 1), ("all", 4)])
def test_a_refinement_sees_the_rollouts_its_setting_names(refine_from, parents):
    rounds = run(LocalTeam(), Settings(candidates=4, verifications=1, epsilon=0, refine_from=refine_from), 2)
    assert all(len(r.parents) == parents and r.branch == "refine" for r in rounds[1].rollouts)
    if refine_from == "paired":
        assert [r.parents for r in rounds[1].rollouts] == [(f"r0t00c{n}",) for n in range(4)]
    if refine_from == "best":
        best = max(rounds[0].summaries, key=lambda s: (s.mean_score or 0, -int(s.rollout[-1])))
        assert {r.parents for r in rounds[1].rollouts} == {(best.rollout,)}


def test_the_best_rollout_is_the_one_with_the_highest_mean_and_of_equals_the_lower_number():
    async def answer(request):
        score = {"c0": 0.5, "c1": 1, "c2": 1, "c3": 0}.get(request.sample[5:7])
        return f'{{"critique": "so", "score": {score}}}' if request.role == "verification" else await replies(request)

    rounds = run(LocalTeam(answer), Settings(candidates=4, verifications=2, epsilon=0, refine_from="best"), 2)
    assert [summed.mean_score for summed in rounds[0].summaries] == [0.5, 1, 1, 0]
    assert {r.parents for r in rounds[1].rollouts} == {("r0t00c1",)}


def test_exploring_shows_guidelines_and_neither_rollouts_nor_experience():
    team = LocalTeam()
    rounds = run(team, Settings(candidates=2, verifications=1, epsilon=1.0), 2)
    explored = [r.messages[-1].content for r in team.by_role("solution") if "t01" in r.sample]
    entries = {
        bank: [e.text for e in rounds[0].memory.entries if e.bank == bank] for bank in ("experience", "guideline")
    }
    assert all(entries.values())
    assert all(r.branch == "explore" and r.parents == () and r.memory_digest for r in rounds[1].rollouts)
    for prompt in explored:
        assert all(text in prompt for text in entries["guideline"])
        assert not any(text in prompt for text in entries["experience"])
        assert "We try" not in prompt


@pytest.mark.parametrize(("banks", "epsilon"), [(("experience",), 1.0), ((), 1.0), (("guideline",), 0.0), ((), 0.0), (("guideline",), 1.0)])
def test_without_a_bank_nothing_of_it_is_asked_for_shown_or_spoken_of(banks, epsilon):
    team = LocalTeam()
    rounds = run(team, Settings(candidates=2, verifications=1, epsilon=epsilon, banks=banks), 2)
    assert {entry.bank for one in rounds for entry in one.memory.entries} == set(banks) == {r.role for r in team.asked} & {"experience", "guideline"}
    prompts = {r.messages[-1].content for r in team.by_role("solution") if "t01" in r.sample}
    plain = {r.messages[-1].content for r in team.by_role("solution") if "t00" in r.sample}
    if epsilon and "guideline" not in banks:
        assert prompts == plain
        assert {(r.branch, r.memory_digest) for r in rounds[1].rollouts} == {("explore", None)}
    else:
        assert not prompts & plain
    assert all(("strategies above" in prompt) == (epsilon == 1 and "guideline" in banks) for prompt in prompts)


def test_a_refinement_of_a_lost_rollout_without_experience_is_asked_the_plain_problem():
    async def answer(request):
        return "" if request.role == "solution" and "t00c0" in request.sample else await replies(request)

    team = LocalTeam(answer)
    run(team, Settings(candidates=2, verifications=1, epsilon=0, banks=()), 2)
    lost, other = (r.messages[-1].content for r in team.by_role("solution") if "t01" in r.sample)
    assert lost == team.asked[0].messages[-1].content
    assert "Use what is right above" in other


def test_the_share_of_explorers_is_epsilon_and_each_draw_stands_alone():
    team = LocalTeam()
    settings = Settings(candidates=40, verifications=0, epsilon=0.2)
    drawn = [[r.branch for r in run(team, settings, 2, repeat)[1].rollouts] for repeat in range(10)]
    share = sum(branch == "explore" for row in drawn for branch in row) / 400
    assert 0.14 < share < 0.26
    assert len({tuple(row) for row in drawn}) == 10
    fewer = run(LocalTeam(), Settings(candidates=7, verifications=0, epsilon=0.2), 2)[1]
    assert [r.branch for r in fewer.rollouts] == drawn[0][:7]


def test_the_order_of_replies_changes_nothing():
    settings = Settings(candidates=4, verifications=3)
    plain = run(LocalTeam(), settings, 3)
    assert run(LocalTeam(shuffled(1)), settings, 3) == plain
    assert run(LocalTeam(shuffled(2)), settings, 3) == plain


def test_repeats_and_seeds_differ():
    settings = Settings(candidates=2, verifications=0)
    seeds = {r.seed for repeat in range(3) for one in run(LocalTeam(), settings, 2, repeat) for r in one.rollouts}
    assert len(seeds) == 12


def test_a_check_starts_when_its_rollout_ends_whatever_the_others_do():
    checked = asyncio.Event()

    async def answer(request):
        if request.role == "verification":
            checked.set()
        if request.role == "solution" and "c1" in request.sample:
            await asyncio.wait_for(checked.wait(), 5)  # a barrier between the stages would wait for ever
        return await replies(request)

    run(LocalTeam(answer), Settings(candidates=2, verifications=1), 1)


def test_both_bank_agents_are_asked_at_once():
    waiting: set[str] = set()
    both = asyncio.Event()

    async def answer(request):
        if request.role in ("experience", "guideline"):
            waiting.add(request.role)
            if len(waiting) == 2:
                both.set()
            await asyncio.wait_for(both.wait(), 5)
        return await replies(request)

    run(LocalTeam(answer), Settings(candidates=1, verifications=0), 1)


def test_a_failed_rollout_is_kept_and_nothing_is_asked_about_it():
    refused = Failure(boundary="request", kind="bad_request", detail="no")

    async def answer(request):
        if request.role == "solution" and "c1" in request.sample:
            return refused
        return await replies(request)

    team = LocalTeam(answer)
    rounds = run(team, Settings(candidates=3, verifications=2, epsilon=0), 2)
    assert [r.trace.failure for r in rounds[0].rollouts] == [None, refused, None]
    assert {v.rollout for v in rounds[0].verifications} == {"r0t00c0", "r0t00c2"}
    assert rounds[1].rollouts[1].parents == ()


def test_a_round_without_any_reply_leaves_the_memory_as_it_was():
    async def answer(request):
        if "t01" in request.sample:
            return Failure(boundary="request", kind="bad_request", detail="no")
        return await replies(request)

    rounds = run(LocalTeam(answer), Settings(candidates=2, verifications=1), 2)
    assert rounds[1].memory.entries == rounds[0].memory.entries
    assert rounds[1].memory.writes == ()


def test_a_reply_that_breaks_its_format_is_a_parse_error_and_loses_nothing_else():
    async def answer(request):
        if request.role in ("verification", "experience"):
            return "Well, I would say so."
        return await replies(request)

    one = run(LocalTeam(answer), Settings(candidates=2, verifications=1), 1)[0]
    assert {(v.parse, v.score) for v in one.verifications} == {("parse_error", None)}
    assert {s.mean_score for s in one.summaries} == {None}
    assert [w.parse for w in one.memory.writes] == ["parse_error", "parsed"]
    assert {e.bank for e in one.memory.entries} == {"guideline"}


def test_memory_is_chained_by_digest():
    from tmas_assets.records import digest

    rounds = run(LocalTeam(), Settings(candidates=1, verifications=0), 3)
    assert [one.memory.previous_digest for one in rounds] == [None, *(digest(one.memory) for one in rounds[:2])]


def test_the_first_failure_ends_the_round_and_asks_no_more():
    class Gone(RuntimeError): ...

    async def answer(request):
        if request.role == "verification":
            raise Gone
        return await replies(request)

    team = LocalTeam(answer)
    with pytest.raises(Gone):
        run(team, Settings(candidates=2, verifications=1), 1)
    assert not team.by_role("experience")


def test_a_wrong_setting_names_its_field():
    with pytest.raises(StrategyFault, match=r"strategy.settings.epsilon: .*less than or equal to 1 \(found 1.2\)"):
        settings_of(StrategyChoice(name="tmas", settings={"epsilon": 1.2}))
    with pytest.raises(StrategyFault, match=r"strategy.settings.candidate: .*did you mean candidates\? known: candidates"):
        settings_of(StrategyChoice(name="tmas", settings={"candidate": 2}))
    with pytest.raises(StrategyFault, match=r"no strategy .tmsa.; did you mean tmas\? known: .*tmas"):
        strategy("tmsa")


def test_the_digest_covers_settings_and_prompts_and_not_their_spelling():
    assert strategy_digest(StrategyChoice(name="tmas")) == strategy_digest(
        StrategyChoice(name="tmas", settings={"candidates": 8})
    )
    assert strategy_digest(StrategyChoice(name="tmas")) != strategy_digest(
        StrategyChoice(name="tmas", settings={"candidates": 4})
    )
