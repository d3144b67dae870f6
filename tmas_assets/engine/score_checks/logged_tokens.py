"""Calls and tokens by role, summed over the records, are those of the very same calls in the call log, and of the stored summary.

Leaves out what the replies say (the lineage audit reads those) and usage that no server gave, which is counted apart.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import polars as pl

from resources.calls.call_log import CallLog, LoggedUsage
from tmas_assets.engine.gathering import asked
from tmas_assets.engine.score_checks.evidence import Evidence
from tmas_assets.engine.summary import tokens_from_scratch
from tmas_assets.records import RoleTokens, Trace
from tmas_assets.records.finding import LONGEST_SAMPLE, Finding, Measure, Offence, finding_of

PROMISE = "tokens_equal_call_log"
SAID = "Calls and tokens by role are the same in the records, in the call log and in the stored summary."
_TOGETHER = 5_000
"""Records compared at once."""


class _Recorded(NamedTuple):
    """A call as a record tells of it."""

    place: str
    key: str
    role: str
    failed: bool
    prompt_tokens: int | None
    completion_tokens: int | None


@dataclass
class _Sums:
    calls: int = 0
    tokens: int = 0
    unknown: int = 0

    def add(self, prompt: int | None, completion: int | None) -> None:
        self.calls += 1
        if prompt is None or completion is None:
            self.unknown += 1
        else:
            self.tokens += prompt + completion


@dataclass
class _Compared:
    recorded: dict[str, _Sums] = field(default_factory=dict)
    logged: dict[str, _Sums] = field(default_factory=dict)
    missing: int = 0
    differing: int = 0
    sample: list[Offence] = field(default_factory=list)

    def name(self, one: _Recorded, what: str) -> None:
        if len(self.sample) < LONGEST_SAMPLE:
            self.sample.append(Offence(id=one.place, what=f"call {one.key[:12]} of {one.role} {what}"))


def check_logged_tokens(seen: Evidence, log: CallLog) -> Finding:
    """Reads the log in parts, without the replies. Raises CallLogError."""
    compared = _Compared()
    rest = _recorded(seen)
    while some := list(islice(rest, _TOGETHER)):
        _compare(compared, some, log)
    of_summary = list(_of_summary(seen, log))
    told = [f"{role} {_told(sums)}, logged {_told(compared.logged.get(role, _Sums()))}" for role, sums in sorted(compared.recorded.items())]
    sums, logged = _total(compared.recorded), _total(compared.logged)
    unknown = f", {sums.unknown} calls of unknown usage apart" if sums.unknown else ""
    said = f"{sums.calls} calls and {sums.tokens} tokens in the records, {logged.calls} and {logged.tokens} in the call log{unknown}"
    if compared.missing or compared.differing:
        said += f" ({compared.missing} calls are not in the log, {compared.differing} took something else there)"
    cure = (
        "Give TMAS_CALL_LOG the log that the run wrote to, or bring back its rows from a backup" if compared.missing or compared.differing
        else f"Materialize {seen.name}/summary"
    )  # fmt: skip
    return finding_of(
        PROMISE, said, sums.calls, [*compared.sample, *of_summary], broken=compared.missing + compared.differing + len(of_summary),
        cure=cure, listed=[Offence(id="by role", what=line) for line in told],
        measures=[Measure(name="calls", value=sums.calls), Measure(name="tokens", value=sums.tokens)],
    )  # fmt: skip


def _recorded(seen: Evidence) -> Iterator[_Recorded]:
    trace = pl.col("trace").struct
    names = ("call", "role", "status", "prompt_tokens", "completion_tokens")
    rows = asked(seen.gathered).select("problem", "iteration", *(trace.field(name) for name in names))
    for problem, iteration, key, role, status, prompt, completion in rows.iter_rows():
        yield _Recorded(f"t{iteration:02d} {problem}", key, role, status == "failed", prompt, completion)
    for problem, one in _judges(seen):
        yield _Recorded(problem, one.call, one.role, one.status == "failed", one.prompt_tokens, one.completion_tokens)


def _judges(seen: Evidence) -> Iterable[tuple[str, Trace]]:
    """Each reply once: equal answers to a problem share it."""
    judged = ((grade.problem, grade.judgement) for grade in seen.gathered.grades if grade.judgement is not None)
    return {one.call: (problem, one) for problem, judgement in judged for one in judgement.traces}.values()


def _compare(compared: _Compared, some: Sequence[_Recorded], log: CallLog) -> None:
    logged: dict[bool, dict[str, list[LoggedUsage]]] = {False: {}, True: {}}
    for failed, by_key in logged.items():
        for row in log.usage({one.key for one in some if one.failed is failed}, failed=failed):
            by_key.setdefault(row.key, []).append(row)
    for one in some:
        compared.recorded.setdefault(one.role, _Sums()).add(one.prompt_tokens, one.completion_tokens)
        there = logged[one.failed].get(one.key)
        if not there:
            compared.missing += 1
            compared.name(one, "is not in the call log")
            continue
        # a request may have failed in several runs, and the record is of one of them
        own = (one.role, one.prompt_tokens, one.completion_tokens)
        row = next((row for row in there if row[1:] == own), there[0])
        compared.logged.setdefault(row.role, _Sums()).add(row.prompt_tokens, row.completion_tokens)
        if row[1:] != own:
            compared.differing += 1
            compared.name(one, f"took {_usage(own)} by the record, {_usage(row[1:])} by the log")


def _usage(one: tuple[str, int | None, int | None]) -> str:
    prompt, completion = ("unknown" if count is None else str(count) for count in one[1:])
    return f"{prompt} + {completion} tokens as {one[0]}"


def _of_summary(seen: Evidence, log: CallLog) -> Iterator[Offence]:
    if seen.summary is None:
        return
    now = {one.role: one for one in tokens_from_scratch(seen.gathered)}
    stored = {one.role: one for one in seen.summary.row.tokens_scratch}
    for role in sorted({*now, *stored}):
        if now.get(role) != stored.get(role):
            yield Offence(id=f"summary {role}", what=f"holds {_row(stored.get(role))}, the records {_row(now.get(role))}")
    # the log only ever grows: what a summary said was paid cannot be more than what is there
    paid = {one.role: one for one in log.totals(seen.name)}
    for row in seen.summary.row.tokens_paid:
        there = paid.get(row.role)
        if there is None or row.calls > there.calls or row.prompt_tokens > there.prompt_tokens or row.completion_tokens > there.completion_tokens:
            yield Offence(id=f"paid {row.role}", what=f"the summary names {_row(row)}, the call log has only {_row(there)}")


def _row(one: RoleTokens | None) -> str:
    return "no call" if one is None else f"{one.calls} calls, {one.prompt_tokens} + {one.completion_tokens} tokens"


def _told(sums: _Sums) -> str:
    return f"{sums.calls} calls, {sums.tokens} tokens" + (f", {sums.unknown} unknown" if sums.unknown else "")


def _total(by_role: Mapping[str, _Sums]) -> _Sums:
    every = by_role.values()
    return _Sums(sum(one.calls for one in every), sum(one.tokens for one in every), sum(one.unknown for one in every))
