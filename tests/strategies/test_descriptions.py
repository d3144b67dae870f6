"""Every strategy beside its published description, as two tables: calls of each round, and what a prompt shows.

Nobody is ever content here, so nothing ends before its time; what ends a strategy stands in its own tests. The words of
replies are their own (`saying.py`): a prompt that showed anything but what its line says would be found out.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from tests.strategies.deciding import PROBLEM as HYPOTHESIS
from tests.strategies.saying import place, saying, shown, word
from tests.strategies.team import LocalTeam, go
from tmas_assets.records import ChatRequest, Problem, Round
from tmas_assets.strategies import strategies, strategy

PROBLEM = Problem(benchmark="toy", release="1", id="p/1", statement="What is $1 + 1$?", answer="2", grader="math")


def rounds(name: str, settings: Mapping[str, object], count: int, team: LocalTeam) -> list[Round]:
    problem = HYPOTHESIS if name == "team_decision" else PROBLEM
    return go(team, problem, name, strategy(name).Settings.model_validate(settings), count)


def at(request: ChatRequest) -> int:
    found = re.match(r"t(\d+)", place(request))
    assert found
    return int(found[1])


CALLS: list[tuple[str, dict[str, object], list[int]]] = [
    # one call a rollout
    ("single", {}, [1]),
    ("single", {"samples": 8}, [8]),
    # k samples; MV@64 of TMAS's table is the default
    ("self_consistency", {}, [64]),
    ("self_consistency", {"samples": 5}, [5]),
    # N plain, then feedback and revision of each
    ("self_refine", {}, [8, 16, 16]),
    ("self_refine", {"threads": 3, "shows": "all"}, [3, 6, 6]),
    # N (1 + M); the paper's table refines each thread by itself; a meta-verification of each of the 6 low ratings
    ("verify_refine", {}, [72, 72, 72]),
    ("verify_refine", {"per_thread": True}, [72, 72, 72]),
    ("verify_refine", {"meta_verification": True}, [72 + 8 * 6] * 2),
    ("verify_refine", {"candidates": 128, "verifications": 2, "n_best": 32, "refinements": 4}, [384, 384]),
    # the widths, then one
    ("pacore", {}, [16, 1]),
    ("pacore", {"widths": [4]}, [4, 1]),
    ("pacore", {"widths": [32, 4]}, [32, 4, 1]),
    ("pacore", {"widths": [8, 8, 8]}, [8, 8, 8, 1]),
    # a rollout and its distillation
    ("rse", {}, [64, 64]),
    ("rse", {"population": 8}, [16, 16, 16, 16]),
    # N answers a loop, 10 loops
    ("rsa", {}, [16] * 10),
    # one proposal (of 5, here 2 differ) and 3 values of each new state; beam 5; at last one finish and 3 values of each
    ("tree_of_thoughts", {}, [1 + 2 * 3, 2 + 4 * 3, 4 + 4 * 3]),
    # as for texts: 5 samples, 5 votes, keep 1
    ("tree_of_thoughts", {"propose": "samples", "evaluate": "vote", "evaluations": 5, "keep": 1}, [5 + 5] * 3),
    # solver and verifier, then corrector and verifier; the tenth failure rejects
    ("mars", {}, [2] * 10),
    # CEO, recruiter, solver, (I + 1) reviews by N - 1 critics around I revisions, evaluator; the CEO says N = 3
    ("mas_tts", {}, [1 + 1 + 1 + 4 * 2 + 3 + 1] * 2),
    ("mas_tts", {"ceo": False}, [1 + 1 + 4 * 1 + 3 + 1] * 2),
    ("mas_tts", {"ceo": False, "experts": 4, "critic_iterations": 1}, [1 + 1 + 2 * 3 + 1 + 1] * 2),
    ("mas_tts", {"ceo": False, "experts": 4, "critic_iterations": 1, "topology": "horizontal"}, [1 + 3 + 1 + 3 + 1] * 2),
    ("mas_tts", {"ceo": False, "evaluator": False, "experts": 1}, [1, 1]),
    # the plan; four experts and the red team; the CEO's order and all of them again, twice; the decision
    ("team_decision", {}, [1, 5, 6, 6, 1]),
    ("team_decision", {"debate_rounds": 0, "red_team": False, "roster": ["market", "risk"]}, [1, 2, 1]),
    # N + N M + N + 2 = 82; without a bank its agent is not asked
    ("tmas", {}, [82, 82, 82]),
    ("tmas", {"banks": ["experience"]}, [81, 81]),
    ("tmas", {"banks": []}, [80, 80]),
    ("tmas", {"candidates": 4, "verifications": 4}, [4 + 16 + 4 + 2] * 2),
]


@pytest.mark.parametrize(("name", "settings", "calls"), CALLS, ids=[f"{name}-{number}" for number, (name, *_) in enumerate(CALLS)])
def test_a_round_makes_the_calls_of_its_description(name, settings, calls):
    team = saying()
    rounds(name, settings, len(calls), team)
    made = Counter(map(at, team.asked))
    assert [made[t] for t in range(len(calls))] == calls


def test_every_strategy_stands_in_both_tables():
    assert {name for name, *_ in CALLS} == set(strategies()) == {line.strategy for line in SHOWN}


def said(of: str, *endings: str) -> list[str]:
    """Words of the reply at a place, with these endings."""
    return [word(of) + ending for ending in endings or ("",)]


@dataclass(frozen=True)
class Asked:
    """What a line of the table knows of the request it speaks of."""

    t: int
    c: int
    """Number of the candidate; 0 where the place names none."""
    v: int
    seat: str
    """What follows the first slash of a place."""
    rounds: Sequence[Round]
    words: list[str]

    def drawn(self, *options: list[str]) -> list[str]:
        """Of words in a drawn order: the order that was drawn, if all of them are there and nothing else."""
        want = [one for option in options for one in option]
        return self.words if sorted(self.words) == sorted(want) else want

    def branch(self, t: int, c: int) -> str:
        return next(one.branch for one in self.rounds[t].rollouts if one.candidate == c)


@dataclass(frozen=True)
class Shows:
    strategy: str
    place: str
    """Pattern of the places that the line speaks of."""
    words: Callable[[Asked], list[str]]
    settings: Mapping[str, object] = field(default_factory=dict)
    rounds: int = 3


def nothing(asked: Asked) -> list[str]:
    return []


def solutions(t: int, count: int) -> list[str]:
    return [one for c in range(count) for one in said(f"t{t:02d}c{c}/solution")]


def origin(asked: Asked) -> tuple[int, int]:
    """All ratings alike, the pool's best are the newest with the lowest numbers; each is refined twice."""
    return asked.t - 1, asked.c // 2


def critiques(t: int, c: int) -> list[str]:
    """Of scores 1, .5, 0, .5: the lowest first."""
    return [one for v in (2, 1, 3, 0) for one in said(f"t{t:02d}c{c}v{v}/verification")]


def refined(t: int, c: int) -> list[str]:
    return [*said(f"t{t:02d}c{c}/solution"), *critiques(t, c)]


def distilled(before: int, count: int) -> list[str]:
    """Pitfalls, then propositions."""
    made = [f"t{t:02d}c{c}/distillation" for t in range(before) for c in range(count)]
    return [word(of) + ending for ending in ("neg", "pos") for of in made]


def banked(bank: str, before: int) -> list[str]:
    endings = ("pos", "neg") if bank == "experience" else ("",)
    return [one for t in range(before) for one in said(f"t{t:02d}/{bank}", *endings)]


def tmas_solution(asked: Asked) -> list[str]:
    if asked.branch(asked.t, asked.c) == "explore":
        return banked("guideline", asked.t)
    own = [*said(f"t{asked.t - 1:02d}c{asked.c}/solution"), *said(f"t{asked.t - 1:02d}c{asked.c}/summary")]
    return [*own, *banked("experience", asked.t)]


def tmas_bank(bank: str) -> Callable[[Asked], list[str]]:
    def words(asked: Asked) -> list[str]:
        chains = [f"t{asked.t:02d}c{c}/{role}" for c in range(3) for role in ("solution", "summary")]
        return [*(word(of) for of in chains), *banked(bank, asked.t)]

    return words


def told(round_: str, letter: str) -> list[str]:
    """Direction and part of an expert, the solver's being x."""
    return [*said(f"{round_}/ceo", "dir"), *said(f"{round_}/recruiter", letter)]


def critics(draft: int) -> list[str]:
    return [one for v in (0, 1) for one in said(f"t00c{draft}v{v}/critic")]


def seats(asked: Asked, t: int) -> list[str]:
    """All findings of round t: that of the one who is asked, that of risk, then the others in the order of speakers."""
    names = {name: said(f"t{t:02d}/{name}/{'red_team' if name == 'red_team' else 'expert'}") for name in SEATS}
    first = [name for name in dict.fromkeys((asked.seat, "risk")) if name in SEATS]
    words = [one for name in first for one in names.pop(name)]
    start = len(CLAIMS) + len(words)
    return [*words, *Asked(0, 0, 0, "", (), asked.words[start : start + len(names)]).drawn(*names.values())]


def path(state: int) -> list[str]:
    """Of state 0 to 3 of the second depth of a tree."""
    return [*said("t00c0/proposal", "ab"[state // 2]), *said(f"t01c{6 * (state // 2)}/proposal", "ab"[state % 2])]


def four_of(those: list[str], words: list[str]) -> list[str]:
    """What was drawn, where it is four of those."""
    return words if len(words) == 4 and set(words) <= set(those) else those


SEATS = ("market", "finance", "technology", "risk", "red_team")
CLAIMS = said("t00/plan/ceo")
ADVICE = said("t00c1/evaluator", "adv")
ONCE = {"critic_iterations": 1}
SMALL_TMAS = {"candidates": 3, "verifications": 2, "epsilon": 0.5}
SMALL_POOL = {"candidates": 4, "verifications": 4, "refinements": 2}
FIRST = r"t00c\d+/solution"
LATER = r"t0[1-9]c\d+/solution"

SHOWN = [
    Shows("single", FIRST, nothing, {"samples": 3}, 1),
    Shows("self_consistency", FIRST, nothing, {"samples": 3}, 1),
    # a thread sees itself alone: feedback its last attempt, the revision that with its feedback, or all of them in turn
    Shows("self_refine", FIRST, nothing),
    Shows("self_refine", "feedback", lambda a: said(f"t{a.t - 1:02d}c{a.c}/solution")),
    Shows("self_refine", LATER, lambda a: [*said(f"t{a.t - 1:02d}c{a.c}/solution"), *said(f"t{a.t:02d}c{a.c}/feedback")]),
    Shows(
        "self_refine", LATER,
        lambda a: [one for t in range(a.t) for one in (*said(f"t{t:02d}c{a.c}/solution"), *said(f"t{t + 1:02d}c{a.c}/feedback"))],
        {"shows": "all"},
    ),
    # one solution of the pool and ratings of it, the lowest first; a verification sees its solution alone
    Shows("verify_refine", FIRST, nothing, SMALL_POOL),
    Shows("verify_refine", "verification", lambda a: said(f"t{a.t:02d}c{a.c}/solution"), SMALL_POOL),
    Shows("verify_refine", LATER, lambda a: refined(*origin(a)), SMALL_POOL),
    Shows("verify_refine", LATER, lambda a: refined(a.t - 1, a.c), SMALL_POOL | {"per_thread": True}),
    Shows(
        "verify_refine", "meta_verification",
        lambda a: [*said(f"t{a.t:02d}c{a.c}/solution"), *said(f"t{a.t:02d}c{a.c}v{a.v}/verification")],
        SMALL_POOL | {"meta_verification": True},
    ),
    # all texts of the round before and of no earlier one
    Shows("pacore", FIRST, nothing, {"widths": [5, 3]}),
    Shows("pacore", "t01", lambda a: a.drawn(solutions(0, 5)), {"widths": [5, 3]}),
    Shows("pacore", "t02", lambda a: a.drawn(solutions(1, 3)), {"widths": [5, 3]}),
    # the bank of all rounds before, pitfalls first, and no answer; a distillation sees its answer alone
    Shows("rse", FIRST, nothing, {"population": 3}),
    Shows("rse", "distillation", lambda a: said(f"t{a.t:02d}c{a.c}/solution"), {"population": 3}),
    Shows("rse", LATER, lambda a: distilled(a.t, 3), {"population": 3}),
    # four of the loop before
    Shows("rsa", FIRST, nothing, {"population": 6}),
    Shows("rsa", LATER, lambda a: a.drawn(four_of(solutions(a.t - 1, 6), a.words)), {"population": 6}),
    # a state is the steps from the root to it: here the second step repeats the branch of the first
    Shows("tree_of_thoughts", "t00.*proposal", nothing),
    Shows("tree_of_thoughts", "t01.*proposal", lambda a: said("t00c0/proposal", "ab"[a.c // 6])),
    Shows("tree_of_thoughts", "t02.*solution", lambda a: path(a.c // 6)),
    Shows("tree_of_thoughts", "t01.*value", lambda a: path(2 * (a.c // 6) + a.c % 6)),
    Shows("tree_of_thoughts", "t02.*value", lambda a: [*path(a.c // 6), *said(f"t02c{a.c}/solution")]),
    # the verifier sees the solution alone, the corrector that with the report on it
    Shows("mars", FIRST, nothing),
    Shows("mars", "verification", lambda a: said(f"t{a.t:02d}c0/solution")),
    Shows("mars", LATER, lambda a: [*said(f"t{a.t - 1:02d}c0/solution"), *said(f"t{a.t - 1:02d}c0v0/verification")]),
    # N = 3, I = 1: draft 0, its reviews, draft 1, its reviews, verdict. Solution, what was said of it, advice, direction, part
    Shows("mas_tts", "t00/ceo", nothing, ONCE, 2),
    Shows("mas_tts", "t00/recruiter", lambda a: said("t00/ceo", "dir"), ONCE, 2),
    Shows("mas_tts", "t00c0/solution", lambda a: told("t00", "x"), ONCE, 2),
    Shows("mas_tts", "t00c0v", lambda a: [*said("t00c0/solution"), *told("t00", "yz"[a.v])], ONCE, 2),
    Shows("mas_tts", "t00c1/solution", lambda a: [*said("t00c0/solution"), *critics(0), *told("t00", "x")], ONCE, 2),
    Shows("mas_tts", "t00c1v", lambda a: [*said("t00c1/solution"), *critics(0), *told("t00", "yz"[a.v])], ONCE, 2),
    Shows("mas_tts", "t00.*evaluator", lambda a: [*said("t00c1/solution"), *said("t00/recruiter", "x", "y", "z")], ONCE, 2),
    Shows("mas_tts", "t01/ceo", lambda a: [*said("t00c1/solution"), *critics(1), *ADVICE], ONCE, 2),
    Shows("mas_tts", "t01/recruiter", lambda a: [*said("t00c1/evaluator", "exp"), *ADVICE, *said("t01/ceo", "dir")], ONCE, 2),
    Shows("mas_tts", "t01c0/solution", lambda a: [*said("t00c1/solution"), *critics(1), *ADVICE, *told("t01", "x")], ONCE, 2),
    # first answers are independent; then one's own, those who cannot be outvoted, the others as drawn, all of the round
    # before, and the gap that the CEO named
    Shows("team_decision", "t00/plan", nothing, {}, 5),
    Shows("team_decision", "t01/", lambda a: CLAIMS, {}, 5),
    Shows("team_decision", "t0[23]/order", lambda a: [*CLAIMS, *seats(a, a.t - 1)], {}, 5),
    Shows("team_decision", r"t0[23]/\w+/(expert|red_team)",
          lambda a: [*CLAIMS, *seats(a, a.t - 1), *said(f"t{a.t:02d}/order/ceo", "gap")], {}, 5),
    Shows("team_decision", "t04/decision", lambda a: [*CLAIMS, *seats(a, 3)], {}, 5),
    # refining: its own rollout with its summary and the experience of all rounds; exploring: the guidelines alone
    Shows("tmas", FIRST, nothing, SMALL_TMAS),
    Shows("tmas", LATER, tmas_solution, SMALL_TMAS),
    Shows("tmas", "verification", lambda a: said(f"t{a.t:02d}c{a.c}/solution"), SMALL_TMAS),
    Shows("tmas", "summary", lambda a: [*said(f"t{a.t:02d}c{a.c}/solution"), *(word(f"t{a.t:02d}c{a.c}v{v}/verification") for v in (0, 1))],
          SMALL_TMAS),
    Shows("tmas", "experience", tmas_bank("experience"), SMALL_TMAS),
    Shows("tmas", "guideline", tmas_bank("guideline"), SMALL_TMAS),
]  # fmt: skip


@pytest.mark.parametrize("line", SHOWN, ids=[f"{one.strategy}-{one.place}-{number}" for number, one in enumerate(SHOWN)])
def test_a_prompt_shows_what_its_description_says_and_no_other_text_of_a_model(line):
    team = saying()
    made = rounds(line.strategy, line.settings, line.rounds, team)
    asked = [request for request in team.asked if re.search(line.place, place(request))]
    assert asked
    for request in asked:
        found = re.match(r"t\d+(?:c(\d+))?(?:v(\d+))?", place(request))
        assert found
        seat = place(request).split("/")[1]
        known = Asked(at(request), int(found[1] or 0), int(found[2] or 0), seat, made, shown(request))
        assert known.words == line.words(known), place(request)
