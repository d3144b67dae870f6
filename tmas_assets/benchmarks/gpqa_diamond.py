"""GPQA Diamond: 198 graduate-level science questions with four options, gated since examples must not leak.

Options are arranged per item by a SHA-256 over (seed, item id, option number), so the key letter depends on nothing
else; several public harnesses put every key on one letter. The gold is the letter of the right option.
"""

from pydantic import Field

from tmas_assets.benchmarks._contract import Benchmark, BenchmarkError, Gated, HubFile, Release, ReleaseBytes
from tmas_assets.benchmarks._tables import csv_rows
from tmas_assets.records import Problem, Record, canonical_json, digest

_FILE = "gpqa_diamond/gpqa_diamond.csv"
_RIGHT = "Correct Answer"
_OPTIONS = (_RIGHT, "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")
_COLUMNS = ("Record ID", "Question", *_OPTIONS)
LETTERS = "ABCD"


class GpqaDiamondSettings(Record):
    seed: int = Field(default=0, ge=0)
    """Of the order of the options."""


def arrangement(seed: int, item: str) -> tuple[int, ...]:
    """Which option stands at A, B, C and D; option 0 is the right one."""
    return tuple(sorted(range(len(_OPTIONS)), key=lambda option: digest(["gpqa_diamond", seed, item, option])))


def lettered(question: str, options: tuple[str, ...]) -> str:
    return "\n".join([question, "", *(f"{letter}) {option}" for letter, option in zip(LETTERS, options, strict=True))])


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    assert isinstance(settings, GpqaDiamondSettings)
    problems = []
    for row in csv_rows(files[_FILE], _FILE, _COLUMNS, among=True):
        where = f"{_FILE} row {row.number}"
        item, question, *given = ((row.get(column) or "").strip() for column in _COLUMNS)
        if not all((item, question, *given)):
            empty = [column for column in _COLUMNS if not (row.get(column) or "").strip()]
            raise BenchmarkError(f"{where} ({item or 'no id'}): nothing in {', '.join(empty)}; fetch the file again")
        if given[0] in given[1:]:
            raise BenchmarkError(f"{where} ({item}): the right option also stands among the wrong ones")
        order = arrangement(settings.seed, item)
        options = tuple(given[option] for option in order)
        problems.append(
            Problem(
                benchmark="gpqa_diamond",
                release=release,
                id=item,
                statement=lettered(question, options),
                answer=LETTERS[order.index(0)],
                grader="choice",
                grading_data=canonical_json({"options": list(options)}),
                source=where,
            )
        )
    return tuple(problems)


BENCHMARK = Benchmark(
    name="gpqa_diamond",
    title="GPQA Diamond",
    licence="CC-BY-4.0, gated; its authors ask not to reveal examples in plain text",
    source="Idavidrein/gpqa on the Hugging Face hub",
    graders=("choice",),
    gated=Gated(
        repository="Idavidrein/gpqa",
        access="GPQA is gated: accept its terms at https://huggingface.co/datasets/Idavidrein/gpqa and set HF_TOKEN to "
        "a read token of that account (or run `hf auth login`)",
    ),
    default_release="hub",
    releases={
        "hub": Release(
            name="hub",
            files=(
                HubFile(
                    path=_FILE,
                    repository="Idavidrein/gpqa",
                    name="gpqa_diamond.csv",
                    revision="633f5ee89ab8ad4522a9f850766b73f62147ffdd",
                ),
            ),
            note="Options stand in an order made of setting `seed` (0 by default) and the item's id.",
            rows=198,
        )
    },
    Settings=GpqaDiamondSettings,
    read=read,
    labelled=True,
)
