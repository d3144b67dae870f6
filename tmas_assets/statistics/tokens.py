"""Tokens summed by role from the traces that travel with the records. Leaves out who paid: the call log knows."""

from collections.abc import Iterable

from tmas_assets.records import RoleTokens, Trace

ROLES = ("solution", "verification", "summary", "experience", "guideline", "judge")


def role_order(role: str) -> tuple[int, str]:
    """Sort key: the agents in the order in which they act, then other roles by name."""
    return (ROLES.index(role) if role in ROLES else len(ROLES), role)


def role_tokens(traces: Iterable[Trace]) -> tuple[RoleTokens, ...]:
    """One row a role. A call whose usage is not wholly known is counted as a call and as unknown, in no sum."""
    calls: dict[str, int] = {}
    prompt: dict[str, int] = {}
    completion: dict[str, int] = {}
    unknown: dict[str, int] = {}
    for trace in traces:
        role = trace.role
        calls[role] = calls.get(role, 0) + 1
        if trace.prompt_tokens is None or trace.completion_tokens is None:
            unknown[role] = unknown.get(role, 0) + 1
            continue
        prompt[role] = prompt.get(role, 0) + trace.prompt_tokens
        completion[role] = completion.get(role, 0) + trace.completion_tokens
    return tuple(
        RoleTokens(
            role=role,
            calls=calls[role],
            prompt_tokens=prompt.get(role, 0),
            completion_tokens=completion.get(role, 0),
            unknown=unknown.get(role, 0),
        )
        for role in sorted(calls, key=role_order)
    )
