"""All figures of one iteration: mean@k, credit@k, pass@k, pass^k, maj@k, best-of-k, oracle@k, each with its error over problems.

Leaves out which answers are equal and how verifiers ranked them: both are given.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tmas_assets.records import Figure, Grade, Metric
from tmas_assets.statistics.best_of_k import best_of_k
from tmas_assets.statistics.bootstrap import bootstrap
from tmas_assets.statistics.interval import METHOD, METHOD_CLUSTERED, mean_interval
from tmas_assets.statistics.majority_at_k import majority_at_k
from tmas_assets.statistics.pass_at_k import pass_at_k, pass_hat_k
from tmas_assets.statistics.samples import Samples


@dataclass(frozen=True)
class Beside:
    """What is known of the answers besides their grades."""

    classes: Mapping[str, Sequence[int | None]]
    """By problem, the class of equal answers each belongs to, in the order of the samples; None for a silent one.
    A problem that is absent has answers no two of which can be told to be equal, such as programs."""
    checked: Mapping[tuple[str, str], float]
    """Mean verifier score by (problem, rollout) of those that have one."""
    clusters: Mapping[str, Hashable]
    """By problem, what it shares with others of its source."""
    chosen: Samples | None = None
    """What the strategy itself chose among them, one answer a repeat; None where it makes no choice."""


def ladder(asked: int) -> tuple[int, ...]:
    """The k that are shown where `asked` answers are asked for: powers of two, and all."""
    return tuple(sorted({1 << power for power in range(asked.bit_length()) if 1 << power <= asked} | {asked}))


def figures_of(samples: Samples, beside: Beside, *, seed: int, level: float = 0.95) -> tuple[Figure, ...]:
    """Every metric at every k of the ladder. `seed`: of the bootstrap that stands beside the t interval of mean@k.

    Where fewer answers are there than k, the figure is there without a value and says why (HAZARDS E04).
    """
    return tuple(_figures(samples, beside, seed, level))


def _figures(samples: Samples, beside: Beside, seed: int, level: float) -> Iterator[Figure]:
    each, ks = samples.each, ladder(samples.asked)
    right = samples.right
    made = _Maker(samples, beside.clusters, level)
    if each:
        rates = [count / each for count in right.values()]
        yield made.figure("mean@k", each, rates)
        yield made.answered(each)
        yield made.resampled(each, rates, seed)
        if any(grade.credit is not None for grade in samples.used):
            yield made.figure("credit@k", each, [_mean_credit(own) for own in samples.answers.values()])
        yield made.figure("oracle@k", each, [float(count > 0) for count in right.values()])
    if beside.chosen is not None and beside.chosen.each:
        rates = [count / beside.chosen.each for count in beside.chosen.right.values()]
        yield _Maker(beside.chosen, beside.clusters, level).figure("chosen", beside.chosen.each, rates)
    for k in ks:
        yield made.figure("pass@k", k, [pass_at_k(each, count, k) for count in right.values()])
    several = [k for k in ks if k > 1] or ks  # of one answer all are the plain rate
    for k in several:
        yield made.figure("pass^k", k, [pass_hat_k(each, count, k) for count in right.values()])
    unvoted = [problem for problem in samples.answers if problem not in beside.classes]
    for k in several:
        if unvoted:
            why = f"the answers of {len(unvoted)} problems cannot be told equal or different, so there is no vote"
            yield made.unavailable("maj@k", k, why)
            continue
        votes = [_votes(own, beside.classes[problem]) for problem, own in samples.answers.items()]
        yield made.figure("maj@k", k, [majority_at_k(*vote, k) for vote in votes])
    unchecked = not any((problem, grade.rollout) in beside.checked for problem, own in samples.answers.items() for grade in own)
    for k in several:
        if unchecked:
            yield made.unavailable("best-of-k", k, "no answer has a verifier score")
            continue
        ranks = [_ranked(own, beside.checked) for own in samples.answers.values()]
        yield made.figure("best-of-k", k, [best_of_k(ranked, k) for ranked in ranks])


def _mean_credit(grades: Sequence[Grade]) -> float:
    return sum(grade.credit or 0.0 for grade in grades) / len(grades)


def _votes(grades: Sequence[Grade], classes: Sequence[int | None]) -> tuple[list[int], list[float], int]:
    """Sizes of the classes, the share of each that is right, and how many are silent."""
    sizes: dict[int, int] = {}
    right: dict[int, int] = {}
    for grade, of in zip(grades, classes, strict=True):
        if of is not None:
            sizes[of] = sizes.get(of, 0) + 1
            right[of] = right.get(of, 0) + (grade.outcome == "right")
    return list(sizes.values()), [right[of] / sizes[of] for of in sizes], len(grades) - sum(sizes.values())


def _ranked(grades: Sequence[Grade], checked: Mapping[tuple[str, str], float]) -> list[bool]:
    """Whether right, best verified first; unchecked ones last, and of equals the earlier repeat and candidate."""

    def place(grade: Grade) -> tuple[float, int, int]:
        return (-checked.get((grade.problem, grade.rollout), -1.0), grade.repeat, grade.candidate)

    return [grade.outcome == "right" for grade in sorted(grades, key=place)]


@dataclass(frozen=True)
class _Maker:
    """Figures over one set of samples: what they share is filled in here."""

    samples: Samples
    clusters: Mapping[str, Hashable]
    level: float

    def figure(self, metric: Metric, k: int, per_problem: Sequence[float | None]) -> Figure:
        known = [one for one in per_problem if one is not None]
        if len(known) < len(per_problem) or not known:
            found = f"{self.samples.each} graded answers a problem are too few for k = {k}" if per_problem else "no answer is graded"
            return self.unavailable(metric, k, found)
        interval = mean_interval(known, self.level, clusters=self._keys(self.samples.answers))
        assert interval is not None
        return self._make(metric, k, **interval.model_dump(include={"value", "standard_error", "low", "high", "method"}))

    def answered(self, k: int) -> Figure:
        """mean@k over right and wrong answers alone; problems without one are in no figure."""
        decided = {
            problem: [grade.outcome == "right" for grade in own if grade.outcome in ("right", "wrong")]
            for problem, own in self.samples.answers.items()
        }
        some = {problem: own for problem, own in decided.items() if own}
        if not some:
            return self.unavailable("mean@k", k, "every answer is undecided or failed", "answered")
        interval = mean_interval(
            [sum(own) / len(own) for own in some.values()], self.level,
            weights=[float(len(own)) for own in some.values()], clusters=self._keys(some),
        )  # fmt: skip
        assert interval is not None
        found = interval.model_dump(include={"value", "standard_error", "low", "high", "method"})
        return self._make("mean@k", k, denominator="answered", of=some, samples=sum(map(len, some.values())), **found)

    def resampled(self, k: int, rates: Sequence[float], seed: int) -> Figure:
        found = bootstrap(rates, seed, self.level, clusters=self._keys(self.samples.answers))
        value = sum(rates) / len(rates)
        if found is None:
            why = "all problems have the same value, so resampling them shows no spread; the t interval has one"
            return self._make("mean@k", k, value=value, method="BCa bootstrap over problems", seed=seed, why=why)
        bounds = found.model_dump(include={"standard_error", "low", "high", "method", "seed"})
        return self._make("mean@k", k, value=value, **bounds)

    def unavailable(self, metric: Metric, k: int, why: str, denominator: str = "all") -> Figure:
        return self._make(metric, k, why=why, denominator=denominator)

    def _keys(self, problems: Mapping[str, object]) -> list[Hashable]:
        return [self.clusters[problem] for problem in problems]

    def _make(
        self, metric: Metric, k: int, *, of: Mapping[str, object] | None = None, samples: int | None = None, **found: object
    ) -> Figure:
        used, problems = self.samples, self.samples.answers if of is None else of
        groups = len(set(self._keys(problems)))
        shared = {
            "denominator": "all", "value": None, "standard_error": None, "low": None, "high": None, "seed": None,
            "why": None, "method": METHOD if groups == len(problems) else METHOD_CLUSTERED,
        }  # fmt: skip
        return Figure.model_validate({
            **shared,
            "iteration": used.iteration,
            "metric": metric,
            "k": k,
            "level": self.level,
            "problems": len(problems),
            "clusters": groups,
            "samples": len(used.used) if samples is None else samples,
            "missing": used.missing,
            "left_out": used.left_out,
            "truncated": used.truncated,
            "failed": used.outcomes["failed"],
            "undecided": used.outcomes["undecided"],
            **found,
        })
