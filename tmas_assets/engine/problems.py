"""The problem table of a release: filled from the release, kept in the store, never shortened.

A problem that the release drops is retired: it stays known by name and its cells stay readable, but no campaign
takes it. Beside it lies what changed since the table was another one. Leaves out Dagster's partitions, which the
asset fills from here.
"""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from partitions.keys import problem_key
from resources.parquet_store import Address, MissingFile, Parent, ParquetStore, StoredFile
from resources.releases import LoadedRelease, load_problems
from tmas_assets.benchmarks import ProblemChange, asset_name, difference
from tmas_assets.records import BenchmarkChoice, Problem, Record, RetiredProblem, canonical_json


class UnknownProblem(ValueError):
    """A problem that was asked for and is not in the table, or was retired."""


@dataclass(frozen=True)
class ProblemTable:
    asset: str
    problems: tuple[Problem, ...]
    retired: tuple[RetiredProblem, ...]
    file: StoredFile

    def by_key(self, key: str) -> Problem:
        """The problem with this partition key."""
        for problem in self.problems:
            if problem_key(problem.id) == key:
                return problem
        raise self._unknown(key)

    def select(self, wanted: Sequence[str], limit: int | None) -> tuple[Problem, ...]:
        """Of the first `limit` problems those with these ids or keys, in the table's order; all of them for none.

        Raises UnknownProblem for one that is not among them.
        """
        scope = self.problems[:limit]
        if not wanted:
            return scope
        known = {problem.id: problem for problem in scope} | {problem_key(problem.id): problem for problem in scope}
        found = set()
        for name in wanted:
            if name not in known:
                raise self._unknown(name, limit)
            found.add(known[name].id)
        return tuple(problem for problem in scope if problem.id in found)

    def _unknown(self, name: str, limit: int | None = None) -> UnknownProblem:
        for gone in self.retired:
            if name in (gone.id, problem_key(gone.id)):
                return UnknownProblem(f"problem {name!r} of {self.asset} is retired: {gone.reason}")
        ids = [problem.id for problem in self.problems[:limit]]
        if any(name in (problem.id, problem_key(problem.id)) for problem in self.problems):
            return UnknownProblem(
                f"problem {name!r} of {self.asset} is beyond the first {len(ids)}, which benchmark.limit asks for"
            )
        near = difflib.get_close_matches(name, ids, n=3) or ids[:3]
        return UnknownProblem(
            f"problems/{self.asset} has no problem {name!r} among its {len(ids)}; nearest: {', '.join(near)}. "
            f"`tmas report` writes a page that lists them, as does the materialization of problems/{self.asset}."
        )


class MadeRelease(Record):
    """What made a table, and what came of the same making the first time."""

    release: str
    settings: str
    """Canonical JSON."""
    package: str | None
    """A generator's package with its version."""
    digest: str
    """Over the digests of the problems in order."""
    first_digest: str
    """That of the first load by the same release, settings and package."""


@dataclass(frozen=True)
class Changes:
    """How a table differs from the last one that was different; `since` is the digest of that one's file."""

    changes: tuple[ProblemChange, ...]
    since: str


def _address(asset: str, part: str) -> Address:
    return Address(("problems", asset), (part,))


def problem_files(store: ParquetStore, asset: str) -> tuple[Address, ...]:
    """Those that say which problems there are: the table, and what made it where that was kept."""
    return tuple(address for part in ("problems", "release") if store.exists(address := _address(asset, part)))


def read_table(store: ParquetStore, asset: str) -> ProblemTable:
    """Raises MissingFile where `problems/<asset>` was never materialized."""
    problems, file = store.read_stored(_address(asset, "problems"), Problem)
    try:
        retired = store.read(_address(asset, "retired"), RetiredProblem)
    except MissingFile:
        retired = ()
    return ProblemTable(asset, problems, retired, file)


def read_made(store: ParquetStore, asset: str) -> MadeRelease:
    """Raises MissingFile where `problems/<asset>` was never materialized by a version that kept this."""
    return store.read(_address(asset, "release"), MadeRelease)[0]


def read_changes(store: ParquetStore, asset: str) -> Changes | None:
    """None where the table is the first one, or has never differed."""
    try:
        changes, file = store.read_stored(_address(asset, "changes"), ProblemChange)
    except MissingFile:
        return None
    return Changes(changes, file.made_from[0].digest)


def refresh_table(
    store: ParquetStore, choice: BenchmarkChoice, *, data: Path | None, downloads: Path
) -> tuple[ProblemTable, LoadedRelease]:
    """Load the release and store it as the table; problems that are gone become retired."""
    release = load_problems(choice, data=data, cache=downloads)
    asset = asset_name(choice)
    try:
        before: ProblemTable | None = read_table(store, asset)
    except MissingFile:
        before = None
    here = {problem.id for problem in release.problems}
    retired = [gone for gone in before.retired if gone.id not in here] if before else []
    for problem in before.problems if before else ():
        if problem.id not in here:
            retired.append(
                RetiredProblem(
                    benchmark=problem.benchmark,
                    release=problem.release,
                    id=problem.id,
                    problem_digest=problem.digest,
                    reason=f"no longer in release {release.release} ({release.digest[:12]})",
                )
            )
    made_from = [Parent(path, digest) for path, digest, _ in release.files]
    _keep_made(store, asset, choice, release)
    if before is not None and (changes := difference(before.problems, release.problems)):
        store.write(_address(asset, "changes"), ProblemChange, changes, [Parent("problems", before.file.digest)])
    file = store.write(_address(asset, "problems"), Problem, release.problems, made_from)
    if retired or (before and before.retired):
        store.write(_address(asset, "retired"), RetiredProblem, retired, [Parent("problems", file.digest)])
    return ProblemTable(asset, release.problems, tuple(retired), file), release


def _keep_made(store: ParquetStore, asset: str, choice: BenchmarkChoice, release: LoadedRelease) -> None:
    made = MadeRelease(
        release=release.release,
        settings=canonical_json(choice.settings),
        package=release.package,
        digest=release.digest,
        first_digest=release.digest,
    )
    try:
        before = read_made(store, asset)
    except MissingFile:
        pass
    else:
        if (before.release, before.settings, before.package) == (made.release, made.settings, made.package):
            made = made.model_copy(update={"first_digest": before.first_digest})
    store.write(_address(asset, "release"), MadeRelease, [made])
