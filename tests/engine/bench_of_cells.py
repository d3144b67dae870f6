"""The engine without Dagster: a few problems of our own, a store in a folder, one pass over some cells."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from resources.chat.client import Spend
from resources.deployment import Deployment
from tests.strategies.deciding import PROBLEM
from tests.strategies.small import DECIDES
from tests.whole.experiments import deployment, experiment
from tmas_assets.engine.campaign import Campaign, Outcome
from tmas_assets.engine.cells import CellStore, FinishedCell, FoundCell
from tmas_assets.engine.graders import Graders
from tmas_assets.engine.judging import Judge
from tmas_assets.engine.team import identities, open_team
from tmas_assets.records import JUDGE, Experiment, Problem

__all__ = ["Bench", "deployment", "experiment", "problem"]


def problem(number: int, **change: str) -> Problem:
    body = {
        "benchmark": "reasoning_gym",
        "release": "tests",
        "id": f"p-{number}",
        "statement": f"What is {number} + {number}?",
        "answer": str(2 * number),
        "grader": "integer",
    }
    return Problem.model_validate(body | change)


@dataclass
class Bench:
    experiment: Experiment
    folder: Path
    problems: Sequence[Problem] = ()
    """Three of our own where none are given, of the kind that the strategy takes."""
    change: dict[str, object] = field(default_factory=dict)
    made: list[FinishedCell] = field(default_factory=list)
    found: list[FoundCell] = field(default_factory=list)

    def __post_init__(self) -> None:
        decides = self.experiment.strategy.name in DECIDES
        ids = [f"h-{number}" for number in range(3)]
        self.problems = self.problems or [
            PROBLEM.model_copy(update={"id": id_}) if decides else problem(number) for number, id_ in enumerate(ids)
        ]

    @property
    def deployment(self) -> Deployment:
        return deployment(self.folder, **self.change)

    @property
    def cells(self) -> CellStore:
        place = self.deployment
        return CellStore(place.store(), self.experiment, identities(self.experiment, place.vllm()))

    def run(self, iterations: range | None = None, *, redo: bool = False) -> Outcome:
        """One pass in this process; `made` and `found` hold what it reported, by iteration and problem: cells end in any order."""
        self.made, self.found = [], []
        outcome = asyncio.run(self._run(iterations or range(self.experiment.iterations), redo))
        self.made.sort(key=lambda cell: (cell.iteration, cell.problem.id))
        self.found.sort(key=lambda cell: (cell.iteration, cell.problem.id))
        return outcome

    async def _run(self, iterations: range, redo: bool) -> Outcome:
        place, spend = self.deployment, Spend(self.experiment.budget)
        with Graders(max_workers=1) as graders:
            async with open_team(self.experiment, place, spend, graders, run="test") as team:
                return await Campaign(
                    self.cells,
                    team,
                    graders,
                    Judge.of(self.experiment, team.model(JUDGE), team.ask),
                    iterations=iterations,
                    problems=self.problems,
                    on_made=self.made.append,
                    on_found=self.found.append,
                    redo=redo,
                ).run()
