"""Fifty problems of IMO-AnswerBench: a list of ids, or else a seeded draw stratified by category.

The fifty problems of the TMAS paper are not public, neither in the paper nor in its repository; the draw is not them
and its scores cannot be set beside the paper's. It takes 13, 13, 12 and 12 problems of the four categories, in the
order of a SHA-256 over seed and id, so that anybody can draw them again; they stand in the order of the release.
"""

from collections.abc import Sequence

from pydantic import Field, field_validator

from tmas_assets.benchmarks import imo_answerbench
from tmas_assets.benchmarks._contract import Benchmark, BenchmarkError, Release, ReleaseBytes
from tmas_assets.records import Problem, Record, digest

_NAME = "imo_answerbench_50"
_SIZE = 50


class ImoAnswerBench50Settings(Record):
    ids: tuple[str, ...] | None = Field(default=None, min_length=1)
    """Ids of the release, e.g. imo-bench-algebra-001; None for the draw. They stand in the order given."""
    seed: int = Field(default=0, ge=0)
    """Of the draw."""

    @field_validator("ids")
    @classmethod
    def _each_once(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if twice := sorted({id_ for id_ in value or () if value and value.count(id_) > 1}):
            raise ValueError(f"named twice: {', '.join(twice)}")
        return value


def draw(problems: Sequence[Problem], size: int, seed: int) -> tuple[Problem, ...]:
    """`size` problems, as equally many of each subject as possible; the first subjects by name have one more."""
    subjects: dict[str, list[Problem]] = {}
    for problem in problems:
        subjects.setdefault(problem.subject or "", []).append(problem)
    share, more = divmod(size, len(subjects))
    chosen: set[str] = set()
    for at, (_, members) in enumerate(sorted(subjects.items())):
        ranked = sorted(members, key=lambda problem: digest([_NAME, seed, problem.id]))
        chosen.update(problem.id for problem in ranked[: share + (at < more)])
    if len(chosen) != size:
        raise BenchmarkError(f"{_NAME}: {len(chosen)} of {size} problems drawn; a category is too small")
    return tuple(problem for problem in problems if problem.id in chosen)


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    assert isinstance(settings, ImoAnswerBench50Settings)
    published = BENCHMARK.release(release)
    assert published is not None
    problems = imo_answerbench.read_as(_NAME, files, published.name, release)
    if settings.ids is None:
        return draw(problems, _SIZE, settings.seed)
    by_id = {problem.id: problem for problem in problems}
    if unknown := [id_ for id_ in settings.ids if id_ not in by_id]:
        raise BenchmarkError(
            f"{_NAME}: release {published.name} has no {', '.join(unknown[:5])} (of {len(unknown)} unknown ids); "
            f"its ids read {problems[0].id} to {problems[-1].id}")
    return tuple(by_id[id_] for id_ in settings.ids)


_NOTE = (
    "The paper's list of 50 is not public and this is not it: 13 algebra, 13 combinatorics, 12 geometry and 12 number "
    "theory problems in the order of SHA-256 over setting `seed` (0 by default) and id. Setting `ids` takes a list of "
    "your own"
)
BENCHMARK = Benchmark(
    name=_NAME,
    title="IMO-AnswerBench 50",
    licence=imo_answerbench.BENCHMARK.licence,
    source=imo_answerbench.BENCHMARK.source,
    graders=("math",),
    judge="answer",
    default_release="v2",
    releases={
        name: Release(
            name=name,
            files=of.files,
            note=f"{_NOTE}. Drawn from {name}.",
            rows=_SIZE,
            follows=of.follows,
        )
        for name, of in imo_answerbench.BENCHMARK.releases.items()
    },
    Settings=ImoAnswerBench50Settings,
    read=read,
    labelled=True,
)
