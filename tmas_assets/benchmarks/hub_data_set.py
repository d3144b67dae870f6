"""Problems of a data set on the Hugging Face hub: one JSONL, CSV or parquet file of it, pinned by commit.

The release is your label. Its digest is kept at the first load and held to afterwards. A data set in several files is
several choices. Leaves out fetching (`resources/hub.py`) and reading the file (`_given_problems.py`).
"""

from pydantic import Field, field_validator

from tmas_assets.benchmarks._contract import Benchmark, HubFile, ReleaseBytes
from tmas_assets.benchmarks._given_problems import GRADERS, GivenProblems, given_problems
from tmas_assets.records import Problem, Record

_NAME = "hub_data_set"


class HubDataSetSettings(GivenProblems):
    """`file`: path inside the repository, e.g. `data/train-00000-of-00001.parquet`."""

    repository: str = Field(pattern=r"^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?$")
    """`owner/name` of the data set."""
    revision: str = Field(pattern=r"^[0-9a-f]{40}$")
    """Commit of the repository, 40 hex digits: a branch moves, and with it the problems."""

    @field_validator("file")
    @classmethod
    def _inside(cls, value: str) -> str:
        if value.startswith("/") or "\\" in value or any(part in ("", ".", "..") for part in value.split("/")):
            raise ValueError("is a path inside the repository, such as data/train.jsonl")
        return value


def hub_file(settings: Record) -> HubFile:
    """`path` names the commit too: a copy by hand is of one commit."""
    assert isinstance(settings, HubDataSetSettings)
    path = f"{settings.repository}/{settings.revision[:12]}/{settings.file}"
    return HubFile(path=path, repository=settings.repository, name=settings.file, revision=settings.revision)


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    assert isinstance(settings, HubDataSetSettings)
    path = hub_file(settings).path
    return given_problems(files[path], path, settings, benchmark=_NAME, release=release)


BENCHMARK = Benchmark(
    name=_NAME,
    title="A data set of the Hugging Face hub",
    licence="the data set's own",
    source="the Hugging Face hub, named by settings `repository`, `revision` and `file`",
    graders=GRADERS,
    default_release="default",
    releases={},
    Settings=HubDataSetSettings,
    read=read,
    hub_file=hub_file,
)
