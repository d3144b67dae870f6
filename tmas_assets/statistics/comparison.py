"""Two experiments compared at equal iterations and at equal tokens. Leaves out reading them and printing the result.

Iterations of different methods cost different amounts (82 calls against 8), so equal iterations alone say little.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tmas_assets.records import Record
from tmas_assets.statistics.paired import PairedDifference, paired_difference
from tmas_assets.statistics.samples import Samples


@dataclass(frozen=True)
class Side:
    """One experiment as it goes into a comparison. Problems are named by digest: same text, same gold, same grader."""

    experiment: str
    samples: Mapping[int, Samples]
    """By iteration that has grades."""
    tokens: Mapping[str, Mapping[int, int]]
    """By problem digest: prompt and completion tokens of each iteration, from scratch."""
    unknown: Mapping[str, Mapping[int, int]]
    """By problem digest: calls of each iteration whose server gave no usage; they are in no sum."""
    grader: str


Basis = Literal["iterations", "tokens of A", "tokens of B"]
"""`iterations`: the last iteration that both have. `tokens of A`: A's last iteration against the latest one of B up to
which B has not used more tokens; and the other way round."""


class ComparedSide(Record):
    """One side at the iteration that is compared, over the shared problems."""

    experiment: str
    iteration: int
    answers: int
    """Of each problem."""
    missing: int
    """Answers of the whole iteration that are asked for and not there, shared problems or not."""
    truncated: int
    failed: int
    undecided: int
    unsandboxed: int
    """Answers whose code ran without a sandbox: such verdicts can be forged."""
    tokens: float
    """Up to and with this iteration, from scratch, mean over shared problems."""
    usage_unknown: int
    """Calls in no sum of tokens; with any, `tokens` is a lower bound."""
    grader: str


class PairedComparison(Record):
    basis: Basis
    a: ComparedSide | None
    b: ComparedSide | None
    difference: PairedDifference | None
    """A minus B."""
    only_a: tuple[str, ...]
    """Problems (ids) that only A has answers to, and those whose text or gold differs in B."""
    only_b: tuple[str, ...]
    why: str | None
    """Why there is no difference to give."""


def compare(
    a: Side, b: Side, *, seed: int, clusters: Mapping[str, Hashable] | None = None, level: float = 0.95
) -> tuple[PairedComparison, ...]:
    """The three comparisons. `clusters`: by problem digest."""
    last_a, last_b = _last(a), _last(b)
    common = sorted(a.samples.keys() & b.samples.keys())
    both = next((t for t in reversed(common) if not a.samples[t].missing and not b.samples[t].missing), None)
    both = max(common, default=None) if both is None else both
    shared = _shared(a, b, last_a, last_b)

    def compared(basis: Basis, at_a: int | None, at_b: int | None, why: str) -> PairedComparison:
        if at_a is None or at_b is None:
            return PairedComparison(basis=basis, a=None, b=None, difference=None, only_a=(), only_b=(), why=why)
        return _compared(basis, (a, at_a), (b, at_b), seed, clusters, level)

    return (
        compared("iterations", both, both, "no iteration is graded in both"),
        compared("tokens of A", last_a, _within(b, a, last_a, shared), _too_dear(b, a)),
        compared("tokens of B", _within(a, b, last_b, shared), last_b, _too_dear(a, b)),
    )


def _within(side: Side, other: Side, last: int | None, problems: Sequence[str]) -> int | None:
    """The latest iteration of `side` up to which it has used no more tokens than `other` up to its `last`."""
    if last is None:
        return None
    limit, spent = _cumulative(other, problems)[last], _cumulative(side, problems)
    return max((t for t in side.samples if spent[t] <= limit), default=None)


def _too_dear(side: Side, other: Side) -> str:
    if not (side.samples and other.samples):
        return "one of the two has no graded iteration"
    return f"the first iteration of {side.experiment} takes more tokens a problem than all of {other.experiment}"


def _last(side: Side) -> int | None:
    """The last iteration that misses no answer, else the last one."""
    whole = [t for t, samples in side.samples.items() if not samples.missing]
    return max(whole or side.samples, default=None)


def _shared(a: Side, b: Side, at_a: int | None, at_b: int | None) -> list[str]:
    if at_a is None or at_b is None:
        return []
    return sorted(_rates(a.samples[at_a]).keys() & _rates(b.samples[at_b]).keys())


def _rates(samples: Samples) -> dict[str, float]:
    return {own[0].problem_digest: samples.right[problem] / samples.each for problem, own in samples.answers.items()}


def _cumulative(side: Side, problems: Sequence[str]) -> dict[int, float]:
    """Mean tokens a problem up to and with each iteration."""
    total, out = 0, {}
    for t in range(max(side.samples, default=-1) + 1):
        total += sum(side.tokens.get(problem, {}).get(t, 0) for problem in problems)
        out[t] = total / len(problems) if problems else 0.0
    return out


def _compared(
    basis: Basis, a: tuple[Side, int], b: tuple[Side, int], seed: int, clusters: Mapping[str, Hashable] | None,
    level: float,
) -> PairedComparison:  # fmt: skip
    samples_a, samples_b = a[0].samples[a[1]], b[0].samples[b[1]]
    rates_a, rates_b = _rates(samples_a), _rates(samples_b)
    shared = sorted(rates_a.keys() & rates_b.keys())
    difference = paired_difference(rates_a, rates_b, seed=seed, clusters=clusters, level=level)
    return PairedComparison(
        basis=basis,
        a=_side(*a, shared),
        b=_side(*b, shared),
        difference=difference,
        only_a=_only(samples_a, rates_b),
        only_b=_only(samples_b, rates_a),
        why=None if difference is not None else "no problem is in both",
    )


def _only(samples: Samples, theirs: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(problem for problem, own in samples.answers.items() if own[0].problem_digest not in theirs)


def _side(side: Side, t: int, shared: Sequence[str]) -> ComparedSide:
    samples, among = side.samples[t], set(shared)
    used = [grade for grade in samples.used if grade.problem_digest in among]
    return ComparedSide(
        experiment=side.experiment,
        iteration=t,
        answers=samples.each,
        missing=samples.missing,
        truncated=sum(grade.completion == "truncated" for grade in used),
        failed=sum(grade.outcome == "failed" for grade in used),
        undecided=sum(grade.outcome == "undecided" for grade in used),
        unsandboxed=sum(grade.unsandboxed for grade in used),
        tokens=_cumulative(side, shared)[t],
        usage_unknown=sum(side.unknown.get(problem, {}).get(i, 0) for problem in shared for i in range(t + 1)),
        grader=side.grader,
    )
