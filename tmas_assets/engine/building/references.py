"""Reference solutions of questions, read from the graded cells of plain samples. Leaves out making the cells."""

from collections.abc import Iterable, Iterator

from tmas_assets.engine.cells import CellStore
from tmas_assets.records import Grade, Question


def with_references(cells: CellStore, questions: Iterable[Question]) -> Iterator[Question]:
    """Those whose cell is there and graded, with their reference. Raises StoreFault."""
    for question in questions:
        problem = question.candidate.problem
        if cells.files(0, problem) is None:
            continue
        (made, *_), _ = cells.read(0, problem)
        rollout = made.rollouts[0]
        grades = cells.store.read(cells.address("benchmark_scores", 0, problem), Grade)
        outcome = next(grade.outcome for grade in grades if grade.rollout == rollout.id)
        yield question.model_copy(update={
            "reference": rollout.text,
            "reference_tokens": rollout.trace.completion_tokens,
            "reference_right": {"right": True, "wrong": False}.get(outcome),
            "reference_model": rollout.model,
            "reference_call": rollout.trace.call,
        })  # fmt: skip
