"""Hypotheses: questions of your own that have no gold, each with its evidence, from a YAML or JSONL file.

They are decided on (`team_decision`) and never graded. Leaves out how the file is read (`_hypothesis_file.py`).
"""

from collections.abc import Callable

from pydantic import Field

from tmas_assets.benchmarks import _hypothesis_file, _redaction
from tmas_assets.benchmarks._contract import Benchmark, BenchmarkError, ReleaseBytes
from tmas_assets.records import NO_GRADER, Problem, Record, problem_of

_NAME = "hypotheses"


class HypothesesSettings(Record):
    file: str = Field(min_length=1)
    """The hypotheses: path from the folder of the experiment's file, or absolute. `.jsonl` has one a line, any other is YAML."""
    redact: str = ""
    """A file with one regular expression a line. What matches is taken out of all texts before prompts, logs, files or
    reports are made of them. Path as for `file`; empty for none."""


def own_files(settings: Record, read: Callable[[str], bytes]) -> ReleaseBytes:
    assert isinstance(settings, HypothesesSettings)
    hidden = {settings.redact: read(settings.redact)} if settings.redact else {}
    return {**_hypothesis_file.gather(settings.file, read), **hidden}


def read(files: ReleaseBytes, settings: Record, release: str) -> tuple[Problem, ...]:
    assert isinstance(settings, HypothesesSettings)
    path = settings.file
    hidden = _redaction.patterns(files[settings.redact], settings.redact) if settings.redact else ()
    problems = []
    for placed in _hypothesis_file.entries(files[path], path):
        found = _hypothesis_file.hypothesis(placed, path, files)
        if _redaction.names_match([placed.entry.id, *(piece.id for piece in found.evidence)], hidden):
            raise BenchmarkError(
                f"{path} entry {placed.number}: its id, or that of its evidence, holds what {settings.redact} hides; "
                "ids name partitions and files, so give it another one"
            )
        problems.append(
            problem_of(
                _redaction.redacted(found, hidden),
                benchmark=_NAME,
                release=release,
                id=placed.entry.id,
                source=f"entry {placed.number}",
            )
        )
    return tuple(problems)


BENCHMARK = Benchmark(
    name=_NAME,
    title="Hypotheses of your own",
    licence="your own",
    source="a file of yours, named by setting `file`",
    graders=(NO_GRADER,),
    default_release="default",
    releases={},
    Settings=HypothesesSettings,
    read=read,
    own_files=own_files,
)
