"""Hidden checks of sensor-arithmetic: the functions in Python, with the widths of C."""

import json


def following(x):
    """next."""
    return (x << 3 | x >> 5) * 5 + 29 & 0xFF


def level(raw):
    """level."""
    return raw * 17 // 16 & 0xFF


def charge(n):
    """charge: 3u * n * n is an unsigned int."""
    return ((3 * n * n & 0xFFFFFFFF) // 7 + n) & 0xFFFF


def key(text):
    """key."""
    total = 7
    for char in text:
        total = total * 33 + (ord(char) << 4 & 0xFF) & 0xFFFF
    return total


def remaining(now, deadline):
    """remaining."""
    left = deadline - now & 0xFFFFFFFF
    return 0 if left > 0x7FFFFFFF else left


def middle(a, b):
    """middle."""
    half = (a + b & 0xFF) // 2
    return half - 256 if half > 127 else half


def spread(k):
    """spread."""
    mask = 0xF0
    mask = (mask << k % 8 | mask >> 8 - k % 8) & 0xFF
    return ~mask & 0x1FF


def answer(ws, name):
    """One answer."""
    return json.loads(ws.read("answers.json"))[name]


def test_period(ws):
    """Steps until the first 1."""
    x, steps = following(1), 1
    while x != 1:
        x, steps = following(x), steps + 1
        assert steps <= 256
    assert answer(ws, "period") == steps


def test_values(ws):
    """Values that never come, and the first that is smaller than the one before."""
    assert answer(ws, "never") == sorted(set(range(256)) - {level(raw) for raw in range(256)})
    assert answer(ws, "first_drop") == next(n for n in range(1, 65536) if charge(n) < charge(n - 1))


def test_twins(ws):
    """Any two texts with the same key."""
    one, two = answer(ws, "twins")
    assert one != two
    for text in (one, two):
        assert len(text) == 3 and all(char in "abcdefghijklmnopqrstuvwxyz" for char in text), text
    assert key(one) == key(two)


def test_deadline(ws):
    """The smallest deadline that counts as over: what is left grows with the deadline up to there."""
    given = answer(ws, "late")
    assert type(given) is int and 1 < given < 4_000_000_000
    assert remaining(4_000_000_000, given) == 0 != remaining(4_000_000_000, given - 1)


def test_middle(ws):
    """Any two numbers whose middle is greater than both."""
    a, b = answer(ws, "midpoint")
    assert type(a) is int and type(b) is int and -128 <= a <= 127 and -128 <= b <= 127
    assert middle(a, b) > max(a, b)


def test_spread(ws):
    """Ten values, integer promotion included."""
    assert answer(ws, "shifts") == {str(k): spread(k) for k in range(10)}
