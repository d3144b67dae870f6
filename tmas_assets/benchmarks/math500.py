"""MATH-500: the 500 test problems of MATH that PRM800K held out, with short LaTeX answers."""

from tmas_assets.benchmarks._contract import Benchmark, Release, ReleaseBytes, ReleaseFile
from tmas_assets.benchmarks._tables import json_rows, text_field
from tmas_assets.records import Problem, Record

_FILE = "math500/test.jsonl"


class Math500Settings(Record):
    """Nothing to set."""


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    problems = []
    for number, row in json_rows(files[_FILE], _FILE):
        where = f"{_FILE} row {number}"
        problems.append(
            Problem(
                benchmark="math500",
                release=release,
                id=text_field(row, "unique_id", where),
                statement=text_field(row, "problem", where),
                answer=text_field(row, "answer", where),
                grader="math",
                subject=text_field(row, "subject", where),
                level=str(row["level"]) if isinstance(row.get("level"), int) else None,
                source=where,
            )
        )
    return tuple(problems)


BENCHMARK = Benchmark(
    name="math500",
    title="MATH-500",
    licence="MIT",
    source="openai/prm800k math_splits/test.jsonl, problems from hendrycks/math",
    graders=("math",),
    default_release="prm800k",
    releases={
        "prm800k": Release(
            name="prm800k",
            files=(
                ReleaseFile(
                    path=_FILE,
                    # The repository keeps the file in Git LFS, hence the media host.
                    url="https://media.githubusercontent.com/media/openai/prm800k/"
                    "7ecc794703b2877f63226f2477a49b34f9b25163/prm800k/math_splits/test.jsonl",
                    sha256="35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132",
                ),
            ),
            note="The only release; copies without unique_id circulate.",
            rows=500,
        )
    },
    Settings=Math500Settings,
    read=read,
)
