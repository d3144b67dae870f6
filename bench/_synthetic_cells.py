"""Whole cells of TMAS as a campaign leaves them, written without a model: of any number of problems, iterations and answers.

The chain is a real one: memory follows memory, a refinement names its parent and the snapshot it was shown, near-duplicates
are merged by the engine's own `merge`, grades say what the grader of the benchmark would. Texts are drawn words that end in
a box. Half of the first answers are right, and every iteration mends some. Leaves out the call log: no request was ever made.
"""

import argparse
import random
from collections.abc import Callable
from pathlib import Path

from resources.deployment import Deployment
from tmas_assets.assets.faults import cells_of
from tmas_assets.engine.cells import CellStore, StoredCell
from tmas_assets.engine.grades import grader_of
from tmas_assets.engine.problems import refresh_table
from tmas_assets.grading import grader_version
from tmas_assets.memory import BankSettings, merge
from tmas_assets.records import (
    Bank,
    BankUpdate,
    BankWrite,
    Branch,
    Experiment,
    Grade,
    MemoryEntry,
    MemorySnapshot,
    Polarity,
    Problem,
    Rollout,
    Round,
    Summary,
    Trace,
    Verification,
    digest,
)
from tmas_assets.records.seeds import seed_of

EPSILON, CUT_SHORT, UNREADABLE = 0.25, 0.02, 0.03
"""Shares: candidates that explore, answers that end at the token limit, checks that break their format."""
_SAID = (
    "we consider the sum of all terms and note that each carries its own sign so the parity must agree with the bound "
    "from before hence it suffices to check small cases by hand while a factor remains even under the map that swaps both "
    "sides of an equation and keeps n^2 + 1 < 4k whenever gcd(a, b) = 1 holds"
)
_WORDS = _SAID.split()


def experiment(
    problems: int = 50, iterations: int = 20, candidates: int = 8, repeats: int = 4, verifications: int = 2, name: str = "synthetic"
) -> Experiment:
    """`candidates` x `repeats` answers a problem and iteration. Its endpoint leads nowhere."""
    return Experiment.model_validate({
        "name": name,
        "description": "Cells written without a model, for measurements of everything around one.",
        "benchmark": {
            "name": "reasoning_gym", "release": "synthetic", "settings": {"tasks": [{"name": "chain_sum"}], "size": problems, "seed": 7},
        },
        "strategy": {"name": "tmas", "settings": {"candidates": candidates, "verifications": verifications, "epsilon": EPSILON}},
        "iterations": iterations,
        "repeats": repeats,
        "endpoints": {"default": {"urls": ["http://127.0.0.1:9/v1"], "model": "synthetic", "revision": "1"}},
    })  # fmt: skip


Traced = Callable[[Problem, str, str, str], Trace]
"""(problem, id of the record, role, status) -> the trace of the call that it is made of."""


def sizes(doc: str | None) -> argparse.ArgumentParser:
    """What a bench of synthetic cells is told: how many, and where they may lie already."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, count in (("problems", 50), ("iterations", 20), ("candidates", 8), ("repeats", 4)):
        parser.add_argument(f"--{name}", type=int, default=count)
    parser.add_argument("--home", type=Path, help="folder that keeps the cells; a temporary one by default")
    return parser


def write_cells(
    deployment: Deployment, asked: Experiment, chars: int = 2000, critique_chars: int = 1000, traced: Traced | None = None
) -> CellStore:
    """The problem table and every cell of `asked`, each with its grades. `chars` of a solution, `critique_chars` of a check;
    summaries have 400 and lines of a bank some 100. `traced`: of calls that there are; without it traces name calls that there are not."""
    table, _ = refresh_table(deployment.store(), asked.benchmark, data=deployment.data_folder, downloads=deployment.downloads)
    cells = cells_of(deployment, asked)
    for problem in table.select((), asked.benchmark.limit):
        past: dict[int, Round] = {}
        before: StoredCell | None = None
        for iteration in range(asked.iterations):
            for repeat in range(asked.repeats):
                past[repeat] = _Writer(cells, problem, repeat, iteration, past.get(repeat), chars, critique_chars, traced).round()
            rounds = [past[repeat] for repeat in range(asked.repeats)]
            before = cells.write(iteration, problem, rounds, before)
            grades = [_grade(problem, rollout, before.rollouts.digest) for one in rounds for rollout in one.rollouts]
            cells.write_grades(iteration, problem, grades, before.rollouts, grader_of(problem, None))
    return cells


class _Writer:
    """One round of one problem and repeat."""

    def __init__(
        self, cells: CellStore, problem: Problem, repeat: int, iteration: int, last: Round | None, chars: int, critique_chars: int,
        traced: Traced | None,
    ) -> None:  # fmt: skip
        self.cells, self.problem, self.repeat, self.iteration, self.last = cells, problem, repeat, iteration, last
        self.chars, self.critique_chars, self.traced = chars, critique_chars, traced
        self.random = random.Random(seed_of("synthetic", problem.digest, repeat, iteration))
        self.memory_digest = digest(last.memory) if last else None
        self.place = {"problem": problem.id, "repeat": repeat, "iteration": iteration}
        self.made_by = {"strategy_digest": cells.strategy_digest, "model": cells.models[0]}

    def round(self) -> Round:
        settings = self.cells.experiment.strategy.settings
        rollouts = [self._rollout(number) for number in range(int(str(settings["candidates"])))]
        checks = [self._check(one, number) for one in rollouts for number in range(int(str(settings["verifications"])))]
        summaries = [self._summary(one, [check for check in checks if check.rollout == one.id]) for one in rollouts]
        entries = self.last.memory.entries if self.last else ()
        writes = []
        for bank in ("experience", "guideline"):
            entries, write = self._write(bank, entries, tuple(one.id for one in rollouts))
            writes.append(write)
        memory = MemorySnapshot(
            **self.place, problem_digest=self.problem.digest, previous_digest=self.memory_digest, entries=entries,
            writes=tuple(writes), strategy_digest=self.cells.strategy_digest,
        )  # fmt: skip
        return Round(
            **self.place, rollouts=tuple(rollouts), verifications=tuple(checks), summaries=tuple(summaries), memory=memory
        )

    def _rollout(self, number: int) -> Rollout:
        id_ = f"r{self.repeat}t{self.iteration:02d}c{number}"
        draw, parent = self.random.random(), self.last.rollouts[number] if self.last else None
        branch: Branch = "plain" if self.last is None else "explore" if draw < EPSILON else "refine"
        bank = {"refine": "experience", "explore": "guideline"}.get(branch)
        shows = self.last is not None and any(one.bank == bank and one.state == "live" for one in self.last.memory.entries)
        was_right = parent is not None and parent.answer == self.problem.answer and branch == "refine"
        right = self.random.random() < (0.95 if was_right else 0.35 if branch == "refine" else 0.5)
        gold = self.problem.answer or "0"
        answer = gold if right else str(self.random.randrange(1000, 2000))
        text = f"{self._words(self.chars)}\n\nThe answer is \\boxed{{{answer}}}."
        return Rollout(
            **self.place, **self.made_by, id=id_, problem_digest=self.problem.digest, candidate=number, branch=branch,
            parents=(parent.id,) if parent and branch == "refine" else (), memory_digest=self.memory_digest if shows else None,
            text=text, answer=answer, seed=self.random.randrange(2**31),
            trace=self._trace(id_, "solution", "truncated" if self.random.random() < CUT_SHORT else "complete"),
        )  # fmt: skip

    def _check(self, rollout: Rollout, number: int) -> Verification:
        id_, right = f"{rollout.id}v{number}", rollout.answer == self.problem.answer
        read = self.random.random() >= UNREADABLE
        score = self.random.choice((1.0, 1.0, 0.5) if right else (0.0, 0.0, 0.5, 1.0)) if read else None
        return Verification(
            **self.place, **self.made_by, id=id_, rollout=rollout.id, check=number, score=score,
            critique=self._words(self.critique_chars) if read else "", parse="parsed" if read else "parse_error",
            parse_error=None if read else "no JSON object in the reply", trace=self._trace(id_, "verification"),
        )  # fmt: skip

    def _summary(self, rollout: Rollout, checks: list[Verification]) -> Summary:
        scores = [check.score for check in checks if check.score is not None]
        return Summary(
            **self.place, **self.made_by, id=f"{rollout.id}s", rollout=rollout.id, text=self._words(400),
            mean_score=sum(scores) / len(scores) if scores else None, parse="parsed", parse_error=None,
            trace=self._trace(f"{rollout.id}s", "summary"),
        )  # fmt: skip

    def _write(
        self, bank: Bank, entries: tuple[MemoryEntry, ...], sources: tuple[str, ...]
    ) -> tuple[tuple[MemoryEntry, ...], BankWrite]:
        own = [one for one in entries if one.bank == bank and one.state == "live"]
        polarities: tuple[Polarity, ...] = ("strategy",) if bank == "guideline" else ("conclusion", "pitfall")
        lines = [(self.random.choice(polarities), self._words(100)) for _ in range(self.random.randint(0, 2))]
        if own:
            again = self.random.choice(own)
            lines.append((again.polarity, again.text))
        struck = [(self.random.choice(own).id, self._words(60))] if own and self.random.random() < 0.15 else []
        update = BankUpdate(added=tuple(lines), refuted=tuple(struck))
        made = merge(entries, update, bank=bank, iteration=self.iteration, sources=sources, settings=BankSettings(cap_tokens=600))
        counts = {name: getattr(made, name) for name in ("added", "merged", "refuted", "evicted")}
        trace = self._trace(f"r{self.repeat}t{self.iteration:02d}", bank)
        return made.entries, BankWrite(bank=bank, parse="parsed", parse_error=None, model=self.cells.models[0], trace=trace, **counts)

    def _words(self, chars: int) -> str:
        words = [self.random.choice(_WORDS) for _ in range(chars // 5)]
        return f"{self.random.randrange(10**6)}: {' '.join(words)}"[:chars]

    def _trace(self, id_: str, role: str, status: str = "complete") -> Trace:
        if self.traced is not None:
            return self.traced(self.problem, id_, role, status)
        call = digest(["synthetic", self.problem.digest, id_, role])
        tokens = {"prompt_tokens": 600 + self.random.randrange(400), "completion_tokens": 100 + self.random.randrange(500)}
        return Trace.model_validate(
            {"call": call, "reply": digest([call]), "role": role, "status": status, "repetitive": False, "failure": None, **tokens}
        )


def _grade(problem: Problem, rollout: Rollout, rollouts: str) -> Grade:
    outcome = "right" if rollout.answer == problem.answer else "wrong"
    return Grade.model_validate({
        "problem": problem.id, "problem_digest": problem.digest, "rollout": rollout.id, "repeat": rollout.repeat,
        "iteration": rollout.iteration, "candidate": rollout.candidate, "outcome": outcome, "rule_outcome": outcome, "judgement": None,
        "unsandboxed": False, "extracted": rollout.answer, "gold": problem.answer, "grader": problem.grader,
        "grader_version": grader_version(problem.grader), "failure": None, "completion": rollout.trace.status, "repetitive": False,
        "rollouts_digest": rollouts,
    })  # fmt: skip
