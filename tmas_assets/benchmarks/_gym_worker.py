"""Draws reasoning-gym entries in a process of its own: a JSON request on stdin, a JSON reply on stdout.

Some generators iterate over sets of strings, so their entries depend on the hash seed of the process; the caller
starts this one with a fixed seed. Leaves out how entries become problems (`reasoning_gym.py`).
"""

import json
import os
import sys
import warnings
from typing import Any

from tmas_assets.benchmarks._contract import BenchmarkError
from tmas_assets.records import Record, canonical_json


class DrawRequest(Record):
    """`count` entries with distinct questions from one generator, in at most `draws` draws."""

    name: str
    config: dict[str, Any]
    seed: int
    count: int
    draws: int


class Draw(Record):
    index: int
    question: str
    answer: str
    entry: str
    """The package's entry as canonical JSON."""


class DrawReply(Record):
    """Draws per request in the order of the requests, or why there are none."""

    draws: tuple[tuple[Draw, ...], ...] = ()
    error: str | None = None


def draw(request: DrawRequest) -> tuple[Draw, ...]:
    """Raises BenchmarkError where the generator, its config or its entries are unusable."""
    with warnings.catch_warnings():
        # A dependency of the package compares with `is`, which every import would report.
        warnings.simplefilter("ignore", SyntaxWarning)
        import reasoning_gym
    try:
        dataset = reasoning_gym.create_dataset(
            request.name, **{**request.config, "seed": request.seed, "size": request.draws})
    except (ValueError, TypeError, AssertionError) as error:
        raise BenchmarkError(f"task {request.name} with {request.config}: {error}") from error
    drawn: dict[str, Draw] = {}
    for index in range(request.draws):
        if len(drawn) == request.count:
            break
        entry = dataset[index]
        question, answer = entry["question"], entry["answer"]
        if question in drawn:
            continue
        where = f"task {request.name} index {index}"
        if not isinstance(answer, str) or not answer:
            raise BenchmarkError(f"{where}: its gold is {answer!r}; this generator cannot be graded by a gold answer")
        try:
            text = canonical_json(entry)
        except (TypeError, ValueError) as error:
            raise BenchmarkError(f"{where}: its entry cannot be kept as JSON ({error}); choose another") from error
        # What the grader will see later is the entry read back from JSON, so that is what has to score.
        score = dataset.score_answer(answer, json.loads(text))
        if score != 1.0:
            raise BenchmarkError(f"{where}: its own gold {answer[:60]!r} scores {score} after a trip through JSON; "
                                 "choose another generator")
        drawn[question] = Draw(index=index, question=question, answer=answer, entry=text)
    if len(drawn) < request.count:
        raise BenchmarkError(f"task {request.name}: {len(drawn)} different questions in {request.draws} draws, "
                             f"{request.count} wanted; lower its weight or the size, or widen its config")
    return tuple(drawn.values())


def main() -> None:
    # Packages print as they please; the reply has stdout to itself.
    reply_to = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        reply = DrawReply(draws=tuple(draw(DrawRequest.model_validate(one)) for one in json.load(sys.stdin)))
    except BenchmarkError as error:
        reply = DrawReply(error=str(error))
    with reply_to:
        reply_to.write(reply.model_dump_json())


if __name__ == "__main__":
    main()
