"""What the AIME files share: thirty rows of NeMo-Skills, answers whole numbers from 0 to 999, kept as the text they are.

The publisher took leading zeros off some answers (NVIDIA-NeMo/Skills#118), so 45 stands where the contest printed 045;
comparing by value is the grader's business. `reference_solution` was written by third parties and is not read. Leaves
out which files: `aime2024.py`, `aime2025.py`.
"""

from collections.abc import Sequence
from importlib.resources import files as package_files

from tmas_assets.benchmarks._contract import Benchmark, BenchmarkError, Release, ReleaseBytes, ReleaseFile
from tmas_assets.benchmarks._errata import Erratum, read_errata, repair
from tmas_assets.benchmarks._tables import Row, json_rows, text_field
from tmas_assets.records import Problem, Record

_COLUMNS = ("id", "problem", "expected_answer")
RELEASE = "nemo_skills"
LICENCE = "Apache-2.0 (the repository; the contest problems are © MAA)"


class AimeSettings(Record):
    """Nothing to set."""


def read_rows(name: str, path: str, data: bytes, errata: Sequence[Erratum], release: str) -> tuple[Problem, ...]:
    rows = (
        Row(number, tuple((column, text_field(row, column, f"{path} row {number}")) for column in _COLUMNS))
        for number, row in json_rows(data, path)
    )
    problems = []
    for repaired in repair(rows, errata, "id", path):
        id_, statement, answer = (value or "" for _, value in repaired.row.fields)
        where = f"{path} row {repaired.row.number}"
        if not (answer.isascii() and answer.isdigit() and len(answer) <= 3):
            raise BenchmarkError(f"{where} ({id_}): answer {answer!r} is no whole number from 0 to 999")
        problems.append(
            Problem(
                benchmark=name,
                release=release,
                id=id_,
                statement=statement.strip(),
                answer=answer,
                grader="integer",
                source=where,
                errata=repaired.reason,
            )
        )
    return tuple(problems)


def aime(year: int, file: ReleaseFile, note: str) -> Benchmark:
    name = f"aime{year}"
    errata_file = f"{name}_errata.yaml"

    def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
        beside = package_files(__package__).joinpath(errata_file)
        errata = read_errata(beside.read_text("utf-8"), errata_file, release) if beside.is_file() else ()
        return read_rows(name, file.path, files[file.path], errata, release)

    return Benchmark(
        name=name,
        title=f"AIME {year}",
        licence=LICENCE,
        source=f"NVIDIA/NeMo-Skills nemo_skills/dataset/aime{year % 100}/ (commit 0b012df8)",
        graders=("integer",),
        default_release=RELEASE,
        releases={RELEASE: Release(name=RELEASE, files=(file,), note=note, rows=30)},
        Settings=AimeSettings,
        read=read,
    )
