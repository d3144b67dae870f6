"""A bank over many updates: nothing is lost without trace, ids stay, the cap holds, refuted lines stay refuted."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tmas_assets.memory import BankSettings, live, merge, select, tokens
from tmas_assets.records import Bank, BankUpdate, MemoryEntry, Polarity

OPEN = BankSettings(cap_tokens=10**6)
LINES = (
    "the units digit of the sum is 7", "the units digit of the sum is 9", "add the tens before the units",
    "before the units add the tens", "drop the sign of the second term", "n is even", "n is not even",
    "split 38 into 30 and 8", "count down from the larger number", "count up from the smaller number",
)  # fmt: skip
polarities: st.SearchStrategy[Polarity] = st.sampled_from(["conclusion", "pitfall"])
ids = st.integers(1, 6).map(lambda n: f"e{n:03d}")
updates = st.builds(
    BankUpdate,
    added=st.lists(st.tuples(polarities, st.sampled_from(LINES)), max_size=4).map(tuple),
    refuted=st.lists(st.tuples(ids, st.sampled_from(["it fails for n = 3", "not proved"])), max_size=2).map(tuple),
)
additions = updates.map(lambda update: BankUpdate(added=update.added))
histories = st.lists(updates, max_size=6)


def play(
    history: list[BankUpdate],
    limits: BankSettings = OPEN,
    bank: Bank = "experience",
    entries: tuple[MemoryEntry, ...] = (),
) -> list[tuple[MemoryEntry, ...]]:
    """The entries before the first update and after each."""
    states = [entries]
    for iteration, update in enumerate(history):
        done = merge(
            states[-1], update, bank=bank, iteration=iteration, sources=(f"r0t{iteration:02d}c0",), settings=limits
        )
        states.append(done.entries)
    return states


def one(*lines: str, refuted: tuple[tuple[str, str], ...] = ()) -> BankUpdate:
    return BankUpdate(added=tuple(("conclusion", line) for line in lines), refuted=refuted)


def texts(entries: tuple[MemoryEntry, ...]) -> list[str]:
    return [e.text for e in live(entries, "experience")]


@given(histories, st.integers(1, 60))
def test_no_entry_ever_leaves_and_ids_and_texts_never_change(history: list[BankUpdate], cap: int) -> None:
    states = play(history, BankSettings(cap_tokens=cap))
    for before, after in itertools.pairwise(states):
        assert [(e.id, e.text, e.polarity, e.born) for e in before] == [
            (e.id, e.text, e.polarity, e.born) for e in after[: len(before)]
        ]
    assert len({e.id for e in states[-1]}) == len(states[-1])


@given(histories, st.integers(1, 60))
def test_an_entry_ends_at_most_once_with_iteration_and_reason(history: list[BankUpdate], cap: int) -> None:
    states = play(history, BankSettings(cap_tokens=cap))
    for entry in states[-1]:
        assert (entry.state == "live") == (entry.ended is None) == (entry.reason is None)
    for before, after in itertools.pairwise(states):
        for old, new in zip(before, after, strict=False):
            if old.state != "live":
                assert (old.state, old.ended, old.reason) == (new.state, new.ended, new.reason)


@given(histories, st.integers(1, 60))
def test_the_cap_holds_after_every_update(history: list[BankUpdate], cap: int) -> None:
    for entries in play(history, BankSettings(cap_tokens=cap)):
        assert sum(tokens(e.text) for e in live(entries, "experience")) <= cap


@given(histories, updates)
def test_every_line_is_counted_once(history: list[BankUpdate], update: BankUpdate) -> None:
    before = play(history)[-1]
    done = merge(before, update, bank="experience", iteration=9, sources=(), settings=OPEN)
    assert done.added + done.merged == len(update.added)
    assert done.refuted + len(done.ignored) == len({id_ for id_, _ in update.refuted})
    assert len(done.entries) == len(before) + done.added


@given(histories, additions)
def test_writing_the_same_update_again_changes_no_live_text(history: list[BankUpdate], update: BankUpdate) -> None:
    states = play([*history, update, update])
    assert texts(states[-1]) == texts(states[-2])
    assert len(states[-1]) == len(states[-2])


@given(histories, updates)
def test_a_line_written_twice_in_one_update_counts_once(history: list[BankUpdate], update: BankUpdate) -> None:
    doubled = update.model_copy(update={"added": tuple(line for line in update.added for _ in range(2))})
    assert play([*history, doubled])[-1] == play([*history, update])[-1]


@given(histories, st.permutations(LINES[:3] + LINES[4:6]))
def test_unlike_lines_may_come_in_any_order(history: list[BankUpdate], order: list[str]) -> None:
    plain = play([*history, one(*LINES[:3], *LINES[4:6])])[-1]
    shuffled = play([*history, one(*order)])[-1]
    assert sorted((e.text, e.support, e.state) for e in plain) == sorted((e.text, e.support, e.state) for e in shuffled)


@given(histories, updates)
def test_the_order_of_sources_and_of_refutations_does_not_matter(history: list[BankUpdate], update: BankUpdate) -> None:
    before = play(history)[-1]
    refuted = tuple(dict(update.refuted).items())
    forth, back = (
        merge(
            before, BankUpdate(added=update.added, refuted=r), bank="experience", iteration=9, sources=s, settings=OPEN
        ).entries
        for r, s in ((refuted, ("a", "b")), (refuted[::-1], ("b", "a", "b")))
    )
    assert forth == back


@given(histories)
def test_the_other_bank_is_left_alone(history: list[BankUpdate]) -> None:
    guideline = merge((), one("use symmetry"), bank="guideline", iteration=0, sources=(), settings=OPEN).entries
    assert play(history, BankSettings(cap_tokens=1), entries=guideline)[-1][:1] == guideline


def test_a_near_duplicate_goes_into_the_older_entry() -> None:
    entries = play([one("add the tens before the units"), one("Before the units, add the tens!")])[-1]
    assert [(e.id, e.text, e.support, e.born, e.last_seen, e.sources) for e in entries] == [
        ("e001", "add the tens before the units", 2, 0, 1, ("r0t00c0", "r0t01c0"))
    ]


def test_a_correction_is_not_swallowed_by_the_line_it_corrects() -> None:
    wrong, right = (f"adding the units first the sum of 12 and 35 is {n}" for n in (57, 47))
    assert texts(play([one(wrong), one(right)])[-1]) == [wrong, right]
    merged = BankSettings(keep_formulas_apart=False)
    assert texts(play([one(wrong), one(right)], merged)[-1]) == [wrong]


def test_a_pitfall_is_no_duplicate_of_the_conclusion_of_the_same_words() -> None:
    pitfall = BankUpdate(added=(("pitfall", "n is even"),))
    assert len(live(play([one("n is even"), pitfall])[-1], "experience")) == 2


def test_the_similarity_is_a_parameter() -> None:
    done = merge(
        play([one("alpha")])[-1], one("omega"), bank="experience", iteration=1, sources=(), settings=OPEN,
        similarity=lambda a, b: 1.0,
    )  # fmt: skip
    assert (done.added, done.merged) == (0, 1)


def test_the_threshold_itself_counts_as_alike() -> None:
    half = BankSettings(similarity_threshold=0.5)
    assert len(play([one("blue green red"), one("blue green black")], half)[-1]) == 1
    assert len(play([one("blue green red"), one("blue white black")], half)[-1]) == 2


def test_a_refuted_entry_stays_as_trace_and_is_not_shown() -> None:
    entries = play([one("n is even"), one(refuted=(("e001", "n = 3 works"), ("e001", "second reason")))])[-1]
    assert texts(entries) == []
    assert (entries[0].state, entries[0].ended, entries[0].reason) == ("refuted", 1, "n = 3 works")


def test_a_line_that_repeats_a_refuted_one_does_not_bring_it_back_and_shows_in_its_trace() -> None:
    entries = play([one("n is even"), one(refuted=(("e001", "n = 3 works"),)), one(), one("N is even.")])[-1]
    assert texts(entries) == []
    (entry,) = entries
    assert (entry.state, entry.ended, entry.support, entry.last_seen) == ("refuted", 1, 2, 3)


def test_a_rewording_in_the_update_that_refutes_the_old_wording_replaces_it() -> None:
    old, new = "the units digit of every such sum is 7", "the units digit of every sum is 7"
    assert texts(play([one(old), one(new, refuted=(("e001", "better said"),))])[-1]) == [new]
    assert texts(play([one(old), one(old, refuted=(("e001", "better said"),))])[-1]) == []


def test_refuting_an_unknown_or_ended_id_loses_nothing_and_is_reported() -> None:
    entries = play([one("n is even"), one(refuted=(("e001", "no"),))])[-1]
    done = merge(
        entries, one("m is odd", refuted=(("e099", "?"), ("e001", "again"))),
        bank="experience", iteration=2, sources=(), settings=OPEN,
    )  # fmt: skip
    assert (done.added, done.refuted, done.ignored) == (1, 0, ("e099", "e001"))
    assert done.entries[0].reason == "no"


def test_the_cap_evicts_lowest_support_then_oldest_seen_and_spares_the_new() -> None:
    history = [one("alpha one"), one("beta two"), one("alpha one"), one("gamma six")]
    entries = play(history, BankSettings(cap_tokens=4))[-1]
    assert texts(entries) == ["alpha one", "gamma six"]
    assert (entries[1].state, entries[1].ended) == ("evicted", 3)
    assert entries[1].reason == "over the cap of 4 tokens: support 1, last seen in 1"


def test_new_lines_that_exceed_the_cap_together_lose_the_latest() -> None:
    entries = play([one("old line"), one("alpha one", "beta two", "gamma six")], BankSettings(cap_tokens=4))[-1]
    assert texts(entries) == ["alpha one", "beta two"]


def test_a_line_alone_over_the_cap_does_not_empty_the_bank() -> None:
    entries = play([one("old line"), one("word " * 50)], BankSettings(cap_tokens=4))[-1]
    assert texts(entries) == ["old line"]
    assert (entries[1].state, entries[1].reason) == ("evicted", "alone over the cap of 4 tokens")


def test_an_evicted_line_may_come_back_under_a_new_id() -> None:
    history = [one("alpha one"), one("beta two", "gamma six"), one("alpha one")]
    entries = play(history, BankSettings(cap_tokens=4))[-1]
    assert [(e.id, e.state) for e in entries if e.text == "alpha one"] == [("e001", "evicted"), ("e004", "live")]


def test_twenty_rounds_of_eight_notes_stay_under_the_cap_and_the_refuted_one_never_returns() -> None:
    lemma = ("conclusion", "the residue of every note is 0")
    history = []
    for round_ in range(20):
        notes = tuple(("conclusion", f"note {k} of round {round_}: the residue is {k * round_ + k}") for k in range(8))
        refuted = (("e001", "note 1 has residue 1"),) if round_ == 3 else ()
        history.append(BankUpdate(added=(lemma, *notes), refuted=refuted))
    for entries in play(history, BankSettings(cap_tokens=300)):
        assert sum(tokens(e.text) for e in live(entries, "experience")) <= 300
    first = entries[0]
    assert (first.state, first.ended, first.reason) == ("refuted", 3, "note 1 has residue 1")
    assert (first.support, first.last_seen) == (20, 19)
    assert len(entries) == 1 + 20 * 8
    assert len(live(entries, "experience")) >= 15


@given(histories, st.integers(0, 200))
@settings(max_examples=60)
def test_a_selection_fits_keeps_the_order_and_counts_what_it_leaves_out(history: list[BankUpdate], chars: int) -> None:
    entries = live(play(history)[-1], "experience")
    chosen = select(entries, chars=chars)
    assert sum(len(e.text) for e in chosen.shown) <= chars
    assert [e for e in entries if e in chosen.shown] == list(chosen.shown)
    assert len(chosen.shown) + chosen.left_out == len(entries)


def test_a_selection_prefers_support_over_age() -> None:
    entries = live(play([one("alpha"), one("gamma"), one("gamma")])[-1], "experience")
    assert [e.text for e in select(entries, chars=5).shown] == ["gamma"]


def test_a_malformed_id_in_a_snapshot_is_named() -> None:
    broken = play([one("alpha")])[-1][0].model_copy(update={"id": "x1"})
    with pytest.raises(ValueError, match="'x1'"):
        merge((broken,), one("beta"), bank="experience", iteration=1, sources=(), settings=OPEN)
