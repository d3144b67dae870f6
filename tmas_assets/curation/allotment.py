"""Which teacher a problem goes to: by a draw of its own, in proportion to the teachers' weights.

A problem keeps its teacher when others come or go, so a set that grows repeats no call; and a teacher's problems are a random
sample of all, so teachers can be compared.
"""

from collections.abc import Sequence

from tmas_assets.records import SourceProblem, Teacher
from tmas_assets.records.seeds import seed_of


def teacher_for(candidate: SourceProblem, teachers: Sequence[Teacher], seed: int) -> Teacher:
    """`teachers`: at least one."""
    draw = seed_of(seed, "teacher", candidate.problem.digest) / 2**31
    total, reached = sum(teacher.weight for teacher in teachers), 0.0
    for teacher in teachers:
        reached += teacher.weight / total
        if draw < reached:
            return teacher
    return teachers[-1]
