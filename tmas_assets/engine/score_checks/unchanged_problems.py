"""The problems that the scores were made from are those of the table, and the table's are the pinned release's (HAZARDS B03, B04).

A gold or statement that changed in place leaves its cells out of every figure, which this says. Leaves out the table by itself:
`checks/problems.py`.
"""

from collections.abc import Iterator

from tmas_assets.benchmarks import resolve_release
from tmas_assets.engine.score_checks.evidence import Evidence
from tmas_assets.records.finding import Finding, Offence, finding_of

PROMISE = "released_data_unchanged"
SAID = "The problems behind cells, grades and scores are those of the table, and the table is the pinned release."


def check_unchanged_problems(seen: Evidence, release: Finding | None) -> Finding:
    """`release`: what the table itself is held to; None for a user's own file, which nobody pins."""
    offences = [*_of_release(release), *_of_summary(seen), *_of_cells(seen), *_of_grades(seen)]
    name = resolve_release(seen.cells.experiment.benchmark)
    pinned = f"; {release.said}" if release is not None and release.passed else ""
    retired = [
        Offence(id=str(cell), what="its problem is retired: kept, and in no figure any more") for cell in seen.retired_cells
    ]
    said = f"{len(seen.problems)} problems of {seen.table.asset} (release {name}, table {seen.table.file.digest[:12]})"
    if retired:
        said += f", {len(retired)} cells of retired ones"
    return finding_of(
        PROMISE, said + pinned, len(seen.problems), offences, listed=retired,
        cure=f"Look at what changed (check difference_listed of problems/{seen.table.asset}); `tmas run {seen.name}` then loads the "
        "release again and makes the cells of changed problems anew",
    )  # fmt: skip


def _of_release(release: Finding | None) -> Iterator[Offence]:
    if release is not None and not release.passed:
        yield from release.offences or (Offence(id="release", what=release.said),)


def _of_summary(seen: Evidence) -> Iterator[Offence]:
    if seen.summary is None:
        return
    name = resolve_release(seen.cells.experiment.benchmark)
    for score in seen.summary.scores:
        if (score.benchmark, score.release) != (seen.cells.experiment.benchmark.name, name):
            yield Offence(id=f"score t{score.iteration:02d}", what=f"is of {score.benchmark} {score.release}, the table of release {name}")
    now = {problem.id: problem.digest for problem in seen.problems}
    told = set()
    for tally in seen.summary.tallies:
        if tally.problem in now and tally.problem_digest != now[tally.problem] and tally.problem not in told:
            told.add(tally.problem)
            what = f"the summary is of its text {tally.problem_digest[:12]}, the table holds {now[tally.problem][:12]}"
            yield Offence(id=tally.problem, what=what)


def _of_cells(seen: Evidence) -> Iterator[Offence]:
    for one in seen.passed_over:
        if one.why == "other data":
            yield Offence(id=str(one.cell), what=one.what)


def _of_grades(seen: Evidence) -> Iterator[Offence]:
    known = {problem.id: problem for problem in seen.problems}
    for grade in seen.gathered.grades:
        problem = known[grade.problem]
        if grade.problem_digest != problem.digest:
            what = f"graded on the text {grade.problem_digest[:12]}, the table holds {problem.digest[:12]}"
            yield Offence(id=f"{grade.problem} {grade.rollout}", what=what)
        elif grade.gold != problem.answer:
            yield Offence(id=f"{grade.problem} {grade.rollout}", what="graded against another gold than the table holds")
