"""Builders of records, since every role is asked about a problem and reads a call."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from tmas_assets.agents import Ask
from tmas_assets.records import (
    Call,
    ChatRequest,
    CompletionStatus,
    Failure,
    MemoryEntry,
    Message,
    Problem,
    Rollout,
    Sampling,
    Summary,
    Trace,
    Usage,
    Verification,
)

TRACE = Trace(
    call="k", reply="r", role="x", status="complete", repetitive=False, prompt_tokens=1, completion_tokens=1, failure=None
)


@pytest.fixture
def problem() -> Problem:
    return Problem(
        benchmark="b", release="1", id="p1", statement=r"What is \frac{6}{2} + 4?", answer="7", grader="math"
    )


@pytest.fixture
def ask() -> Callable[..., Ask]:
    def build(max_tokens: int = 192, structured: bool = False) -> Ask:
        sampling = Sampling(max_tokens=max_tokens)
        return Ask(sampling=sampling, seed=5, sample="r0/t00/c0", affinity="p1", priority=2, structured=structured)

    return build


@pytest.fixture
def rollout() -> Callable[..., Rollout]:
    def build(text: str, candidate: int = 0) -> Rollout:
        return Rollout(
            id=f"r0t00c{candidate}", problem="p1", problem_digest="d", repeat=0, iteration=0, candidate=candidate,
            branch="plain", parents=(), memory_digest=None, text=text, answer=None, strategy_digest="s", model="m",
            seed=1, trace=TRACE,
        )  # fmt: skip

    return build


@pytest.fixture
def check() -> Callable[..., Verification]:
    def build(critique: str, score: float | None = 1.0) -> Verification:
        return Verification(
            id="r0t00c0v0", problem="p1", rollout="r0t00c0", repeat=0, iteration=0, check=0, score=score,
            critique=critique, parse="parsed" if score is not None else "parse_error", parse_error=None,
            strategy_digest="s", model="m", trace=TRACE,
        )  # fmt: skip

    return build


@pytest.fixture
def review() -> Callable[[str], Summary]:
    def build(text: str) -> Summary:
        return Summary(
            id="r0t00c0s", problem="p1", rollout="r0t00c0", repeat=0, iteration=0, text=text, mean_score=1.0,
            parse="parsed", parse_error=None, strategy_digest="s", model="m", trace=TRACE,
        )  # fmt: skip

    return build


@pytest.fixture
def entry() -> Callable[..., MemoryEntry]:
    def build(id_: str, text: str) -> MemoryEntry:
        letter = id_[0]
        return MemoryEntry(
            id=id_, bank="experience" if letter == "e" else "guideline",
            polarity="conclusion" if letter == "e" else "strategy", text=text, born=0, sources=(), last_seen=0,
        )  # fmt: skip

    return build


@pytest.fixture
def call() -> Callable[..., Call]:
    def build(answer: str, status: CompletionStatus = "complete", failure: Failure | None = None) -> Call:
        request = ChatRequest(
            role="x", messages=(Message(role="user", content="q"),), sampling=Sampling(), seed=1, sample="s"
        )
        return Call(
            key="k", model="m", experiment="e", request=request, status=status,
            finish_reason="length" if status == "truncated" else "stop", answer=answer, thinking=None,
            thinking_split="none", repetitive=False, usage=Usage(completion_tokens=64), failure=failure, attempts=1,
            max_tokens_sent=64, seconds=1, finished_at=datetime(2026, 1, 1, tzinfo=UTC), server="u",
        )  # fmt: skip

    return build
