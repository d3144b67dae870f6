"""The bytes behind a problem table are the pinned ones; a generator gives what it gave the first time.

A check of the table and of every score made from it. What is pinned comes from the benchmark, from the first load of a gated file,
or from the table. Leaves out a user's own file, which nobody pins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from resources.hub import first_seen
from resources.parquet_store import ParquetStore
from tmas_assets.benchmarks import HubFile, benchmark, resolve_release, settings_of_choice
from tmas_assets.engine.problems import ProblemTable, read_made
from tmas_assets.records import BenchmarkChoice
from tmas_assets.records.finding import Finding, Offence

PROMISE = "digest_pinned"


@dataclass(frozen=True)
class Pin:
    """What a file's SHA-256 has to be, and who says so; None where nothing is known yet."""

    path: str
    sha256: str | None
    by: str


def check_pinned_digests(pins: Sequence[Pin], made_from: Mapping[str, str]) -> Finding:
    """`made_from`: SHA-256 by path of the files that the table was made from, as the table itself records them."""
    offences = []
    for pin in pins:
        found = made_from.get(pin.path)
        if found is None or found != pin.sha256:
            offences.append(Offence(id=pin.path, what=f"{found or 'no digest'}, expected {pin.sha256 or 'one'} ({pin.by})"))
    said = f"{len(pins) - len(offences)} of {len(pins)} files have the digest pinned by {pins[0].by}"
    return Finding(promise=PROMISE, passed=not offences, said=said, looked_at=len(pins), offences=tuple(offences))


def check_generated_digest(digest: str, first: str, package: str) -> Finding:
    """Same settings and same package version have to give the same problems in every process."""
    same = digest == first
    said = (
        f"{package} gave the problems {digest[:16]}, as the first time" if same
        else f"{package} gave {digest[:16]}, and {first[:16]} the first time, by the same settings"
    )
    offences = () if same else (Offence(id=package, what=f"{digest}, first {first}"),)
    return Finding(promise=PROMISE, passed=same, said=said, looked_at=1, offences=offences)


def check_pinned_release(choice: BenchmarkChoice, table: ProblemTable, store: ParquetStore, downloads: Path) -> Finding:
    """`table`: of `choice`; `downloads`: where gated files lie. Raises StoreFault and BenchmarkError."""
    known = benchmark(choice.name)
    release = known.release(resolve_release(choice))
    files = release.files if release is not None else ()
    if known.hub_file is not None:
        files = (known.hub_file(settings_of_choice(choice)),)
    if not files:
        made = read_made(store, table.asset)
        return check_generated_digest(made.digest, made.first_digest, made.package or choice.name)
    pins = []
    for file in files:
        if isinstance(file, HubFile):
            first = first_seen(file, downloads)
            pins.append(Pin(file.path, first.sha256 if first else None, "its first load here"))
        else:
            pins.append(Pin(file.path, file.sha256, "the benchmark"))
    return check_pinned_digests(pins, dict(table.file.made_from))
