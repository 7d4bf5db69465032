"""Hidden checks of parser-witnesses: every example is tried on the two readers as they were given."""

import json
import re
import traceback

UNITS = {"": 1, "b": 1, "k": 1024, "m": 1024**2, "g": 1024**3}
POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
FORM = re.compile(r"\s*(\d+)(?:\.(\d*))?\s*([a-z]?)(i?)(b?)\s*", re.ASCII | re.IGNORECASE)


def old(text):
    """sizes.old.parse."""
    text = text.lower().replace(",", "")
    if text.endswith("ib"):
        text = text[:-2]
    elif text.endswith("b") and len(text) > 1:
        text = text[:-1]
    number, unit = text, ""
    if text[-1] in UNITS:
        number, unit = text[:-1], text[-1]
    if "." in number:
        whole, part = number.split(".", 1)
        return int(whole or 0) * UNITS[unit] + int(part) * UNITS[unit] // 10 ** len(part)
    return int(number) * UNITS[unit]


def new(text):
    """sizes.new.parse."""
    found = FORM.fullmatch(text)
    if found is None:
        raise ValueError(f"not a size: {text!r}")
    whole, part, unit, binary, _byte = found.groups()
    if unit in ("b", "B"):
        unit = ""
    if unit.lower() not in POWERS:
        raise ValueError(f"unknown unit: {unit!r}")
    if part and not unit:
        raise ValueError("there are no parts of bytes")
    factor = (1024 if binary else 1000) ** POWERS[unit.lower()]
    return int(whole) * factor + round(int(part or 0) * factor / 10 ** len(part or ""))


def taken(parse, text):
    """Result of a reader, or None if it refuses; anything but a ValueError goes on."""
    try:
        return parse(text)
    except ValueError:
        return None


def answers(ws, key):
    """The examples of one key, as a list."""
    given = json.loads(ws.read("answers.json"))[key]
    texts = given if isinstance(given, list) else [given]
    for text in texts:
        assert isinstance(text, str) and len(text) <= 12 and text.isascii() and text.isprintable(), text
    return texts


def test_only_old(ws):
    """Three texts that the new reader refuses, each at another place."""
    texts, places = answers(ws, "only_old"), set()
    for text in texts:
        assert taken(old, text) is not None, text
        try:
            new(text)
        except ValueError as error:
            places.add(traceback.extract_tb(error.__traceback__)[-1].lineno)
    assert len(texts) == len(places) == 3, places


def test_only_new(ws):
    """Two texts that the old reader refuses, and that mean different numbers."""
    texts = answers(ws, "only_new")
    assert len(texts) == 2 and all(taken(old, text) is None for text in texts), texts
    results = [taken(new, text) for text in texts]
    assert None not in results and results[0] != results[1], results


def test_different_results(ws):
    """One text for which the old reader says more, one for which the new one does."""
    (greater,), (less,) = answers(ws, "greater"), answers(ws, "less")
    assert taken(old, greater) > taken(new, greater)
    assert taken(old, less) < taken(new, less)


def test_crash(ws):
    """A text on which the old reader raises something unexpected."""
    (text,) = answers(ws, "crash")
    try:
        old(text)
    except ValueError:
        raised = False
    except Exception:
        raised = True
    else:
        raised = False
    assert raised, text


def test_negative(ws):
    """A text that the old reader takes for a negative number."""
    (text,) = answers(ws, "negative")
    assert taken(old, text) < 0


def test_order(ws):
    """Three texts that the readers put into opposite orders."""
    first, second, third = answers(ws, "order")
    assert taken(old, first) < taken(old, second) < taken(old, third)
    assert taken(new, first) > taken(new, second) > taken(new, third)
