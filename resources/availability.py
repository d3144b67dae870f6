"""Where a release could be loaded from on this machine, found out without loading or fetching it.

Leaves out the loading (`releases.py`, `hub.py`), whose order of places this follows.
"""

from pathlib import Path
from typing import Literal

from resources.hub import has_token, local_hub_file
from resources.releases import kept_at, packaged_at
from tmas_assets.benchmarks import Benchmark, HubFile, ReleaseFile
from tmas_assets.records import Record, digest_bytes

Place = Literal["generated", "your file", "data folder", "cached", "package", "download", "needs token", "damaged"]
_ORDER: tuple[Place, ...] = ("damaged", "needs token", "download", "package", "cached", "data folder")
"""Of several files, the place that costs most counts."""


class Availability(Record):
    place: Place
    detail: str
    """The path, package or sentence behind it; empty for a generator and for a file that settings name."""

    @property
    def here(self) -> bool:
        """Whether it loads without a network."""
        return self.place in ("generated", "your file", "data folder", "cached", "package")


def availability(entry: Benchmark, release: str, *, data: Path | None, cache: Path) -> Availability:
    """Of a release by name or label. Reads files to compare their digests, but neither writes nor asks the network."""
    published = entry.release(release)
    if entry.own_files is not None:
        return Availability(place="your file", detail="")
    if entry.hub_file is not None:
        return Availability(place="download", detail="")
    if published is None:
        return Availability(place="generated", detail="")
    found = [_of_file(entry, file, data, cache) for file in published.files]
    return min(found, key=lambda one: _ORDER.index(one.place))


def _of_file(entry: Benchmark, file: ReleaseFile | HubFile, data: Path | None, cache: Path) -> Availability:
    if isinstance(file, HubFile):
        local = local_hub_file(file, data=data, cache=cache)
        if local is not None:
            by_hand = data is not None and local == data / file.path
            return Availability(place="data folder" if by_hand else "cached", detail=str(local))
        if has_token():
            return Availability(place="download", detail=f"{file.repository} on the hub, with the token that is set")
        return Availability(place="needs token", detail=f"{entry.gated.access}." if entry.gated is not None else "")
    places: list[tuple[Place, Path]] = [("data folder", data / file.path)] if data is not None else []
    for place, path in (*places, ("cached", kept_at(file, cache))):
        if path.is_file():
            if digest_bytes(path.read_bytes()) != file.sha256:
                return Availability(place="damaged", detail=f"{path} has other bytes than the release; delete it")
            return Availability(place=place, detail=str(path))
    packaged = packaged_at(file)
    if packaged is not None and digest_bytes(packaged.read_bytes()) == file.sha256:
        return Availability(place="package", detail=file.package.distribution if file.package is not None else "")
    return Availability(place="download", detail=file.url)
