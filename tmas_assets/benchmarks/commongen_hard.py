"""CommonGen-Hard: 200 sets of 20 to 30 everyday words, all of which a sensible text has to use.

Made for Self-Refine (Madaan et al. 2023), whose repository keeps it as data/prompt/commongen/commongen_hard.jsonl, and
carried on by AgentVerse and its fork MAS-TTS (data/commongen/test.jsonl, 200 rows). There is no gold text: `answer`
lists the words, and a bare list of them is no right answer.
"""

from tmas_assets.benchmarks._contract import Benchmark, BenchmarkError, Release, ReleaseBytes, ReleaseFile
from tmas_assets.benchmarks._tables import json_rows, text_list
from tmas_assets.records import Problem, Record, canonical_json

_FILE = "commongen_hard/commongen_hard.jsonl"


class CommonGenHardSettings(Record):
    """Nothing to set."""


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    problems = []
    for number, row in json_rows(files[_FILE], _FILE):
        where = f"{_FILE} row {number}"
        concepts = text_list(row, "concepts", where)
        if not concepts or len(set(concepts)) < len(concepts):
            raise BenchmarkError(f"{where}: concepts are {list(concepts)!r:.200}, expected some, each once")
        words = ", ".join(concepts)
        problems.append(
            Problem(
                benchmark="commongen_hard",
                release=release,
                id=f"commongen-hard-{number:03d}",
                statement="Write a coherent text of one or more English sentences that describes everyday scenes and uses "
                f"every one of these {len(concepts)} words (inflected forms count): {words}.",
                answer=words,
                grader="concepts",
                grading_data=canonical_json({"concepts": list(concepts)}),
                judge="plausible",
                source=where,
            )
        )
    return tuple(problems)


BENCHMARK = Benchmark(
    name="commongen_hard",
    title="CommonGen-Hard",
    licence="Apache-2.0",
    source="OpenBMB/AgentVerse data/commongen/ (commit 48fa838), as used by jincan333/MAS-TTS; from Self-Refine",
    graders=("concepts",),
    judge="plausible",
    default_release="agentverse",
    releases={
        "agentverse": Release(
            name="agentverse",
            files=(
                ReleaseFile(
                    path=_FILE,
                    url="https://raw.githubusercontent.com/OpenBMB/AgentVerse/"
                    "48fa8381563410babce93aeb3d691ae0700f96d1/data/commongen/commongen_hard.jsonl",
                    sha256="a46f5d597aef403b84ee34ab16e1f105f1e3e798b7727e1cd990c92f92698932",
                ),
            ),
            note="Rows have no ids: theirs are the row numbers. The instruction around the words is ours.",
            rows=200,
        )
    },
    Settings=CommonGenHardSettings,
    read=read,
)
