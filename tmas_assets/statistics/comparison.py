"""Two experiments compared at their ends, at equal iterations, calls and tokens. Leaves out reading them and printing the result.

Iterations of different methods cost different amounts (82 calls against 8), so equal iterations alone say little.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tmas_assets.records import Record, Score
from tmas_assets.statistics.paired import PairedDifference, paired_difference
from tmas_assets.statistics.tally import ProblemTally, right_rates

Unit = Literal["calls", "tokens"]
Basis = Literal["last", "iterations", "calls", "tokens", "calls of A", "calls of B", "tokens of A", "tokens of B"]
"""`last`: each at its last iteration. `iterations`: the last iteration that both have. `calls of A`: A's last iteration
against the latest one of B up to which B has made no more calls; likewise for B, and for tokens. `calls`: within the
smaller of the two totals; where the dearer one's first iteration is beyond it, within the larger one, in which the cheaper
one has come to its end."""
BASES: tuple[Basis, ...] = ("iterations", "calls of A", "calls of B", "tokens of A", "tokens of B")


@dataclass(frozen=True)
class Side:
    """One experiment as it goes into a comparison. Problems are named by digest: same text, same gold, same grader."""

    experiment: str
    repeats: int
    """What is spent is of one run of the strategy: the sum over all repeats, divided by their number."""
    grader: str
    chosen: bool
    """Whether its answers are those the strategy chose, and not its whole population."""
    missing: Mapping[int, int]
    """By iteration that has grades: answers asked for that are not there."""
    tallies: Mapping[int, Mapping[str, ProblemTally]]
    """By iteration and problem digest."""


def side_of(experiment: str, repeats: int, scores: Iterable[Score], tallies: Iterable[ProblemTally]) -> Side:
    """A side from an experiment's scores and the tallies of its cells."""
    scored = sorted((score for score in scores if score.answers), key=lambda score: score.iteration)
    by_iteration: dict[int, dict[str, ProblemTally]] = {}
    for one in tallies:
        by_iteration.setdefault(one.iteration, {})[one.problem_digest] = one
    return Side(
        experiment=experiment,
        repeats=repeats,
        grader=", ".join(sorted({f"{score.grader} {score.grader_version}" for score in scored})),
        chosen=any(score.chosen for score in scored),
        missing={score.iteration: score.missing for score in scored},
        tallies=by_iteration,
    )


class ComparedSide(Record):
    """One side at the iteration that is compared, over the shared problems."""

    experiment: str
    iteration: int
    answers: int
    """Of each problem."""
    chosen: bool
    missing: int
    """Answers of the whole iteration that are asked for and not there, shared problems or not."""
    truncated: int
    failed: int
    undecided: int
    unsandboxed: int
    """Answers whose code ran without a sandbox: such verdicts can be forged."""
    calls: float
    """Up to and with this iteration, from scratch, mean over shared problems and repeats."""
    tokens: float
    """The same in tokens."""
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
    a: Side, b: Side, *, seed: int, bases: Sequence[Basis] = BASES, level: float = 0.95
) -> tuple[PairedComparison, ...]:
    """One comparison a basis, in order. `seed`: of the bootstrap and the sign flips."""
    pair = _Pair(a, b)
    made = {}
    for basis in bases:
        at_a, at_b, why = pair.at(basis)
        if at_a is None or at_b is None:
            made[basis] = PairedComparison(basis=basis, a=None, b=None, difference=None, only_a=(), only_b=(), why=why)
        else:
            made[basis] = _compared(basis, (a, at_a), (b, at_b), seed, level)
    return tuple(made.values())


class _Pair:
    """Which iterations of two sides meet on which basis."""

    def __init__(self, a: Side, b: Side) -> None:
        self.a, self.b = a, b
        self.last_a, self.last_b = _last(a), _last(b)
        self.shared = _shared(a, b, self.last_a, self.last_b)

    def at(self, basis: Basis) -> tuple[int | None, int | None, str]:
        """Iterations of A and B, and why where one is None."""
        if basis == "iterations":
            both = self._both()
            return both, both, "no iteration is graded in both"
        if self.last_a is None or self.last_b is None:
            return None, None, "one of the two has no graded iteration"
        if basis == "last":
            return self.last_a, self.last_b, ""
        if basis in ("calls", "tokens"):
            return self._equal("calls" if basis == "calls" else "tokens", self.last_a, self.last_b)
        unit: Unit = "calls" if basis.startswith("calls") else "tokens"
        if basis.endswith("A"):
            return self.last_a, self._within(self.b, self.a, self.last_a, unit), self._too_dear(self.b, self.a, unit)
        return self._within(self.a, self.b, self.last_b, unit), self.last_b, self._too_dear(self.a, self.b, unit)

    def _both(self) -> int | None:
        common = sorted(self.a.missing.keys() & self.b.missing.keys())
        whole = [t for t in common if not self.a.missing[t] and not self.b.missing[t]]
        return max(whole or common, default=None)

    def _equal(self, unit: Unit, last_a: int, last_b: int) -> tuple[int | None, int | None, str]:
        cheap_a = _spent(self.a, self.shared, unit)[last_a] <= _spent(self.b, self.shared, unit)[last_b]
        if cheap_a:
            found = self._within(self.b, self.a, last_a, unit)
            return last_a, last_b if found is None else found, ""
        found = self._within(self.a, self.b, last_b, unit)
        return last_a if found is None else found, last_b, ""

    def _within(self, side: Side, other: Side, last: int, unit: Unit) -> int | None:
        """The latest iteration of `side` up to which it has spent no more than `other` up to its `last`."""
        limit, spent = _spent(other, self.shared, unit)[last], _spent(side, self.shared, unit)
        return max((t for t in side.missing if spent[t] <= limit), default=None)

    @staticmethod
    def _too_dear(side: Side, other: Side, unit: Unit) -> str:
        return f"the first iteration of {side.experiment} takes more {unit} a problem than all of {other.experiment}"


def _last(side: Side) -> int | None:
    """The last iteration that misses no answer, else the last one."""
    whole = [t for t, missing in side.missing.items() if not missing]
    return max(whole or side.missing, default=None)


def _shared(a: Side, b: Side, at_a: int | None, at_b: int | None) -> list[str]:
    if at_a is None or at_b is None:
        return []
    return sorted(right_rates(a.tallies[at_a]).keys() & right_rates(b.tallies[at_b]).keys())


def _spent(side: Side, problems: Sequence[str], unit: Unit) -> dict[int, float]:
    """Mean calls or tokens a problem and repeat up to and with each iteration."""
    total, out = 0, {}
    for t in range(max(side.missing, default=-1) + 1):
        own = side.tallies.get(t, {})
        found = (own[problem] for problem in problems if problem in own)
        total += sum(one.calls if unit == "calls" else one.tokens for one in found)
        out[t] = total / (len(problems) * side.repeats) if problems else 0.0
    return out


def _compared(
    basis: Basis, a: tuple[Side, int], b: tuple[Side, int], seed: int, level: float
) -> PairedComparison:
    tallies_a, tallies_b = a[0].tallies[a[1]], b[0].tallies[b[1]]
    rates_a, rates_b = right_rates(tallies_a), right_rates(tallies_b)
    shared = sorted(rates_a.keys() & rates_b.keys())
    sources: Mapping[str, Hashable] = {digest: tallies_a[digest].source for digest in shared}
    difference = paired_difference(rates_a, rates_b, seed=seed, clusters=sources, level=level)
    return PairedComparison(
        basis=basis,
        a=_side(*a, shared),
        b=_side(*b, shared),
        difference=difference,
        only_a=_only(tallies_a, rates_a, rates_b),
        only_b=_only(tallies_b, rates_b, rates_a),
        why=None if difference is not None else "no problem is in both",
    )


def _only(tallies: Mapping[str, ProblemTally], own: Mapping[str, float], theirs: Mapping[str, float]) -> tuple[str, ...]:
    return tuple(sorted(tallies[digest].problem for digest in own if digest not in theirs))


def _side(side: Side, t: int, shared: Sequence[str]) -> ComparedSide:
    used = [side.tallies[t][digest] for digest in shared]
    before = [side.tallies.get(i, {}).get(digest) for digest in shared for i in range(t + 1)]
    return ComparedSide(
        experiment=side.experiment,
        iteration=t,
        answers=max((one.answers for one in side.tallies[t].values()), default=0),
        chosen=side.chosen,
        missing=side.missing[t],
        truncated=sum(one.truncated for one in used),
        failed=sum(one.failed for one in used),
        undecided=sum(one.undecided for one in used),
        unsandboxed=sum(one.unsandboxed for one in used),
        calls=_spent(side, shared, "calls")[t],
        tokens=_spent(side, shared, "tokens")[t],
        usage_unknown=sum(one.usage_unknown for one in before if one is not None),
        grader=side.grader,
    )
