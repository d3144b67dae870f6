"""A team in this process for tests of strategies: replies by role, every request kept."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime

from tmas_assets.records import Call, ChatRequest, Failure, Problem, Record, Round, Sampling, Usage
from tmas_assets.strategies import AwaitsApproval, Here, Ran, strategy
from tmas_assets.strategies.step import next_round

Answer = Callable[[ChatRequest], Awaitable[str | Failure]]


async def replies(request: ChatRequest) -> str:
    """Words that depend on the request alone, in the form each role asks for."""
    draw = random.Random(f"{request.role}{request.seed}")
    word = f"note{draw.randrange(1000)}"
    if (decided := _decided(request.sample, draw, word)) is not None:
        return decided
    return {
        "solution": f"We try {word}. \\boxed{{{draw.randrange(10)}}}",
        "verification": json.dumps({
            "critique": word, "score": draw.choice([0, 0.5, 1]), "report": word, "verdict": draw.choice(["correct", "incorrect"]),
        }),
        "meta_verification": json.dumps({"critique": word, "score": draw.choice([0, 0.5, 1])}),
        "feedback": json.dumps({"report": word, "verdict": draw.choice(["right", "wrong"])}),
        "summary": f"The checks say {word}.",
        "experience": json.dumps({"conclusions": [], "pitfalls": [word], "refuted": []}),
        "guideline": json.dumps({"strategies": [word], "refuted": []}),
        "proposal": json.dumps({"steps": [f"First {word}.", f"Then {word}, so \\boxed{{{draw.randrange(10)}}}."]}),
        "value": json.dumps({"report": word, "verdict": draw.choice(["sure", "likely", "impossible"])}),
        "vote": json.dumps({"reason": word, "verdict": draw.choice([1, 2])}),
        "distillation": json.dumps({"propositions": [word], "pitfalls": [f"never {word}"]}),
        "ceo": json.dumps({
            "reason": word, "action": draw.choice(["continue", "stop"]), "experts": draw.randint(1, 4), "direction": word,
            "max_tokens": draw.choice([2048, 4096]),
        }),
        "recruiter": json.dumps({"experts": [f"{word} {number}" for number in range(4)]}),
        "critic": json.dumps({"report": word, "verdict": draw.choice(["agree", "disagree"])}),
        "executor": f"```python\nassert {word[4:]} > -1\n```",
        "evaluator": json.dumps({"advice": word, "experts": word, "verdict": draw.choice(["accept", "reject", "reject"])}),
    }[request.role]


def _decided(sample: str, draw: random.Random, word: str) -> str | None:
    """The reply of a team that decides, whose seats are told by the sample (`r0t01/risk/expert`); None for all others."""
    match sample.split("/")[1:]:
        case ["plan", "ceo"]:
            return json.dumps({"reason": word, "claims": [{"text": word, "experts": ["risk"]}, {"text": f"{word} too", "experts": []}]})
        case ["order", "ceo"]:
            return json.dumps({"reason": word, "action": draw.choice(["continue", "stop"]), "gap": word})
        case [place, "ceo"] if place.startswith("decision"):
            return json.dumps({"reason": word, "decision": draw.choice(["go", "no_go", "go_if", "need_data"]), "conditions": [word]})
        case [_, "expert" | "red_team" as role]:
            verdict = "oppose" if role == "red_team" else draw.choice(["support", "conditional", "oppose"])
            return json.dumps({"reason": word, "verdict": verdict, "score": draw.randrange(11), "confidence": 0.5, "claims": ["c1"]})
    return None


def _passes(program: str) -> Ran:
    return Ran(stdout="", stderr="", ended="passed")


def go(team: "LocalTeam", problem: Problem, name: str, settings: Record, iterations: int, repeat: int = 0) -> list[Round]:
    """The rounds of strategy `name` as the engine makes them."""
    method = strategy(name)

    async def rounds() -> list[Round]:
        made: list[Round] = []
        for t in range(iterations):
            here = Here(seed=7, repeat=repeat, iteration=t, strategy_digest="s")
            back = method.looks_back
            past = tuple(made if back is None else made[-back:])
            made.append(await next_round(method, problem, past, here, team, settings))
        return made

    return asyncio.run(rounds())


class LocalTeam:
    def __init__(self, answer: Answer = replies, runs: Callable[[str], Ran] = _passes) -> None:
        self.answer, self.runs = answer, runs
        self.asked: list[ChatRequest] = []
        self.ran: list[str] = []
        self.approved: bool = True

    def sampling(self, role: str) -> Sampling:
        return Sampling(max_tokens=64)

    def structured(self, role: str) -> bool:
        return True

    async def ask(self, request: ChatRequest) -> Call:
        self.asked.append(request)
        text = await self.answer(request)
        failed = text if isinstance(text, Failure) else None
        return Call(
            key=request.key("local"),
            model="local",
            experiment="test",
            request=request,
            status="failed" if failed else "complete",
            finish_reason="stop",
            answer="" if failed else str(text),
            thinking=None,
            thinking_split="none",
            repetitive=False,
            usage=Usage(prompt_tokens=10, completion_tokens=5),
            failure=failed,
            attempts=1,
            max_tokens_sent=64,
            seconds=0.0,
            finished_at=datetime(2026, 1, 1, tzinfo=UTC),
            server="local",
        )

    async def classes(self, problem: Problem, answers: Sequence[str | None]) -> tuple[int | None, ...] | None:
        """By text; programs cannot be told equal."""
        said = list(answers)
        return None if problem.grader == "code" else tuple(said.index(one) if one else None for one in said)

    async def run_code(self, program: str, stdin: str = "") -> Ran:
        self.ran.append(program)
        return self.runs(program)

    async def embed(self, model: str, digest: str, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """How often each letter stands in a text."""
        return [[float(text.lower().count(chr(97 + i))) for i in range(26)] for text in texts]

    async def require_approval(self, made: Round) -> None:
        if not self.approved:
            raise AwaitsApproval(f"{made.problem}: nobody has approved round {made.iteration}")

    def by_role(self, role: str) -> list[ChatRequest]:
        return [request for request in self.asked if request.role == role]


def shuffled(seed: int, answer: Answer = replies) -> Answer:
    """The same replies in another order of arrival."""
    draw = random.Random(seed)

    async def later(request: ChatRequest) -> str | Failure:
        await asyncio.sleep(draw.random() / 200)
        return await answer(request)

    return later
