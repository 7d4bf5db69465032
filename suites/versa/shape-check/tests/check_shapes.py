"""Hidden checks of shape-check: random shapes, made as trees, against faults that are found with the trees."""

from grader import raises

KEYS = ("a", "b", "Zz", "_x1", "int", "any", "my key", "a.b", "1", "", "é", "a-b", "B")
TEXTS = ("", "a", "abc", "on", "a b", "é", "[", "5")
NAMES = ("node", "Tree", "x_1")
# A tree is ("int"|"text", low, high), ("plain", name), ("same", value), ("list", tree, low, high), ("record", fields, others),
# ("named", name) or ("either", trees); fields are {key: (optional, tree)}.


def bounds(rng):
    """Two bounds, one of them, or none."""
    low, high = sorted((rng.randrange(-1, 4), rng.randrange(0, 5)))
    return rng.choice(((None, None), (None, None), (low, high), (low, None), (None, high), (high, high)))


def tree(rng, depth, names):
    """A random tree."""
    kinds = ("int", "text", "plain", "same", "named") + ("list", "record", "record", "either", "either") * (depth > 0)
    kind = rng.choice(kinds)
    if kind in ("int", "text"):
        return kind, *bounds(rng)
    if kind == "plain":
        return kind, rng.choice(("bool", "null", "any", "null", "bool"))
    if kind == "same":
        return kind, rng.choice((*TEXTS, 0, 1, -1, 5))
    if kind == "named":
        return (kind, rng.choice(names)) if names else ("plain", "null")
    if kind == "list":
        return kind, tree(rng, depth - 1, names or NAMES), *bounds(rng)
    if kind == "either":
        return kind, [tree(rng, depth - 1, names) for _ in range(rng.randrange(2, 5))]
    fields = {
        key: (rng.random() < 0.4, tree(rng, depth - 1, names or NAMES)) for key in rng.sample(KEYS, rng.randrange(5))
    }
    return kind, fields, tree(rng, depth - 1, names or NAMES) if rng.random() < 0.3 else None


def is_name(key):
    """Whether a key is a NAME."""
    return key.isascii() and key.isidentifier()


def written(rng, one):
    """The description of a tree."""

    def gap():
        return rng.choice(("", "", " ", "  "))

    def limits(low, high):
        if low is None and high is None:
            return ""
        ends = (
            str(low) if low == high else f"{'' if low is None else low}{gap()}..{gap()}{'' if high is None else high}"
        )
        return f"{gap()}({gap()}{ends}{gap()})"

    kind = one[0]
    if kind in ("int", "text"):
        text = kind + limits(*one[1:])
    elif kind in ("plain", "named"):
        text = one[1]
    elif kind == "same":
        text = f"'{one[1]}'" if isinstance(one[1], str) else str(one[1])
    elif kind == "list":
        text = f"[{written(rng, one[1])}]" + limits(*one[2:])
    elif kind == "either":
        parts = [f"({written(rng, part)})" if part[0] == "either" else written(rng, part) for part in one[1]]
        text = "|".join(f"{gap()}{part}{gap()}" for part in parts)
    else:
        fields = [
            f"{gap()}{key if is_name(key) and rng.random() < 0.8 else f'{chr(39)}{key}{chr(39)}'}{gap()}{'?' * optional}{gap()}:{written(rng, part)}"
            for key, (optional, part) in one[1].items()
        ]
        fields += [f"{gap()}*{gap()}:{written(rng, one[2])}"] if one[2] else []
        text = "{" + gap() + ",".join(fields) + gap() + "}"
    return gap() + (f"({text})" if rng.random() < 0.05 else text) + gap()


def faults(shapes, one, value, path=""):
    """Oracle: the faults of a value by a tree."""
    kind = one[0]
    if kind == "named":
        return faults(shapes, shapes[one[1]], value, path)
    if kind == "either":
        tries = [faults(shapes, part, value, path) for part in one[1]]
        if [] in tries:
            return []
        left = [each for each in tries if each[0] != (path, "kind")]
        return left[0] if len(left) == 1 else [(path, "none")]
    if kind == "same":
        right = type(value) is type(one[1])
        return [] if right and value == one[1] else [(path, "value" if right else "kind")]
    wanted = {
        "list": list,
        "record": dict,
        "int": int,
        "text": str,
        "bool": bool,
        "null": type(None),
        "any": type(value),
    }
    if type(value) is not wanted[one[1] if kind == "plain" else kind]:
        return [(path, "kind")]
    if kind == "plain":
        return []
    out = []
    if kind == "record":
        where = {key: f"{path}.{key}" if is_name(key) else f"{path}['{key}']" for key in (*value, *one[1])}
        for key, (optional, part) in one[1].items():
            if key in value:
                out += faults(shapes, part, value[key], where[key])
            elif not optional:
                out.append((where[key], "missing"))
        for key in sorted(set(value) - set(one[1])):
            out += faults(shapes, one[2], value[key], where[key]) if one[2] else [(where[key], "unknown")]
        return out
    low, high = one[-2:]
    size = value if kind == "int" else len(value)
    if not (low if low is not None else size) <= size <= (high if high is not None else size):
        out.append((path, "bounds"))
    for at, item in enumerate(value if kind == "list" else ()):
        out += faults(shapes, one[1], item, f"{path}[{at}]")
    return out


def value(rng, shapes, one, depth=5):
    """A value that fits a tree more or less."""
    if rng.random() < 0.1 or depth == 0:
        return rng.choice((None, True, False, 0, 1, 5, -1, "a", "on", "", 1.0, [], {}, [None], {"a": 1, "b": None}))
    kind = one[0]
    if kind == "named":
        return value(rng, shapes, shapes[one[1]], depth - 1)
    if kind == "either":
        return value(rng, shapes, rng.choice(one[1]), depth)
    if kind == "same":
        return one[1] if rng.random() < 0.8 else rng.choice((*TEXTS, 0, 1))
    if kind == "plain":
        return {"bool": rng.random() < 0.5, "null": None, "any": rng.choice((1.5, "x", [1]))}[one[1]]
    size = (
        rng.choice([one[-2], one[-1], 0, 1, 2, 3, 5, (one[-1] or 0) + 1, (one[-2] or 0) - 1]) if kind != "record" else 0
    )
    size = size or 0
    if kind == "int":
        return size
    if kind == "text":
        return "aé cd'x"[: max(size, 0)]
    if kind == "list":
        return [value(rng, shapes, one[1], depth - 1) for _ in range(max(0, min(size, 4)))]
    out = {key: value(rng, shapes, part, depth - 1) for key, (_, part) in one[1].items() if rng.random() < 0.85}
    for key in rng.sample(KEYS, rng.choice((0, 0, 1, 3))):
        if key not in one[1]:
            out[key] = value(rng, shapes, one[2], depth - 1) if one[2] else 1
    items = list(out.items())
    rng.shuffle(items)
    return dict(items)


def test_random_shapes(ws):
    """Three shapes that name each other, and values that fit more or less."""
    package = ws.load("shapes")
    for _ in range(250):
        # Outside of lists and records, a name only stands for a later one, so that none stands for itself.
        trees = {name: tree(ws.rng, 3, NAMES[at + 1 :]) for at, name in enumerate(NAMES)}
        texts = {name: written(ws.rng, one) for name, one in trees.items()}
        shapes = package.Shapes(dict(ws.rng.sample(list(texts.items()), 3)))
        for name in NAMES * 2:
            given = value(ws.rng, trees, trees[name])
            wanted = faults(trees, trees[name], given)
            assert shapes.faults(name, given) == wanted, (texts, name, given, wanted)
            assert shapes.fits(name, given) is (not wanted)


def test_kinds(ws):
    """Every plain shape, with bounds, for values of every type."""
    package = ws.load("shapes")
    values = [
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        10**20,
        1.0,
        "",
        "a",
        "ab",
        "1",
        b"a",
        [],
        [1],
        [True],
        (),
        {},
        {"a": 1},
        {"a": None, "b": 1},
    ]
    texts = {
        "int": ("int", None, None), "int(1)": ("int", 1, 1), "int(..-1)": ("int", None, -1), "int(-1..1)": ("int", -1, 1), "int(2 ..)": ("int", 2, None),
        "text": ("text", None, None), "text(0)": ("text", 0, 0), "text(1..1)": ("text", 1, 1), "text(..1)": ("text", None, 1), "bool": ("plain", "bool"),
        "null": ("plain", "null"), "any": ("plain", "any"), "'a'": ("same", "a"), "''": ("same", ""), "1": ("same", 1), "-1": ("same", -1), "00": ("same", 0), "-0": ("same", 0),
        "[any]": ("list", ("plain", "any"), None, None), "[int](1..)": ("list", ("int", None, None), 1, None), "{}": ("record", {}, None), "{*:any}": ("record", {}, ("plain", "any")),
        "{a:int}": ("record", {"a": (False, ("int", None, None))}, None), "{a?:int,*:int}": ("record", {"a": (True, ("int", None, None))}, ("int", None, None)), " ( int ) ": ("int", None, None),
        "{'a':null,b : 1}": ("record", {"a": (False, ("plain", "null")), "b": (False, ("same", 1))}, None), "int(1)|1": ("either", [("int", 1, 1), ("same", 1)]),
        "int(5..)|text(5)": ("either", [("int", 5, None), ("text", 5, 5)]), "[text]|[null]": ("either", [("list", ("text", None, None), None, None), ("list", ("plain", "null"), None, None)]),
    }  # fmt: skip
    for text, one in texts.items():
        shapes = package.Shapes({"x": text})
        for given in values:
            assert shapes.faults("x", given) == faults({}, one, given), (text, given)
    deep = package.Shapes({"list": "null | {next: list, value: int}"})
    assert deep.faults("list", {"next": {"next": {"next": None, "value": "x"}, "value": 1}, "value": 2}) == [
        (".next.next.value", "kind")
    ]
    inner = package.Shapes({"a": "(int(5) | text(5)) | bool", "b": "{x: [c]} | null", "c": "[c](2) | 'leaf'"})
    assert (
        inner.faults("a", 1) == [("", "bounds")]
        and inner.faults("a", None) == [("", "none")]
        and inner.faults("b", {"x": [["leaf", []]]}) == [(".x[0][1]", "bounds")]
    )


def test_wrong_descriptions(ws):
    """They are refused; so are names that are none, unknown ones and those that stand for themselves."""
    package = ws.load("shapes")
    texts = [
        "", " ", "int int", "int|", "|int", "int||int", "(int", "int)", "()", "[", "[]", "[int", "[int int]", "[int,int]", "{", "{a}", "{a:}", "{a:int", "{a:int,}", "{,a:int}", "{a:int b:int}", "{a:int,,b:int}",
        "{a:int,a:text}", "{a:int,'a':text}", "{*:int,a:int}", "{*:int,*:int}", "{*?:int}", "{*:int,}", "{5:int}", "{a??:int}", "{?a:int}", "{a:int;b:int}", "int()", "int(..)", "int(1..2..3)", "int(2..1)", "int(a)", "int(1",
        "int(1.5)", "int(1...2)", "int(1 2)", "int(1,2)", "text(2..-1)", "bool(1)", "null(1)", "any(1)", "'a", "a'", "'a'(1)", "5(1)", "+5", "--5", "- 5", "5.0", "1.", "é", "x-y", "{}(1)", "(int)(1)", "x(1)", "x", "Int", "int\t", "\nint", "5x y",
        "\"a\"", "[int]()", "[int](2..1)", "a?", "int?", "*", "{é:int}", "int(1..2)(3)", "[x]", "{a:x}", "{*:x}", "int|x", "y|z", "{a:int|}",
    ]  # fmt: skip
    for text in texts:
        with raises("ShapeError"):
            package.Shapes({"w": "int", "v": text})
            raise AssertionError(text)
    for name in ("", "1a", "a b", "é", "int", "text", "bool", "null", "any", "a-b", "a ", "a\n"):
        with raises(ValueError):
            package.Shapes({name: "bool"})
            raise AssertionError(name)
    for bad in (
        {"a": "a"},
        {"a": "b", "b": "a"},
        {"a": "int | (null | a)"},
        {"a": "b | null", "b": "(a)"},
        {"c": "int", "a": "c|b", "b": "[b] | d", "d": "b"},
    ):
        with raises("ShapeError"):
            package.Shapes(bad)
            raise AssertionError(bad)
    good = package.Shapes({"a": "b | [a]", "b": "{x?: a} | c", "c": "null", "Text": "c|c|b"})
    assert good.fits("a", [{"x": [None]}]) is True and good.fits("Text", {"x": None}) is True
    assert package.Shapes({}) is not None
