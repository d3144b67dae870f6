"""What one iteration of a strategy on one problem yields: rollouts, verifications, summaries, memory."""

from typing import ClassVar, Literal

from tmas_assets.records.base import Record
from tmas_assets.records.call import Trace

Branch = Literal["plain", "refine", "explore", "kept", "chosen"]
"""`plain` sees the problem alone, `refine` earlier texts or notes, `explore` what to stay away from. The other two repeat
an earlier rollout word for word without a call: `kept` goes on standing after a stop, `chosen` is the strategy's answer."""
REPEATED: tuple[Branch, ...] = ("kept", "chosen")
ParseStatus = Literal["parsed", "parse_error", "failed"]
"""`parse_error`: the model replied and the reply broke its format. `failed`: there was no reply to parse."""
Bank = Literal["experience", "guideline"]
Polarity = Literal["conclusion", "pitfall", "strategy"]
"""Experience entries are reliable conclusions or pitfalls; guideline entries are strategies already tried."""


class Rollout(Record):
    """One candidate solution. `text` is the answer part of the reply, `answer` its last complete box."""

    SCHEMA_VERSION: ClassVar[int] = 2
    id: str
    """Unique within a problem: `r0t01c3` is repeat 0, iteration 1, candidate 3."""
    problem: str
    problem_digest: str
    repeat: int
    iteration: int
    candidate: int
    branch: Branch
    parents: tuple[str, ...]
    """Ids of the earlier rollouts shown to this one."""
    memory_digest: str | None
    """Digest of the memory snapshot shown, None when none was."""
    text: str
    answer: str | None
    strategy_digest: str
    """Digest of the strategy's name, settings and prompts."""
    model: str
    seed: int
    trace: Trace


class Verification(Record):
    """One independent check of one rollout, by whatever role checks: verifier, critic, evaluator. `trace.role` says which."""

    SCHEMA_VERSION: ClassVar[int] = 3
    id: str
    """`r0t01c3v2`: check 2 of rollout r0t01c3."""
    problem: str
    rollout: str
    repeat: int
    iteration: int
    check: int
    score: float | None
    """0, 0.5 or 1 (1 passes, agrees, accepts); None unless parsed."""
    critique: str
    parse: ParseStatus
    parse_error: str | None
    about: str | None = None
    """Id of the verification that this one rates, in place of the rollout."""
    strategy_digest: str
    model: str
    trace: Trace


class Summary(Record):
    """The checks of one rollout in a few sentences."""

    SCHEMA_VERSION: ClassVar[int] = 2
    id: str
    problem: str
    rollout: str
    repeat: int
    iteration: int
    text: str
    mean_score: float | None
    """Mean over the parsed checks, None when none was parsed."""
    parse: ParseStatus
    parse_error: str | None
    strategy_digest: str
    model: str
    trace: Trace


class MemoryEntry(Record):
    """One line of a bank, with the trace of its life."""

    id: str
    """`e003` or `g001`: bank letter and running number within the problem and repeat."""
    bank: Bank
    polarity: Polarity
    text: str
    born: int
    """Iteration that wrote it."""
    sources: tuple[str, ...]
    """Rollouts the writing agent read."""
    support: int = 1
    """How often it was written; near-duplicates are merged into it."""
    last_seen: int
    """Latest iteration that wrote or merged it."""
    state: Literal["live", "refuted", "evicted"] = "live"
    ended: int | None = None
    """Iteration in which it was refuted or evicted."""
    reason: str | None = None
    """Why, in the refuting agent's words or as the cap that pushed it out."""


class BankUpdate(Record):
    """What a bank agent asked for: new lines, and ids of old ones to strike out."""

    added: tuple[tuple[Polarity, str], ...] = ()
    refuted: tuple[tuple[str, str], ...] = ()
    """Pairs of entry id and reason."""


class BankWrite(Record):
    """One bank agent's turn: whether its reply was usable and what it cost."""

    bank: Bank
    parse: ParseStatus
    parse_error: str | None
    added: int
    merged: int
    refuted: int
    evicted: int
    model: str
    trace: Trace


class Turn(Record):
    """What a role did that is no solution, check, summary or bank: an order, a roster, a run of code, a finding."""

    id: str
    """Unique within a problem, e.g. `r0t01/ceo`."""
    role: str
    kind: str
    """Name of the record that `data` holds."""
    data: str | None
    """That record as canonical JSON; None where there is none. Where a reply could not be read it holds what was done instead."""
    text: str
    """What was said, as far as it is not in `data`."""
    about: tuple[str, ...] = ()
    """Ids of the rollouts or turns that it read."""
    parse: ParseStatus
    parse_error: str | None
    model: str | None
    trace: Trace | None
    """None where no model was asked."""


class MemorySnapshot(Record):
    """What goes on to the next iteration: both banks, the turns of this one, and whether the strategy has stopped."""

    SCHEMA_VERSION: ClassVar[int] = 3

    problem: str
    problem_digest: str
    repeat: int
    iteration: int
    previous_digest: str | None
    """Digest of the snapshot of the iteration before, None at iteration 0: the chain that lineage walks."""
    entries: tuple[MemoryEntry, ...]
    writes: tuple[BankWrite, ...]
    turns: tuple[Turn, ...] = ()
    stopped: str | None = None
    """Why nothing more is asked about this problem: later rounds keep its rollouts."""
    strategy_digest: str


class Round(Record):
    """One repeat's iteration on one problem: the unit a strategy yields and reads back as its past."""

    problem: str
    repeat: int
    iteration: int
    rollouts: tuple[Rollout, ...]
    verifications: tuple[Verification, ...] = ()
    summaries: tuple[Summary, ...] = ()
    memory: MemorySnapshot
