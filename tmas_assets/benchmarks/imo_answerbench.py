"""IMO-AnswerBench: 400 olympiad problems with short answers, in the release of 2026-02-12 (v2) or the first (v1).

Damaged rows are repaired by `imo_answerbench_errata.yaml`. White space around statement and answer is not part
of either (most fields end in a newline, twenty start with a blank), so it is trimmed throughout.
"""

from importlib.resources import files as package_files

from tmas_assets.benchmarks._contract import Benchmark, BenchmarkError, Release, ReleaseBytes, ReleaseFile
from tmas_assets.benchmarks._errata import read_errata, repair
from tmas_assets.benchmarks._tables import csv_rows
from tmas_assets.records import Problem, Record

_COLUMNS = ("Problem ID", "Problem", "Short Answer", "Category", "Subcategory", "Source")
_ERRATA = "imo_answerbench_errata.yaml"
_SOURCE = "https://raw.githubusercontent.com/google-deepmind/superhuman/80b2527a0b4e4bfc6a8b28825fadbdcfdd6048a1"


class ImoAnswerBenchSettings(Record):
    """Nothing to set."""


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    return read_as(BENCHMARK.name, files, release, release)


def read_as(name: str, files: ReleaseBytes, release: str, label: str) -> tuple[Problem, ...]:
    """The problems of published release `release` under the names of benchmark `name` and release `label`."""
    path = BENCHMARK.releases[release].files[0].path
    errata = read_errata(package_files(__package__).joinpath(_ERRATA).read_text("utf-8"), _ERRATA, release)
    problems = []
    for repaired in repair(csv_rows(files[path], path, _COLUMNS), errata, "Problem ID", path):
        row = repaired.row
        if row.missing:
            raise BenchmarkError(
                f"{path} row {row.number} ({row.get('Problem ID')}): short row without {', '.join(row.missing)}; "
                f"add errata for it to {_ERRATA}")
        id_, statement, answer, category, _, _ = (value or "" for _, value in row.fields)
        problems.append(
            Problem(
                benchmark=name,
                release=label,
                id=id_,
                statement=statement.strip(),
                answer=answer.strip(),
                grader="math",
                judge="answer",
                subject=category,
                source=f"{path} row {row.number}",
                errata=repaired.reason,
            )
        )
    return tuple(problems)


BENCHMARK = Benchmark(
    name="imo_answerbench",
    title="IMO-AnswerBench",
    licence="CC-BY-4.0",
    source="google-deepmind/superhuman imobench/ (commit 80b2527)",
    graders=("math",),
    judge="answer",
    default_release="v2",
    releases={
        "v2": Release(
            name="v2",
            files=(
                ReleaseFile(
                    path="imo_answerbench/answerbench_v2.csv",
                    url=f"{_SOURCE}/imobench/answerbench_v2.csv",
                    sha256="275877a9d988d85278fad3a5f8a41d7f83393a60bf259531ec0a5161e6b21cf9",
                ),
            ),
            note="Corrects ambiguous statements and wrong answers of v1; 29 rows differ.",
            rows=400,
            follows="v1",
        ),
        "v1": Release(
            name="v1",
            files=(
                ReleaseFile(
                    path="imo_answerbench/answerbench_v1_deprecated.csv",
                    url=f"{_SOURCE}/imobench/answerbench.csv",
                    sha256="37aeca686ce677f93580821cfe16a0c0e45872479a502df43272e099da37d8fa",
                ),
            ),
            note="Withdrawn by its authors on 2026-02-12; only for comparison with results on it.",
            rows=400,
        ),
    },
    Settings=ImoAnswerBenchSettings,
    read=read,
)
