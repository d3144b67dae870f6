"""How figures and texts are printed."""

import pytest

from tmas_assets.records import RoleTokens
from tmas_assets.reports.notation import percent, printable, short_count, tokens_known, total_tokens


@pytest.mark.parametrize(
    ("share", "shown"), [(0.405, "40.50"), (0.0, "0.00"), (1.0, "100.00"), (None, "–"), (641 / 1600, "40.06")]
)
def test_a_share_is_printed_as_the_papers_print_it(share: float | None, shown: str) -> None:
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0"), (999, "999"), (1000, "1 K"), (1_250_000, "1.25 M"), (5.7e9, "5.7 B"), (999_999, "1 M"), (999_499, "999 K")]
)
def test_large_counts_are_shortened_on_axes(number: float, shown: str) -> None:
    assert short_count(number) == shown


def test_unknown_usage_is_never_printed_as_a_whole_sum() -> None:
    known = RoleTokens(role="solution", calls=2, prompt_tokens=1000, completion_tokens=500, unknown=0)
    partly = known.model_copy(update={"role": "summary", "unknown": 1})
    assert tokens_known(known) == "1,500"
    assert tokens_known(total_tokens([known, partly])) == "≥ 3,000"
    assert total_tokens([]).calls == 0


def test_letters_of_every_script_stay_as_they_are() -> None:
    text = "x ∈ ℝ, 数学, Ω, naïve, 👩‍🔬, עברית\n\ttab"
    assert printable(text) == text
