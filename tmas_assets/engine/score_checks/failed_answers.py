"""No answer failed: a request that was refused, a grader that broke and a judge that could not be read are no wrong answers.

They count as not right, so a score with failures is too low; by which boundary each crossed is said. Leaves out truncated answers.
"""

from collections import Counter

from tmas_assets.engine.score_checks.evidence import Evidence, answer_id
from tmas_assets.records.finding import Finding, Measure, Offence, finding_of

PROMISE = "nothing_failed"
SAID = "No answer failed instead of being right or wrong, whichever boundary it crossed."
_GRADED_AGAIN = ("grader", "parse")


def check_failed_answers(seen: Evidence) -> Finding:
    failed = [grade for grade in seen.gathered.grades if grade.outcome == "failed"]
    kinds = Counter((grade.failure.boundary, grade.failure.kind) if grade.failure else ("unknown", "no reason") for grade in failed)
    offences = [
        Offence(id=answer_id(grade.problem, grade.rollout), what=f"{grade.failure.boundary} {grade.failure.kind}: {grade.failure.detail}")
        if grade.failure else Offence(id=answer_id(grade.problem, grade.rollout), what="no reason given")
        for grade in failed
    ]  # fmt: skip
    total = len(seen.gathered.grades)
    by_boundary = "".join(f", {count} at the {boundary} ({kind})" for (boundary, kind), count in sorted(kinds.items()))
    again = any(boundary in _GRADED_AGAIN for boundary, _ in kinds)
    asked = any(boundary not in _GRADED_AGAIN for boundary, _ in kinds)
    cure = [
        *([f"`tmas regrade {seen.name}` once the grader works"] if again else []),
        *([f"mend what was refused, then materialize those partitions of {seen.name}/memory_bank: only failed calls are asked again"] if asked else []),
    ]  # fmt: skip
    return finding_of(
        PROMISE, f"{len(failed)} of {total} answers failed{by_boundary}", total, offences, severity="warn", cure="; ".join(cure),
        measures=[Measure(name="failed", value=len(failed))],
    )  # fmt: skip
