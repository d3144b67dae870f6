"""Problems made on demand by the reasoning-gym package: arithmetic, algebra, logic, games, each with its scorer.

The release is the user's label for one choice of settings. Same settings and same package version give the same
bytes in every process: entries are drawn by `_gym_worker.py` in a process with a fixed hash seed, which also keeps
the package (seconds to import) out of the caller.
"""

import difflib
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Annotated

from pydantic import Field, JsonValue, ValidationError, field_validator

from tmas_assets.benchmarks._contract import Benchmark, BenchmarkError, ReleaseBytes
from tmas_assets.benchmarks._gym_names import generators
from tmas_assets.benchmarks._gym_worker import DrawReply, DrawRequest
from tmas_assets.records import Problem, Record, canonical_json, digest

_DRAWS_PER_PROBLEM = 20
"""Draws made at most for each problem wanted, counting those whose question came before."""
_SECONDS = 600
"""Time limit of the drawing process. Some generators search; the arithmetic ones need five seconds in all."""


class Task(Record):
    """One generator of the package and how much of the benchmark it makes."""

    name: str
    """The package's name: chain_sum, products, gcd, ..."""
    label: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")] | None = None
    """First part of the problem ids, where one generator appears twice; otherwise the name."""
    weight: float = Field(default=1.0, gt=0)
    config: dict[str, JsonValue] = {}
    """The generator's own settings, without seed and size."""

    @field_validator("name")
    @classmethod
    def _is_known(cls, value: str) -> str:
        if (known := generators()) and value not in known:
            near = difflib.get_close_matches(value, known, n=3)
            hint = f"did you mean {' or '.join(near)}? " if near else ""
            raise ValueError(f"reasoning-gym has no generator {value!r}; {hint}there are {len(known)}, such as chain_sum, gcd")
        return value

    @field_validator("config")
    @classmethod
    def _seed_is_ours(cls, value: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := sorted({"seed", "size"} & value.keys()):
            raise ValueError(f"set for the whole benchmark, not for one task: {', '.join(taken)}")
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
    order = list(mix(settings.tasks, settings.size))
    used = [task for task in settings.tasks if task in order]
    reply = _draw([
        DrawRequest(name=task.name, config=task.config, seed=_seed(task, settings), count=order.count(task),
                    draws=_DRAWS_PER_PROBLEM * settings.size)
        for task in used
    ])
    draws = {task.prefix: iter(drawn) for task, drawn in zip(used, reply.draws, strict=True)}
    problems = []
    for task in order:
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


def _draw(requests: Sequence[DrawRequest]) -> DrawReply:
    try:
        done = subprocess.run(
            [sys.executable, "-m", "tmas_assets.benchmarks._gym_worker"],
            input=canonical_json([request.model_dump() for request in requests]),
            capture_output=True, text=True, timeout=_SECONDS, check=False,
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
    except subprocess.TimeoutExpired as error:
        names = ", ".join(request.name for request in requests)
        raise BenchmarkError(f"reasoning_gym: drawing {names} took over {_SECONDS} s; lower the size") from error
    try:
        reply = DrawReply.model_validate_json(done.stdout)
    except ValidationError as error:
        raise BenchmarkError(f"reasoning_gym: the drawing process ended with exit status {done.returncode} "
                             f"and no reply; it wrote: {done.stderr[-2000:]}") from error
    if reply.error is not None:
        raise BenchmarkError(f"reasoning_gym {reply.error}")
    return reply


BENCHMARK = Benchmark(
    name="reasoning_gym",
    title="Reasoning Gym (generated)",
    licence="Apache-2.0",
    source="the reasoning-gym package, open-thought/reasoning-gym",
    graders=("reasoning_gym",),
    default_release="default",
    releases={},
    Settings=ReasoningGymSettings,
    read=read,
    package="reasoning-gym",
)
