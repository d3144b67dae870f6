"""One of each problem: exact repeats, near-duplicates and problems whose golds contradict each other are dropped.

Statements are the same where they read alike (`words.py`); nearly the same where they have the same numbers, formulas
and gold and similar words (MinHash), and do not differ as two problems of one template do (`families.py`). Leaves out
evaluation sets (`contamination.py`).
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from tmas_assets.curation.families import MOST, data_parts
from tmas_assets.curation.screened import Screened, dropped
from tmas_assets.curation.signatures import PERMUTATIONS, Signature, minhash, signature
from tmas_assets.records import Dropped, SourceProblem

_DELIMITER = re.compile(r"\\(?:[()\[\]]|left|right)")
_BRACKETS = re.compile(r"[()!|]\w?")
DUPLICATE, NEAR_DUPLICATE, OTHER_GOLD = "duplicate", "near-duplicate", "other gold"


def unique(candidates: Sequence[SourceProblem], similarity: float) -> Screened:
    """The first of each problem stays, in order, and `detail` of the others names it.

    Same statement, other gold: nobody can say here which is right, so all of them are dropped, the first one too, as
    `other gold`. Golds are the same that read alike. Statements that are only nearly the same and have different golds are
    different problems: one word, `largest` for `smallest`, makes them so.
    """
    reads = [signature(candidate.problem.statement) for candidate in candidates]
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, read in enumerate(reads):
        alike[_statement(read, candidates[at])].append(at)
    reason: dict[int, Dropped] = {}
    firsts = []
    for same in alike.values():
        for at, why, detail in _repeats(candidates, same):
            reason[at] = dropped(candidates[at], why, detail)
        if same[0] not in reason:
            firsts.append(same[0])
    golds = [_gold(candidate) for candidate in candidates]
    for at, twin, found in _near(reads, golds, sorted(firsts), similarity):
        detail = f"like {candidates[twin].problem.id}: MinHash similarity {found:.2f} (from {similarity:g}), same figures and gold"
        reason[at] = dropped(candidates[at], NEAR_DUPLICATE, detail)
    kept = tuple(candidate for at, candidate in enumerate(candidates) if at not in reason)
    return Screened(kept, tuple(reason[at] for at in sorted(reason)))


def _statement(read: Signature, candidate: SourceProblem) -> tuple[str, str]:
    """Equal for statements that read alike. Reading drops brackets, which may be all that two sums differ in."""
    text = candidate.problem.statement
    if not read.tokens:
        return "", " ".join(text.split())
    return read.exact, "".join(_BRACKETS.findall("".join(_DELIMITER.sub("", text).split()).casefold()))


def _repeats(candidates: Sequence[SourceProblem], same: Sequence[int]) -> Iterator[tuple[int, str, str]]:
    golds: dict[str | None, list[int]] = {}
    for at in same:
        golds.setdefault(_gold(candidates[at]), []).append(at)
    if len(golds) > 1:
        said = "; ".join(f"{candidates[held[0]].problem.id} says {candidates[held[0]].problem.answer!r}" for held in golds.values())
        for at in same:
            yield at, OTHER_GOLD, f"the same statement has {len(golds)} golds, none of its {len(same)} rows is kept: {said}"
    else:
        for at in same[1:]:
            yield at, DUPLICATE, f"reads like {candidates[same[0]].problem.id}"


def _gold(candidate: SourceProblem) -> str | None:
    answer = candidate.problem.answer
    return None if answer is None else signature(answer).exact or answer.strip()


def _near(
    reads: Sequence[Signature], golds: Sequence[str | None], firsts: Sequence[int], similarity: float
) -> Iterator[tuple[int, int, float]]:
    """(problem, the one before it that stays, their similarity), among those of the same figures and gold."""
    groups: dict[tuple[frozenset[str], str | None], list[int]] = defaultdict(list)
    for at in firsts:
        groups[reads[at].figures, golds[at]].append(at)
    for group in groups.values():
        if len(group) > 1:
            yield from _near_in(reads, group, similarity)


def _near_in(reads: Sequence[Signature], group: Sequence[int], similarity: float) -> Iterator[tuple[int, int, float]]:
    from datasketch import MinHashLSH

    bands = MinHashLSH(threshold=similarity, num_perm=PERMUTATIONS)
    hashed = {at: minhash(reads[at]) for at in group}
    for at in group:
        bands.insert(at, hashed[at])
    stay: set[int] = set()
    for at in group:
        near = sorted(other for other in bands.query(hashed[at]) if other != at)[:MOST]
        near = [other for other in near if hashed[at].jaccard(hashed[other]) >= similarity]
        own = data_parts(reads[at].pairs, [reads[at].pairs & reads[other].pairs for other in near])
        twin = next((other for other in near if other in stay and not own - reads[other].pairs), None)
        if twin is None:
            stay.add(at)
        else:
            yield at, twin, hashed[at].jaccard(hashed[twin])
