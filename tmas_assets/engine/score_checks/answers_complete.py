"""Every answer that the experiment asks for is there and graded: what is missing is counted and named.

Half a run is no fault, so it warns. Leaves out failed answers, which are there: `failed_answers.py`.
"""

from collections import Counter

from tmas_assets.engine.figures import answers
from tmas_assets.engine.score_checks.evidence import Evidence
from tmas_assets.records import NO_GRADER
from tmas_assets.records.finding import Finding, Measure, Offence, finding_of

PROMISE = "answers_complete"
SAID = "Every cell that the experiment asks for is there, with a grade for each of its answers."


def check_answers_complete(seen: Evidence) -> Finding:
    offences = [Offence(id=str(one.cell), what=one.what) for one in seen.passed_over]
    short = missing = total = 0
    graded = [problem for problem in seen.problems if problem.grader != NO_GRADER]
    for iteration, counted in answers(seen.cells.experiment, seen.gathered).items():
        there = Counter(grade.problem for grade in counted.grades)
        total += counted.asked * len(graded)
        missing += sum(max(0, counted.asked - there[problem.id]) for problem in graded)
        for problem in graded:
            key = seen.cells.key(iteration, problem)
            if there[problem.id] < counted.asked and all(key != one.cell for one in seen.passed_over):
                short += 1
                offences.append(Offence(id=str(key), what=f"{there[problem.id]} of {counted.asked} answers are graded"))
    ungraded = _ungraded(seen)
    offences += [Offence(id=key, what="the cell has no grades of its very answers") for key in ungraded]
    cells = seen.expected - len(seen.passed_over)
    said = f"{cells} of {seen.expected} cells are there"
    if total:
        said += f", {missing} of {total} answers are missing where an iteration has any"
    name = seen.name
    cure = f"`tmas run {name}` makes what is missing and pays for nothing twice"
    if short or ungraded:
        cure += f"; `tmas regrade {name}` grades what is there"
    return finding_of(
        PROMISE, said, seen.expected, offences, severity="warn", cure=cure,
        measures=[Measure(name="cells_missing", value=len(seen.passed_over)), Measure(name="answers_missing", value=missing)],
    )  # fmt: skip


def _ungraded(seen: Evidence) -> list[str]:
    """Cells without grades in iterations that nobody has graded: `answers` knows nothing of those."""
    if all(problem.grader == NO_GRADER for problem in seen.problems):
        return []
    by_id = {problem.id: problem for problem in seen.problems}
    graded = {iteration for _, iteration in seen.gathered.graded_by}
    rows = seen.gathered.frames["rollouts"].select("iteration", "problem").unique(maintain_order=True).iter_rows()
    return [str(seen.cells.key(t, by_id[problem])) for t, problem in rows if t not in graded and by_id[problem].grader != NO_GRADER]
