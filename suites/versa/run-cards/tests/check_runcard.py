"""Hidden checks of run-cards: random cards, written in many ways beside what they mean, and the one way of writing them."""

import math
from datetime import timedelta

from grader import raises

NAMES = ("a", "b", "rate", "x-1", "y_2", "none", "yes", "d", "z9")
SIGNS = (
    "a",
    "?",
    "B",
    " ",
    "#",
    '"',
    "\\",
    "\n",
    "\t",
    "é",
    "😀",
    "\x00",
    "\x1f",
    "\x7f",
    "[",
    "]",
    "=",
    "n",
    "u{41}",
    "{",
    "'",
    ",",
    "\x80",
    "\r",
)
UNITS = (("d", 86400), ("h", 3600), ("m", 60), ("s", 1))


def value(rng, depth=2):
    """A random value."""
    kind = rng.randrange(7 if depth else 6)
    if kind == 0:
        return rng.choice((None, True, False))
    if kind == 1:
        return rng.choice((0, 1, -1, 7, 1000, -123456, 10**20))
    if kind == 2:
        return rng.choice((0.5, -2.5, 1e20, -1e-9, 0.0, 123456.789, 1e16, 2.5e300, -0.0, 3.0, 1.5e-7))
    if kind == 3:
        seconds = rng.choice((0, 1, 59, 60, 61, 3600, 86399, 86400, 90061, 5 * 86400, rng.randrange(10**6)))
        return timedelta(seconds=rng.choice((seconds, seconds, -seconds)))
    if kind < 6:
        return "".join(rng.choice(SIGNS) for _ in range(rng.randrange(5)))
    return [value(rng, depth - 1) for _ in range(rng.randrange(4))]


def card(rng, depth=3):
    """A random dict of names."""
    return {
        name: card(rng, depth - 1) if depth and rng.random() < 0.35 else value(rng)
        for name in rng.sample(NAMES, rng.randrange(0 if depth < 3 else 1, 5))
    }


def text_of(one):
    """Oracle: the one way of writing a value."""
    if one is None or isinstance(one, bool):
        return {None: "none", True: "yes", False: "no"}[one]
    if isinstance(one, list):
        return "[" + ", ".join(text_of(item) for item in one) + "]"
    if isinstance(one, timedelta):
        left, out = abs(round(one.total_seconds())), ""
        for unit, size in UNITS:
            number, left = divmod(left, size)
            out += f"{number}{unit}" if number else ""
        return "-" * (one < timedelta(0)) + (out or "0s")
    if isinstance(one, str):
        known = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
        return (
            '"' + "".join(known.get(s, f"\\u{{{ord(s):x}}}" if ord(s) < 32 or ord(s) == 127 else s) for s in one) + '"'
        )
    said = repr(one)
    return said.replace("e", ".0e") if isinstance(one, float) and "." not in said else said


def card_text(one, path=()):
    """Oracle: the one way of writing a card, in blocks."""
    plain = [f"{name} = {text_of(item)}\n" for name, item in one.items() if not isinstance(item, dict)]
    inner = [block for name, item in one.items() if isinstance(item, dict) for block in card_text(item, (*path, name))]
    if not path:
        return [*(["".join(plain)] if plain else []), *inner]
    head = f"[{'.'.join(path)}]\n" if plain or not one else ""
    return [*([head + "".join(plain)] if head else []), *inner]


class Writer:
    """Writes a card in one of many ways."""

    def __init__(self, rng):
        self.rng, self.out = rng, []

    def gap(self):
        """Spaces between parts."""
        return self.rng.choice(("", "", " ", " ", "\t", "   "))

    def wide(self):
        """What may stand between the parts of a list."""
        return self.gap() + self.rng.choice(("", "", "", "\n", ' # "x" ]\n\n')) + self.gap()

    def said(self, one):
        """A value."""
        rng = self.rng
        if isinstance(one, list):
            parts = [self.wide() + self.said(item) + self.wide() for item in one]
            return (
                "["
                + ",".join(parts)
                + ("," + self.wide() if parts and rng.random() < 0.3 else "" if parts else self.wide())
                + "]"
            )
        if isinstance(one, str):
            out = ""
            for sign in one:
                ways = [
                    f"\\u{{{rng.choice(('', '0', '00'))}{ord(sign):x}}}"
                    if ord(sign) < 0x1000
                    else f"\\u{{{ord(sign):X}}}"
                ]
                ways += [{'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}.get(sign, sign)] * 3 + ["\t"] * (
                    sign == "\t"
                )
                out += rng.choice(ways)
            return f'"{out}"'
        if isinstance(one, timedelta) and rng.random() < 0.5:
            left, out = abs(round(one.total_seconds())), ""
            units = sorted(rng.sample(UNITS[:3], rng.randrange(3)), key=lambda unit: -unit[1]) + [UNITS[3]]
            for unit, size in units:
                number, left = divmod(left, size)
                out += rng.choice(("", "", "0")) + f"{number}{unit}"
            return "-" * (one < timedelta(0)) + out
        if isinstance(one, int) and not isinstance(one, bool):
            digits = rng.choice((f"{abs(one):_}", str(abs(one)), "0" + str(abs(one))))
            return ("-" if one < 0 else rng.choice(("", "", "+"))) + digits
        text = text_of(one)
        return "+" + text if isinstance(one, float) and text[0] != "-" and rng.random() < 0.2 else text

    def path(self, names):
        """A path."""
        return self.gap() + (self.gap() + "." + self.gap()).join(names) + self.gap()

    def line(self, text):
        """An entry, with what may stand around."""
        self.out.append(self.gap() + text + self.gap() + self.rng.choice(("", "", "# x = 1", '#"')) + "\n")
        if self.rng.random() < 0.2:
            self.out.append(self.rng.choice(("\n", "  \n", "# [a]\n", "\t# = \n")))

    def dict(self, one, section, path):
        """All of a dict, whose path from the section is given; then the sections inside."""
        rng, later = self.rng, []
        for name, item in one.items():
            if isinstance(item, dict):
                if item and section is not None and rng.random() < 0.3:
                    later += self.dict(item, section, (*path, name))
                else:
                    later.append(((*section, *path, name), item))
            elif isinstance(item, list) and item and rng.random() < 0.3:
                at = rng.randrange(len(item) + 1)
                self.line(f"{self.path((*path, name))}={self.gap()}{self.said(item[:at])}")
                self.line(f"{self.path((*path, name))}+={self.gap()}{self.said(item[at:])}")
            else:
                self.line(f"{self.path((*path, name))}={self.gap()}{self.said(item)}")
        return later

    def card(self, one):
        """The whole text."""
        todo = self.dict(one, (), ())
        while todo:
            self.rng.shuffle(todo)
            names, item = todo.pop()
            self.line(f"[{self.path(names)}]")
            todo += self.dict(item, names, ())
        text = "".join(self.out)
        return text[:-1] if text.endswith("\n") and self.rng.random() < 0.2 else text


def same(one, other):
    """Whether two values are equal, types and signs of zeros included, in any order of keys."""
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(same(one[k], other[k]) for k in one)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return isinstance(other, float) and one == other and math.copysign(1, one) == math.copysign(1, other)
    return type(one) is type(other) and one == other


def test_reading(ws):
    """Random cards in any way of writing."""
    runcard = ws.load("runcard")
    for number in range(250):
        one = card(ws.rng, number % 4)
        text = Writer(ws.rng).card(one)
        if ws.rng.random() < 0.2 and "\r" not in text:
            text = text.replace("\n", "\r\n")
        given = runcard.loads(text)
        assert same(given, one), (text, given, one)


def test_writing(ws):
    """Random cards in the one way, and read again."""
    runcard = ws.load("runcard")
    for _ in range(250):
        one = card(ws.rng, ws.rng.randrange(4))
        wanted = "\n".join(card_text(one))
        given = runcard.dumps(one)
        assert given == wanted, (one, given, wanted)
        assert same(runcard.loads(given), one), given
    assert (
        runcard.dumps({}) == ""
        and runcard.loads("") == {}
        and runcard.dumps({"a": {"b": {"c": {}}}, "d": {}}) == "[a.b.c]\n\n[d]\n"
    )
    assert list(runcard.loads("b = 1\na.c = 2\n[d]\n[a]\nb = 1\n")) == ["b", "a", "d"]


def test_values(ws):
    """What can be worked out by hand."""
    runcard = ws.load("runcard")
    for text, wanted in {
        "007": 7, "+1": 1, "-0": 0, "1_2_3": 123, "1.0": 1.0, "-1.50": -1.5, "1.0e3": 1000.0, "1.5e-3": 0.0015, "1.0e+2": 100.0, "00.5": 0.5, "1d": timedelta(1), "90m": timedelta(0, 5400),
        "-1h5s": timedelta(0, -3605), "0s": timedelta(0), "1d2h3m4s": timedelta(1, 7384), "[]": [], "[ ]": [], "[1,]": [1], "[[],[[]]]": [[], [[]]], '["a",none]': ["a", None], "[1\n,\n2\n]": [1, 2], "[#x\n]": [],
        '""': "", '"\\u{1F600}"': "😀", '"\\u{10ffff}"': "\U0010ffff", '"\\u{000041}"': "A", '"a\tb"': "a\tb", '"#"#x': "#", "1#x": 1, "yes": True, "no": False, "none": None, "-5s": timedelta(0, -5),
    }.items():  # fmt: skip
        given = runcard.loads(f"x={text}\ny=1")
        assert same(given, {"x": wanted, "y": 1}), (text, given)
    assert runcard.loads("[a]\n[a]\n[ a . b ]\nc=1\n[a]\nb.d=2") == {"a": {"b": {"c": 1, "d": 2}}}
    assert runcard.loads("[a]#b\n") == {"a": {}}
    assert runcard.loads("a.b=[1]\n[a]\nb+=[]\nb += [2,3]\n") == {"a": {"b": [1, 2, 3]}}
    assert runcard.loads("a.b.c=1\na.b.d=2\na.e=3") == {"a": {"b": {"c": 1, "d": 2}, "e": 3}}


def test_wrong_cards(ws):
    """The line on which the first wrong entry begins is named."""
    runcard = ws.load("runcard")
    values = [
        "", "True", "Yes", "NONE", "null", "1_", "_1", "1__2", "1.", ".5", "1e5", "1.5e", "1.5E3", "1.e5", "--1", "+-1", "+ 1", "0x1", "1,2", "1 2", "nan", "inf", "1s1m", "1h1h", "1w", "+1h", "h", "-", "1.5h", "1h 5m", "1_0s", "a", "٣", "٣s",
        "\"", "\"a", "\"a\nb\"", "\"\\x\"", "\"\\\"", "\"\\u{}\"", "\"\\u{1234567}\"", "\"\\u{110000}\"", "\"\\u{d800}\"", "\"\\u{dfff}\"", "\"\\u0041\"", "\"\\u{g}\"", "\"a\" \"b\"", "\"a\"b", "'a'", "[", "]", "[1", "[1 2]", "[,]", "[1,,2]", "[,1]", "[1]]",
        "[1;2]", "[a]", "[1] 2", "[1\n[", "{}", "= 1", "\"\\N\"", "\"\\u{ 41}\"", "[\"a\" \"b\"]", "[\"a\nb\"]", "yes no", "1=2", "[1=2]", "\"\\", "\"\\u{41\"", "1.5_0", "1_0.5", "-none", "5 s", "\n5",
    ]  # fmt: skip
    for text in values:
        wrong(runcard, f"a = 1\n# x\nl = [1,\n2]\nb = {text}\n\nc = ?", 5, text)
    entries = [
        "b", "b 1", "= 1", "b.= 1", ".b = 1", "b..c = 1", "B = 1", "1b = 1", "_b = 1", "-b = 1", "b c = 1", "b = 1 c = 2", "\"b\" = 1", "é = 1", "a = 2", "a.b = 2", "a = 1", "l.x = 1", "b += [1]", "a += [1]", "l += 1", "l += 1,", "l + = [1]", "l -= [1]", "b : 1",
        "[]", "[ ]", "[b", "[b]]", "[[b]]", "[b] c", "[b.]", "[.b]", "[B]", "[a]", "[l]", "[a.b]", "[b c]", "[b\n]", "[b]c = 1", "b\n= 1", "b =\n1", "[b, c]", "d = 1", "d += [1]", "d.e = 1", "d.e += [1]", "[d.e]", "l = []", "d.e.f = 1", "b\u00e9 = 1", "l = [1]",
    ]  # fmt: skip
    for text in entries:
        wrong(runcard, f"a = 1\nd.e = 1\nl = [\n]\n\n{text}\n?", 6, text)
    assert runcard.loads("a = 1\n[b]\na = 1\n[c]\nb = 1") == {"a": 1, "b": {"a": 1}, "c": {"b": 1}}
    for text, line in (
        ("[b]\na=1\n[b]\na=2", 4),
        ("[b]\na=1\n[c]\n[b]\na.x=2", 5),
        ("a\r\n", 1),
        ("\r\n\r\n?", 3),
        ("x = [\n1,\n2", 1),
        ("a=1\rb=2", 1),
        ("a=1\n\x0bb=2", 2),
        ("a=\u00a01", 1),
    ):
        wrong(runcard, text, line, text)
    with raises(ValueError):
        runcard.loads("?")


def wrong(runcard, text, line, told):
    """Demands an error that names a line."""
    with raises("CardError") as caught:
        runcard.loads(text)
        raise AssertionError(told)
    assert str(caught.value).startswith(f"line {line}:"), (told, str(caught.value), line)


def test_what_cannot_be_written(ws):
    """Wrong names, numbers and types."""
    runcard = ws.load("runcard")
    for bad in (
        {"": 1},
        {"A": 1},
        {"a.b": 1},
        {"1": 1},
        {1: 1},
        {None: {}},
        {"a": {"B": 1}},
        {"a b": {}},
        {"é": 1},
        {"a\n": 1},
        {"-a": 1},
    ):
        with raises(ValueError):
            runcard.dumps(bad)
            raise AssertionError(bad)
    for bad in (
        math.inf,
        -math.inf,
        math.nan,
        [math.inf],
        timedelta(microseconds=1),
        [timedelta(0, 1, 5)],
        timedelta(microseconds=-1),
    ):
        with raises(ValueError):
            runcard.dumps({"a": {"b": bad}})
            raise AssertionError(bad)
    for bad in (b"a", (1, 2), {1}, [{}], [{"a": 1}], 1j, [(1,)], range(3)):
        with raises(TypeError):
            runcard.dumps({"a": bad})
            raise AssertionError(bad)
