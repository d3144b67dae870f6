"""What a benchmark file must provide, and the one error that loading may end in.

Leaves out where the bytes come from: `resources/releases.py` finds, downloads and pins them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tmas_assets.records import Problem, Record

ReleaseBytes = Mapping[str, bytes]
"""The bytes of a release by `ReleaseFile.path`."""


class BenchmarkError(ValueError):
    """A release or its settings cannot be used; the text names the file, row or id, and what to do."""


class UnknownBenchmark(BenchmarkError):
    """No benchmark (or no release of it) has this name; the text lists the ones there are."""


@dataclass(frozen=True)
class ReleaseFile:
    """One published file, pinned by digest."""

    path: str
    """Relative to the data folder, e.g. `math500/test.jsonl`."""
    url: str
    """Public source of exactly these bytes."""
    sha256: str


@dataclass(frozen=True)
class Release:
    name: str
    files: tuple[ReleaseFile, ...]
    note: str
    rows: int | None = None
    """How many problems the release has; a load that yields another number stops."""


@dataclass(frozen=True)
class Benchmark:
    """A named set of problems with its grader. A generator has no `releases`: its release is the user's label."""

    name: str
    title: str
    licence: str
    source: str
    grader: str
    default_release: str
    releases: Mapping[str, Release]
    Settings: type[Record]
    """Validated settings; an empty record for a fixed benchmark."""
    read: Callable[[ReleaseBytes, Record, str], tuple[Problem, ...]]
    """Pure: (bytes by relative path, settings, release) -> problems in release order."""
    package: str | None = None
    """A generator's distribution: with its version, the settings and the release decide every byte."""

    @property
    def generated(self) -> bool:
        return not self.releases
