"""Problems that models are measured on, found among candidates although they were re-wrapped, renamed, diluted or re-worded.

Each candidate is compared with the evaluation problems it shares the rarest words, pairs, figures and MinHash bands
with; `evidence.py` says what makes a copy. What the problems of one template share is no evidence for any of them
(`families.py`): there the data decide. Leaves out where evaluation problems come from (`engine/building/evaluations.py`).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from typing import TYPE_CHECKING

from tmas_assets.curation.evidence import Evidence, Weights, missing_numbers, test_fired
from tmas_assets.curation.families import LEAST, MOST, data_parts
from tmas_assets.curation.screened import Screened, dropped
from tmas_assets.curation.signatures import PERMUTATIONS, Signature, minhash, shapes, signature
from tmas_assets.records import Decontamination, Dropped, Problem, SourceProblem

if TYPE_CHECKING:
    from datasketch import MinHash, MinHashLSH

_NEAREST = 8
"""Evaluation problems that a statement is compared with."""
_LOOKUPS = 1500
"""Entries of the index read for one statement, those of rare units first."""
_TELLING = 4
"""An n-gram that more evaluation problems hold is a phrase and tells nothing."""
_RELATED = 0.25
"""Share of an evaluation problem's pairs, by weight, that makes a statement its relative."""
_AS_CLOSE = 0.1
"""Shares of pairs that relatives of one template differ by."""
_VERBATIM = 0.25
"""Share of its n-grams without which a relative with the same figures is a rewording of it."""
_LEVELS = (1, 3)
"""Beside pairs of words, lengths (in n-grams) of the runs that data are looked for in: a cipher shows in pairs, a grid of
noughts and ones only in long runs."""
_LEAST_DATA = 6.0
"""Weight from which the pairs that only this problem of a family holds are its data."""


@dataclass(frozen=True)
class Evaluation:
    """A release that models are measured on."""

    release: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Match:
    """A statement is a copy of this evaluation problem."""

    release: str
    problem: str
    test: str
    """Which test fired, with its figures."""


@dataclass(frozen=True)
class _Known:
    """An evaluation problem, ready to be compared."""

    release: str
    id: str
    read: Signature
    telling: frozenset[str]
    """Its telling n-grams."""
    size: int
    """Tokens of an n-gram; fewer where the statement is shorter."""
    hashed: "MinHash"
    weights: tuple[float, float, float]
    """Of its words, pairs and figures."""
    weight: float
    """Of all of them."""
    runs: tuple[frozenset[str], ...]
    """Its runs of each level; none where it is shorter."""


@dataclass(frozen=True)
class _Compared:
    """A comparison that matters: a test fired, or both may come from one template."""

    at: int
    evidence: Evidence
    test: str | None
    parts: tuple[frozenset[str], ...]
    """What both hold: pairs, then runs of each level."""
    related: bool


@dataclass(frozen=True)
class Index:
    """Evaluation problems by what they hold. Make it with `indexed`, once."""

    settings: Decontamination
    weights: Weights
    known: tuple[_Known, ...]
    holders: dict[str, list[int]]
    bands: "MinHashLSH"
    data: dict[int, tuple[frozenset[str], ...]] = field(default_factory=dict)
    """Of evaluation problems made from a template: which of their pairs, and of their runs of each level, are data."""


def indexed(evaluations: Sequence[Evaluation], settings: Decontamination, candidates: Iterable[str] = ()) -> Index:
    """`candidates` are the statements of the pool that the compared ones come from: beside the evaluation problems, they
    show what is a template. Without them a template that one evaluation problem uses cannot be told from its text."""
    index = _without_templates(evaluations, settings)
    return _with_templates(index, [_compare(index, signature(statement)) for statement in dict.fromkeys(candidates)])


def contaminated(statement: str, index: Index) -> Match | None:
    """The evaluation problem that the statement is a copy of, the most similar one first; None for a clean statement."""
    return _verdict(index, _compare(index, signature(statement)))


def decontaminated(
    candidates: Sequence[SourceProblem], evaluations: Sequence[Evaluation], settings: Decontamination
) -> Screened:
    """Drops each copy under its release's name. Judges as `contaminated` does with an index of these very candidates."""
    index = _without_templates(evaluations, settings)
    statements = [candidate.problem.statement for candidate in candidates]
    compared = {statement: _compare(index, signature(statement)) for statement in dict.fromkeys(statements)}
    index = _with_templates(index, compared.values())
    kept: list[SourceProblem] = []
    lost: list[Dropped] = []
    for statement, candidate in zip(statements, candidates, strict=True):
        match = _verdict(index, compared[statement])
        if match is None:
            kept.append(candidate)
        else:
            lost.append(dropped(candidate, match.release, f"{match.release} {match.problem}, {match.test}"))
    return Screened(tuple(kept), tuple(lost))


def _without_templates(evaluations: Sequence[Evaluation], settings: Decontamination) -> Index:
    from datasketch import MinHashLSH

    named: dict[str, tuple[str, str, Signature]] = {}
    for evaluation in evaluations:
        for problem in evaluation.problems:
            read = signature(problem.statement)
            if read.tokens:
                named.setdefault(read.exact, (evaluation.release, problem.id, read))
    weights = Weights(read for _, _, read in named.values())
    grams = [frozenset(read.ngrams(settings.ngram)) for _, _, read in named.values()]
    problems = Counter(ngram for held in grams for ngram in held)
    known = tuple(
        _known(release, id_, read, frozenset(ngram for ngram in held if problems[ngram] <= _TELLING), settings.ngram, weights)
        for (release, id_, read), held in zip(named.values(), grams, strict=True)
    )
    holders: dict[str, list[int]] = {}
    bands = MinHashLSH(threshold=settings.similarity, num_perm=PERMUTATIONS)
    for at, one in enumerate(known):
        for unit in one.read.words | one.read.pairs | one.read.figures:
            holders.setdefault(unit, []).append(at)
        bands.insert(at, one.hashed)
    return Index(settings, weights, known, holders, bands)


def _known(release: str, id_: str, read: Signature, telling: frozenset[str], ngram: int, weights: Weights) -> _Known:
    each = (weights.total(read.words), weights.total(read.pairs), weights.total(read.figures))
    return _Known(
        release, id_, read, telling, min(ngram, len(read.tokens)), minhash(read), each, sum(each),
        tuple(frozenset(shapes(read.tokens, level * ngram)) for level in _LEVELS),
    )  # fmt: skip


def _with_templates(index: Index, pool: Iterable[Sequence[_Compared]]) -> Index:
    """`pool` has the comparisons of each distinct statement; the evaluation problems themselves are added. Whole copies are
    relatives too: where there are many, what edited ones lack is no data."""
    relatives: dict[int, list[_Compared]] = {}
    own = [[one for one in _compare(index, known.read) if one.at != at] for at, known in enumerate(index.known)]
    for compared in (*own, *pool):
        for one in compared:
            if one.related:
                relatives.setdefault(one.at, []).append(one)
    data = {}
    for at, others in relatives.items():
        known, near = index.known[at], _nearly_as_close(others)
        pairs, *runs = (data_parts(of, [one.parts[level] for one in near])
                        for level, of in enumerate((known.read.pairs, *known.runs)))
        pairs = pairs if index.weights.total(pairs) >= _LEAST_DATA else frozenset()
        if pairs or any(runs):
            data[at] = (pairs, *runs)
    return replace(index, data=data)


def _nearly_as_close(relatives: Sequence[_Compared]) -> Sequence[_Compared]:
    """As those that it takes to show a template; not those of a similar template, or rewordings of what others copy."""
    if len(relatives) < LEAST:
        return ()
    bound = sorted((one.evidence.pairs for one in relatives), reverse=True)[LEAST - 1] - _AS_CLOSE
    return [one for one in relatives if one.evidence.pairs >= bound][:MOST]


def _compare(index: Index, read: Signature) -> list[_Compared]:
    """With each of the nearest evaluation problems; what matters of it."""
    hashed = minhash(read)
    grams: dict[int, frozenset[str]] = {}
    found = []
    for at in _nearest(index, read, hashed):
        known = index.known[at]
        if known.size not in grams:
            grams[known.size] = frozenset(shapes(read.tokens, known.size))
        pairs = known.read.pairs & read.pairs
        evidence = _evidence(index, known, read, hashed, grams[known.size], pairs)
        test = test_fired(evidence, index.settings)
        if test is not None or evidence.pairs >= _RELATED:
            runs = [of & frozenset(shapes(read.tokens, level * index.settings.ngram)) if of else of
                    for level, of in zip(_LEVELS, known.runs, strict=True)]
            other = evidence.figures_weight < 8 or evidence.figures < 0.85 or len(runs[0]) >= _VERBATIM * len(known.runs[0]) > 0
            found.append(_Compared(at, evidence, test, (pairs, *runs), other and evidence.pairs >= _RELATED))
    return found


def _nearest(index: Index, read: Signature, hashed: "MinHash") -> list[int]:
    units = [(len(held), unit, held) for unit in read.words | read.pairs | read.figures if (held := index.holders.get(unit))]
    shared: dict[int, float] = {}
    looked_up = 0
    for count, unit, held in sorted(units):
        looked_up += count
        if looked_up > _LOOKUPS and shared:
            break
        weight = index.weights.of(unit)
        for at in held:
            shared[at] = shared.get(at, 0.0) + weight
    best = nsmallest(_NEAREST, ((-(held**2) / index.known[at].weight, at) for at, held in shared.items()))
    alike = nsmallest(_NEAREST, ((-hashed.jaccard(index.known[at].hashed), at) for at in index.bands.query(hashed)))
    return list(dict.fromkeys(at for _, at in (*best, *alike)))


def _evidence(
    index: Index, known: _Known, read: Signature, hashed: "MinHash", grams: frozenset[str], both: frozenset[str]
) -> Evidence:
    total = index.weights.total
    words, pairs, figures = known.weights
    held = total(both)
    return Evidence(
        ngrams=len(known.telling & grams) / len(known.telling) if known.telling else 0.0,
        telling=len(known.telling),
        words=total(known.read.words & read.words) / words if words else 0.0,
        pairs=held / pairs if pairs else 0.0,
        pairs_weight=held,
        figures=total(known.read.figures & read.figures) / figures if figures else 0.0,
        figures_weight=figures,
        missing=missing_numbers(known.read, read.numbers),
        numbers=sum(known.read.printed_numbers.values()),
        likeness=hashed.jaccard(known.hashed),
        alone=len(read.tokens) <= 1.5 * len(known.read.tokens) + 2,
    )


def _verdict(index: Index, compared: Sequence[_Compared]) -> Match | None:
    for one in sorted(compared, key=lambda one: (-one.evidence.pairs, one.at)):
        if one.test is not None:
            own = _own_share(index, one)
            if own is None or own >= index.settings.overlap:
                known = index.known[one.at]
                set_apart = "" if own is None else f", and {own:.2f} of what sets it apart from its template"
                return Match(known.release, known.id, one.test + set_apart)
    return None


def _own_share(index: Index, one: _Compared) -> float | None:
    """Share of the problem's data that the statement holds, the least over the levels; None where there is no template."""
    if one.at not in index.data:
        return None
    pairs, *runs = index.data[one.at]
    held, *held_runs = one.parts
    shares = [index.weights.total(pairs & held) / index.weights.total(pairs)] if pairs else []
    return min([*shares, *(len(of & both) / len(of) for of, both in zip(runs, held_runs, strict=True) if of)])
