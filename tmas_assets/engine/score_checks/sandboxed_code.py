"""No answer's code ran without a sandbox: such an answer can forge its own grade, so a score with one cannot be trusted (HAZARDS S09).

Leaves out whether the sandbox holds: `tests/resources/sandbox/`.
"""

from tmas_assets.engine.score_checks.evidence import Evidence, answer_id
from tmas_assets.records.finding import Finding, Offence, finding_of

PROMISE = "code_sandboxed"
SAID = "No answer was graded by running its code without a sandbox."


def check_sandboxed_code(seen: Evidence) -> Finding:
    loose = [grade for grade in seen.gathered.grades if grade.unsandboxed]
    offences = [Offence(id=answer_id(one.problem, one.rollout), what=f"graded {one.outcome} outside a sandbox") for one in loose]
    total = len(seen.gathered.grades)
    return finding_of(
        PROMISE, f"{len(loose)} of {total} answers ran without a sandbox", total, offences,
        cure=f"Install bubblewrap, take TMAS_CODE_ISOLATION away, and `tmas regrade {seen.name}`",
    )  # fmt: skip
