"""Sums by role, with unknown usage kept apart from nothing used."""

from tmas_assets.records import RoleTokens, Trace
from tmas_assets.statistics import role_tokens


def trace(role: str, prompt: int | None, completion: int | None) -> Trace:
    return Trace(
        call="0" * 64, reply="1" * 64, role=role, status="complete", repetitive=False, prompt_tokens=prompt,
        completion_tokens=completion, failure=None,
    )  # fmt: skip


def test_sums_go_by_role_in_the_order_in_which_the_agents_act() -> None:
    roles = ["judge", "guideline", "summary", "solution", "verification", "experience", "solution"]
    rows = role_tokens(trace(role, n, 10 * n) for n, role in enumerate(roles, 1))
    assert [row.role for row in rows] == ["solution", "verification", "summary", "experience", "guideline", "judge"]
    assert rows[0] == RoleTokens(role="solution", calls=2, prompt_tokens=11, completion_tokens=110, unknown=0)


def test_unknown_usage_is_a_call_and_in_no_sum() -> None:
    known, half, none = trace("solution", 5, 7), trace("solution", 5, None), trace("solution", None, None)
    assert role_tokens([known, half, none]) == (
        RoleTokens(role="solution", calls=3, prompt_tokens=5, completion_tokens=7, unknown=2),
    )


def test_a_reported_zero_is_known() -> None:
    assert role_tokens([trace("solution", 5, 0)])[0].unknown == 0


def test_no_traces_give_no_rows() -> None:
    assert role_tokens([]) == ()
