"""Problems from the sources of a data set, each with its licence and topic; what models are measured on is refused.

Leaves out whether golds hold (`golds.py`), and copies of evaluation problems inside a source (`curation/`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from resources.parquet_store import Parent
from resources.releases import LoadedRelease, load_problems
from tmas_assets.benchmarks import BenchmarkError, benchmark, resolve_release, settings_of_choice
from tmas_assets.curation import dropped
from tmas_assets.records import Dropped, Problem, ProblemSource, Screening, SourceProblem


class SourceFault(BenchmarkError):
    """A source that cannot be used; the text names it and says what to do."""


@dataclass(frozen=True)
class LoadedSources:
    kept: tuple[SourceProblem, ...]
    """In the order of the sources, each in its own order."""
    dropped: tuple[Dropped, ...]
    made_from: tuple[Parent, ...]
    """Of each source the digest over its problems, by the source's name, and those of its files, by name and path."""


def check_source(source: ProblemSource) -> None:
    """Without loading it. Raises SourceFault: unknown, wrongly set, without golds, or one that models are measured on."""
    choice = source.benchmark
    try:
        entry = benchmark(choice.name)
        resolve_release(choice)
        settings_of_choice(choice)
    except BenchmarkError as error:
        raise SourceFault(f"source {source.name}: {error}") from error
    instead = "take `reasoning_gym`, a file of your own (`problem_file`) or a data set of the hub (`hub_data_set`)"
    if not entry.has_gold:
        raise SourceFault(f"source {source.name}: {entry.name} has no golds, so nothing made of it could be rewarded; {instead}")
    if not entry.generated:
        raise SourceFault(
            f"source {source.name}: {entry.name} is a published release that models are measured on, and no training data is made of "
            f"it; {instead}")


def load_sources(sources: Sequence[ProblemSource], screening: Screening, *, data: Path | None, downloads: Path) -> LoadedSources:
    """Ids become `<source>/<id>`. `data` is a folder the user fills (or None), `downloads` one that we fill.

    Dropped are rows without a question (`no question`) and under other licences (`licence`); rows without a gold stay for
    the next step to count. Raises SourceFault: see `check_source`, a source that cannot be loaded, and rows without a licence.
    """
    kept: list[SourceProblem] = []
    lost: list[Dropped] = []
    made_from: list[Parent] = []
    for source in sources:
        check_source(source)
        try:
            loaded = load_problems(source.benchmark, data=data, cache=downloads, lacking=True)
        except BenchmarkError as error:
            raise SourceFault(f"source {source.name}: {error}") from error
        made_from.append(Parent(source.name, loaded.digest))
        made_from += [Parent(f"{source.name}/{path}", digest) for path, digest, _ in loaded.files]
        problems = loaded.problems[: source.benchmark.limit]
        licences = _licences(source, problems, loaded, screening)
        for problem, licence in zip(problems, licences, strict=True):
            candidate = _candidate(source, problem, licence or "")
            drop = _unwanted(candidate, screening)
            if drop is None:
                kept.append(candidate)
            else:
                lost.append(drop)
    return LoadedSources(tuple(kept), tuple(lost), tuple(made_from))


def _candidate(source: ProblemSource, problem: Problem, licence: str) -> SourceProblem:
    return SourceProblem(
        problem=problem.model_copy(update={"id": f"{source.name}/{problem.id}", "licence": licence or None}),
        source=source.name,
        licence=licence,
        topic=problem.subject or source.name,
    )


def _licences(
    source: ProblemSource, problems: Sequence[Problem], loaded: LoadedRelease, screening: Screening
) -> tuple[str | None, ...]:
    """A row's own, else the source's, else the benchmark's. One without any is refused, or left to a filter of licences."""
    entry = benchmark(source.benchmark.name)
    other = source.licence or (None if entry.brought else loaded.licence)
    found = tuple(problem.licence or other for problem in problems)
    if None in found and (not screening.licences or not any(found)):
        first = problems[found.index(None)]
        raise SourceFault(
            f"source {source.name}: {found.count(None)} of {len(found)} rows state no licence, the first at {first.source}; state "
            "`licence` of the source, or name the rows' own field in `benchmark.settings.fields.licence`")
    return found


def _unwanted(candidate: SourceProblem, screening: Screening) -> Dropped | None:
    if not candidate.problem.statement.strip():
        return dropped(candidate, "no question", f"nothing to ask at {candidate.problem.source}")
    allowed = {_plain(licence) for licence in screening.licences}
    if allowed and _plain(candidate.licence) not in allowed:
        return dropped(candidate, "licence", candidate.licence or "states none")
    return None


def _plain(licence: str) -> str:
    """SPDX identifiers are the same in any case."""
    return licence.strip().casefold()
