"""Hidden checks of export-plugins: behaviour against an oracle, formats that are added, shape by the syntax trees."""

import ast
import json
import struct
from datetime import date, timedelta

from grader import raises

WORDS = {
    "csv": (".csv", "text/csv; charset=utf-8", False),
    "json": (".json", "application/json", False),
    "packed": (".pbk", "application/x-packed-bookings", True),
    "table": (".txt", "text/plain; charset=utf-8", False),
    "xml": (".xml", "application/xml", False),
}
NEW = """
NAME = "{name}"
EXTENSION = "{extension}"
MIME = "x/{name}"
BINARY = {binary}


def write(bookings):
    return {text}


def sniff(head):
    return head[:1] == b"{mark}"
"""


def amount(cents):
    """Oracle: cents as a text."""
    return ("-" if cents < 0 else "") + f"{abs(cents) // 100}.{abs(cents) % 100:02}"


def written(name, entries):
    """Oracle: bytes of a format."""
    entries = sorted(entries, key=lambda entry: entry[0])
    rows = [(day.isoformat(), account, amount(cents), note) for day, account, cents, note in entries]
    if name == "csv":
        text = "day,account,amount,note\n"
        for row in rows:
            text += (
                ",".join(c if not any(x in c for x in ',"\n') else '"%s"' % c.replace('"', '""') for c in row) + "\n"
            )
    elif name == "json":
        keys = ("day", "account", "cents", "note")
        text = json.dumps([dict(zip(keys, (str(e[0]), *e[1:]), strict=True)) for e in entries], ensure_ascii=False)
    elif name == "table":
        text = "day         account     amount  note\n"
        for day, account, money, note in rows:
            text += (day + "  " + account.ljust(10) + money.rjust(8) + "  " + note).rstrip() + "\n"
    elif name == "xml":
        text = "<bookings>\n"
        for row in rows:
            cells = [c.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;") for c in row]
            text += '  <booking day="%s" account="%s" amount="%s" note="%s"/>\n' % tuple(cells)
        text += "</bookings>\n"
    else:
        data = b"PBK1" + struct.pack(">I", len(entries))
        for day, account, cents, note in entries:
            a, n = account.encode(), note.encode()
            data += struct.pack(">iqHH", day.toordinal(), cents, len(a), len(n)) + a + n
        return data
    return text.encode()


def entries(rng):
    """Random bookings, as tuples."""
    found = []
    for _ in range(rng.randrange(7)):
        note = "".join(rng.choice('aé,"<&\n >') for _ in range(rng.randrange(6)))
        cents = rng.choice((0, 5, -5, -99, 100, -100, 12345678901, rng.randrange(-99999, 99999)))
        account = rng.choice(("rent", "a,b", 'q"t', "long account", "<&>", ""))
        found.append((date(2026, 1, 1) + timedelta(rng.randrange(3)), account, cents, note))
    return found


def modules(ws):
    """Syntax trees by file name."""
    return {
        name: ast.parse(ws.read(name)) for name in ws.files() if name.startswith("ledger/") and name.endswith(".py")
    }


def is_format(name):
    """Whether a file is that of a format."""
    return name.startswith("ledger/formats/") and not name.split("/")[-1].startswith("_")


def texts(tree):
    """All texts and bytes of a module but docstrings."""
    skipped = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                skipped.add(first.value)
    return [
        n.value
        for n in ast.walk(tree)
        if isinstance(n, ast.Constant) and isinstance(n.value, (str, bytes)) and n not in skipped
    ]


def imports(tree):
    """Dotted names that a module imports."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ("ledger.formats." if node.level == 1 else "ledger." if node.level else "") + (node.module or "")
            found += [f"{base.rstrip('.')}.{alias.name}" for alias in node.names]
    return found


def test_exports(ws):
    """Random bookings in each format; any iterable will do."""
    export, booking = ws.load("ledger.export").export, ws.load("ledger").Booking
    for _ in range(25):
        some = entries(ws.rng)
        handles = [booking(*entry) for entry in some]
        for name in WORDS:
            assert export(name, handles) == written(name, some), (name, some)
    assert export("csv", ws.load("builtins").iter([])) == b"day,account,amount,note\n"


def test_names(ws):
    """Extensions, types, endings of files, and what is unknown."""
    module = ws.load("ledger.export")
    assert module.formats() == sorted(WORDS) and module.problems() == []
    for name, (extension, mime, _binary) in WORDS.items():
        assert module.extension(name) == extension and module.mime(name) == mime
        for path in (f"a/b{extension}", f"X.xml{extension.upper()}", extension):
            assert module.by_file(path) == name
    for wrong in ("", "CSV", "pdf", ".csv"):
        for call in (module.extension, module.mime, lambda name: module.export(name, [])):
            with raises("UnknownFormat"):
                call(wrong)
    for wrong in ("", "csv", "a.csv.gz", "a.pdf"):
        with raises(LookupError):
            module.by_file(wrong)
    module.formats().clear()
    assert module.formats() == sorted(WORDS)


def test_guesses(ws):
    """First bytes."""
    guess = ws.load("ledger.export").guess
    for head, wanted in (
        (b"day,account,", "csv"), (b"day,account", None), (b" day,account,", None), (b" \n[", "json"), (b"[", "json"), (b"{", None), (b"PBK1", "packed"),
        (b" PBK1", None), (b"PBK", None), (b"day  x", "table"), (b"day x", None), (b"\t<", "xml"), (b"<", "xml"), (b"", None), (b" ", None),
    ):  # fmt: skip
        assert guess(head) == wanted, head


def test_modules_of_formats(ws):
    """Each has its six names and no other public one."""
    for name, (extension, mime, binary) in WORDS.items():
        found = [
            path
            for path in ws.files()
            if is_format(path) and path.endswith(".py") and ws.load(path[:-3].replace("/", ".")).NAME == name
        ]
        assert len(found) == 1, name
        module = ws.load(found[0][:-3].replace("/", "."))
        assert (module.EXTENSION, module.MIME, module.BINARY) == (extension, mime, binary)
        assert type(module.write([])) is (bytes if binary else str)
        assert module.sniff(written(name, [])) is True and module.sniff(b"?") is False
        public = ws.load("builtins").dir(module)
        assert {n for n in public if not n.startswith("_")} == {"NAME", "EXTENSION", "MIME", "BINARY", "write", "sniff"}


def test_added_formats(ws):
    """A file that is added is a format, for texts and bytes."""
    name = "".join(ws.rng.choice("bdgkmq") for _ in range(5))
    ws.write(
        "ledger/formats/zz_new.py",
        NEW.format(name=name, extension=".q1", binary=False, text="'é' * len(bookings)", mark="!"),
    )
    ws.write(
        "ledger/formats/aa_new.py", NEW.format(name="z" + name, extension=".q2", binary=True, text="b'12'", mark="!")
    )
    ws.write("ledger/formats/_helper.py", "X = 1\n")
    module, booking = ws.load("ledger.export"), ws.load("ledger").Booking
    assert module.formats() == sorted([*WORDS, name, "z" + name]) and module.problems() == []
    assert module.export(name, [booking(date(2026, 1, 1), "a", 1)]) == "é".encode()
    assert module.export("z" + name, []) == b"12"
    assert module.guess(b"!") == name and module.by_file("x.Q2") == "z" + name
    assert module.mime(name) == f"x/{name}" and module.extension(name) == ".q1"
    assert module.guess(b"[") == "json"


def test_modules_that_are_no_formats(ws):
    """Left out and told: what lacks a name, repeats one, or cannot be imported."""
    good = NEW.format(name="good", extension=".good", binary=False, text="''", mark="$")
    ws.write("ledger/formats/m_good.py", good)
    ws.write("ledger/formats/n_twin.py", good.replace('".good"', '".other"').replace("x/good", "x/twin"))
    ws.write("ledger/formats/o_twin.py", good.replace('NAME = "good"', 'NAME = "other"'))
    ws.write("ledger/formats/p_broken.py", "1 / 0\n")
    ws.write("ledger/formats/b_syntax.py", "def\n")
    ws.write("ledger/formats/q_missing.py", "import nowhere_to_be_found\n")
    lacking = []
    for number, part in enumerate(("NAME", "EXTENSION", "MIME", "BINARY", "def write", "def sniff")):
        text = NEW.format(name=f"l{number}", extension=f".l{number}", binary=False, text="''", mark="%")
        ws.write(f"ledger/formats/l{number}.py", text.replace(part, part[:-1] + "_"))
        lacking.append(f"l{number}.py")
    module = ws.load("ledger.export")
    assert module.formats() == sorted([*WORDS, "good"])
    assert module.problems() == sorted(
        ["n_twin.py", "o_twin.py", "p_broken.py", "b_syntax.py", "q_missing.py", *lacking]
    )
    assert module.mime("good") == "x/good" and module.extension("good") == ".good"


def test_words_are_in_one_place(ws):
    """Names, extensions and types are written in their own format's module only."""
    trees = modules(ws)
    words = {word for name, (extension, mime, _binary) in WORDS.items() for word in (name, extension, mime)}
    for file, tree in trees.items():
        found = words & {text for text in texts(tree) if isinstance(text, str)}
        if not is_format(file):
            assert not found, (file, found)
        else:
            owners = {name for name, (extension, mime, _b) in WORDS.items() if {name, extension, mime} & found}
            assert len(owners) <= 1, (file, owners)


def test_imports(ws):
    """Formats do not know each other or the exporter; nobody names a format's module."""
    trees = modules(ws)
    own = {file[:-3].replace("/", ".") for file in trees if is_format(file)}
    for file, tree in trees.items():
        for name in imports(tree):
            assert not any(name == module or name.startswith(module + ".") for module in own), (file, name)
            assert not (file.startswith("ledger/formats/") and name.startswith("ledger.export")), (file, name)


def test_the_exporter_is_small(ws):
    """No comparisons with texts in conditions, and no long functions."""
    for function in ast.walk(modules(ws)["ledger/export.py"]):
        if not isinstance(function, ast.FunctionDef):
            continue
        body = function.body[1:] if isinstance(function.body[0], ast.Expr) else function.body
        assert sum(1 for _ in body) == 0 or body[-1].end_lineno - body[0].lineno + 2 <= 12, function.name
        for node in ast.walk(function):
            tests = [node.test] if isinstance(node, (ast.If, ast.IfExp)) else []
            tests += [case.pattern for case in node.cases] if isinstance(node, ast.Match) else []
            for compared in (inner for test in tests for inner in ast.walk(test)):
                sides = [compared.left, *compared.comparators] if isinstance(compared, ast.Compare) else []
                sides += [compared.value] if isinstance(compared, ast.MatchValue) else []
                assert not any(
                    isinstance(side, ast.Constant) and isinstance(side.value, (str, bytes)) for side in sides
                )


def shape(node):
    """Structure of a syntax tree without names and constants, and its number of nodes."""
    if isinstance(node, ast.Constant):
        return "constant", 1
    parts, size = [type(node).__name__], 1
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr_context):
            inner, count = shape(child)
            parts.append(inner)
            size += count
    return "(" + " ".join(parts) + ")", size


def test_nothing_is_written_twice(ws):
    """No three statements twice (of at least 18 nodes; less is too plain to count)."""
    seen = set()
    for file, tree in modules(ws).items():
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if not isinstance(body, list) or isinstance(node, (ast.Module, ast.ClassDef)):
                continue
            shapes = [shape(statement) for statement in body]
            for at in range(len(shapes) - 2):
                run = tuple(text for text, _size in shapes[at : at + 3])
                if sum(size for _text, size in shapes[at : at + 3]) >= 18:
                    assert run not in seen, f"{file}:{body[at].lineno}"
                    seen.add(run)
