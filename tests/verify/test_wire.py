"""The wire: plain data arrives as it left, and no bytes that arrive do anything but fail cleanly."""

import datetime as dt
import json
import math
import socket
import threading
import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from honestly.records import File, Tree
from honestly.verify._guest.asking import CheckTimeout, Remote, Wire
from honestly.verify._guest.candidate import Far
from honestly.verify._guest.wire import HOST, MAX_DEPTH, Channel, WireError, dumps, loads, take_files
from honestly.verify.wire._channel import packed_tree

zones = st.sampled_from([None, dt.UTC, dt.timezone(dt.timedelta(hours=-5, minutes=-30))])
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(),
    st.binary(),
    st.complex_numbers(allow_nan=False),
    st.decimals(allow_nan=False),
    st.fractions(),
    st.dates(),
    st.datetimes(timezones=zones),
    st.times(),
    st.timedeltas(),
    st.builds(range, st.integers(), st.integers(), st.integers(1, 9)),
    st.binary().map(bytearray),
)
keys = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.binary(), st.tuples(st.integers(), st.text()))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(keys, inner, max_size=4),
        st.sets(keys, max_size=4),
        st.frozensets(keys, max_size=4),
    ),
    max_leaves=12,
)


def same(a, b):
    """Equality that tells types, signed zeros and the order of keys apart."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, float):
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    if isinstance(a, dt.datetime):
        return a.isoformat() == b.isoformat() and a.fold == b.fold
    return a == b


@given(values)
@example(10**5000)
@example(-(2**60))
@example("\ud800")
@example(dt.datetime(2024, 10, 27, 2, 30, fold=1))  # noqa: DTZ001
def test_plain_data_arrives_as_it_left(value):
    assert same(loads(dumps(value, None), None), value)


@pytest.mark.parametrize("value", [math.nan, complex(math.nan, 1), Decimal("sNaN")])
def test_what_is_not_a_number_arrives_as_such(value):
    """A signalling one arrives as a quiet one: no comparison of a check's survives the other."""
    arrived = loads(dumps(value, None), None)
    assert str(arrived) == str(value).replace("sNaN", "NaN")


class Sly(int):
    """An int that equals everything; must not cross as an int."""

    def __eq__(self, other):
        return True

    __hash__ = int.__hash__


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "value", [Sly(3), Text("x"), type("L", (list,), {})([1]), type("D", (dict,), {})(a=1), object(), len, Fraction]
)
def test_nothing_but_exact_built_in_types_crosses_as_data(value):
    assert loads(dumps([value], lambda _: ["h", 7, ["x"]]), lambda tag, rest: (tag, rest[0])) == [("h", 7)]
    with pytest.raises(WireError, match="is not plain data"):
        dumps([value], None)


def test_depth_is_bounded_on_both_sides():
    deep = []
    for _ in range(MAX_DEPTH + 5):
        deep = [deep]
    with pytest.raises(WireError, match="nested deeper"):
        dumps(deep, None)
    for nest in ("[", '{"t":['):
        for depth in (MAX_DEPTH + 5, 100_000):
            text = nest * depth + "1" + {"[": "]", "{": "]}"}[nest[0]] * depth
            with pytest.raises(WireError):
                loads(text.encode(), None)
    for wrap in (
        lambda inner: [inner],
        lambda inner: (inner,),
        lambda inner: {"k": inner},
        lambda inner: {1: 2, 3: inner},
    ):
        value = 7
        for _ in range(MAX_DEPTH):
            value = wrap(value)
        assert loads(dumps(value, None), None) == value
    cyclic = []
    cyclic.append(cyclic)
    with pytest.raises(WireError):
        dumps(cyclic, None)


TAGS = ["t", "d", "s", "f", "i", "n", "y", "Y", "c", "r", "D", "F", "dt", "da", "tm", "td", "a", "g", "h"]
tagged = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(TAGS), st.lists(inner, max_size=3), min_size=1, max_size=1),
        st.dictionaries(st.text() | st.sampled_from(TAGS), inner, max_size=2),
    ),
)


@given(st.one_of(st.binary(), tagged.map(lambda data: json.dumps(data).encode())))
@example(b'{"h":[]}')
@example(b'{"F":["1","0"]}')
@example(b'{"r":["1","2","0"]}')
@example(b'{"s":[[]]}')
@example(b'{"i":["' + b"f" * 10_000 + b'"]}')
@example(b"[" * 50_000)
def test_any_bytes_either_decode_or_fail_cleanly(payload):
    try:
        loads(payload, None)
    except WireError:
        pass


MODULUS = (1 << 61) - 1
"""Whole numbers that differ by a multiple of it have one hash."""


@pytest.mark.parametrize("form", ["s", "f", "d"])
def test_keys_that_all_have_one_hash_are_refused_in_time(form):
    keys = [f'{{"i":["{MODULUS * number + 1:x}"]}}' for number in range(30_000)]
    items = ",".join(f"[{key},0]" for key in keys) if form == "d" else ",".join(keys)
    with pytest.raises(WireError, match="hash of another"):
        loads(f'{{"{form}":[{items}]}}'.encode(), None)


def test_large_sets_of_large_numbers_arrive():
    for value in (
        {3**number for number in range(3000)},
        dict.fromkeys(range(5000)),
        {MODULUS * number for number in range(900)},
    ):
        assert loads(dumps(value, None), None) == value


def test_a_fraction_that_would_take_hours_to_reduce_is_refused():
    digits = "f" * (1 << 20)
    with pytest.raises(WireError, match="fraction"):
        loads(f'{{"F":["{digits}","{digits[:-1]}1"]}}'.encode(), None)
    assert loads(dumps(Fraction(2**70, 3**70), None), None) == Fraction(2**70, 3**70)


def test_files_arrive_in_frames_of_which_each_may_be_as_large_as_a_frame():
    files = {"big": File(data=bytes(range(256)) * (80 << 10)), "run.sh": File(data=b"", mode="exec")}
    for tree in (Tree(files=files), Tree()):
        ours, theirs = socket.socketpair()
        with ours:
            sending = threading.Thread(target=ours.sendall, args=[packed_tree(tree)])
            sending.start()
            channel = Channel(theirs.detach())
            arrived = take_files(channel, *channel.receive())
            sending.join()
            channel.close()
        assert {path: File(data=data, mode=mode) for mode, path, data in arrived} == tree.files


def test_many_answers_take_one_request_and_end_with_the_first_that_is_no_plain_data():
    near, far = (Channel(end.detach()) for end in socket.socketpair())
    channel, answered, requests = Channel(far._fd), Far(), []

    def serve():
        for _ in range(2):
            requests.append(channel.receive()[1])
            answered.answer_request(requests[-1])

    answered._channel, answered._objects, answered._next = channel, {1: lambda n: object() if n == 700 else [n]}, 1
    thread = threading.Thread(target=serve)
    thread.start()
    wire = Wire(None, near, 1.0)
    wire.begun = True
    calls = [[n] for n in range(1000)]
    found = list(wire.each(Remote(wire, 1, ("builtins.function", "builtins.object")), dumps(calls, None), [9.0] * 1000))
    assert found[:-1] == calls[:700]
    assert type(found[-1]) is Remote
    with pytest.raises(ZeroDivisionError):
        wire.ask("operator", "truediv", [1, 0])  # the next question gets its own answer
    thread.join()
    assert len(requests) == 2


def test_no_second_is_lost_in_which_a_candidate_ran_on_while_it_was_asked_for_more_time():
    """A host that takes longer to answer than the time it grants: what it is told adds up to all that passed."""
    near, far, ours, theirs = (Channel(end.detach()) for _ in range(2) for end in socket.socketpair())
    told, granted = [], 0.01

    def serve():
        for more in [granted] * 5 + [0.0]:
            limit, name, overdue, _ = loads(theirs.receive()[1], None)
            told.append((name, limit, overdue))
            time.sleep(0.1)
            theirs.send(HOST, dumps([True, more], None))

    thread = threading.Thread(target=serve)
    wire = Wire(ours, near, 1.0)
    wire.begun, wire.limit = True, 0.05
    thread.start()
    with pytest.raises(CheckTimeout):
        wire.ask("call", 1)
    thread.join()
    assert [name for name, *_ in told] == ["late"] * 6
    assert sum(overdue for *_, overdue in told) + 5 * granted >= 0.45
    for channel in (near, far, ours, theirs):
        channel.close()
