"""Problems of your own with golds, from a JSONL, CSV or parquet file: to measure on, or to make data sets of.

The release is your label. Leaves out reading the file (`_given_problems.py`).
"""

from collections.abc import Callable

from tmas_assets.benchmarks._contract import Benchmark, ReleaseBytes
from tmas_assets.benchmarks._given_problems import GRADERS, GivenProblems, given_problems
from tmas_assets.records import Problem, Record

_NAME = "problem_file"


class ProblemFileSettings(GivenProblems):
    """`file`: path from the folder of the YAML file that names it, or absolute."""


def own_files(settings: Record, read: Callable[[str], bytes]) -> ReleaseBytes:
    assert isinstance(settings, ProblemFileSettings)
    return {settings.file: read(settings.file)}


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    assert isinstance(settings, ProblemFileSettings)
    return given_problems(files[settings.file], settings.file, settings, benchmark=_NAME, release=release)


BENCHMARK = Benchmark(
    name=_NAME,
    title="Problems of your own",
    licence="your own",
    source="a file of yours, named by setting `file`",
    graders=GRADERS,
    default_release="default",
    releases={},
    Settings=ProblemFileSettings,
    read=read,
    own_files=own_files,
)
