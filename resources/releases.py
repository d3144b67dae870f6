"""Brings in benchmark releases: found in the data folder or the cache, else downloaded, always pinned by digest.

Leaves out what the bytes mean (`tmas_assets/benchmarks/`) and how many problems a run takes.
"""

import contextlib
import http.client
import os
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from tmas_assets.benchmarks import (
    Benchmark,
    BenchmarkError,
    ReleaseFile,
    benchmark,
    check_problems,
    resolve_release,
    settings_of_choice,
)
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
    licence: str
    source: str
    repaired: tuple[tuple[str, str], ...]
    """(problem id, reason) of every row that differs from the released one."""


@dataclass(frozen=True)
class FoundFile:
    data: bytes
    where: str


def load_problems(choice: BenchmarkChoice, *, data: Path | None, cache: Path) -> LoadedRelease:
    """The whole release of `choice`, checked; its `limit` is not applied here.

    `data` is a folder the user fills (or None), `cache` one that we fill. Raises BenchmarkError for an unknown
    release, wrong settings, a file that cannot be had or has other bytes, and for damaged rows.
    """
    entry = benchmark(choice.name)
    release = resolve_release(choice)
    settings = settings_of_choice(choice)
    files = entry.releases[release].files if not entry.generated else ()
    found = {file.path: find_file(file, data=data, cache=cache) for file in files}
    if entry.package is not None:
        problems = _generated(entry.package, entry, settings, release, cache)
    else:
        problems = entry.read({path: file.data for path, file in found.items()}, settings, release)
    check_problems(problems, entry.releases.get(release), entry.name)
    return LoadedRelease(
        problems=problems,
        benchmark=entry.name,
        release=release,
        digest=digest([problem.digest for problem in problems]),
        files=tuple((file.path, file.sha256, found[file.path].where) for file in files),
        licence=entry.licence,
        source=entry.source,
        repaired=tuple((problem.id, problem.errata) for problem in problems if problem.errata is not None),
    )


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
    _write_whole(kept, _KEPT.dump_json(problems))
    return problems


def find_file(file: ReleaseFile, *, data: Path | None, cache: Path, seconds: float = DOWNLOAD_SECONDS) -> FoundFile:
    """The bytes of `file` from the data folder, else the cache, else its URL (then kept in the cache)."""
    # The digest in the cache path keeps files of an older version of this package from being taken for new ones.
    cached = cache / file.sha256[:16] / file.path
    for path in ([data / file.path] if data is not None else []) + [cached]:
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise BenchmarkError(f"{file.path}: cannot read {path}: {error}") from error
        _check_digest(file, content, str(path), f"delete {path} and load again, or put the released file there")
        return FoundFile(content, str(path))
    by_hand = _by_hand(file, data, cached)
    content = _download(file.url, seconds, by_hand)
    _check_digest(file, content, file.url, f"the source has changed, or a proxy answered for it: {by_hand}")
    _write_whole(cached, content)
    return FoundFile(content, file.url)


def _by_hand(file: ReleaseFile, data: Path | None, cached: Path) -> str:
    place = data / file.path if data is not None else cached
    hint = "" if data is not None else f" (or set TMAS_DATA to a folder that holds {file.path})"
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
        with urllib.request.urlopen(url, timeout=min(seconds, _SILENT_SECONDS)) as reply:
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


def _write_whole(path: Path, content: bytes) -> None:
    """Sibling temporary file, flushed, then renamed: a reader or a killed writer never leaves half a file."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise BenchmarkError(f"cannot keep the download at {path}: {error}; free space or choose another cache") from error
