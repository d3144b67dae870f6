"""The workload that every tool is given: sums, the very messages to send, the limit and the number of samples.

Kept as a JSON file, since other tools read it in environments of their own. The prompts are ours, word for word, in
every tool. Leaves out the model that answers (`model.py`).
"""

import random

from tmas_assets.agents import Ask, Limits, solution
from tmas_assets.records import Message, Problem, Record, Sampling

MODEL = "scripted"
SAMPLING = Sampling(temperature=0.7, max_tokens=512)


class Sum(Record):
    id: str
    statement: str
    gold: str
    messages: tuple[Message, ...]

    @property
    def problem(self) -> Problem:
        return _problem(self.id, self.statement, self.gold)


class Workload(Record):
    url: str
    model: str
    limit: int
    """Requests at once."""
    samples: int
    """k, for each problem."""
    temperature: float
    max_tokens: int
    problems: tuple[Sum, ...]


def workload(url: str, problems: int, samples: int, limit: int) -> Workload:
    """Sums of two numbers of four digits, drawn from a fixed seed."""
    draw = random.Random(7)
    return Workload(
        url=url, model=MODEL, limit=limit, samples=samples, temperature=SAMPLING.temperature,
        max_tokens=SAMPLING.max_tokens,
        problems=tuple(
            _sum(f"sum-{number:04d}", draw.randint(1000, 9999), draw.randint(1000, 9999)) for number in range(problems)
        ),
    )  # fmt: skip


def _sum(name: str, first: int, second: int) -> Sum:
    statement, gold = f"What is {first} + {second}?", str(first + second)
    asked = solution.ask(
        _problem(name, statement, gold), Ask(sampling=SAMPLING, seed=0, sample="", affinity=""),
        proof=False, branch="plain", shown=(), memory=(), limits=Limits(),
    )  # fmt: skip
    return Sum(id=name, statement=statement, gold=gold, messages=asked.messages)


def _problem(name: str, statement: str, gold: str) -> Problem:
    return Problem(benchmark="sums", release="one", id=name, statement=statement, answer=gold, grader="integer")
