"""Reports, scores and tokens of any size for the tests of this room, drawn from a seed."""

from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import pytest

from tmas_assets.records import Bank, Figure, Grade, RoleTokens, Score
from tmas_assets.reports.experiment_report import (
    BankSize,
    ExperimentReport,
    InputDigest,
    ModelUse,
    ParseErrors,
    ProblemCell,
    ProblemRow,
    Setting,
)
from tmas_assets.statistics import Agreement, Beside, Spent, figures_of, mean_interval, samples_of
from tmas_assets.statistics.tokens import ROLES

STATEMENT = (
    "Let $n$ be a positive integer with $\\gcd(n, {k}) = 1$. Determine all functions $f:\\mathbb{{Z}}_{{>0}} \\to "
    "\\mathbb{{Z}}_{{>0}}$ such that $f(a) + f(b) \\mid a^{{n}} + b^{{{k}}}$ for all positive integers $a < b$, and "
    "find the remainder of $\\sum f(i)$ modulo $1000$. Give the answer in a box."
)


def score(iteration: int, rates: list[float], answers: int, *, missing: int = 0, experiment: str = "tmas_imo") -> Score:
    interval = mean_interval(rates)
    right = round(sum(rates) * answers)
    total = answers * len(rates)
    failed = total // 60
    return Score(
        experiment=experiment, benchmark="imo_answerbench", release="v2", iteration=iteration, metric="pass@1",
        value=right / total if total else None, low=interval.low if interval else None,
        high=interval.high if interval else None, level=0.95,
        value_answered=right / (total - failed) if total else None, problems=len(rates), answers=total,
        expected=total + missing, missing=missing, right=right, wrong=total - right - failed, undecided=0,
        failed=failed, truncated=total // 25, empty=0, repetitive=total // 90, judged=0, unsandboxed=0, grader="math", grader_version="3",
        grades_digest=f"{iteration:02x}" * 32,
    )  # fmt: skip


def figures(iteration: int, right: list[int], answers: int) -> tuple[Figure, ...]:
    """All figures of an iteration in which each problem has so many right answers; the wrong ones differ pairwise."""
    grades = [
        Grade(
            problem=f"p{p:03}", problem_digest=f"p{p:03}", rollout=f"r0t{iteration:02}c{c}", repeat=0, iteration=iteration,
            candidate=c, outcome="right" if c < count else "wrong", rule_outcome="right" if c < count else "wrong",
            judgement=None, unsandboxed=False, extracted="1" if c < count else f"-{c}", gold="1", grader="math",
            grader_version="1", failure=None, completion="complete", repetitive=False, rollouts_digest="r",
        )
        for p, count in enumerate(right) for c in range(answers)
    ]
    names = [f"p{p:03}" for p in range(len(right))]
    made = samples_of(grades, problems=names, answers_per_problem=answers, iteration=iteration, place="tests")
    classes = {name: tuple(0 if c < count else c for c in range(answers)) for name, count in zip(names, right, strict=True)}
    return figures_of(made, Beside(classes, {}, {name: name for name in names}), seed=5)


AGREEMENT = Agreement(
    answers=50, both_right=20, rule_right_judge_wrong=5, rule_wrong_judge_right=10, both_wrong=15, unreadable=2,
    share=0.7, low=0.5625, high=0.809, level=0.95, kappa=0.4,
)  # fmt: skip


def tokens(scale: int, unknown: int = 0) -> tuple[RoleTokens, ...]:
    share = {"solution": (8, 900, 2400), "verification": (64, 1500, 600), "summary": (8, 3000, 180),
             "experience": (1, 5200, 400), "guideline": (1, 4800, 300)}  # fmt: skip
    return tuple(
        RoleTokens(role=role, calls=calls * scale, prompt_tokens=calls * scale * prompt,
                   completion_tokens=calls * scale * completion, unknown=unknown if role == "solution" else 0)
        for role, (calls, prompt, completion) in share.items()
    )  # fmt: skip


def report(problems: int, iterations: int, *, answers: int = 8, seed: int = 0) -> ExperimentReport:
    draw = Random(seed)
    skill = [draw.betavariate(0.5, 0.7) for _ in range(problems)]
    rows, rates = [], [[0.0] * problems for _ in range(iterations)]
    for number, base in enumerate(skill):
        cells = []
        for t in range(iterations):
            chance = base + (1 - base) * 0.5 * t / (t + 4) * (base > 0.15)
            right = sum(draw.random() < chance for _ in range(answers))
            rates[t][number] = right / answers
            mean = min(1.0, max(0.0, 0.25 + 0.6 * right / answers + draw.uniform(-0.15, 0.15)))
            cells.append(ProblemCell(iteration=t, right=right, answers=answers, mean_verifier=round(mean, 4)))
        subject = ("algebra", "combinatorics", "geometry", "number_theory")[number % 4]
        problem, statement = f"{subject}-{number // 4:03}", STATEMENT.format(k=number + 2)
        rows.append(ProblemRow(problem=problem, statement=statement, cells=tuple(cells)))
    banks: tuple[Bank, Bank] = ("experience", "guideline")
    return ExperimentReport(
        name="tmas_imo", description="TMAS with eight candidates and eight checks on the hard half of IMO-AnswerBench.",
        benchmark="imo_answerbench", release="v2", licence="CC-BY-4.0", strategy="tmas",
        settings=tuple(
            Setting(name=name, value=value)
            for name, value in [
                ("strategy.candidates", "8"), ("strategy.checks", "8"), ("strategy.epsilon", "0.2"),
                ("strategy.refine_from", "paired"), ("repeats", "1"), ("seed", "0"), ("sampling.temperature", "0.7"),
                ("sampling.max_tokens", "2048"), ("benchmark.limit", str(problems)),
            ]
        ),
        models=(ModelUse(model="smollm2-135m-instruct", identity="5a" * 32, roles=ROLES),),
        scores=tuple(score(t, rates[t], answers) for t in range(iterations)),
        figures=tuple(
            one for t in range(iterations) for one in figures(t, [round(rate * answers) for rate in rates[t]], answers)
        ),
        agreement=AGREEMENT,
        spent=tuple(Spent(iteration=t, calls=89.0 * (t + 1), tokens=196940.0 * (t + 1), usage_unknown=0) for t in range(iterations)),
        tokens_scratch=tokens(problems * iterations), tokens_paid=tokens(problems * iterations // 3, unknown=3),
        problems=tuple(rows),
        banks=tuple(
            BankSize(iteration=t, bank=bank, live=problems * (2 + step * t - t * t // 9), snapshots=problems)
            for t in range(iterations) for bank, step in zip(banks, (6, 3), strict=True)
        ),
        parse_errors=tuple(
            ParseErrors(role=role, errors=errors, total=total)
            for role, errors, total in [("verification", 412, 25600), ("experience", 9, 400), ("guideline", 0, 400)]
        ),
        digests=(InputDigest(name="problems", digest="ab" * 32), InputDigest(name="strategy", digest="cd" * 32)),
        generated_at=datetime(2026, 3, 4, 5, 6, tzinfo=UTC),
    )  # fmt: skip


@pytest.fixture(scope="session")
def report_of() -> Callable[..., ExperimentReport]:
    return report


@pytest.fixture(scope="session")
def score_of() -> Callable[..., Score]:
    return score


@pytest.fixture
def tokens_of() -> Callable[..., tuple[RoleTokens, ...]]:
    return tokens
