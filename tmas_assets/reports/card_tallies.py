"""What the rows of a data set tell its card: licences, pass rates in bands, strata, domains, filters, rows by teacher.

Leaves out what rows do not tell: targets, models, digests, files.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from tmas_assets.records import (
    FilteredTrace,
    PassRate,
    Question,
    RlRow,
    SimulatedRound,
    Teacher,
    TeamTrace,
)
from tmas_assets.reports.card_facts import DomainFacts, NamedCount, PassRateBin, StratumFacts, TeacherFacts

UNGRADED = "none graded"


def name_counts(names: Iterable[str]) -> tuple[NamedCount, ...]:
    """How often each occurs, the most frequent first. For licences of rows, faults of form, teachers."""
    counted = Counter(names)
    return tuple(NamedCount(name=name, rows=rows) for name, rows in sorted(counted.items(), key=lambda one: (-one[1], one[0])))


def band(rate: PassRate) -> str:
    """`0`, `0 – 0.1` to `0.9 – 1`, `1`; a lower bound belongs to its band. 0 and 1 stand alone: they are what a band drops first."""
    if not rate.samples:
        return UNGRADED
    if rate.right in (0, rate.samples):
        return "0" if rate.right == 0 else "1"
    tenth = 10 * rate.right // rate.samples
    return f"{tenth / 10:g} – {(tenth + 1) / 10:g}"


def pass_rate_bins(rates: Sequence[PassRate], kept: Iterable[str]) -> tuple[PassRateBin, ...]:
    """All bands, empty ones too. `kept` are the ids of the problems that stayed."""
    stayed = set(kept)
    bands = ("0", *(f"{tenth / 10:g} – {(tenth + 1) / 10:g}" for tenth in range(10)), "1", UNGRADED)
    problems = Counter(band(rate) for rate in rates)
    left = Counter(band(rate) for rate in rates if rate.problem in stayed)
    return tuple(PassRateBin(band=one, problems=problems[one], kept=left[one]) for one in bands if one != UNGRADED or problems[one])


def strata(
    rows: Iterable[RlRow], difficulty: Callable[[RlRow], str], asked: Mapping[tuple[str, str, str, str], int] | None = None
) -> tuple[StratumFacts, ...]:
    """Rows by set, source, difficulty and topic. `asked` by the same four; what it lacks was asked for as often as made."""
    made = Counter((str(row.source), row.extra_info.origin, difficulty(row), row.extra_info.topic) for row in rows)
    wanted = dict(asked or {})
    return tuple(
        StratumFacts(set=at[0], source=at[1], difficulty=at[2], topic=at[3], asked=wanted.get(at, made[at]), made=made[at])
        for at in sorted({*made, *wanted})
    )


def teacher_facts(teachers: Sequence[Teacher], rounds: Iterable[SimulatedRound], rows: Iterable[RlRow]) -> tuple[TeacherFacts, ...]:
    """One a teacher in the set's order, also of those that made nothing. Plain rows belong to no teacher."""
    by_teacher: dict[str, list[SimulatedRound]] = {teacher.name: [] for teacher in teachers}
    for one in rounds:
        by_teacher[one.teacher].append(one)
    made = Counter(row.extra_info.teacher for row in rows)
    return tuple(
        TeacherFacts(
            name=teacher.name, model=", ".join(sorted({one.teacher_model for one in own})), weight=teacher.weight, rows=made[teacher.name],
            right=sum(one.right for one in own), wrong=sum(one.wrong for one in own), ungraded=sum(one.ungraded for one in own),
        )
        for teacher in teachers
        for own in (by_teacher[teacher.name],)
    )  # fmt: skip


def domain_counts(questions: Iterable[Question], traces: Iterable[TeamTrace], filtered: Iterable[FilteredTrace]) -> tuple[DomainFacts, ...]:
    domains = {one.candidate.problem.id: one.domain for one in questions}
    asked, tried = Counter(domains.values()), Counter(one.domain for one in traces)
    kept = Counter(domains[one.question] for one in filtered if one.kept)
    every = sorted({*asked, *tried}, key=lambda domain: (-kept[domain], domain))
    return tuple(DomainFacts(domain=one, questions=asked[one], traces=tried[one], kept=kept[one]) for one in every)
