"""Every grade is of the graders there are now, rules and judge: figures of two versions do not compare (HAZARDS G14).

Leaves out grading again: the cure that it names does that, without asking a model.
"""

from collections import Counter

from tmas_assets.engine.grades import INCOMPLETE, grader_of
from tmas_assets.engine.judging import Judge
from tmas_assets.engine.score_checks.evidence import Evidence
from tmas_assets.grading import grader_version
from tmas_assets.records.finding import Finding, Offence, finding_of

PROMISE = "grader_current"
SAID = "Every grade was given by the grader, in the version and with the judge, that there is now."


def check_current_grades(seen: Evidence, judge: Judge | None) -> Finding:
    """`judge`: the experiment's, as it would judge today."""
    by_id = {problem.id: problem for problem in seen.problems}
    now = {one: grader_of(problem, judge) for one, problem in by_id.items()}
    stated = {one: grader_version(problem.grader) for one, problem in by_id.items()}
    behind: Counter[tuple[str, int]] = Counter()
    found_in: dict[tuple[str, int], str] = {}
    for grade in seen.gathered.grades:
        cell = (grade.problem, grade.iteration)
        by = seen.gathered.graded_by[cell]
        if (grade.grader, grade.grader_version) != (by_id[grade.problem].grader, stated[grade.problem]):
            by = f"{grade.grader} {grade.grader_version}"
        if by != now[grade.problem]:
            behind[cell] += 1
            found_in[cell] = by
    total, count = len(seen.gathered.grades), sum(behind.values())
    offences = [
        Offence(id=f"t{iteration:02d} {problem}", what=_what(behind[problem, iteration], by, now[problem]))
        for (problem, iteration), by in sorted(found_in.items(), key=lambda item: (item[0][1], item[0][0]))
    ]
    unjudged = bool(found_in) and all(by.endswith(INCOMPLETE) for by in found_in.values())
    again = f"`tmas run {seen.name}` asks the judge for what is missing"
    cure = again if unjudged else (
        f"`tmas regrade {seen.name}` grades all of it again without asking a model" + (f"; {again}" if judge else "")
    )
    return finding_of(PROMISE, f"{total - count} of {total} grades are of the graders there are now", total, offences, broken=count, cure=cure)


def _what(grades: int, by: str, now: str) -> str:
    return f"{grades} grades by {by}, now {now}"
