"""A cast for the adaptive team: what each role says, by role or by place, and how to read what it was shown."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tests.strategies.team import LocalTeam, go
from tmas_assets.records import (
    Call,
    ChatRequest,
    CompletionStatus,
    Failure,
    Message,
    Problem,
    Record,
    Round,
    Sampling,
    Usage,
)
from tmas_assets.strategies.mas_tts import Conclusion, Ordered, Settings

PROBLEM = Problem(benchmark="toy", release="1", id="p", statement="What is $1 + 1$?", answer="2", grader="math")
REFUSED = Failure(boundary="request", kind="bad_request", detail="no")
Says = str | Failure | Callable[[ChatRequest], str | Failure]
ALONE = Settings(experts=1, ceo=False, evaluator=False)


def order(action: str = "continue", experts: int = 3, max_tokens: int = 4096, direction: str = "use parity") -> str:
    return json.dumps({"reason": "so", "action": action, "experts": experts, "direction": direction, "max_tokens": max_tokens})


def votes(*words: str) -> Callable[[ChatRequest], str]:
    """Of critic 0, 1, ...: `agree`, `disagree`, or the reply itself."""

    def vote(request: ChatRequest) -> str:
        number = re.search(r"v(\d+)/", request.sample)
        if number is None:
            return f"speech {request.sample}"
        word = words[int(number[1]) % len(words)]
        return json.dumps({"report": f"report {request.sample}", "verdict": word}) if word in ("agree", "disagree") else word

    return vote


def verdict(word: str = "reject", advice: str = "mend the sign", experts: str = "a geometer") -> str:
    return json.dumps({"advice": advice, "experts": experts, "verdict": word})


def cast(**says: Says) -> LocalTeam:
    """Everybody works: the CEO goes on with 3 experts, critics agree, the evaluator rejects."""
    usual: dict[str, Says] = {
        "ceo": order(),
        "recruiter": json.dumps({"experts": [f"Expert number {n}." for n in "abcdefgh"]}),
        "solution": lambda request: f"solution {request.sample} \\boxed{{2}}",
        "critic": votes("agree"),
        "executor": "```python\nassert f(2) == 4\n```",
        "evaluator": verdict(),
    }
    usual |= says

    async def answer(request: ChatRequest) -> str | Failure:
        said = usual[request.role]
        return said(request) if callable(said) else said

    return LocalTeam(answer)


def run(team: LocalTeam, settings: Settings, iterations: int = 1, problem: Problem = PROBLEM, repeat: int = 0) -> list[Round]:
    return go(team, problem, "mas_tts", settings, iterations, repeat)


def prompts(team: LocalTeam, role: str, place: str = "") -> list[str]:
    """User messages of a role, those of the places that match."""
    return [request.messages[-1].content for request in team.by_role(role) if re.search(place, request.sample)]


def turn(made: Round, kind: type[Record]) -> Any:
    [found] = [turn for turn in made.memory.turns if turn.kind == kind.__name__]
    return kind.model_validate_json(found.data or "")


def ordered(made: Round) -> Ordered:
    return turn(made, Ordered)  # type: ignore[no-any-return]


def conclusion(made: Round) -> Conclusion:
    return turn(made, Conclusion)  # type: ignore[no-any-return]


def call_of(answer: str, status: CompletionStatus = "complete") -> Call:
    """A finished call with this reply."""
    request = ChatRequest(role="x", messages=(Message(role="user", content="q"),), sampling=Sampling(), seed=1, sample="s")
    return Call(
        key="k", model="m", experiment="e", request=request, status=status, finish_reason="stop", answer=answer, thinking=None,
        thinking_split="none", repetitive=False, usage=Usage(), attempts=1, max_tokens_sent=64, seconds=1,
        finished_at=datetime(2026, 1, 1, tzinfo=UTC), server="u",
    )  # fmt: skip
