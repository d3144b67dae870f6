"""The first files of a chain: releases of benchmarks and sources of data sets, against the digests that are pinned or were recorded.

Nothing is downloaded: a file that is not on this machine is missing, with what brings it back. A generator's problems are made again, or
taken from where they are kept, and compared by their digests.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from resources.hub import local_hub_file
from resources.parquet_store import Parent
from resources.releases import kept_at, load_problems, own_files, packaged_at
from tmas_assets.benchmarks import BenchmarkError, HubFile, ReleaseFile, benchmark, resolve_release, settings_of_choice
from tmas_assets.engine.audit.chain import Chain
from tmas_assets.engine.audit.files import plain_node
from tmas_assets.records import AuditFault, AuditNode, BenchmarkChoice, ProblemSource, Standing, digest_bytes


def release_node(chain: Chain, choice: BenchmarkChoice, recorded: Sequence[Parent], problems: str | None) -> AuditNode:
    """`recorded`: files that a problem table says it was made from; `problems`: digest over its problems, where that is known."""
    name = f"release {choice.name} {resolve_release(choice)}"
    entry = benchmark(choice.name)
    if entry.package is not None:
        return _generated(chain, name, choice, problems)
    try:
        there = dict(_files(chain, choice))
    except BenchmarkError as error:
        return plain_node(chain.score, name, "release", group="releases", standing="missing", said=str(error), cure="Correct the path in the experiment's file.")
    return _compared(chain, name, there, {parent.name: parent.digest for parent in recorded}, _pinned(choice))


def source_node(chain: Chain, data_set: str, recorded: Sequence[Parent]) -> AuditNode:
    """All sources of a data set. `recorded`: of each the digest over its problems by its name, and those of its files by name and path."""
    name = f"sources of {data_set}"
    stated = chain.stated.data_set(data_set)
    if stated is None:
        return plain_node(chain.score, name, "release", group="sources", standing="declared", said=f"no file here states the data set {data_set}, so where its sources lie is not known")
    was = {parent.name: parent.digest for parent in recorded}
    faults: list[AuditFault] = []
    lost: list[str] = []
    for source in stated.sources:
        found, gone = _of_source(chain, source, was)
        faults += found
        lost += gone
    standing: Standing = "changed" if faults else "missing" if lost else "intact"
    return plain_node(
        chain.score, name, "release", group="sources", standing=standing, count=len(was), faults=faults, said="; ".join(lost) or ("other bytes than recorded" if faults else ""),
        cure="Put the files back as they were, or build the data set again from those there are.",
    )  # fmt: skip


def _of_source(chain: Chain, source: ProblemSource, was: dict[str, str]) -> tuple[list[AuditFault], list[str]]:
    choice = source.benchmark
    if benchmark(choice.name).package is not None:
        node = _generated(chain, source.name, choice, was.get(source.name))
        return list(node.faults), [node.said] if node.standing == "missing" else []
    try:
        there = dict(_files(chain, choice))
    except BenchmarkError as error:
        return [], [str(error)]
    own = {path.removeprefix(f"{source.name}/"): found for path, found in was.items() if path.startswith(f"{source.name}/")}
    node = _compared(chain, source.name, there, own, _pinned(choice))
    return list(node.faults), [node.said] if node.standing == "missing" else []


def _pinned(choice: BenchmarkChoice) -> dict[str, str]:
    release = benchmark(choice.name).release(resolve_release(choice))
    return {file.path: file.sha256 for file in release.files if isinstance(file, ReleaseFile)} if release is not None else {}


def _files(chain: Chain, choice: BenchmarkChoice) -> Iterator[tuple[str, bytes | None]]:
    """Each file of the release as it lies on this machine, None where it does not. Raises BenchmarkError for a path of the user's that is wrong."""
    entry, data, cache = benchmark(choice.name), chain.deployment.data_folder, chain.deployment.downloads
    settings = settings_of_choice(choice)
    release = entry.release(resolve_release(choice))
    wanted = release.files if release is not None else (entry.hub_file(settings),) if entry.hub_file is not None else ()
    for file in wanted:
        yield file.path, _hub(file, data, cache) if isinstance(file, HubFile) else _released(file, data, cache)
    for path, found in own_files(entry, settings, choice.base).items():
        yield path, found.data


def _released(file: ReleaseFile, data: Path | None, cache: Path) -> bytes | None:
    places = [data / file.path] if data is not None else []
    for path in (*places, kept_at(file, cache)):
        if path.is_file():
            return path.read_bytes()
    packaged = packaged_at(file)
    content = packaged.read_bytes() if packaged is not None else None
    return content if content is not None and digest_bytes(content) == file.sha256 else None


def _hub(file: HubFile, data: Path | None, cache: Path) -> bytes | None:
    path = local_hub_file(file, data=data, cache=cache)
    return path.read_bytes() if path is not None else None


def _compared(chain: Chain, name: str, there: dict[str, bytes | None], was: dict[str, str], pinned: dict[str, str]) -> AuditNode:
    faults, lost = [], []
    for path in sorted(was.keys() | there.keys()):
        content = there.get(path)
        if content is None:
            lost.append(path)
            continue
        found = digest_bytes(content)
        faults += [
            AuditFault(what=path, field="bytes", recorded=f"{digest} ({by})", found=found)
            for digest, by in ((was.get(path), "the problem table"), (pinned.get(path), "pinned in the benchmark"))
            if digest is not None and digest != found
        ][:1]
    standing: Standing = "changed" if faults else "missing" if lost else "intact"
    return plain_node(
        chain.score, name, "release", group="releases", standing=standing, count=len(there), faults=faults,
        said=f"not on this machine: {', '.join(lost)}" if lost else "other bytes than recorded" if faults else "",
        cure="Put the released file into TMAS_DATA, or materialize the problems, which downloads it.",
    )  # fmt: skip


def _generated(chain: Chain, name: str, choice: BenchmarkChoice, recorded: str | None) -> AuditNode:
    try:
        loaded = load_problems(choice, data=chain.deployment.data_folder, cache=chain.deployment.downloads)
    except BenchmarkError as error:
        fault = AuditFault(what=name, field="problems", recorded=recorded or "problems", found=str(error))
        return plain_node(chain.score, name, "release", group="releases", faults=[fault], said="its problems cannot be made again", cure="Delete the file that the message names.")
    faults = [AuditFault(what=f"{name} ({loaded.package})", field="problems", recorded=recorded, found=loaded.digest)] if recorded not in (None, loaded.digest) else []
    return plain_node(
        chain.score, name, "release", group="releases", digest=loaded.digest, count=len(loaded.problems), faults=faults,
        said="the generator makes other problems than the table has" if faults else "",
        cure="Install the package's version that made the table, or materialize the problems and run again.",
    )  # fmt: skip
