"""Arrays on the wire: plain ones arrive as they left, all others stay, and no bytes make one that numpy cannot trust."""

import base64
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from hypothesis.extra import numpy as hnp

from honestly.verify._guest.arrays import MAX_BYTES
from honestly.verify._guest.wire import WireError, dumps, loads

kinds = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="?"),
    hnp.unsigned_integer_dtypes(endianness="?"),
    hnp.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
    hnp.complex_number_dtypes(endianness="?", sizes=(64, 128)),
    hnp.byte_string_dtypes(endianness="?"),
    hnp.unicode_string_dtypes(endianness="?"),
    hnp.datetime64_dtypes(endianness="?"),
    hnp.timedelta64_dtypes(endianness="?"),
)
arrays = hnp.arrays(kinds, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))


def crossed(value):
    return loads(dumps(value, None), None)


def same(a, b):
    return (type(a), a.dtype, a.shape, a.tobytes()) == (type(b), b.dtype, b.shape, b.tobytes())


@given(arrays)
@example(np.zeros((0, 3)))
@example(np.array(5))
@example(np.array([np.nan, -0.0, np.inf]))
@example(np.array(["NaT", "2024-02-29"], "M8[25s]"))
def test_a_plain_array_arrives_as_it_left(value):
    found, deep = crossed(value), crossed({"a": (value, [value])})
    assert same(found, value)
    assert same(deep["a"][1][0], value)
    assert found.flags.writeable
    assert found.flags.owndata


@given(arrays.filter(lambda value: value.size))
@example(np.array([""]))
def test_so_does_a_scalar(value):
    scalar = value.ravel()[0]
    assert same(crossed(scalar), scalar)
    assert crossed({scalar: 1}).keys() == {scalar} or scalar != scalar  # as a key


def test_the_order_in_memory_does_not_matter():
    for value in (
        np.arange(24).reshape(2, 3, 4).T,
        np.arange(9)[::-2],
        np.asfortranarray(np.eye(3)),
        np.eye(4)[1:3, ::2],
    ):
        assert np.array_equal(crossed(value), value)
        assert crossed(value).flags.c_contiguous


class Own(np.ndarray):
    """Equals everything."""

    def __eq__(self, other):
        return True

    __hash__ = None


OTHERS = [
    np.zeros(2).view(Own),
    np.zeros((1, 1)).view(np.matrix),
    np.ma.masked_array([1, 2], [0, 1]),
    np.rec.array([(1, 2)], "i4,i4"),
    np.array([(1, 2.0)], "i4,f8"),
    np.array([None, []], object),
    np.void(b"ab"),
    np.longdouble(1),
    np.ones(2, np.longdouble),
    type("float64", (np.float64,), {"__module__": "numpy"})(1),
    type("ndarray", (np.ndarray,), {"__module__": "numpy"})(2),
    np.dtype("f8"),
    np.float64,
    np.random.default_rng(1),
]


@pytest.mark.parametrize("value", OTHERS, ids=lambda value: type(value).__name__)
def test_other_arrays_cross_as_handles(value):
    assert loads(dumps([value], lambda _: ["h", 7]), lambda tag, rest: (tag, *rest)) == [("h", 7)]
    with pytest.raises(WireError, match="is not plain data"):
        dumps(value, None)


def test_an_array_that_is_too_large_is_refused_before_it_is_copied():
    with pytest.raises(WireError, match="an array of 8000000000000 bytes is too large"):
        dumps(np.broadcast_to(1.0, (10**6, 10**6)), None)
    most = np.zeros(MAX_BYTES, bool)
    assert same(crossed(most), most)


def packed(tag, *parts, data=b""):
    return json.dumps({tag: [*parts, base64.b64encode(data).decode()]}).encode()


HOSTILE = {
    "negative": packed("a", "<f8", [-1]),
    "negatives": packed("a", "<f8", [-1, -1], data=bytes(8)),
    "huge": packed("a", "<f8", [2**60]),
    "huge-with-a-zero": packed("a", "<f8", [0, 2**60]),
    "large-with-a-zero": packed("a", "<f8", [0, MAX_BYTES]),
    "beyond-64-bits": packed("a", "<f8", [0, 2**70]),
    "too-few-bytes": packed("a", "<f8", [2], data=bytes(8)),
    "too-many-bytes": packed("a", "<f8", [1], data=bytes(16)),
    "too-many-dimensions": packed("a", "<f8", [1] * 33, data=bytes(8)),
    "boolean-length": packed("a", "<f8", [True], data=bytes(8)),
    "float-length": packed("a", "<f8", [1.0], data=bytes(8)),
    "shape-of-text": packed("a", "<f8", "1", data=bytes(8)),
    "no-shape": packed("a", "<f8", None, data=bytes(8)),
    "object": packed("a", "|O", [1], data=bytes(8)),
    "object-8": packed("a", "O8", [1], data=bytes(8)),
    "record": packed("a", "<i4,<f4", [1], data=bytes(8)),
    "sub-array": packed("a", "(2,)<i4", [1], data=bytes(8)),
    "void": packed("a", "|V8", [1], data=bytes(8)),
    "name": packed("a", "float64", [1], data=bytes(8)),
    "list": packed("a", [["x", "<f8"]], [1], data=bytes(8)),
    "dict": b'{"a":[{},[1],""]}',
    "long-double": packed("a", "<f16", [1], data=bytes(16)),
    "endless-text": packed("a", "<U9999999", [1], data=bytes(4)),
    "texts-of-nothing": packed("a", "<U0", [2**20]),
    "no-character": packed("a", "<U1", [1], data=b"\xff" * 4),
    "no-character-turned": packed("a", ">U1", [1], data=b"\x00\x11\x00\x00"),
    "no-boolean": packed("a", "|b1", [2], data=b"\1\2"),
    "time-of-no-length": packed("a", "<M8[0s]", [1], data=bytes(8)),
    "no-unit": packed("a", "<m8[xs]", [1], data=bytes(8)),
    "arabic-digits": packed("a", "<U١", [1], data=bytes(4)),
    "no-base64": b'{"a":["<f8",[1],"!"]}',
    "bytes-of-no-text": b'{"a":["<f8",[1],7]}',
    "too-short": b'{"a":["<f8"]}',
    "bare": b'{"a":[]}',
    "scalar-too-long": packed("g", "<f8", data=bytes(16)),
    "scalar-object": packed("g", "|O", data=bytes(8)),
    "scalar-pickle": packed("g", "|O", data=b"cos\nsystem\n(S'true'\ntR."),
    "key": b'{"d":[[{"a":["<f8",[1],"AAAAAAAAAAA="]},1]]}',
}


@pytest.mark.parametrize("payload", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_array_fails_cleanly(payload):
    with pytest.raises(WireError):
        loads(payload, None)


texts = st.text("<>|=biufcUSmMOV0123456789[]smDY,", max_size=8) | st.sampled_from(
    ["<f8", "|b1", "<U2", "<M8[s]", "|S3"]
)
lengths = st.lists(st.integers(-2, 5) | st.integers() | st.none() | st.booleans(), max_size=4)


@given(st.sampled_from("ag"), texts, lengths, st.binary(max_size=48))
def test_any_parts_either_make_an_array_or_fail_cleanly(tag, text, shape, data):
    parts = [tag, text, shape] if tag == "a" else [tag, text]
    try:
        found = loads(packed(*parts, data=data), None)
    except WireError:
        return
    assert found.nbytes == len(data)
    assert not found.dtype.hasobject
    repr(found)


def run(code):
    done = subprocess.run([sys.executable, *code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_numpy_is_imported_for_the_first_array_and_not_before():
    code = """
import sys
from honestly.verify._guest.wire import dumps, loads
loads(dumps([1, (2.5, {"a": b"x"}), {3}], None), None)
print("numpy" in sys.modules)
print(loads(b'{"a":["<i8",[1],"BwAAAAAAAAA="]}', None), "numpy" in sys.modules)
"""
    assert run(["-c", code]) == "False\n[7] True\n"


def test_where_there_is_no_numpy_it_is_said():
    code = """
import sys
sys.modules["numpy"] = None
from honestly.verify._guest.wire import WireError, loads
try:
    loads(b'{"a":["<i8",[1],"BwAAAAAAAAA="]}', None)
except WireError as error:
    print(error)
"""
    assert (
        run(["-c", code])
        == "an array came, but numpy cannot be imported here; `honestly bench samples --with numpy` offers it\n"
    )
