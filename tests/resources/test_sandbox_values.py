"""Values cross between the two halves of a sandbox unchanged; what arrives runs nothing and hides nothing."""

import contextlib
import json
import math
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from resources.sandbox.inside.shared import MOST
from resources.sandbox.inside.values import Uncarried, Values


class Opaque:
    pass


def stays(value):
    """What `peer` does for objects that stay at home, and None for those with a builtin's content."""
    return None if isinstance(value, int | str | list | dict | set | tuple | bytes | frozenset | float) else (["o", 0], ())


def side(first=0):
    return Values(stays, lambda number: ("mine", number), lambda coded, more: ("theirs", *coded, *more), first)


def sent(message):
    return json.loads(json.dumps(message))


def carried(value):
    return side().decode(sent(side(1).encode(value)))


LEAVES = (st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary() |
          st.complex_numbers(allow_nan=False) | st.fractions() | st.dates() | st.datetimes() | st.timedeltas())
HASHABLE = st.recursive(LEAVES, lambda inner: st.lists(inner).map(tuple) | st.frozensets(inner), max_leaves=5)
PLAIN = st.recursive(HASHABLE, lambda inner: st.lists(inner) | st.dictionaries(HASHABLE, inner) | st.sets(HASHABLE), max_leaves=20)


@given(PLAIN)
@settings(max_examples=60, deadline=None)
def test_plain_values_arrive_equal_and_of_the_same_type(value):
    found = carried(value)
    assert found == value
    assert type(found) is type(value)
    assert repr(found) == repr(value) or isinstance(value, set | frozenset | dict | list | tuple)


P = namedtuple("P", "x y")


@pytest.mark.parametrize("value", [
    Counter("aab"), OrderedDict([("b", 1), ("a", 2)]), defaultdict(list, {1: [2]}), deque([1, 2], maxlen=3), Decimal("1.50"),
    Fraction(1, 3), date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5, 6), time(1, 2), timedelta(-1, 2), range(1, 9, 2), slice(1, 2),
    ..., NotImplemented, int, ValueError, bytearray(b"ab"), math.inf, -0.0, "\ud800\x00",
])
def test_values_of_these_types_arrive_as_such(value):
    found = carried(value)
    assert type(found) is type(value)
    assert found == value
    assert repr(found) == repr(value)


def test_whole_numbers_of_any_length_arrive():
    assert carried([10**6000, -(10**6000), 2**64]) == [10**6000, -(10**6000), 2**64]


def test_the_order_of_a_dictionary_is_kept():
    moved = OrderedDict(a=1, b=2)
    moved.move_to_end("a")
    assert list(carried(moved)) == ["b", "a"]
    assert carried(defaultdict(int))["x"] == 0


def test_a_namedtuple_keeps_its_names_and_a_subclass_its_content():
    assert carried(P(1, 2)) == (1, 2)
    assert carried(P(1, 2)).y == 2

    class Liar(list):
        def __eq__(self, other):
            return True

        __hash__ = None

    found = carried(Liar([1]))
    assert type(found) is list
    assert found != [2]


def test_shared_and_recursive_containers_keep_their_shape():
    inner = [1]
    a, b = carried([inner, inner])
    assert a is b
    inner.append(inner)
    found = carried(inner)
    assert found[1] is found


def test_what_changes_on_one_side_changes_on_the_other():
    ours, theirs = side(), side(1)
    mine = [[1, 2], {"a": {3}}]
    first = mine[0]
    copy = theirs.decode(sent(ours.encode(mine)))
    copy[0].reverse()
    copy[1]["a"].add(4)
    copy.append(copy[0])
    assert ours.decode(sent(theirs.encode(None))) is None
    assert mine == [[2, 1], {"a": {3, 4}}, [2, 1]]
    assert mine[0] is first is mine[2]
    first.append(copy_of := bytearray(b"x"))
    mine[1]["b"] = mine
    assert theirs.decode(sent(ours.encode(mine))) is copy
    assert copy[0] == [2, 1, b"x"]
    assert copy[1]["b"] is copy
    copy[0][2].extend(b"y")
    ours.decode(sent(theirs.encode(None)))
    assert copy_of == b"xy"


def test_a_container_that_nobody_else_holds_is_let_go_of_on_both_sides():
    ours, theirs = side(), side(1)
    kept = [[1], [2]]
    held = ours.decode(sent(theirs.encode(kept)))
    inner = held[0]
    for _ in range(3):
        theirs.decode(sent(ours.encode(None)))
        ours.decode(sent(theirs.encode(None)))
    assert len(ours._shared._held) == len(theirs._shared._held) == 3
    del held
    for _ in range(3):
        theirs.decode(sent(ours.encode(None)))
    assert len(ours._shared._held) == len(theirs._shared._held) == 1
    inner.append(5)
    theirs.decode(sent(ours.encode(None)))
    assert kept == [[1, 5], [2]]


def test_a_container_changed_and_then_let_go_of_is_told_of():
    ours, theirs = side(), side(1)
    kept = {}
    ours.decode(sent(theirs.encode(kept)))["k"] = [2]
    theirs.decode(sent(ours.encode(None)))
    assert kept == {"k": [2]}


def test_too_many_containers_are_all_let_go_of_between_calls_and_told_of_anew():
    ours, theirs = side(), side(1)
    rows = [[number] for number in range(MOST + 5)]
    copy = theirs.decode(sent(ours.encode(rows)))
    copy[7][0] = "changed in a call"
    ours.decode(sent(theirs.encode([copy, []], between_calls=True)))
    assert rows[7] == ["changed in a call"]
    assert len(ours._shared._held) == len(theirs._shared._held) == 0
    rows[8][0] = "changed after it"
    assert theirs.decode(sent(ours.encode(rows)))[7:9] == [["changed in a call"], ["changed after it"]]


@pytest.mark.parametrize("table", [[[0, "list", []]], [[1, "list", []], [1, "list", []]], [[-1, "list", []]], [["1", "list", []]],
                                   [[True, "list", []]], [[[1], "list", []]], [[1.0, "list", []]]])
def test_nobody_takes_a_number_that_is_not_his_to_give(table):
    with pytest.raises(Uncarried):
        side().decode([None, table, [], []])


def test_objects_cross_as_numbers():
    assert carried([Opaque(), 1]) == [("theirs", 0), 1]
    assert side().decode([["m", 7, []], [], [], []]) == ("mine", 7)


def test_a_value_too_deep_is_refused():
    deep = ()
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(Uncarried):
        side().encode(deep)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.floats() | st.sampled_from(
        ["t", "c", "i", "m", "o", "n", "k", "list", "dict", "set", "bytes", "type", "exception", "module", "exec", "os", "x"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2), max_leaves=12)


@given(JSON, st.lists(JSON, max_size=3))
@settings(max_examples=300, deadline=None)
def test_any_message_is_a_value_or_refused(root, table):
    with contextlib.suppress(Uncarried):
        side().decode([root, table, [], []])
    with contextlib.suppress(Uncarried):
        side().decode([root, [[1, "list", []]], table, table])
    with contextlib.suppress(Uncarried):
        side().decode(root)


@pytest.mark.parametrize("coded", [
    ["k", "type", ["exec"]], ["k", "type", ["__import__"]], ["k", "exception", ["print", "x"]], ["k", "module", ["os"]],
    ["k", "module", ["antigravity"]], ["k", "Fraction", ["1/0"]], ["n", "T", ["__class__"], [1]], ["n", "T", ["a" * 9] * 300, [1]],
    ["k", "array", ["q", "x"]], ["z"], [], {"a": 1}, ["c", 3],
])
def test_nothing_is_looked_up_or_called_that_the_sender_chose(coded):
    with pytest.raises(Uncarried):
        side().decode([coded, [], [], []])
