"""Hidden checks of label-selectors: grammar, first mistakes, exact numbers, and the proper form."""

import re
from fractions import Fraction

from grader import raises

KEYS = ["a", "b", "zone", "x/y.z", "n-1", "And", "7"]
VALUES = [
    "eu",
    "5",
    "-5",
    "5.0",
    "05",
    "10",
    "",
    "api gateway",
    "and",
    "NOT",
    'say "hi"',
    "back\\slash",
    "é",
    "1e1",
    "a,b",
]
WORD = re.compile(r"[A-Za-z0-9_./-]+")
NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def quoted(value, always=False):
    if WORD.fullmatch(value) and value not in ("and", "or", "not", "in") and not always:
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


# A condition is a tuple: (kind, ...) with kinds key, one of the signs, in, not, and, or.


def random_condition(rng, depth):
    kind = rng.choice(["key", "=", "!=", "<", "<=", ">", ">=", "in"] + ["not", "and", "or", "and", "or"] * (depth > 0))
    if kind == "not":
        return (kind, random_condition(rng, depth - 1))
    if kind in ("and", "or"):
        return (kind, *(random_condition(rng, depth - 1) for _ in range(rng.randrange(2, 4))))
    if kind == "in":
        return (kind, rng.choice(KEYS), [rng.choice(VALUES) for _ in range(rng.randrange(1, 4))])
    return (kind, rng.choice(KEYS), "" if kind == "key" else rng.choice(VALUES))


def holds(condition, labels):
    kind, *rest = condition
    if kind in ("and", "or"):
        answers = [holds(part, labels) for part in rest]
        return all(answers) if kind == "and" else any(answers)
    if kind == "not":
        return not holds(rest[0], labels)
    key, value = rest
    if key not in labels or kind == "key":
        return key in labels
    label = labels[key]
    if kind in ("=", "!=", "in"):
        return label in value if kind == "in" else (label == value) == (kind == "=")
    if not NUMBER.fullmatch(label) or not NUMBER.fullmatch(value):
        return False
    less, same = Fraction(label) < Fraction(value), Fraction(label) == Fraction(value)
    return (same and "=" in kind) or (not same and less == ("<" in kind))


def proper(condition, around=0):
    """The proper form; `around` tells what is outside: 0 nothing or an or, 1 an and, 2 a not."""
    kind, *rest = condition
    if kind in ("and", "or"):
        rank = 1 if kind == "and" else 0
        text = f" {kind} ".join(proper(part, rank) for part in rest)
        return f"({text})" if rank < around else text
    if kind == "not":
        return f"not {proper(rest[0], 2)}"
    key, value = rest
    if kind == "in":
        return f"{key} in ({', '.join(quoted(item) for item in value)})"
    return key if kind == "key" else f"{key} {kind} {quoted(value)}"


def written(rng, condition):
    """The condition with needless parentheses, quotes and spaces; always in parentheses if it is joined."""
    kind, *rest = condition
    space = lambda: rng.choice(["", " ", "  ", "\t", "\n"])
    if kind in ("and", "or"):
        inside = f" {kind} ".join(written(rng, part) for part in rest)
        return f"({space()}{inside}{space()})"
    if kind == "not":
        return f"not{rng.choice([' ', '  '])}{written(rng, rest[0])}"
    key, value = rest
    if kind == "in":
        items = f"{space()},{space()}".join(quoted(item, rng.random() < 0.5) for item in value)
        text = f"{key} in{space()}({space()}{items}{space()})"
    else:
        text = key if kind == "key" else f"{key}{space()}{kind}{space()}{quoted(value, rng.random() < 0.5)}"
    return f"({text}{space()})" if rng.random() < 0.2 else text


def keys_in(condition):
    kind, *rest = condition
    return set().union(*map(keys_in, rest)) if kind in ("and", "or", "not") else {rest[0]}


def random_labels(rng):
    return {key: rng.choice(VALUES) for key in KEYS if rng.random() < 0.6}


PROBE = '''
from fleet.errors import SelectorError
from fleet.selector import parse


def position_of(text):
    """Where the mistake is."""
    try:
        parse(text)
    except SelectorError as error:
        return error.position
    return "no error"
'''


def probe(ws):
    ws.write("probe_position.py", PROBE)
    return ws.load("probe_position")


def test_conditions_without_the_label(ws):
    """Without the label every condition is False; with an empty one, it is there."""
    parse = ws.load("fleet.selector").parse
    for text in ["k", "k = v", "k != v", "k < 1", "k >= 1", 'k = ""', 'k in (v, "")']:
        assert parse(text).matches({"other": "v"}) is False, text
        assert parse(f"not {text}").matches({}) is True, text
    assert parse("k").matches({"k": ""}) is True
    assert parse("k != v").matches({"k": ""}) is True
    assert parse('k in (v, "")').matches({"k": ""}) is True


def test_numbers_are_exact(ws):
    """Order is by exact number; what is no number is in no order."""
    parse = ws.load("fleet.selector").parse
    cases = [("9007199254740993", ">", "9007199254740992", True), ("0.1", "<", "0.10000000000000000000001", True)]
    cases += [("10", ">", "9", True), ("-5", "<", "-4.5", True), ("007", "<=", "7.0", True), ("-0", ">=", "0", True)]
    cases += [("7", "<", "7.0", False), ("1" + "0" * 60, ">", "9" * 60, True)]
    for label, sign, value, expected in cases:
        assert parse(f"k {sign} {value}").matches({"k": label}) is expected, (label, sign, value)
    for odd in ["1e3", "nan", "inf", "+5", "1_000", " 5", "5 ", "5.", ".5", "", "0x10", "٣", "--5", "5\n"]:
        for sign in ["<", "<=", ">", ">="]:
            assert parse(f"k {sign} 7").matches({"k": odd}) is False, odd
            assert parse(f'k {sign} "{odd}"').matches({"k": "7"}) is False, odd
    assert parse("k = 7").matches({"k": "7.0"}) is False


def test_precedence(ws):
    """not binds closest, then and, then or; parentheses change that."""
    parse = ws.load("fleet.selector").parse
    for bits in range(8):
        labels = {key: "" for place, key in enumerate("abc") if bits >> place & 1}
        a, b, c = (key in labels for key in "abc")
        expected = {
            "a or b and c": a or (b and c),
            "a and b or c": (a and b) or c,
            "(a or b) and c": (a or b) and c,
            "not a and b": (not a) and b,
            "not (a and b) or c": (not (a and b)) or c,
            "not not a or not b and c": a or ((not b) and c),
            "a and not b or not (c or a)": (a and not b) or not (c or a),
        }
        for text, answer in expected.items():
            assert parse(text).matches(labels) is answer, (text, labels)


def test_random_selectors(ws):
    """Random selectors, oddly written: meaning, keys and proper form; the proper form is its own."""
    parse = ws.load("fleet.selector").parse
    for _ in range(80):
        condition = random_condition(ws.rng, 3)
        selector = parse(written(ws.rng, condition))
        labels = random_labels(ws.rng)
        assert selector.matches(labels) is holds(condition, labels), proper(condition)
        assert str(selector) == proper(condition)
        assert set(selector.keys()) == keys_in(condition)
        assert str(parse(proper(condition))) == proper(condition)


def test_proper_form(ws):
    """Which parentheses, quotes and spaces stay."""
    parse = ws.load("fleet.selector").parse
    forms = {
        "a or (b or (c and (d and e)))": "a or b or c and d and e",
        "(a or b) and (c) and ((d or e))": "(a or b) and c and (d or e)",
        "not (not (a))": "not not a",
        "not(a=b)and not (a and b)": "not a = b and not (a and b)",
        'a="in"': 'a = "in"',
        'a="In"': "a = In",
        'a in("")': 'a in ("")',
        "a in (b,b , c)": "a in (b, b, c)",
        r'a="x\"y\\z"': r'a = "x\"y\\z"',
        "a<-1.5": "a < -1.5",
        "\n a\t": "a",
        'a="0/x_y.z-"': "a = 0/x_y.z-",
    }
    for text, form in forms.items():
        assert str(parse(text)) == form, text


def test_strings(ws):
    """Strings hold every character, keywords and spaces included; only two escapes."""
    parse = ws.load("fleet.selector").parse
    for value in ["", " ", "not", "a b", "é\n\t", '"', "\\", '\\"', "(),=", "'", "a\\\\b"]:
        text = "k = " + quoted(value, always=True)
        assert parse(text).matches({"k": value}) is True, text
        assert parse(text).matches({"k": value + "x"}) is False, text


def test_first_mistakes(ws):
    """The position of what cannot stand where it stands, or of the end."""
    near = probe(ws)
    cases = {"": 0, "  ": 2, "and": 0, "a and": 5, "a or or b": 5, "not": 3, "a not b": 2, "(a": 2, "a)": 1, "()": 1}
    cases |= {"a b": 2, "a = ": 4, "a = = b": 4, "a = and": 4, "a = (b)": 4, "a in b": 5, "a in ()": 6, "a in (b": 7}
    cases |= {"a in (b,)": 8, "a in (b c)": 8, "a in (b,,c)": 8, "in (a)": 0, '"a" = b': 0, "a = b = c": 6, "= b": 0}
    cases |= {"a,b": 1, "a not in (b)": 2, "(a or b) c": 9, "not and": 4, "((a)": 4, "a = b, c": 5, "a in (b) (c)": 9}
    for text, expected in cases.items():
        assert near.position_of(text) == expected, text


def test_mistakes_in_characters_and_strings(ws):
    """Foreign characters, open strings, wrong backslashes; the leftmost mistake is the one that counts."""
    near = probe(ws)
    cases = {"a & b": 2, "a ! b": 2, "é": 0, "a = é": 4, "a\u00a0": 1, "a = 'b'": 4, "a = b;": 5, "$": 0, "a == b": 3}
    cases |= {'a = "b': 4, 'a = "b\\"': 4, 'a = "x\\ny"': 6, 'a = "\\\\\\q"': 7, 'a in (b, "c': 9, 'a = "b\\': 4}
    cases |= {"a b &": 2, 'a b "c': 2, "(a = b c) and $": 7, "a and ) &": 6, 'or a = "b': 0}
    cases |= {'a "b': 2, 'a "b\\q"': 2, '"\\q"': 0, 'a = b "\\q" &': 6, 'a = "b" "c': 8, "a in (b &": 8}
    for text, expected in cases.items():
        assert near.position_of(text) == expected, text


def test_deep_and_long_selectors(ws):
    """A hundred levels of parentheses and of not; thousands of joined conditions."""
    parse = ws.load("fleet.selector").parse
    nested = parse("(" * 100 + "a" + ")" * 100)
    assert (str(nested), nested.matches({"a": ""})) == ("a", True)
    negated = parse("not " * 100 + "a")
    assert (str(negated), negated.matches({"a": ""})) == ("not " * 100 + "a", True)
    text = "z"
    for _ in range(50):
        text = f"(a and not {text})"
    assert str(parse(text)) == text[1:-1]
    assert parse(text).matches({"a": "", "z": ""}) is True
    assert parse(text).matches({"a": ""}) is False
    for word in ["and", "or"]:
        long = f" {word} ".join(f"k{n} = {n}" for n in range(3000))
        selector = parse(long)
        assert str(selector) == long
        assert len(selector.keys()) == 3000
        assert selector.matches({"k2999": "2999"}) is (word == "or")


def test_find(ws):
    """find in the inventory works with what parse returns, and passes its errors on."""
    inventory = ws.load("fleet.inventory")
    machines = [inventory.Machine(name, {"n": name[1:]}) for name in ["m3", "m10", "m2"]]
    assert inventory.find(machines, "n >= 3") == ["m10", "m3"]
    assert inventory.find(machines, "n or x") == ["m10", "m2", "m3"]
    with raises("fleet.errors.SelectorError"):
        inventory.find(machines, "n >=")
