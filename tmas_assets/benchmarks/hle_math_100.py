"""HLE, 100 mathematics questions: rows of the gated data set, chosen by ids that stand beside this file.

The ids are those that WangXinglin/RSE (commit d36f7e1) evaluates on, the closest public list to the TMAS paper's, which
is not public. Ids only: the owners of HLE ask not to share its questions, so they are read at run time with the
reader's own access and never kept here.
"""

import re
from collections.abc import Iterator
from importlib.resources import files as package_files

from tmas_assets.benchmarks._contract import Benchmark, BenchmarkError, Gated, HubFile, Release, ReleaseBytes
from tmas_assets.records import Problem, Record, canonical_json

_FILE = "hle_math_100/test-00000-of-00001.parquet"
_IDS = "hle_math_100_ids.txt"
_COLUMNS = ("id", "question", "answer", "answer_type", "raw_subject")
_GRADERS = {"exactMatch": "math", "multipleChoice": "choice"}
_OPTION = re.compile(r"^([A-Z])[.)]\s+(.*\S)\s*$", re.MULTILINE)
_MARK = "Answer Choices:"


class HleMath100Settings(Record):
    """Nothing to set."""


def wanted_ids() -> tuple[str, ...]:
    return tuple(package_files(__package__).joinpath(_IDS).read_text("utf-8").split())


def hle_rows(data: bytes, path: str, ids: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The rows of these ids in their order. Raises BenchmarkError for a missing one and for one with an image."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        if missing := [column for column in (*_COLUMNS, "image") if column not in file.schema_arrow.names]:
            raise BenchmarkError(f"{path}: no column {', '.join(missing)}, found {', '.join(file.schema_arrow.names)}")
        found: dict[str, dict[str, str]] = {}
        # in batches: the images of all rows together are far larger than the questions
        for batch in file.iter_batches(batch_size=64, columns=[*_COLUMNS, "image"]):
            for row in batch.filter(pc.is_in(batch["id"], pa.array(ids))).to_pylist():
                if row["id"] in found:
                    raise BenchmarkError(f"{path}: id {row['id']!r} stands twice")
                found[row["id"]] = row
    except (pa.ArrowInvalid, pa.ArrowTypeError, OSError) as error:
        raise BenchmarkError(f"{path}: not the parquet file expected ({error}); fetch it again") from error
    if gone := [id_ for id_ in ids if id_ not in found]:
        raise BenchmarkError(f"{path}: {len(gone)} of {len(ids)} ids are not in it, the first {gone[0]!r}")
    for id_ in ids:
        if found[id_]["image"]:
            raise BenchmarkError(f"{path}: {id_!r} has an image, which a text model cannot see; take it off {_IDS}")
        for column in _COLUMNS:
            if not isinstance(found[id_][column], str) or not found[id_][column].strip():
                raise BenchmarkError(f"{path} ({id_}): {column} is {found[id_][column]!r:.80}, expected text")
        yield found[id_]


def options_of(question: str) -> tuple[str, ...]:
    """Texts of the options from A on, as they stand behind the mark; none where they cannot be read."""
    found = _OPTION.findall(question.rpartition(_MARK)[2]) if _MARK in question else []
    whole = [letter for letter, _ in found] == [chr(ord("A") + at) for at in range(len(found))]
    return tuple(text for _, text in found) if whole else ()


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    problems = []
    for row in hle_rows(files[_FILE], _FILE, wanted_ids()):
        grader = _GRADERS.get(row["answer_type"])
        if grader is None:
            raise BenchmarkError(f"{_FILE} ({row['id']}): answer_type {row['answer_type']!r}, known: {sorted(_GRADERS)}")
        options = options_of(row["question"]) if grader == "choice" else ()
        problems.append(
            Problem(
                benchmark="hle_math_100",
                release=release,
                id=row["id"],
                statement=row["question"].strip(),
                answer=row["answer"].strip(),
                grader=grader,
                grading_data=canonical_json({"options": list(options)}) if options else "",
                judge="answer",
                subject=row["raw_subject"],
                source=f"{_FILE} id {row['id']}",
            )
        )
    return tuple(problems)


BENCHMARK = Benchmark(
    name="hle_math_100",
    title="HLE mathematics 100",
    licence="MIT, gated; its owners ask not to share it again",
    source="cais/hle on the Hugging Face hub; ids from WangXinglin/RSE (commit d36f7e1)",
    graders=("math", "choice"),
    judge="answer",
    gated=Gated(
        repository="cais/hle",
        access="HLE is gated: accept its terms at https://huggingface.co/datasets/cais/hle and set HF_TOKEN to a read "
        "token of that account (or run `hf auth login`)",
    ),
    default_release="rse",
    releases={
        "rse": Release(
            name="rse",
            files=(
                HubFile(
                    path=_FILE,
                    repository="cais/hle",
                    name="data/test-00000-of-00001.parquet",
                    revision="5a81a4c7271a2a2a312b9a690f0c2fde837e4c29",
                ),
            ),
            note="The 100 ids of the RSE repository; the TMAS paper's list is not public.",
            rows=100,
        )
    },
    Settings=HleMath100Settings,
    read=read,
)
