"""What a problem has spent so far, counted from its records: the same after a resume. Pure."""

from collections.abc import Callable, Iterable, Iterator

from tmas_assets.records import REPEATED, Record, Rollout, Round, Trace, Turn, Verification


class Spend(Record):
    """Every call counts once, however often its rollout is repeated. A refused call has no tokens."""

    calls: int = 0
    tokens: int = 0
    """Of prompts and replies; a reply whose usage is not known counts with all it was allowed."""
    unknown: int = 0
    """Replies whose usage the server did not give."""

    def __add__(self, other: "Spend") -> "Spend":
        return Spend(calls=self.calls + other.calls, tokens=self.tokens + other.tokens, unknown=self.unknown + other.unknown)


def spend_of(traces: Iterable[Trace], allowed: Callable[[str], int]) -> Spend:
    """`allowed`: most tokens of a reply of a role."""
    calls = tokens = unknown = 0
    for trace in traces:
        calls += 1
        if trace.prompt_tokens is not None and trace.completion_tokens is not None:
            tokens += trace.prompt_tokens + trace.completion_tokens
        elif trace.status != "failed":
            tokens += allowed(trace.role)
            unknown += 1
    return Spend(calls=calls, tokens=tokens, unknown=unknown)


def traces_of(rollouts: Iterable[Rollout], checks: Iterable[Verification], turns: Iterable[Turn]) -> Iterator[Trace]:
    yield from (rollout.trace for rollout in rollouts if rollout.branch not in REPEATED)
    yield from (check.trace for check in checks)
    yield from (turn.trace for turn in turns if turn.trace is not None)


def traces_in(made: Round) -> Iterator[Trace]:
    return traces_of(made.rollouts, made.verifications, made.memory.turns)
