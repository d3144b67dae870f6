"""Benchmarks by name: a scan of this package finds every module that does not start with an underscore.

Adding a benchmark is adding one file that sets `BENCHMARK`. Finding and pinning the bytes of a release is left
to `resources/releases.py`.
"""

import importlib
import pkgutil
import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from pydantic import ValidationError

from tmas_assets.benchmarks._checks import check_problems
from tmas_assets.benchmarks._contract import (
    Benchmark,
    BenchmarkError,
    Gated,
    HubFile,
    OtherFields,
    PackageFile,
    Release,
    ReleaseBytes,
    ReleaseFile,
    UnknownBenchmark,
)
from tmas_assets.benchmarks._differences import ProblemChange, difference
from tmas_assets.records import BenchmarkChoice, Record
from tmas_assets.records.wrong_fields import nearest, wrong_fields

__all__ = [
    "Benchmark", "BenchmarkError", "Gated", "HubFile", "OtherFields", "PackageFile", "ProblemChange", "Release",
    "ReleaseBytes", "ReleaseFile", "UnknownBenchmark", "asset_name", "at_folder", "benchmark", "benchmarks", "check_problems", "difference",
    "resolve_release", "settings_of_choice", "whole_release",
]

_ASSET_NAME = re.compile(r"^[A-Za-z0-9_]+$")


@cache
def benchmarks() -> Mapping[str, Benchmark]:
    """Every benchmark by name, sorted. A module without a `BENCHMARK` of its own name is an error."""
    found: dict[str, Benchmark] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("_"):
            continue
        try:
            entry = getattr(importlib.import_module(f"{__name__}.{module.name}"), "BENCHMARK", None)
        except (SyntaxError, ImportError, AttributeError, NameError, TypeError, ValueError) as error:
            raise BenchmarkError(f"tmas_assets/benchmarks/{module.name}.py cannot be loaded: "
                                 f"{type(error).__name__}: {error}") from error
        if not isinstance(entry, Benchmark) or entry.name != module.name:
            raise BenchmarkError(f"tmas_assets/benchmarks/{module.name}.py: set BENCHMARK = Benchmark("
                                 f"name={module.name!r}, ...); found {entry!r}")
        found[entry.name] = entry
    return MappingProxyType(dict(sorted(found.items())))


def benchmark(name: str) -> Benchmark:
    if name not in benchmarks():
        raise UnknownBenchmark(f"no benchmark named {name!r}; {nearest(name, list(benchmarks()))}")
    return benchmarks()[name]


def resolve_release(choice: BenchmarkChoice) -> str:
    """The release asked for, or the benchmark's default. Where settings decide: the user's label, any asset name."""
    entry = benchmark(choice.name)
    release = choice.release or entry.default_release
    if entry.generated or entry.labelled:
        if not _ASSET_NAME.match(release):
            raise BenchmarkError(f"{choice.name}: release label {release!r} may hold only letters, digits and _")
    elif release not in entry.releases:
        raise UnknownBenchmark(f"{choice.name} has no release {release!r}; known: {', '.join(entry.releases)}")
    return release


def asset_name(choice: BenchmarkChoice) -> str:
    """`math500`, or `imo_answerbench_v1` where the release is not the default one."""
    release = resolve_release(choice)
    return choice.name if release == benchmark(choice.name).default_release else f"{choice.name}_{release}"


def whole_release(choice: BenchmarkChoice) -> BenchmarkChoice:
    """The choice with its release and all settings spelled out and without a limit: equal for equal problems."""
    settings = settings_of_choice(choice).model_dump(mode="json")
    return BenchmarkChoice(name=choice.name, release=resolve_release(choice), settings=settings, base=choice.base)


def at_folder(choice: BenchmarkChoice, folder: str) -> BenchmarkChoice:
    """The choice as made in `folder`: where it names files of the user's own, their paths start there."""
    own = benchmark(choice.name).own_files is not None
    return choice.model_copy(update={"base": folder}) if own else choice


def settings_of_choice(choice: BenchmarkChoice) -> Record:
    """The choice's settings as the benchmark's own record; a wrong one is named with its field."""
    entry = benchmark(choice.name)
    try:
        return entry.Settings.model_validate(choice.settings)
    except ValidationError as error:
        wrong = "; ".join(f"settings.{path}: {words}" for path, words in wrong_fields(error, entry.Settings))
        raise BenchmarkError(f"{choice.name}: {wrong}") from error
