"""Which questions are worth a trace: hard, of several disciplines, with a long reference solution, and spread over domains.

Criteria of M500 (arXiv 2504.09772): difficulty, interdisciplinarity, diversity; a reference solution under 1,024 tokens shows
an easy question. Each question is dropped for the first reason that holds, in the order of `_FAULTS`; then domains are levelled:
each next question is of the domain with the fewest so far, and in it of the source with the fewest. The largest number is
kept at which no domain has more than its share; so with fewer domains than 1 / `largest_domain` nothing can be kept. What comes
out depends on the set of questions and the seed, not on their order. Leaves out who reviews and who solves.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from tmas_assets.curation.screened import dropped
from tmas_assets.records import Dropped, Question, Selection, digest

Fault = tuple[str, str]
"""Reason for counting, and what exactly was found."""


class SelectedQuestions(NamedTuple):
    kept: tuple[Question, ...]
    """As drawn: any beginning of it is spread over domains too."""
    dropped: tuple[Dropped, ...]
    """By id of the problem."""


def selected(questions: Sequence[Question], settings: Selection, *, seed: int) -> SelectedQuestions:
    """Raises ValueError where two questions have one id."""
    ordered = sorted(questions, key=_id)
    if len({_id(one) for one in ordered}) < len(ordered):
        twice = [id_ for id_, count in Counter(map(_id, ordered)).items() if count > 1]
        raise ValueError(f"{len(twice)} questions are there twice, {twice[0]!r} first; drop duplicates before selecting")
    faults: dict[str, Fault] = {}
    for one in ordered:
        if (found := fault(one, settings)) is not None:
            faults[_id(one)] = found
    passed = [one for one in ordered if _id(one) not in faults]
    kept = _spread(passed, settings, seed, faults)
    return SelectedQuestions(
        tuple(kept), tuple(dropped(one.candidate, *faults[_id(one)]) for one in ordered if _id(one) in faults)
    )


def fault(question: Question, settings: Selection) -> Fault | None:
    """Why a question by itself is not worth a trace; None where it is."""
    found = (judge(question, settings) for judge in _FAULTS)
    return next((one for one in found if one is not None), None)


def _unread(question: Question, settings: Selection) -> Fault | None:
    review = question.review
    if review.parse == "parsed" and review.difficulty is not None and review.disciplines:
        return None
    return "review unreadable", f"{review.parse}: {review.parse_error or 'it has no difficulty or no discipline'}"


def _easy(question: Question, settings: Selection) -> Fault | None:
    difficulty = question.review.difficulty
    if difficulty is None or difficulty >= settings.least_difficulty:
        return None
    return "too easy", f"difficulty {difficulty}, {settings.least_difficulty} is the least"


def _narrow(question: Question, settings: Selection) -> Fault | None:
    named = tuple(dict.fromkeys(question.review.disciplines))
    if len(named) >= settings.least_disciplines:
        return None
    reason = "one discipline" if len(named) == 1 else "too few disciplines"
    return reason, f"{', '.join(named)}; {settings.least_disciplines} is the least"


def _unsolved(question: Question, settings: Selection) -> Fault | None:
    if question.reference.strip():
        return None
    return "reference failed", f"call {question.reference_call} brought no solution"


def _short(question: Question, settings: Selection) -> Fault | None:
    tokens, least = question.reference_tokens, settings.least_reference_tokens
    if tokens is None:
        return ("reference length unknown", "the server did not say how many tokens it has") if least > 0 else None
    return ("reference too short", f"{tokens} tokens, {least} is the least") if tokens < least else None


def _wrong(question: Question, settings: Selection) -> Fault | None:
    if not settings.reference_right or question.reference_right:
        return None
    if question.reference_right is None:
        return "reference undecided", f"call {question.reference_call}: no grade says right or wrong"
    return "reference wrong", f"call {question.reference_call}"


_FAULTS: tuple[Callable[[Question, Selection], Fault | None], ...] = (_unread, _easy, _narrow, _unsolved, _short, _wrong)


def _spread(passed: Sequence[Question], settings: Selection, seed: int, faults: dict[str, Fault]) -> list[Question]:
    """Those kept, in the order drawn; the others get their reason in `faults`."""
    sizes = Counter(one.domain for one in passed)
    total = largest(sizes, settings.largest_domain, settings.questions)
    most = _share(settings.largest_domain, total)
    waiting: dict[str, dict[str, list[Question]]] = {}
    """By domain and source, both in a seeded order, which also breaks ties; the next one is at the end of its list."""
    for one in sorted(passed, key=lambda one: _place(seed, one), reverse=True):
        waiting.setdefault(one.domain, {}).setdefault(one.candidate.source, []).append(one)
    taken: Counter[str] = Counter()
    from_source: Counter[tuple[str, str]] = Counter()
    kept: list[Question] = []
    while len(kept) < total:
        # levelled, no domain comes above its share: the total was chosen so that the others have enough
        domain = min((name for name in waiting if waiting[name]), key=lambda name: taken[name])
        sources = waiting[domain]
        source = min(sources, key=lambda name: from_source[domain, name])
        kept.append(sources[source].pop())
        taken[domain] += 1
        from_source[domain, source] += 1
        if not sources[source]:
            del sources[source]
    for domain, sources in waiting.items():
        for one in (one for rest in sources.values() for one in rest):
            faults[_id(one)] = _left(domain, taken[domain], total, settings, full=taken[domain] >= most)
    return kept


def _left(domain: str, taken: int, total: int, settings: Selection, *, full: bool) -> Fault:
    if total == 0:
        return "domain full", f"{domain}: one question would be above {settings.largest_domain:g} of all kept; more domains, or a larger share"
    if full:
        return "domain full", f"{domain}: {taken} of {total} kept, {settings.largest_domain:g} is the largest share"
    return "not drawn", f"{domain}: {taken} of {total} drawn; {settings.questions} questions are asked for"


def largest(sizes: Mapping[str, int], share: float, most: int | None) -> int:
    """Most questions, up to `most`, that can be kept with no domain above `share` of them."""
    there = sum(sizes.values())
    for total in range(there if most is None else min(most, there), 0, -1):
        cap = _share(share, total)
        if sum(min(size, cap) for size in sizes.values()) >= total:
            return total
    return 0


def _share(share: float, total: int) -> int:
    """The whole part, in decimals as the share is written: 0.29 of 100 is 29."""
    return int(Fraction(repr(share)) * total)


def _place(seed: int, question: Question) -> str:
    """Where it stands in a seeded order that no other question changes."""
    return digest([seed, _id(question)])


def _id(question: Question) -> str:
    return question.candidate.problem.id
