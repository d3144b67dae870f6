"""Counts, samples of what was dropped, and sample rows: spread, cut with a count, and no text gets out of its place."""

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.reports.data_rows import (
    HOSTILE,
    candidate,
    conversation,
    dropped,
    filtered,
    pass_rate,
    published,
    question,
    rl_row,
    simulated,
    trace,
)
from tests.reports.parsed_markdown import fences, headings, nothing_got_out, tables
from tmas_assets.curation import counted
from tmas_assets.records import StepCount
from tmas_assets.reports.data_counts import counts_markdown, dropped_markdown, evenly
from tmas_assets.reports.data_samples import LIMIT, WIDEST, picked, samples_markdown, samples_table
from tmas_assets.reports.markdown_parts import cell, fenced, shares, shortened, table
from tmas_assets.reports.notation import printable

ANY_TEXT = st.text(st.sampled_from("`~ \n\t>#-|<a\\*[]_\r\x00\u2028é漢"), max_size=60)
KINDS = {
    "rl": lambda text: rl_row(5, text=text, topic=text, problem=text), "conversation": lambda text: conversation(1, text),
    "source": lambda text: candidate(1, text, topic=text), "question": lambda text: question(1, text, text),
    "trace": lambda text: trace(1, text, domain=text), "published": published,
}  # fmt: skip


def test_a_step_is_one_line_with_its_reasons_the_most_frequent_first() -> None:
    lost = [dropped(at, "near-duplicate" if at < 4 else "exact duplicate") for at in range(6)]
    [found] = tables(counts_markdown([*counted("sound_golds", 10, []), *counted("unique_problems", 4, lost)]))
    assert found[1:] == [
        ["sound_golds", "10", "10", "0", "100.0", ""],
        ["unique_problems", "10", "4", "6", "40.0", "near-duplicate 4, exact duplicate 2"],
    ]


def test_everything_dropped_and_nothing_come_are_no_division_by_nought() -> None:
    [found] = tables(counts_markdown([*counted("a", 0, [dropped(0)]), *counted("b", 0, [])]))
    assert [line[4] for line in found[1:]] == ["0.0", "–"]
    assert tables(counts_markdown([])) == []


def test_reasons_that_do_not_add_up_are_said() -> None:
    whole = StepCount(step="a", came=9, kept=4, reason=None, dropped=5)
    assert "reasons are known of 3 of 5" in counts_markdown([whole, whole.model_copy(update={"reason": "r", "dropped": 3})])


def test_reasons_beyond_the_named_ones_are_counted() -> None:
    lost = [dropped(at, f"reason {at % 20:02}") for at in range(100)]
    assert "8 more reasons 40" in counts_markdown(counted("a", 0, lost))


def test_what_was_dropped_is_shown_from_every_reason() -> None:
    lost = [dropped(at, "a rare one" if at == 50 else "frequent") for at in range(100)]
    [found] = tables(dropped_markdown(lost))
    assert [(line[0], line[1]) for line in found[1:]] == [
        ("gym/0", "frequent"), ("gym/33", "frequent"), ("gym/66", "frequent"), ("gym/99", "frequent"), ("gym/50", "a rare one")]  # fmt: skip


def test_more_reasons_than_lines_show_the_most_frequent() -> None:
    lost = [dropped(at, f"r{reason}") for reason in range(8) for at in range(8 - reason)]
    [found] = tables(dropped_markdown(lost, most=3))
    assert [line[1] for line in found[1:]] == ["r0", "r1", "r2"]
    assert dropped_markdown([]) == "Nothing was dropped."


def test_hostile_reasons_and_statements_stay_in_their_cells() -> None:
    text = f"{counts_markdown(counted(HOSTILE, 0, [dropped(0, HOSTILE)]))}\n\n{dropped_markdown([dropped(0, HOSTILE, HOSTILE)])}"
    nothing_got_out(text)
    assert [[len(line) for line in found] for found in tables(text)] == [[6, 6], [4, 4]]


@pytest.mark.parametrize(("length", "most", "places"), [(0, 5, ()), (1, 5, (0,)), (3, 5, (0, 1, 2)), (9, 5, (0, 2, 4, 6, 8)), (9, 1, (0,)), (9, 2, (0, 8))])
def test_places_are_spread_evenly(length: int, most: int, places: tuple[int, ...]) -> None:
    assert evenly(length, most) == places


def test_places_between_first_and_last_show_strata_not_seen_yet() -> None:
    strata = [("common",)] * 100
    strata[7], strata[90] = ("rare",), ("odd",)
    assert picked(strata, 5) == (0, 7, 74, 90, 99)


def test_rows_in_a_cycle_are_not_all_of_one_stratum() -> None:
    places = picked([(str(at % 5),) for at in range(1001)], 5)  # every 250th row would be of one role
    assert len({at % 5 for at in places}) == 4
    assert all(abs(at - wish) <= 2 for at, wish in zip(places, (0, 250, 500, 750, 1000), strict=True))


@given(st.lists(st.sampled_from("abc"), max_size=30), st.integers(0, 7))
def test_places_are_distinct_and_as_many_as_there_can_be(strata: list[str], most: int) -> None:
    places = picked([(one,) for one in strata], most)
    assert len(set(places)) == len(places) == min(most, len(strata))


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_hostile_text_of_every_kind_of_row_stays_in_its_fence_or_cell(kind: str) -> None:
    text = samples_markdown([KINDS[kind](HOSTILE) for _ in range(7)])
    nothing_got_out(text)
    assert headings(text) == [f"Row {at}" for at in (1, 3, 4, 6, 7)]
    assert printable(HOSTILE) + "\n" in {one.content for one in fences(text)}


@given(st.lists(ANY_TEXT, min_size=1, max_size=3))
def test_no_text_closes_its_fence(texts: list[str]) -> None:
    shown = "\n\n".join(fenced(text) for text in texts)
    assert [one.content for one in fences(shown)] == [printable(text) + "\n" for text in texts]


@given(ANY_TEXT)
def test_no_text_leaves_its_cell(text: str) -> None:
    [found] = tables(table(("a", "b"), [(cell(text), "end")]))
    assert found == [["a", "b"], [" ".join(printable(text).split()), "end"]]


def test_a_row_of_another_width_is_refused() -> None:
    with pytest.raises(ValueError, match="3 cells instead of 2"):
        table(("a", "b"), [("1", "2"), ("1", "2", "3")])


@pytest.mark.parametrize("text", ["x" * 200_000, "漢" * 60_000, "~" * 50_000, "a|<" * 50_000, "\n" * 90_000, "```\n" * 40_000, "\x00" * 90_000, HOSTILE * 300, ("~" * 2000 + "\n" + "`" * 2000 + "\n") * 20])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_long_rows_of_every_kind_stay_within_the_limit(kind: str, text: str) -> None:
    made = samples_markdown([KINDS[kind](text) for _ in range(5)])
    assert len(made.encode("utf-8")) <= LIMIT
    nothing_got_out(made)


def test_what_is_cut_is_counted_to_the_character() -> None:
    text = "".join(f"{at:07} " for at in range(1000))
    shown, left = shortened(text, 900)
    head, tail = shown.split(f"\n[… {left:,} characters left out …]\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + left + len(tail) == len(text) == 8000
    assert shortened(text, 8000) == (text, 0)


@given(st.lists(st.integers(0, 500), max_size=8), st.integers(0, 2000))
def test_room_is_shared_so_that_short_texts_are_whole(sizes: list[int], budget: int) -> None:
    given_ = shares(sizes, budget)
    assert sum(given_) <= budget
    assert all(one <= size for one, size in zip(given_, sizes, strict=True))
    cut = [one for one, size in zip(given_, sizes, strict=True) if one < size]
    assert all(one >= size or one >= max(cut) - 1 for one, size in zip(given_, sizes, strict=True))


def test_the_whole_prompt_of_an_rl_row_is_shown_with_where_it_comes_from() -> None:
    text = samples_markdown([rl_row(2)])
    assert [one.content for one in fences(text)] == ["Solve.\n", "Problem 2: what is 2 + 1?\n"]
    fields = {line[0]: line[1] for line in tables(text)[0]}
    assert (fields["_source"], fields["gold"], fields["p_base"], fields["teacher"]) == ("guideline", "3", "0.250 of 8 samples", "big (no model)")
    assert [line[1] for line in tables(text)[1]] == ["id", "g0", "g1"]


def test_rows_without_long_texts_are_one_table() -> None:
    for rows in ([pass_rate(at, at % 9) for at in range(50)], [filtered(at, at % 2 == 0) for at in range(50)], [simulated(at) for at in range(50)]):
        [found] = tables(samples_markdown(rows))
        assert [line[0] for line in found[1:]][::4] == ["1", "50"]
        assert len(found) == 6


def test_turns_beyond_the_shown_ones_are_counted() -> None:
    text = samples_markdown([trace(0, turns=40)])
    assert "and 30 more." in text
    assert "30 more texts are not shown." in text
    assert "turn 39, evaluator" in text


def test_no_rows_are_said_to_be_none() -> None:
    assert samples_markdown([]) == "No rows."


def test_samples_are_the_same_each_time() -> None:
    rows = [rl_row(at) for at in range(300)]
    assert samples_markdown(rows) == samples_markdown(list(rows))


def test_a_full_set_is_shown_in_under_a_second() -> None:
    rows = [rl_row(at) for at in range(4400)]
    lost = [dropped(at, f"r{at % 9}") for at in range(4400)]
    begin = time.process_time()
    samples_markdown(rows)
    dropped_markdown(lost)
    counts_markdown(counted("a", 0, lost))
    assert time.process_time() - begin < 1


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_rows_in_short_are_those_shown_in_full_with_what_tells_most(kind: str) -> None:
    rows = [KINDS[kind](f"text {at} " * 9) for at in range(30)]
    head, lines = samples_table(rows)
    whole = samples_markdown(rows)
    places = [title.split()[1] for title in headings(whole)] or [line[0] for line in tables(whole)[0][1:]]
    assert [line[0] for line in lines] == places
    assert all(len(line) == len(head) for line in lines)
    if "text" in head:
        assert all("text " in line[-1] for line in lines)


def test_no_rows_are_no_lines() -> None:
    assert samples_table([]) == (("row",), [])


@given(st.lists(st.text("ab ", min_size=1, max_size=500), min_size=1, max_size=4).map("\n".join))
@example("word " * 99)
@example("a" * 300 + " " + "b" * 300)
def test_long_lines_of_a_text_are_broken_at_spaces_and_nothing_else_is_changed(text: str) -> None:
    [whole] = [one.content for one in fences(samples_markdown([candidate(1, text)])) if text]
    assert len(whole) == len(text) + 1
    assert all(new == old or (old, new) == (" ", "\n") for old, new in zip(text, whole, strict=False))
    assert all(len(line) <= WIDEST or " " not in line[1 : WIDEST + 1] for line in whole.splitlines())
