"""Rows of data sets of any size for the tests of this room, and the text of someone who wants out of his cell."""

from typing import Any

from tmas_assets.curation.trace_filters import FilterCount
from tmas_assets.records import (
    ColdStart,
    Compared,
    Conversation,
    Dropped,
    Endpoint,
    ExtraInfo,
    FilteredTrace,
    Message,
    PassRate,
    Problem,
    ProblemSource,
    PublishedTrace,
    Question,
    QuestionReview,
    RewardModel,
    RlRow,
    ShownEntry,
    SimulatedRound,
    SourceProblem,
    StepCount,
    TeamTrace,
    TraceTurn,
)
from tmas_assets.records.experiment import BenchmarkChoice
from tmas_assets.reports.card_facts import (
    CardFacts,
    DomainFacts,
    FileFacts,
    NamedCount,
    PassRateBin,
    SourceFacts,
    StratumFacts,
    TargetFacts,
    TeacherFacts,
)
from tmas_assets.reports.length_panels import length_rows, prompt_panels
from tmas_assets.reports.report_rows import ModelUse, Setting

HOSTILE = (
    "- x\n\n```\n~~~~\n\n# out\n\n<script>alert(1)</script> | a | b |\n| --- | --- |\n![i](http://h/i.png) [l](javascript:x) `c` **b** $x$ &lt;"
    "\x00\x1b[31m\u202e\u2066 \ud800 `````\n   ~~~~~~~~\n\r\n> q\n\t```\n<img src=x onerror=y>\n---\n</details>\n"
)


def rl_row(at: int = 0, **changed: Any) -> RlRow:
    text = changed.pop("text", f"Problem {at}: what is {at} + 1?")
    source = ("normal", "experience", "guideline")[at % 3]
    entries = tuple(ShownEntry(id=f"g{i}", polarity="strategy", text=f"{text} {i}") for i in range(at % 3))
    info = {
        "index": at, "set": "cold_start", "problem": f"gym/{at}", "problem_digest": f"{at:064x}", "licence": "Apache-2.0", "topic": f"t{at % 5}",
        "origin": "gym", "p_base": 0.25, "p_base_samples": 8, "experience": (), "guideline": entries, "branch": ("plain", "refine", "explore")[at % 3],
        "repeat": 0, "iteration": at % 3, "candidate": 0, "parents": (), "rollouts_digest": None, "summaries_digest": None,
        "memory_digest": None, "right_before": 1, "wrong_before": 2, "teacher": "big" if at % 3 else None, "teacher_model": None,
        "prompt_digest": "d" * 64, **changed,
    }  # fmt: skip
    return RlRow(
        prompt=(Message(role="system", content="Solve."), Message(role="user", content=text)), data_source="math",
        reward_model=RewardModel(ground_truth=str(at + 1), style="rule", grader="math", grading_data=""),
        extra_info=ExtraInfo(**info), _source=source,
    )  # fmt: skip


def conversation(at: int = 0, text: str = "Hello", role: str | None = None, prompt: int | None = 100, completion: int | None = 20) -> Conversation:
    return Conversation(
        messages=(Message(role="user", content=text), Message(role="assistant", content=f"{text} {at}")),
        role=role or ("solution", "verification", "summary", "experience", "guideline")[at % 5], problem=f"gym/{at}", problem_digest="p" * 64,
        group=f"g{at // 5}", order=at % 5, about=(f"r0t00c{at}",), call="c" * 64, teacher="big", teacher_model="m" * 64, licence="MIT",
        prompt_tokens=prompt, completion_tokens=completion,
    )  # fmt: skip


def candidate(at: int = 0, text: str = "What is 1 + 1?", topic: str = "sums") -> SourceProblem:
    problem = Problem(benchmark="gym", release="v1", id=f"gym/{at}", statement=text, answer="2", grader="math", subject=topic)
    return SourceProblem(problem=problem, source="gym", licence="Apache-2.0", topic=topic)


def pass_rate(at: int, right: int, samples: int = 8) -> PassRate:
    return PassRate(
        problem=f"gym/{at}", problem_digest="p" * 64, model="small", samples=samples, right=right,
        p=right / samples if samples else None, ungraded=8 - samples, grades_digest="g" * 64,
    )  # fmt: skip


def simulated(at: int = 0, teacher: str = "big", right: int = 3, wrong: int = 1) -> SimulatedRound:
    return SimulatedRound(
        problem=f"gym/{at}", problem_digest="p" * 64, teacher=teacher, teacher_model=f"model of {teacher}", experiment="e", variant="v",
        iteration=at % 3, rollouts_digest="a", verifier_scores_digest="b", summaries_digest="c", memory_digest="d", grades_digest="e",
        right=right, wrong=wrong, ungraded=0,
    )  # fmt: skip


def question(at: int = 0, text: str = "Why?", domain: str = "physics") -> Question:
    review = QuestionReview(difficulty=4, disciplines=(domain, text), parse="parsed", parse_error=None, model="big", call="c" * 64)
    return Question(
        candidate=candidate(at, text), review=review, domain=domain, reference=text, reference_tokens=2000, reference_right=True,
        reference_model="big", reference_call="c" * 64,
    )  # fmt: skip


def trace(at: int = 0, text: str = "So it is 2.", turns: int = 4, domain: str = "physics", completion: int | None = 50) -> TeamTrace:
    roles = ("ceo", "expert_recruiter", "problem_solver", "critic", "evaluator")
    made = tuple(
        TraceTurn(
            order=i, iteration=0, role=roles[i % 5], agent=f"a{i}", messages=(Message(role="user", content=text),), thinking=text, reply=text,
            status="complete", parse="parsed", parse_error=None, prompt_tokens=300, completion_tokens=completion, model="big", call="c" * 64,
        )
        for i in range(turns)
    )  # fmt: skip
    return TeamTrace(
        question=f"gym/{at}", problem_digest="p" * 64, grader="math", attempt=0, licence="MIT", domain=domain, turns=made, solution=text,
        answer="2", agreed=True, outcome="right", accepted=None, rollouts_digest="r", memory_digest="m", grades_digest="g",
    )  # fmt: skip


def filtered(at: int = 0, consensus: bool = True, form: bool = True, correct: bool = True) -> FilteredTrace:
    return FilteredTrace(
        question=f"gym/{at}", attempt=0, consensus=consensus, format=form, format_fault=None if form else "no box", correctness=correct,
        kept=consensus and form and correct,
    )  # fmt: skip


def published(text: str = "What?") -> PublishedTrace:
    said = (Message(role="user", content=text), Message(role="assistant", content=text))
    return PublishedTrace(
        question=text, solution=text, expert_recruiter_messages=said, problem_solver_messages=said, critic_messages=(), evaluator_messages=said,
    )  # fmt: skip


def dropped(at: int, reason: str = "no gold", text: str = "What is it?") -> Dropped:
    return Dropped(problem=f"gym/{at}", problem_digest="p" * 64, source="gym", reason=reason, detail=text, statement=text)


def cold_start(**changed: Any) -> ColdStart:
    endpoint = Endpoint(urls=("http://user:secret@server:8000/v1",), model="small")
    source = ProblemSource(benchmark=BenchmarkChoice(name="reasoning_gym", base="/folder/of/this/machine"))
    return ColdStart(name="cold_start", sources=(source,), endpoints={"default": endpoint}, **changed)


def facts(text: str = "plain", **changed: Any) -> CardFacts:
    """A card of a whole set in which every text is `text`."""
    given: dict[str, Any] = {
        "name": text, "kind": "cold_start", "description": text, "seed": 7, "settings": f"name: {text}\n",
        "sources": (SourceFacts(name=text, benchmark=text, licence=text, weight=1, problems=90, screened=60, rows=50),),
        "licences": (NamedCount(name=text, rows=40), NamedCount(name="CC-BY-NC-SA-4.0", rows=10)),
        "screening": (
            StepCount(step=text, came=90, kept=60, reason=None, dropped=30), StepCount(step=text, came=90, kept=60, reason=text, dropped=30),
        ),
        "compared": (
            Compared(release="math500", problems=500, digest="f" * 64, missing=None), Compared(release=f"theorems {text}", problems=0, digest=None, missing=text),
        ),
        "targets": (TargetFacts(set=text, asked=64, made=50, why=text),),
        "teachers": (TeacherFacts(name=text, model=text, weight=1, rows=30, right=20, wrong=60, ungraded=3),),
        "models": (ModelUse(model=text, identity=text, roles=(text, text)),), "lengths": length_rows(prompt_panels([rl_row(0), rl_row(1)])),
        "digests": (Setting(name=text, value=text),),
        "files": (FileFacts(config=text, path=f"{text}/rows.parquet", rows=50, size=1000, digest="a" * 64, role="rl_prompts"),
                  FileFacts(config="sft", path="sft/rows.parquet", rows=50, size=1000, digest="b" * 64, role="conversations")),
        "pass_rates": (PassRateBin(band=text, problems=60, kept=0), PassRateBin(band="0.1 – 0.2", problems=3, kept=3)), "pass_rate_samples": 8,
        "strata": (StratumFacts(set=text, source=text, difficulty=text, topic=text, asked=20, made=15),),
        "domains": (DomainFacts(domain=text, questions=5, traces=4, kept=3),),
        "filters": (FilterCount(filter="consensus", on=True, judged=9, failed=1, only=1),), "traces_kept": 3,
        "format_faults": (NamedCount(name=text, rows=1),), "partial": text, **changed,
    }  # fmt: skip
    return CardFacts(**given)
