"""Do the strategies stand to each other as they must, on a simulated solver? Its assumptions: bench/_simulated.py.

1. self_consistency beats single where every problem is solved with p > 1/2, and loses to it where p < 1/2.
2. rse and tmas beat verify_refine (each thread on its own) where what one candidate learns serves all, and do not where
   it serves that candidate alone.
3. The director of mas_tts saves at least 30 % of the tokens at equal accuracy, on three easy problems for every hard one.

Every claim is a paired difference over problems with its 95 % interval; one JSON line each.

    python -m bench.known_orderings
"""

import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engine.bench_of_cells import Bench, experiment, problem
from tests.scripted import launch
from tests.whole.experiments import endpoint
from tmas_assets.engine.figures import samples
from tmas_assets.engine.gathering import gather
from tmas_assets.engine.summary import tokens_from_scratch
from tmas_assets.records import Problem
from tmas_assets.statistics import paired_difference
from tmas_assets.strategies import settings_of, strategies, strategy

N = 8
EQUAL = 0.03
"""Accuracies that differ by no more are called equal."""
SAVED = 0.3


@dataclass(frozen=True)
class Result:
    rates: Mapping[str, float]
    """Share of right answers in the last iteration, by problem."""
    tokens: int

    @property
    def accuracy(self) -> float:
        return sum(self.rates.values()) / len(self.rates)


class Simulation:
    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder, self.runs = url, folder, 0

    def run(self, name: str, kinds: list[str], iterations: int, repeats: int = 1, **settings: object) -> Result:
        """One problem of each kind, in order."""
        self.runs += 1
        problems = [_problem(number, kind) for number, kind in enumerate(kinds)]
        asked = experiment(self.url, strategy={"name": name, "settings": settings}, iterations=iterations, repeats=repeats)
        roles = strategy(name).roles(settings_of(asked.strategy))
        sampling = {"max_tokens": 4096}
        endpoints = {role: endpoint(self.url, model=role, concurrency=64, sampling=sampling) for role in roles}
        asked = asked.model_validate(
            asked.model_dump()
            | {"endpoints": endpoints | {"default": endpoints[roles[0]]}, "roles": {role: {"endpoint": role} for role in roles}}
        )
        bench = Bench(asked, self.folder / f"{self.runs}", problems)
        outcome = bench.run()
        if outcome.stopped:
            raise RuntimeError(f"{name}: {outcome.stopped[0]}")
        gathered = gather(bench.cells, problems)
        last = samples(asked, problems, gathered)[iterations - 1]
        rates = {problem: right / last.each for problem, right in last.right.items()}
        tokens = sum(row.prompt_tokens + row.completion_tokens for row in tokens_from_scratch(gathered))
        return Result(rates, tokens)


def _problem(number: int, kind: str) -> Problem:
    return problem(number, statement=f"What is {number} + {number}? ({kind})")


def _compared(first: Result, second: Result) -> dict[str, float]:
    found = paired_difference(first.rates, second.rates, seed=1)
    assert found is not None
    return {"first": round(first.accuracy, 3), "second": round(second.accuracy, 3), "difference": round(found.value, 3),
            "low": round(found.low or 0.0, 3), "high": round(found.high or 0.0, 3)}  # fmt: skip


def votes(world: Simulation) -> list[dict[str, Any]]:
    lines = []
    for p, beats in ((0.7, True), (0.3, False)):
        kinds = [f"right {p}"] * 60
        voted = world.run("self_consistency", kinds, 1, repeats=4, samples=9)
        plain = world.run("single", kinds, 1, repeats=4, samples=9)
        found = _compared(voted, plain)
        ok = found["low"] > 0 if beats else found["high"] < 0
        lines.append({"claim": f"self_consistency {'beats' if beats else 'loses to'} single at p = {p}", **found, "ok": ok})
    return lines


def lessons(world: Simulation) -> list[dict[str, Any]]:
    lines = []
    for shared in (True, False):
        kinds = [f"traps 6 {'shared' if shared else 'own'}"] * 40
        alone = world.run("verify_refine", kinds, 3, per_thread=True, candidates=N, verifications=2)
        teams = {
            "rse": world.run("rse", kinds, 3, population=N),
            "tmas": world.run("tmas", kinds, 3, candidates=N, verifications=2),
        }
        for name, result in teams.items():
            found = _compared(result, alone)
            claim = f"{name} {'beats' if shared else 'does not beat'} verify_refine where lessons are {'shared' if shared else 'own'}"
            ok = found["low"] > 0 if shared else found["low"] <= 0
            lines.append({"claim": claim, **found, "ok": ok})
    return lines


def lead(world: Simulation) -> list[dict[str, Any]]:
    kinds = ["easy", "easy", "easy", "traps 9 shared"] * 25
    team = {"experts": 4, "critic_iterations": 2, "max_tokens": 4096}
    led = world.run("mas_tts", kinds, 3, ceo=True, token_choices=[1024, 4096], **team)
    fixed = world.run("mas_tts", kinds, 3, ceo=False, **team)
    found, saved = _compared(led, fixed), 1 - led.tokens / fixed.tokens
    claim = f"the lead of mas_tts saves {SAVED:.0%} of the tokens at equal accuracy"
    return [{"claim": claim, **found, "saved": round(saved, 3), "ok": saved >= SAVED and abs(found["difference"]) <= EQUAL}]


def main() -> int:
    names = ",".join(sorted({role for one in strategies().values() for role in one.roles(one.Settings())}))
    script = ("--script", "bench._simulated:script", "--model", names)
    with tempfile.TemporaryDirectory() as scratch, launch.process(*script) as server:
        world = Simulation(server.url, Path(scratch))
        lines = []
        for claims in (votes, lessons, lead):
            for line in claims(world):
                print(json.dumps({"bench": "known_orderings", **line}), flush=True)
                lines.append(line)
    return 0 if all(line["ok"] for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
