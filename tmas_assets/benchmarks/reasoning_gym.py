"""Problems made on demand by the reasoning-gym package: arithmetic, algebra, logic, games, each with its scorer.

The release is the user's label for one choice of settings. Same settings and same package version give the same
bytes in every process. The package is imported only when problems are made (it takes seconds).
"""

import json
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, JsonValue, field_validator

from tmas_assets.benchmarks._contract import Benchmark, BenchmarkError, ReleaseBytes
from tmas_assets.records import Problem, Record, canonical_json, digest

if TYPE_CHECKING:
    from reasoning_gym.dataset import ProceduralDataset

_DRAWS_PER_PROBLEM = 20
"""Draws made at most for each problem wanted, counting those whose question came before."""


class Task(Record):
    """One generator of the package and how much of the benchmark it makes."""

    name: str
    """The package's name: chain_sum, products, gcd, ..."""
    label: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] | None = None
    """First part of the problem ids, where one generator appears twice; otherwise the name."""
    weight: float = Field(default=1.0, gt=0)
    config: dict[str, JsonValue] = {}
    """The generator's own settings, without seed and size."""

    @field_validator("config")
    @classmethod
    def _seed_is_ours(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := sorted({"seed", "size"} & value.keys()):
            raise ValueError(f"{' and '.join(taken)} are set for the whole benchmark, not for one task")
        return value

    @property
    def prefix(self) -> str:
        return self.label or self.name


class ReasoningGymSettings(Record):
    """Defaults: sums and products of one and two digits, which a model of 10^8 parameters gets right now and then."""

    tasks: tuple[Task, ...] = Field(
        min_length=1,
        default=(
            Task(name="chain_sum", weight=2, config={"max_terms": 2, "max_digits": 1}),
            Task(name="chain_sum", label="two_digit_sum", config={"max_terms": 3, "min_digits": 2, "max_digits": 2}),
            Task(name="products", config={"max_digits": 1}),
        ),
    )
    size: int = Field(default=20, ge=1, le=100_000)
    seed: int = Field(default=0, ge=0)

    @field_validator("tasks")
    @classmethod
    def _labels_differ(cls, value: tuple[Task, ...]) -> tuple[Task, ...]:
        labels = [task.prefix for task in value]
        if len(set(labels)) < len(labels):
            raise ValueError(f"two tasks share a label: {labels}; give one of them a `label`")
        return value


@dataclass(frozen=True)
class _Draw:
    index: int
    question: str
    answer: str
    entry: str
    """The package's entry as canonical JSON."""


def mix(tasks: Sequence[Task], size: int) -> Iterator[Task]:
    """`size` tasks in proportion to their weights, spread evenly: every prefix has the same mix as the whole."""
    total = sum(task.weight for task in tasks)
    taken = [0] * len(tasks)
    for drawn in range(1, size + 1):
        due = [drawn * task.weight / total - count for task, count in zip(tasks, taken, strict=True)]
        chosen = due.index(max(due))
        taken[chosen] += 1
        yield tasks[chosen]


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    assert isinstance(settings, ReasoningGymSettings)
    package = f"reasoning-gym {version('reasoning-gym')}"
    draws: dict[str, Iterator[_Draw]] = {}
    problems = []
    for task in mix(settings.tasks, settings.size):
        if task.prefix not in draws:
            draws[task.prefix] = _draws(task, settings)
        draw = next(draws[task.prefix])
        grading_data = {"config": task.config, "entry": json.loads(draw.entry), "package": package, "task": task.name}
        problems.append(
            Problem(
                benchmark="reasoning_gym",
                release=release,
                id=f"{task.prefix}-{draw.index:04d}",
                statement=draw.question,
                answer=draw.answer,
                grader="reasoning_gym",
                grading_data=canonical_json(grading_data),
                subject=task.name,
                source=f"{package} {task.name}, seed {_seed(task, settings)}, index {draw.index}",
            )
        )
    return tuple(problems)


def _seed(task: Task, settings: ReasoningGymSettings) -> int:
    """The package seeds item i with seed + i, so neighbouring seeds would share nearly all items: spread them."""
    return int(digest([settings.seed, task.prefix])[:8], 16)


def _draws(task: Task, settings: ReasoningGymSettings) -> Iterator[_Draw]:
    """Entries with distinct questions. Raises BenchmarkError where the generator or its entries are unusable."""
    dataset = _dataset(task, settings)
    asked: set[str] = set()
    for index in range(_DRAWS_PER_PROBLEM * settings.size):
        entry = dataset[index]
        question, answer = entry["question"], entry["answer"]
        if question in asked:
            continue
        asked.add(question)
        where = f"reasoning_gym task {task.name} index {index}"
        if not isinstance(answer, str) or not answer:
            raise BenchmarkError(f"{where}: its gold is {answer!r}; this generator cannot be graded by a gold answer")
        try:
            text = canonical_json(entry)
        except (TypeError, ValueError) as error:
            raise BenchmarkError(f"{where}: its entry cannot be kept as JSON ({error}); choose another") from error
        # What the grader will see later is the entry read back from JSON, so that is what has to score.
        score = dataset.score_answer(answer, json.loads(text))
        if score != 1.0:
            raise BenchmarkError(f"{where}: its own gold {answer!r} scores {score} after a trip through JSON; "
                                 "choose another generator")
        yield _Draw(index, question, answer, text)
    raise BenchmarkError(f"reasoning_gym task {task.name}: only {len(asked)} different questions in "
                         f"{_DRAWS_PER_PROBLEM * settings.size} draws; lower its weight or size, or widen its config")


def _dataset(task: Task, settings: ReasoningGymSettings) -> "ProceduralDataset":
    with warnings.catch_warnings():
        # One of its dependencies compares with `is`, which every import would report.
        warnings.simplefilter("ignore", SyntaxWarning)
        import reasoning_gym

    config: dict[str, Any] = {**task.config, "seed": _seed(task, settings),
                              "size": _DRAWS_PER_PROBLEM * settings.size}
    try:
        return reasoning_gym.create_dataset(task.name, **config)
    except (ValueError, TypeError, AssertionError) as error:
        raise BenchmarkError(f"reasoning_gym task {task.name} with {task.config}: {error}") from error


BENCHMARK = Benchmark(
    name="reasoning_gym",
    title="Reasoning Gym (generated)",
    licence="Apache-2.0",
    source="the reasoning-gym package, open-thought/reasoning-gym",
    grader="reasoning_gym",
    default_release="default",
    releases={},
    Settings=ReasoningGymSettings,
    read=read,
)
