"""Hidden checks of message-patterns: random messages, written as patterns in many ways, against their trees filled in."""

import json

PROGRAM = """
const { compile } = require('./message.js');
const out = [];
for (const [pattern, all] of JSON.parse(require('fs').readFileSync(0, 'utf8'))) {
  let fill;
  try { fill = compile(pattern); } catch (error) { out.push(all.map(() => [error.name])); continue; }
  out.push(all.map((values) => {
    try { return fill(values); } catch (error) { return ['fill', error.name]; }
  }));
}
console.log(JSON.stringify(out));
"""

NAMES = ("n", "who", "count_2", "7", "toString", "constructor", "Who")
WORDS = ("you", "me", "true", "null", "3", "constructor", "hasOwnProperty", "other")
TEXTS = ("a", "it's", "'", "''", "#", "{", "}", "'{", "{x}", " ", "\n", "é😀", "#'", "'#", "}'", "\\", ", plural,", "=")


def text_node(rng):
    """Text of a message."""
    return "".join(rng.choice(TEXTS) for _ in range(rng.randrange(1, 4)))


def tree(rng, depth):
    """A message: a list of texts, ("#",), ("value", name) and (type, name, offset, cases)."""
    out = []
    for _ in range(rng.randrange(4)):
        kind = rng.choice(("text", "text", "#", "value", "plural", "select", "selectordinal"))
        if kind == "text":
            out.append(text_node(rng))
        elif kind == "#":
            out.append(("#",))
        elif kind == "value" or depth == 0:
            out.append(("value", rng.choice(NAMES)))
        else:
            exact, words = ("=0", "=1", "=2", "=11", "=23"), ("one", "two", "few", "many")
            given = rng.sample(WORDS[:-1] if kind == "select" else exact + words, rng.randrange(4)) + ["other"]
            rng.shuffle(given)
            cases = {selector: tree(rng, depth - 1) for selector in given}
            out.append((kind, rng.choice(NAMES), rng.choice((0, 0, 1, 2)) if kind == "plural" else 0, cases))
    return out


def quoted(rng, text, special):
    """Text as a pattern writes it, in one of several ways; what follows it is no text."""
    out, position = "", 0
    while position < len(text):
        sign, position = text[position], position + 1
        after = text[position : position + 1]
        if sign in special:
            stop = position + rng.randrange(3)
            while text[stop : stop + 1] and text[stop] in special + "'":  # or an apostrophe would follow the last
                stop += 1
            out += "'" + text[position - 1 : stop].replace("'", "''") + "'"
            position = stop
        elif sign == "'":
            out += "'" if after and after not in special + "'" and rng.random() < 0.7 else "''"
        else:
            out += sign
    return out


def written(rng, message, plural=False):
    """The pattern of a message."""

    def gap():
        return rng.choice(("", "", " ", "\n  ", "\t"))

    out = []
    for piece in message:
        if isinstance(piece, str):
            out.append(quoted(rng, piece, "{}#" if plural else "{}"))
        elif piece[0] == "#":
            out.append("#")
        elif piece[0] == "value":
            out.append("{" + gap() + piece[1] + gap() + "}")
        else:
            kind, name, offset, cases = piece
            inner = plural or kind != "select"
            parts = (
                [gap() + f"offset{gap()}:{gap()}{offset}"]
                if offset or (kind == "plural" and rng.random() < 0.2)
                else []
            )
            for selector, case in cases.items():
                zeros = rng.choice(("", "", "0")) if selector[0] == "=" else ""
                body = selector[0] + zeros + selector[1:]
                lead = rng.choice((" ", "\n\t")) if parts and parts[-1][-1] != "}" else gap()
                parts.append(lead + body + gap() + "{" + written(rng, case, inner) + "}")
            out.append("{" + gap().join(("", name, ",", kind, ",", "")) + "".join(parts) + gap() + "}")
    return "".join(out)


def joined(message, plural=False):
    """The message with texts that stand side by side as one; a # outside of plurals is text."""
    out = []
    for piece in message:
        if piece == ("#",) and not plural:
            piece = "#"
        if not isinstance(piece, str) and len(piece) == 4:
            inner = plural or piece[0] != "select"
            piece = (*piece[:3], {selector: joined(case, inner) for selector, case in piece[3].items()})
        if isinstance(piece, str) and out and isinstance(out[-1], str):
            out[-1] += piece
        else:
            out.append(piece)
    return out


class Failed(Exception):
    """An error of filling in."""


def text_of(value):
    """A value as JavaScript's String writes it."""
    return value if isinstance(value, str) else json.dumps(value)


def filled(message, values, number=None):
    """Oracle: the text of a message."""
    out = ""
    for piece in message:
        if isinstance(piece, str):
            out += piece
            continue
        if piece[0] == "#":
            out += str(number)
            continue
        if piece[1] not in values:
            raise Failed("ReferenceError")
        value = values[piece[1]]
        if piece[0] == "value":
            out += text_of(value)
            continue
        kind, _name, offset, cases = piece
        if kind == "select":
            out += filled(cases.get(text_of(value), cases["other"]), values, number)
            continue
        if isinstance(value, bool) or not isinstance(value, int):
            raise Failed("TypeError")
        rest, word = value - offset, "other"
        if kind == "plural" and rest == 1:
            word = "one"
        if kind == "selectordinal" and rest % 100 not in (11, 12, 13):
            word = {1: "one", 2: "two", 3: "few"}.get(rest % 10, "other")
        out += filled(cases.get(f"={value}", cases.get(word, cases["other"])), values, rest)
    return out


def wanted(message, values):
    """What the program above says."""
    try:
        return filled(message, values)
    except Failed as error:
        return ["fill", str(error)]


def some_values(rng):
    """Values for the names, few of them missing."""
    numbers = (0, 1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 101, 111, 112, 113, 1000)
    return {
        name: rng.choice((*numbers, "you", "3", True, None, "constructor", "me", "other", "'{#"))
        if rng.random() < 0.3
        else rng.choice(numbers)
        for name in NAMES
        if rng.random() < 0.97
    }


def said(ws, cases):
    """Answers to (pattern, list of values)."""
    done = ws.run(["node", "-e", PROGRAM], stdin=json.dumps(cases))
    assert done.code == 0, done.stderr[-500:]
    return json.loads(done.stdout)


def test_random_messages(ws):
    """Trees of all kinds, written with any blanks and any quotes."""
    trees = [joined(tree(ws.rng, ws.rng.randrange(4))) for _ in range(500)]
    cases = [(written(ws.rng, message), [some_values(ws.rng) for _ in range(6)]) for message in trees]
    for (pattern, all_values), message, answers in zip(cases, trees, said(ws, cases), strict=True):
        for values, answer in zip(all_values, answers, strict=True):
            assert answer == wanted(message, values), (pattern, values, answer, wanted(message, values))


def test_texts(ws):
    """Apostrophes, quotes without an end, and signs that mean something elsewhere only."""
    plural = "{n, plural, other {%s}}"
    texts = {
        "": "", "it's": "it's", "'": "'", "''": "'", "'''": "''", "''''": "''", "a''b": "a'b", "'a'": "'a'",
        "'{n}'": "{n}", "'{n}": "{n}", "'{'n'}'": "{n}", "'{''}'": "{'}", "'{'''": "{'", "'{''": "{'", "'}'": "}",
        "#": "#", "'#'": "'#'", "'#": "'#", "{n}'": "5'", "'{'{n}'}'": "{5}", "''{n}''": "'5'", "'''{n}'": "'{n}",
        plural % "#'#'#": "5#5", plural % "'#'''": "#'", plural % "'{#}'": "{#}", plural % "'''#'": "'#",
        plural % "it''s #": "it's 5", plural % "'x' #": "'x' 5", plural % "{n, select, other {# '#'}}": "5 #",
        "{n, select, other {# '#' }}": "# '#' ", "{n,selectordinal,other{#th '#'}}": "5th #", "=0 {n}": "=0 5",
        "\\'{n}": "\\{n}", "a, b": "a, b", " { n } ": " 5 ", "{n}{n}": "55", plural % "": "", "😀'{": "😀{",
        "{n, plural, offset:1 =5 {# left} other {no}}": "4 left", "{n, plural, offset:4 one {# left} other {no}}": "1 left",
        "{n, plural, offset:3 =2 {no} two {no} other {#}}": "2", "{n, plural, =05 {five} other {}}": "five",
        "{n, plural, offset : 2 other{#}}": "3", "{n, select, offset {x} other {y}}": "y", "{n, select, 5 {x} other {y}}": "x",
        "{n, plural, offset:9 other {#}}": "-4", "{n, selectordinal, offset {x} other {#}}": "5",
        "{n, plural, offset{x} other {#}}": "5", "{n,plural,other{{n,plural,offset:1 other{#}}#}}": "45",
    }  # fmt: skip
    answers = said(ws, [(pattern, [{"n": 5}]) for pattern in texts])
    for (pattern, text), answer in zip(texts.items(), answers, strict=True):
        assert answer == [text], (pattern, text, answer)


def test_wrong_patterns(ws):
    """They are refused when they are compiled, whatever the values."""
    patterns = [
        "{", "}", "{}", "{ }", "{n", "{n}}", "a}b", "{n x}", "{n-x}", "{n,}", "{n, }", "{n, plural}", "{n, plural,}", "{é}",
        "{n, plural, }", "{n, number}", "{n, number, x}", "{n, Plural, other {}}", "{n, plural, one {}}", "{n plural, other {}}",
        "{n, plural, other}", "{n, plural, other {}", "{n, plural, other {x} one}", "{n, plural, {x} other {}}", "{n, ,other {}}",
        "{n, select, other {} other {}}", "{n, plural, =1 {} =1 {} other {}}", "{n, plural, =1 {} =01 {} other {}}",
        "{n, plural, = {} other {}}", "{n, plural, =x {} other {}}", "{n, plural, =-1 {} other {}}", "{n, plural, offset: other {}}",
        "{n, plural, offset:x other {}}", "{n, plural, offset:-1 other {}}", "{n, select, =1 {} other {}}", "{n.a}", "{n, plural; other {}}",
        "{n, select, offset:1 other {}}", "{n, selectordinal, offset:1 other {}}", "{n, plural, other {{n}}", "{'n'}", "{#}",
        "{n, plural, other {}} }", "{n, plural, other {'}}", "{n, plural, other {}, one {}}", "{n, plural, = 1 {} other {}}",
        "{n, plural, one {} offset:1 other {}}", "{n, plural, offset:1 offset:1 other {}}", "{{n}}", "{n, select, a-b {} other {}}",
        "{n, select, toString {} toString {} other {}}", "{n, select, __proto__ {}}", "{n, select, a {}}", "{n, plural other {}}",
        "{,}", "{n, select, other {{}}}",
    ]  # fmt: skip
    for pattern, answer in zip(patterns, said(ws, [(pattern, [{"n": 1}]) for pattern in patterns]), strict=True):
        assert answer == [["SyntaxError"]], (pattern, answer)


def test_values(ws):
    """Missing values, values of the wrong kind, and only where they are needed; names that every object has."""
    plural, select = "{n, plural, one {1} other {{x}}}", "{n, select, a {1} toString {2} __proto__ {3} other {{x}}}"
    cases = [
        (plural, [{"n": 1}, {"n": 2}, {}, {"n": "1"}, {"n": 1.5}, {"n": None}, {"n": True}, {"n": 2, "x": ""}]),
        (
            select,
            [
                {"n": "a"},
                {"n": "b"},
                {"n": "toString"},
                {"n": "valueOf", "x": 4},
                {"n": "__proto__"},
                {"n": "other", "x": 6},
            ],
        ),
        ("{toString}{n}", [{"n": 1}, {"toString": 1, "n": False}, {"toString": None, "n": [1, [2]]}]),
        ("{n, selectordinal, other {}}", [{"n": 1}, {"n": "x"}, {"n": []}, {"constructor": 1}]),
        ("{n}{m}", [{"m": 1}, {"n": 1}]),
    ]
    missing, kind = ["fill", "ReferenceError"], ["fill", "TypeError"]
    answers = [
        ["1", missing, missing, kind, kind, kind, kind, ""],
        ["1", missing, "2", "4", "3", "6"],
        [missing, "1false", "null1,2"],
        ["", kind, kind, missing],
        [missing, missing],
    ]
    given = said(ws, cases)
    for case, answer, right in zip(cases, given, answers, strict=True):
        assert answer == right, (case, answer)


def test_a_compiled_pattern_is_used_again(ws):
    """Filling in keeps nothing; several patterns live side by side."""
    code = """
const { compile } = require('./message.js');
const one = compile('{n, plural, offset:1 one {# x} other {# y}}'), two = compile("'{'{n}'");
const bare = Object.assign(Object.create(null), { n: 2 });
console.log([one({ n: 2 }), two({ n: 7 }), one({ n: 5 }), one({ n: 2 }), two({ n: 1 }), one(bare)].join('|'));
"""
    assert ws.run(["node", "-e", code]).stdout == "1 x|{7'|4 y|1 x|{1'|1 x\n"
