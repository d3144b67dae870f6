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

from resources.sandbox.inside.values import Uncarried, Values, changed, snapshots


class Opaque:
    pass


def stays(value):
    """What `peer` does for objects that stay at home, and None for those with a builtin's content."""
    return None if isinstance(value, int | str | list | dict | set | tuple | bytes | frozenset | float) else ["o", 0]


VALUES = Values(stays, lambda number: ("mine", number), lambda coded: ("theirs", coded[1]))


def carried(value):
    message, _ = VALUES.encode(value)
    return VALUES.decode(json.loads(json.dumps(message)))[0]


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


def test_what_changed_over_there_changes_here():
    mine = [[1, 2], {"a": {3}}]
    message, sent = VALUES.encode(mine)
    theirs, made = VALUES.decode(json.loads(json.dumps(message)))
    before = snapshots(made)
    theirs[0].reverse()
    theirs[1]["a"].add(4)
    theirs.append(theirs[0])
    numbers = changed(made, before)
    back = {id(container): number for number, container in enumerate(made)}
    first = mine[0]
    VALUES.apply(numbers, json.loads(json.dumps(VALUES.encode_contents([made[number] for number in numbers], back))), sent)
    assert mine == [[2, 1], {"a": {3, 4}}, [2, 1]]
    assert mine[0] is first is mine[2]


def test_objects_cross_as_numbers():
    assert carried([Opaque(), 1]) == [("theirs", 0), 1]
    assert VALUES.decode([["m", 7], []])[0] == ("mine", 7)


def test_a_value_too_deep_is_refused():
    deep = ()
    for _ in range(100_000):
        deep = (deep,)
    with pytest.raises(Uncarried):
        VALUES.encode(deep)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.floats() | st.sampled_from(
        ["t", "c", "y", "i", "m", "o", "n", "k", "list", "dict", "set", "bytes", "type", "exception", "module", "exec", "os", "x"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=2), max_leaves=12)


@given(JSON, st.lists(JSON, max_size=3))
@settings(max_examples=300, deadline=None)
def test_any_message_is_a_value_or_refused(root, table):
    with contextlib.suppress(Uncarried):
        VALUES.decode([root, table])
    with contextlib.suppress(Uncarried):
        VALUES.apply([0], [[root], table], [[1]])


@pytest.mark.parametrize("coded", [
    ["k", "type", ["exec"]], ["k", "type", ["__import__"]], ["k", "exception", ["print", "x"]], ["k", "module", ["os"]],
    ["k", "module", ["antigravity"]], ["k", "Fraction", ["1/0"]], ["n", "T", ["__class__"], [1]], ["n", "T", ["a" * 9] * 300, [1]],
    ["k", "array", ["q", "x"]], ["z"], [], {"a": 1}, ["c", 3],
])
def test_nothing_is_looked_up_or_called_that_the_sender_chose(coded):
    with pytest.raises(Uncarried):
        VALUES.decode([coded, []])
