"""Lengths by role and source: counted where they are known, estimated where nobody counted, never a mix of both."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reports.data_rows import HOSTILE, conversation, rl_row, trace
from tests.reports.parsed_markdown import nothing_got_out, tables
from tmas_assets.reports.length_panels import (
    LengthPanel,
    Lengths,
    conversation_panels,
    length_rows,
    lengths_markdown,
    prompt_panels,
    ranked,
    trace_panels,
)
from tmas_assets.reports.token_lengths import MOST_GROUPS, bin_edges, in_bins, lengths_png


def size(png: bytes) -> tuple[int, int]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_roles_stand_in_the_order_in_which_they_act() -> None:
    prompts, completions = conversation_panels([conversation(at) for at in reversed(range(10))])
    assert [group.group for group in completions.groups] == ["solution", "verification", "summary", "experience", "guideline"]
    assert prompts.groups[0] == Lengths("solution", (100, 100), 0)


def test_an_unknown_length_is_in_no_figure_and_is_counted() -> None:
    rows = [conversation(0, completion=10), conversation(0, completion=None), conversation(0, completion=0)]
    [row] = length_rows(conversation_panels(rows)[1:])
    assert (row.counted, row.unknown, row.least, row.median, row.most, row.total) == (2, 1, 0, 0, 10, 10)
    [_, line] = tables(lengths_markdown([row]))[0]
    assert line[2] == "2 (+1 unknown)"
    assert line[7] == "≥ 10"


def test_a_trace_with_an_unknown_turn_has_no_whole_length() -> None:
    whole = trace_panels([trace(0, turns=3), trace(1, turns=3, completion=None), trace(2, domain="maths")])[2]
    assert whole.groups == (Lengths("maths", (200,), 0), Lengths("physics", (150,), 1))


def test_prompts_are_estimated_from_characters_and_say_so() -> None:
    [panel] = prompt_panels([rl_row(0, text="x" * 11), rl_row(1, text="x" * 10)])
    assert "estimated" in panel.unit
    assert panel.groups == (Lengths("normal", (5,), 0), Lengths("experience", (4,), 0))  # "Solve." has 6 characters
    assert "estimated" in lengths_markdown(length_rows([panel]))


@pytest.mark.parametrize(("share", "value"), [(0.5, 5), (0.9, 9), (1.0, 10), (0.01, 1)])
def test_quantiles_are_lengths_that_occur(share: float, value: int) -> None:
    assert ranked(list(range(1, 11)), share) == value


@given(st.sampled_from((30, 300, 10**7)).flatmap(lambda most: st.lists(st.integers(0, most), min_size=1, max_size=60)))
def test_every_length_is_in_exactly_one_bin(values: list[int]) -> None:
    edges = bin_edges(values)
    assert list(edges) == sorted(set(edges))
    assert edges[-1] > max(values)
    counts = in_bins(values, edges)
    assert sum(counts) == len(values)
    for i, number in enumerate(counts):
        low = 0 if i == 0 else edges[i]
        assert number == sum(low <= value < edges[i + 1] for value in values)


def test_the_same_lengths_give_the_same_bytes_and_other_lengths_others() -> None:
    rows = [conversation(at, prompt=100 + at, completion=7 * at) for at in range(60)]
    png = lengths_png(conversation_panels(rows), "a set")
    assert png == lengths_png(conversation_panels(list(rows)), "a set")
    assert png != lengths_png(conversation_panels(rows[:-1]), "a set")
    assert len(png) < 120_000


@pytest.mark.parametrize("panels", [
    (), conversation_panels([]), (LengthPanel("a", "u", (Lengths("g", (), 3),)),), (LengthPanel("a", "u", (Lengths("g", (0,)), Lengths("h", (0, 0)))),),
    (LengthPanel("a", "u", (Lengths("g", (5,)),)), LengthPanel("b", "u", ())),
])  # fmt: skip
def test_sets_without_lengths_still_have_a_picture(panels: tuple[LengthPanel, ...]) -> None:
    assert min(size(lengths_png(panels))) > 100


@pytest.mark.filterwarnings("ignore:Glyph")
def test_hostile_names_of_groups_are_drawn_and_printed_as_names() -> None:
    panels = (LengthPanel(HOSTILE, "tokens", (Lengths(HOSTILE, (1, 2)), Lengths("$\\frac{1}$", (3,)), Lengths("_" * 500, (4,)))),)
    size(lengths_png(panels, HOSTILE))
    nothing_got_out(lengths_markdown(length_rows(panels)))


def test_many_groups_are_drawn_as_the_largest_and_the_others() -> None:
    few = (LengthPanel("a", "u", tuple(Lengths(f"g{at}", (1, 2, 3)) for at in range(MOST_GROUPS))),)
    many = (LengthPanel("a", "u", tuple(Lengths(f"g{at}", (1, 2, 3)) for at in range(300))),)
    assert size(lengths_png(many)) == size(lengths_png(few))
