"""Recycling a bank: equal lines are one, parts and near-duplicates join the newest and longest, and the entries tell."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tmas_assets.memory import Finding, jaccard, live, recycle
from tmas_assets.records import MemoryEntry


def finding(text, source="r0", polarity="conclusion"):
    return Finding(polarity=polarity, text=text, source=source)


def run(rounds, similarity=jaccard, threshold=0.8, entries=()):
    """The bank after rounds of (text, source) pairs."""
    for iteration, lines in enumerate(rounds):
        made = recycle(
            entries, tuple(finding(*line) for line in lines), bank="experience", iteration=iteration,
            threshold=threshold, similarity=similarity,
        )  # fmt: skip
        entries = made.entries
    return made


def texts(made):
    return [entry.text for entry in live(made.entries, "experience")]


def by_id(made):
    return {entry.id: entry for entry in made.entries}


def test_an_equal_line_after_trimming_is_one_entry_seen_again_and_the_newer_counts_for_age():
    made = run([[("n is odd", "a"), ("x", "a")], [("  n is odd \n", "b")]])
    entry = by_id(made)["e001"]
    assert (entry.text, entry.born, entry.last_seen, entry.support, entry.sources) == ("n is odd", 0, 1, 2, ("a", "b"))
    assert made.tallies["b"].model_dump() == {"added": 0, "merged": 1, "evicted": 0}


def test_a_line_that_one_rollout_says_twice_supports_once():
    made = run([[("n is odd", "a"), ("n is odd", "a"), ("n is odd", "b")]])
    assert by_id(made)["e001"].support == 2
    assert made.tallies["a"].model_dump() == {"added": 1, "merged": 1, "evicted": 0}


def test_a_newer_line_takes_in_an_older_one_that_is_a_part_of_it_and_says_so():
    made = run([[("n is odd", "a")], [("n is odd, so n + 1 is even", "b")]])
    old, new = by_id(made)["e001"], by_id(made)["e002"]
    assert (old.state, old.ended, old.reason) == ("evicted", 1, "part of e002")
    assert (new.state, new.support, new.sources) == ("live", 2, ("a", "b"))
    assert made.tallies["b"].model_dump() == {"added": 1, "merged": 0, "evicted": 1}


def test_an_older_line_does_not_take_in_a_newer_part_of_it_since_the_newer_comes_first():
    """The order is by age before length: the newer head is no part of what comes after it."""
    made = run([[("n is odd, so n + 1 is even, and more", "a")], [("n is odd", "b")]])
    assert texts(made) == ["n is odd, so n + 1 is even, and more", "n is odd"]


def test_of_lines_of_one_round_the_longest_is_the_head_whoever_came_first():
    made = run([[("n is odd", "a"), ("surely n is odd", "b")]])
    assert texts(made) == ["surely n is odd"]
    assert by_id(made)["e001"].reason == "part of e002"
    assert made.tallies["a"].model_dump() == {"added": 0, "merged": 1, "evicted": 0}
    assert made.tallies["b"].added == 1


def test_likeness_has_to_be_over_the_threshold_and_stands_in_the_reason():
    measured = {frozenset({"aaa", "bb"}): 0.8, frozenset({"aaa", "c"}): 0.81}
    made = run([[("aaa", "x"), ("bb", "x"), ("c", "x")]], lambda a, b: measured.get(frozenset({a, b}), 0.0))
    assert texts(made) == ["aaa", "bb"]
    assert by_id(made)["e003"].reason == "like e001: similarity 0.810 over 0.8"


def test_what_has_joined_a_head_is_no_head_itself():
    """b is like a, c is like b and not like a: c stays, since b is no head."""
    alike = {frozenset({"aaa", "bb"}), frozenset({"bb", "c"})}
    made = run([[("aaa", "x"), ("bb", "x"), ("c", "x")]], lambda a, b: float(frozenset({a, b}) in alike))
    assert texts(made) == ["aaa", "c"]


def test_conclusions_and_pitfalls_are_lists_of_their_own():
    lines = (finding("n is odd"), finding("n is odd", polarity="pitfall"))
    made = recycle((), lines, bank="experience", iteration=0, threshold=0.8, similarity=jaccard)
    assert [(entry.polarity, entry.state) for entry in made.entries] == [("conclusion", "live"), ("pitfall", "live")]


def test_an_evicted_line_may_be_written_again_under_a_new_id():
    made = run([[("n is odd", "a")], [("n is odd, surely", "b")], [("n is odd", "c")]])
    assert [(entry.id, entry.state) for entry in made.entries] == [
        ("e001", "evicted"), ("e002", "live"), ("e003", "live"),
    ]  # fmt: skip
    assert by_id(made)["e003"].text == "n is odd"


def test_the_other_bank_is_left_alone_and_keeps_its_place():
    other = MemoryEntry(id="g001", bank="guideline", polarity="strategy", text="n is odd", born=0, sources=(), last_seen=0)
    made = run([[("n is odd", "a")]], entries=(other,))
    assert made.entries[0] == other
    assert len(made.entries) == 2


def test_no_finding_changes_nothing():
    before = run([[("n is odd", "a"), ("k is even", "a")]]).entries
    made = recycle(before, (), bank="experience", iteration=1, threshold=0.8, similarity=jaccard)
    assert (made.entries, made.tallies) == (before, {})


words = st.text("ab ", min_size=1, max_size=6).filter(str.strip)
several = st.lists(st.lists(st.tuples(words, st.sampled_from("xyz")), max_size=6), min_size=1, max_size=4)


@given(several, st.sampled_from([0.3, 0.8, 1.0]))
def test_nothing_is_lost_heads_are_unlike_and_counts_add_up(rounds, threshold) -> None:
    entries: tuple[MemoryEntry, ...] = ()
    for iteration, lines in enumerate(rounds):
        found = tuple(finding(*line) for line in lines)
        made = recycle(
            entries, found, bank="experience", iteration=iteration, threshold=threshold, similarity=jaccard
        )
        assert sum(tally.added + tally.merged for tally in made.tallies.values()) == len(found)
        states = {entry.id: entry.state for entry in entries}
        assert sum(tally.evicted for tally in made.tallies.values()) == sum(
            entry.state == "evicted" and states.get(entry.id) == "live" for entry in made.entries
        )
        assert [entry.id for entry in made.entries[: len(entries)]] == [entry.id for entry in entries]
        for text in (line.text.strip() for line in found):
            assert any(entry.text == text and (entry.last_seen == iteration) for entry in made.entries)
        entries = made.entries
    heads = live(entries, "experience")
    assert len({entry.text for entry in heads}) == len(heads)
    for entry in heads:
        for other in heads:
            if entry.id != other.id:
                assert jaccard(entry.text, other.text) <= threshold
    for entry in entries:
        if entry.state == "evicted":
            assert entry.reason is not None
            head = entry.reason.removeprefix("part of ").removeprefix("like ")[:4]
            assert set(entry.sources) <= set(next(one for one in entries if one.id == head).sources)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_which_lines_stay_does_not_depend_on_the_order_of_findings_of_different_length(order):
    lines = [("n is odd", "a"), ("n is odd and k is even", "b"), ("a wholly other remark", "c")]
    made = run([[lines[i] for i in order]])
    assert sorted(texts(made)) == ["a wholly other remark", "n is odd and k is even"]
