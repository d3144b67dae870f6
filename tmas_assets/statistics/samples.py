"""The answers of one iteration that its figures are made of: the same number of each problem. Leaves out the figures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tmas_assets.records import Grade, Outcome


@dataclass(frozen=True)
class Samples:
    """Graded answers by problem (sorted by id), each by repeat and candidate."""

    iteration: int
    answers: Mapping[str, tuple[Grade, ...]]
    each: int
    """Answers of every problem; 0 where none is graded."""
    asked: int
    """Answers that the experiment asks for, of each problem."""
    expected: int
    """The same of all problems in scope."""
    missing: int
    """Answers asked for and not graded; a problem without any grade is in no figure but this one."""
    left_out: int
    """Graded answers not used: problems with different counts are not averaged together (HAZARDS E07)."""

    @cached_property
    def used(self) -> tuple[Grade, ...]:
        return tuple(grade for own in self.answers.values() for grade in own)

    @cached_property
    def outcomes(self) -> Counter[Outcome]:
        return Counter(grade.outcome for grade in self.used)

    @cached_property
    def truncated(self) -> int:
        return sum(grade.completion == "truncated" for grade in self.used)

    @cached_property
    def right(self) -> Mapping[str, int]:
        """Right answers of each problem."""
        return {problem: sum(grade.outcome == "right" for grade in own) for problem, own in self.answers.items()}


def samples_of(
    grades: Sequence[Grade], *, problems: Sequence[str], answers_per_problem: int, iteration: int, place: str
) -> Samples:
    """The first so many answers (by repeat, candidate) of each problem as the problem with fewest has.

    `problems` are the ids in scope and `answers_per_problem` is candidates x repeats; `place` begins every error.
    Raises ValueError for grades that do not belong together.
    """
    if len(set(problems)) != len(problems) or answers_per_problem < 1:
        raise ValueError(
            f"{place}: needs distinct problems and at least one answer each, found {len(problems)} problems, "
            f"{len(set(problems))} distinct, {answers_per_problem} answers each"
        )
    by_problem = _by_problem(grades, frozenset(problems), answers_per_problem, iteration, place)
    each = min((len(own) for own in by_problem.values()), default=0)
    expected = len(problems) * answers_per_problem
    return Samples(
        iteration=iteration,
        answers={problem: tuple(own[:each]) for problem, own in by_problem.items()},
        each=each,
        asked=answers_per_problem,
        expected=expected,
        missing=expected - len(grades),
        left_out=len(grades) - each * len(by_problem),
    )


def _by_problem(
    grades: Sequence[Grade], scope: frozenset[str], asked: int, iteration: int, place: str
) -> dict[str, list[Grade]]:
    """Grades by problem (sorted by id), each by repeat and candidate, refused where they do not fit the scope."""
    by_problem: dict[str, list[Grade]] = {}
    for grade in sorted(grades, key=lambda g: (g.problem, g.repeat, g.candidate)):
        at = f"{place}, problem {grade.problem}, rollout {grade.rollout}"
        if grade.iteration != iteration:
            raise ValueError(f"{at}: the grade is of iteration {grade.iteration}; pass the grades of one iteration")
        if grade.problem not in scope:
            raise ValueError(f"{at}: not one of the {len(scope)} problems in scope; select its grades by scope first")
        own = by_problem.setdefault(grade.problem, [])
        if own and (own[-1].repeat, own[-1].candidate) == (grade.repeat, grade.candidate):
            raise ValueError(f"{at}: repeat {grade.repeat}, candidate {grade.candidate} is graded twice; keep one")
        if own and own[-1].problem_digest != grade.problem_digest:
            raise ValueError(
                f"{at}: graded on problem digest {grade.problem_digest[:12]}, others on "
                f"{own[-1].problem_digest[:12]}; run the cell again on one version of the problem"
            )
        own.append(grade)
        if len(own) > asked:
            raise ValueError(f"{at}: answer number {len(own)} where {asked} are asked for; check candidates x repeats")
    return by_problem
