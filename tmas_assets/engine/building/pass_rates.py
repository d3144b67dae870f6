"""Pass rates of source problems, read from the graded cells of plain samples. Leaves out making the cells."""

from collections.abc import Iterable, Iterator

from resources.parquet_store import MissingFile
from tmas_assets.engine.cells import CellStore
from tmas_assets.records import Grade, PassRate, SourceProblem


def rates(cells: CellStore, model: str, candidates: Iterable[SourceProblem]) -> Iterator[PassRate]:
    """One for each problem whose samples are there and graded; `model` is their identity. Raises StoreFault."""
    for candidate in candidates:
        problem = candidate.problem
        files = cells.files(0, problem)
        if files is None:
            continue
        try:
            grades, file = cells.store.read_stored(cells.address("benchmark_scores", 0, problem), Grade)
        except MissingFile:
            continue
        right = sum(grade.outcome == "right" for grade in grades)
        samples = right + sum(grade.outcome == "wrong" for grade in grades)
        yield PassRate(
            problem=problem.id,
            problem_digest=problem.digest,
            model=model,
            samples=samples,
            right=right,
            p=right / samples if samples else None,
            ungraded=len(grades) - samples,
            grades_digest=file.digest,
        )
