"""What every load is held to: unique ids, a gold for each problem that is graded, and the row count of the release."""

from collections.abc import Sequence

from tmas_assets.benchmarks._contract import BenchmarkError, Release
from tmas_assets.records import NO_GRADER, Problem


def check_problems(problems: Sequence[Problem], release: Release | None, name: str, *, lacking: bool = False) -> None:
    """Raise BenchmarkError naming row and id. `release` is None for a generator, which has no fixed count.

    `lacking`: problems without statement or gold pass, for a caller that counts and drops them.
    """
    seen: dict[str, Problem] = {}
    for problem in problems:
        if not problem.id:
            raise BenchmarkError(f"{name} at {problem.source}: empty id")
        if problem.id in seen:
            first = seen[problem.id]
            raise BenchmarkError(
                f"{name}: id {problem.id!r} twice, at {first.source} ({first.statement[:80]!r}) "
                f"and {problem.source} ({problem.statement[:80]!r})")
        seen[problem.id] = problem
        if lacking:
            continue
        if not problem.statement.strip():
            raise BenchmarkError(f"{name} at {problem.source} ({problem.id}): empty statement")
        if problem.grader != NO_GRADER and (problem.answer is None or not problem.answer.strip()):
            raise BenchmarkError(f"{name} at {problem.source} ({problem.id}): no gold answer; an erratum can give one")
    if release is not None and release.rows is not None and len(problems) != release.rows:
        raise BenchmarkError(f"{name} release {release.name}: {len(problems)} problems, expected {release.rows} (`rows` "
                             f"of that release in tmas_assets/benchmarks/{name}.py)")
