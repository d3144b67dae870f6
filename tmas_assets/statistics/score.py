"""Pass@1 of one iteration, the score of record. Leaves out which answers are in it (`samples.py`) and other figures."""

from collections.abc import Hashable, Mapping, Sequence

from tmas_assets.records import Grade, Score
from tmas_assets.statistics.interval import mean_interval
from tmas_assets.statistics.samples import samples_of


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
    chosen: bool = False,
    level: float = 0.95,
    clusters: Mapping[str, Hashable] | None = None,
) -> Score:
    """Mean correctness over the answers of `iteration`, with an interval over problems.

    Which answers are used, missing and left out: `samples_of`. `failed` and `undecided` answers are not
    right in `value`; `value_answered` is right / (right + wrong). Both are None where there is nothing to divide.
    `clusters`: a key of each problem, equal for those that share a source; each its own where absent.
    `chosen`: whether the grades are of the answers that the strategy chose, and not of its whole population.
    Several graders (one a problem) are joined with `+`; the grader is empty while there is no grade.
    Raises ValueError for grades that do not belong together.
    """
    place = f"score of {experiment}, iteration {iteration}"
    samples = samples_of(
        grades, problems=problems, answers_per_problem=answers_per_problem, iteration=iteration, place=place
    )
    used, each = samples.used, samples.each
    rates = [right / each for right in samples.right.values()]
    keys = [clusters[problem] for problem in samples.answers] if clusters is not None else None
    interval = mean_interval(rates, level, clusters=keys)
    right, wrong = samples.outcomes["right"], samples.outcomes["wrong"]
    grader, version = _graders(used, place)
    return Score(
        experiment=experiment,
        benchmark=benchmark,
        release=release,
        iteration=iteration,
        metric="pass@1",
        chosen=chosen,
        value=right / len(used) if used else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        level=level,
        value_answered=right / (right + wrong) if right + wrong else None,
        problems=len(samples.answers),
        answers=len(used),
        expected=samples.expected,
        missing=samples.missing,
        left_out=samples.left_out,
        right=right,
        wrong=wrong,
        undecided=samples.outcomes["undecided"],
        failed=samples.outcomes["failed"],
        truncated=samples.truncated,
        empty=sum(grade.completion == "empty" for grade in used),
        repetitive=sum(grade.repetitive for grade in used),
        judged=sum(grade.rule_outcome == "undecided" and grade.judgement is not None for grade in used),
        unsandboxed=sum(grade.unsandboxed for grade in used),
        grader=grader,
        grader_version=version,
        grades_digest=grades_digest,
    )


def _graders(grades: Sequence[Grade], place: str) -> tuple[str, str]:
    pairs = sorted({(grade.grader, grade.grader_version) for grade in grades})
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError(f"{place}: one grader in two versions, found {pairs}; grade all cells again: `tmas regrade`")
    return "+".join(name for name, _ in pairs), "+".join(version for _, version in pairs)


def headline(scores: Sequence[Score]) -> Score | None:
    """The score to quote: of the last iteration that misses no answer, else of the last one with any answer.

    A half-run iteration holds the problems that happened to finish first, so it is quoted only for want of better.
    """
    answered = sorted((score for score in scores if score.answers), key=lambda score: score.iteration)
    whole = [score for score in answered if not score.missing]
    quotable = whole or answered
    return quotable[-1] if quotable else None
