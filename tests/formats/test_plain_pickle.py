"""Pickles are read and never run: plain data comes out as it went in, anything else is opaque, anything is survived."""

import collections
import pickle
import random
from contextlib import suppress

import pytest
from hypothesis import given, settings, strategies as st

from honestly.errors import FormatError
from honestly.formats import read_plain_pickle
from honestly.formats._plain_pickle import OPAQUE

KEYS = st.one_of(st.text(max_size=5), st.integers(), st.booleans(), st.none(), st.tuples(st.integers(), st.text()))
LEAVES = st.one_of(KEYS, st.floats(allow_nan=False), st.binary(max_size=5), st.sets(KEYS), st.frozensets(KEYS))
DATA = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner), st.tuples(inner, inner), st.dictionaries(KEYS, inner)),
    max_leaves=20,
)


@pytest.mark.slow
@given(data=DATA, protocol=st.integers(0, pickle.HIGHEST_PROTOCOL))
@settings(max_examples=100, deadline=None)
def test_plain_data_comes_out_as_it_went_in(data, protocol):
    found = read_plain_pickle(pickle.dumps(data, protocol))
    if protocol > 3:  # older ones write sets and bytes as calls
        assert found == data
        assert repr(found) == repr(data) or "{" in repr(data)


def test_what_is_shared_is_read_and_large_lists_too():
    shared = ["x"]
    data = {"a": shared, "b": [shared, shared], "long": list(range(5000)), "big": 1 << 5000}
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert read_plain_pickle(pickle.dumps(data, protocol)) == data


class Hostile:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def test_nothing_in_it_is_run(tmp_path):
    path = str(tmp_path / "made")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        data = pickle.dumps({"a": 1, "bad": Hostile(path), "more": [Hostile(path)]}, protocol)
        assert read_plain_pickle(data) == {"a": 1, "bad": OPAQUE, "more": [OPAQUE]}
    assert read_plain_pickle(b"cos\nsystem\n(S'touch made'\ntR.") is OPAQUE
    assert not (tmp_path / "made").exists()
    pickle.loads(data)
    assert (tmp_path / "made").exists()  # it would have been


def test_objects_are_opaque_and_what_stands_beside_them_is_not():
    data = {"c": collections.Counter("aab"), "n": 3, "d": collections.defaultdict(list, a=[1])}
    assert read_plain_pickle(pickle.dumps(data)) == {"c": OPAQUE, "n": 3, "d": OPAQUE}


@pytest.mark.parametrize(
    "data",
    [
        b"", b"text", b"\x80\x04", b"\x80\x04.", b"\x80\x04N", b"N0.", b"(((((u.", b"h\x05.", b"]\x85e.", b"\x80\x04}(K\x01u.",
        b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.", b"I" + b"9" * 5000 + b"\n.", b"\x80\x04" + b"N" * 10 + b"R" * 20 + b".",
    ],
)  # fmt: skip
def test_what_is_no_pickle_is_refused(data):
    with pytest.raises(FormatError):
        read_plain_pickle(data)


@pytest.mark.slow
def test_deep_nests_and_endless_ones_end():
    assert read_plain_pickle(b"\x80\x04" + b"]" * 100_000 + b"a" * 99_999 + b".") is not None
    assert (
        read_plain_pickle(b"\x80\x04}" + b"N" + b"\x85" * 100_000 + b"NsN0.") == {}
    )  # a key that hashing would never leave


@pytest.mark.slow
def test_keys_that_would_be_hashed_for_ever_are_left_out():
    wide, large = tuple(range(200_000)), 1 << 8 * 2_000_000
    for key in (wide, large, (large,)):
        assert read_plain_pickle(pickle.dumps({key: 1, "a": 2})) == {"a": 2}
        assert read_plain_pickle(pickle.dumps({key, "a"}, 4)) == {"a"}


@pytest.mark.slow
def test_one_that_is_too_long_is_refused():
    with pytest.raises(FormatError, match="steps"):
        read_plain_pickle(b"\x80\x04" + b"N0" * 3_000_000 + b"N.")


@given(
    places=st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=3)), min_size=1, max_size=6),
    protocol=st.integers(0, 5),
)
@settings(max_examples=300, deadline=None)
def test_a_broken_pickle_is_read_or_refused(places, protocol):
    rng = random.Random(1)
    data = pickle.dumps({"scores": [{n: rng.random() for n in range(20)}], "x": (1, {2}), "o": Hostile("/")}, protocol)
    for place, new in places:
        at = int(place * len(data))
        data = data[:at] + new + data[at + 1 :]
    with suppress(FormatError):
        read_plain_pickle(data)
