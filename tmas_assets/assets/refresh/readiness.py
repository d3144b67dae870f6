"""What a refresh would miss if it began now: servers, models, benchmark data. In sentences, without a model call and in seconds.

Leaves out asking a server (`resources/reachable.py`) and where data may lie (`resources/availability.py`).
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from resources.availability import availability
from resources.deployment import Deployment
from resources.hub import has_token, local_hub_file
from resources.reachable import TOGETHER_SECONDS, endpoint_fault, page_fault, page_faults, side_by_side
from resources.releases import kept_at, own_files
from tmas_assets.benchmarks import (
    BenchmarkError,
    ReleaseFile,
    asset_name,
    benchmark,
    resolve_release,
    settings_of_choice,
)
from tmas_assets.records import BenchmarkChoice, Endpoint, Experiment

_HUB = "https://huggingface.co"


def missing(deployment: Deployment, experiments: Sequence[Experiment]) -> tuple[str, ...]:
    """Each fault once, beginning with what it is of. Empty: a campaign of all of them can begin."""
    vllm = deployment.vllm()
    looks: dict[str, Callable[[], str | None]] = {
        f"problems/{asset_name(one.benchmark)}": partial(data_fault, deployment, one.benchmark) for one in experiments
    }
    asked: list[tuple[str, Endpoint]] = []
    servers: set[str] = set()
    for one in experiments:
        for name, endpoint in sorted(one.endpoints.items()):
            if (name, endpoint) not in asked:  # members of a study share theirs
                asked.append((name, endpoint))
                what = f"{one.name}: endpoints.{name}"
                looks[what] = partial(endpoint_fault, endpoint, vllm)
                if endpoint.managed is None:
                    servers.add(what)
    found = side_by_side(looks)
    for what in servers - found.keys():
        found[what] = f"no answer within {TOGETHER_SECONDS:g} s. Look at the server, or try again"
    return tuple(f"{what}: {fault}" for what in looks if (fault := found.get(what)) is not None)


def data_fault(deployment: Deployment, choice: BenchmarkChoice) -> str | None:
    """Why the release could not be loaded now; None where it lies here, or where it comes from answers."""
    entry = benchmark(choice.name)
    data, cache = deployment.data_folder, deployment.downloads
    try:
        if entry.own_files is not None:
            own_files(entry, settings_of_choice(choice), choice.base)
            return None
        if entry.hub_file is not None:
            file = entry.hub_file(settings_of_choice(choice))
            return None if local_hub_file(file, data=data, cache=cache) is not None else _hub_fault(file.path)
        where = availability(entry, resolve_release(choice), data=data, cache=cache)
    except BenchmarkError as fault:
        return str(fault)
    if where.here:
        return None
    if where.place != "download":
        return where.detail
    pages = list(_pages(choice, data, cache))
    return _first_fault(pages) if pages else _hub_fault(where.detail)


def _pages(choice: BenchmarkChoice, data: Path | None, cache: Path) -> Iterator[tuple[str, ...]]:
    """Of each published file that is not here yet: where it may be downloaded from."""
    release = benchmark(choice.name).release(resolve_release(choice))
    for file in release.files if release is not None else ():
        if isinstance(file, ReleaseFile) and not any(
            place.is_file() for place in (kept_at(file, cache), *((data / file.path,) if data is not None else ()))
        ):
            yield (file.url, *file.mirrors)


def _first_fault(files: Sequence[tuple[str, ...]]) -> str | None:
    found = page_faults([url for sources in files for url in sources])
    for sources in files:
        faults = [found[url] for url in sources]
        if all(fault is not None for fault in faults):
            return f"it is not on this machine, and {'; '.join(str(one) for one in faults)}. Put the file into TMAS_DATA, or try again."
    return None


def _hub_fault(what: str) -> str | None:
    stated = os.environ.get("HF_ENDPOINT", "")
    fault = page_fault(stated or _HUB)
    if fault is not None and stated:
        fault = f"HF_ENDPOINT: {fault}"
    token = "" if has_token() else " (and no HF_TOKEN is set)"
    return f"{what} is not on this machine, and {fault}{token}. Put the file into TMAS_DATA, or try again." if fault is not None else None
