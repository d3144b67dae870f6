"""Pass@1 of one iteration from its grades. Leaves out reading the grades and choosing which are in scope."""

from collections.abc import Sequence

from tmas_assets.records import Grade, Score
from tmas_assets.statistics.interval import mean_interval


def score_iteration(
    grades: Sequence[Grade],
    *,
    problems: Sequence[str],
    answers_per_problem: int,
    experiment: str,
    benchmark: str,
    release: str,
    iteration: int,
    grades_digest: str,
    level: float = 0.95,
) -> Score:
    """Mean correctness over all graded answers of `iteration`, with an interval over problems.

    `problems` are the ids in scope and `answers_per_problem` is candidates x repeats; what they ask for and the
    grades do not hold is `missing`, and a problem without any grade is in no figure but that one. Problems with
    different counts are not averaged together: the first so many answers (by repeat, candidate) of each are
    used as the problem with fewest has, and the others are `left_out`. `failed` and `undecided` answers are not
    right in `value`; `value_answered` is right / (right + wrong). Both are None where there is nothing to divide.
    Several graders (one a problem) are joined with `+`; the grader is empty while there is no grade.
    Raises ValueError for grades that do not belong together.
    """
    place = f"score of {experiment}, iteration {iteration}"
    if len(set(problems)) != len(problems) or answers_per_problem < 1:
        raise ValueError(
            f"{place}: needs distinct problems and at least one answer each, found {len(problems)} problems, "
            f"{len(set(problems))} distinct, {answers_per_problem} answers each"
        )
    by_problem = _by_problem(grades, frozenset(problems), answers_per_problem, iteration, place)
    each = min((len(own) for own in by_problem.values()), default=0)
    used = [grade for own in by_problem.values() for grade in own[:each]]
    counts = {outcome: sum(g.outcome == outcome for g in used) for outcome in ("right", "wrong", "undecided", "failed")}
    rates = [sum(grade.outcome == "right" for grade in own[:each]) / each for own in by_problem.values()]
    interval = mean_interval(rates, level)
    expected = len(problems) * answers_per_problem
    answered = counts["right"] + counts["wrong"]
    value = counts["right"] / len(used) if used else None
    grader, version = _graders(used, place)
    return Score(
        experiment=experiment,
        benchmark=benchmark,
        release=release,
        iteration=iteration,
        metric="pass@1",
        value=value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        level=level,
        value_answered=counts["right"] / answered if answered else None,
        problems=len(by_problem),
        answers=len(used),
        expected=expected,
        missing=expected - len(grades),
        left_out=len(grades) - len(used),
        right=counts["right"],
        wrong=counts["wrong"],
        undecided=counts["undecided"],
        failed=counts["failed"],
        truncated=sum(grade.completion == "truncated" for grade in used),
        empty=sum(grade.completion == "empty" for grade in used),
        repetitive=sum(grade.repetitive for grade in used),
        judged=sum(grade.rule_outcome == "undecided" and grade.judgement is not None for grade in used),
        unsandboxed=sum(grade.unsandboxed for grade in used),
        grader=grader,
        grader_version=version,
        grades_digest=grades_digest,
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


def _graders(grades: Sequence[Grade], place: str) -> tuple[str, str]:
    pairs = sorted({(grade.grader, grade.grader_version) for grade in grades})
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError(f"{place}: one grader in two versions, found {pairs}; grade all cells again with one")
    return "+".join(name for name, _ in pairs), "+".join(version for _, version in pairs)


def headline(scores: Sequence[Score]) -> Score | None:
    """The score to quote: of the last iteration that misses no answer, else of the last one with any answer.

    A half-run iteration holds the problems that happened to finish first, so it is quoted only for want of better.
    """
    answered = sorted((score for score in scores if score.answers), key=lambda score: score.iteration)
    whole = [score for score in answered if not score.missing]
    quotable = whole or answered
    return quotable[-1] if quotable else None
