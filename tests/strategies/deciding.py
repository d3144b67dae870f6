"""A hypothesis, and a team that answers every request of a team decision: words that depend on the request alone."""

import json
import random

from tests.strategies.team import LocalTeam, go
from tmas_assets.records import (
    ChatRequest,
    Decision,
    Evidence,
    Finding,
    Hypothesis,
    Order,
    Plan,
    Round,
    problem_of,
)
from tmas_assets.strategies.team_decision.settings import Settings, rounds

HYPOTHESIS = Hypothesis(
    statement="We should sell the bottle from spring on.",
    goal="Earn money with it",
    constraints=("budget: 100,000 EUR", "EU only"),
    evidence=(
        Evidence(id="survey", title="Survey of 120", text="40 of 120 would buy it at 24 EUR."),
        Evidence(id="costs", text="item,eur\nunit cost,9\nprice,24\n", format="csv"),
    ),
)
PROBLEM = problem_of(HYPOTHESIS, benchmark="hypotheses", release="tests", id="bottle")
EXPERTS = ("market", "finance", "technology", "risk")


def finding(word: str, verdict: str = "support", **change: object) -> str:
    """A whole finding whose texts all hold `word`."""
    body = {
        "reason": f"{word} reason", "verdict": verdict, "score": 7, "confidence": 0.6, "claims": ["c1"],
        "assumptions": [f"{word} assumption"], "risks": [{"text": f"{word} risk", "likelihood": "low", "impact": "high"}],
        "evidence": [{"text": f"{word} evidence", "source": "survey"}], "would_change": f"{word} change",
    }  # fmt: skip
    return json.dumps(body | change)


def speaks(request: ChatRequest) -> str:
    """Who is asked, and for what: `plan`, `order`, `decision1`, or the name of a seat."""
    return request.sample.split("/")[1]


def at(request: ChatRequest) -> int:
    """The iteration of a request."""
    return int(request.sample.split("/")[0].split("t")[1])


async def replies(request: ChatRequest) -> str:
    draw = random.Random(f"{request.sample}{request.seed}")
    word = f"{speaks(request)}{draw.randrange(1000)}"
    match speaks(request):
        case "plan":
            claims = [{"text": f"{word} demand", "experts": ["market"]}, {"text": f"{word} money", "experts": ["finance", "risk"]}]
            return json.dumps({"reason": word, "claims": claims})
        case "order":
            return json.dumps({"reason": word, "action": "continue", "gap": f"{word} gap"})
        case "decision1" | "decision2":
            return json.dumps({
                "reason": f"{word} reason", "decision": draw.choice(["go", "no_go", "go_if", "need_data"]), "conditions": [f"{word} term"],
                "agreed": [], "next_experiments": [{"text": f"{word} pilot", "cost": "1,000 EUR"}],
            })  # fmt: skip
        case "red_team":
            against = "argue against" in request.messages[-1].content
            return finding(word, "oppose" if against else "support")
    return finding(word, draw.choice(["support", "conditional", "insufficient", "oppose"]), score=draw.randrange(11))


def says(**replaced: object):
    """`replies`, with others for the seats or steps named: a text, a Failure, or a function of the request."""

    async def answer(request: ChatRequest):
        told = replaced.get(speaks(request))
        told = told(request) if callable(told) else told
        return await replies(request) if told is None else told

    return answer


def decide(team: LocalTeam, repeat: int = 0, iterations: int | None = None, **settings: object) -> list[Round]:
    chosen = Settings.model_validate(settings)
    return go(team, PROBLEM, "team_decision", chosen, iterations or rounds(chosen), repeat)


def records(made: list[Round], kind: type) -> list:
    return [
        kind.model_validate_json(turn.data)
        for one in made for turn in one.memory.turns if turn.kind == kind.__name__ and turn.data is not None
    ]  # fmt: skip


def plan(made: list[Round]) -> Plan:
    return records(made, Plan)[-1]


def findings(made: list[Round]) -> list[Finding]:
    return records(made, Finding)


def orders(made: list[Round]) -> list[Order]:
    return records(made, Order)


def decision(made: list[Round]) -> Decision:
    (found,) = records(made, Decision)
    return found
