"""Hidden checks of logq-spread-logs: random queries over lines that are spread at random."""

from datetime import datetime, timedelta, timezone
from fractions import Fraction

from grader import raises

START = datetime(2026, 3, 1, 10, tzinfo=timezone.utc)
UNITS = {"": 1, "ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "B": 1, "kB": 1000, "MB": 10**6}
KINDS = {"": 0, "ms": 1, "s": 1, "m": 1, "h": 1, "B": 2, "kB": 2, "MB": 2}
ODD = ['a "b" c', "C:\\new\\table", "", "two\nlines", "x=y", "tab\there", "\\", '"', '\\"', "\\n", "end\\", "ä ö", "a\\\\nb"]


class V:
    """A value: its text, kind and meaning."""

    def __init__(self, text, kind=4, meaning=None):
        self.text, self.kind, self.meaning = text, kind, text if meaning is None else meaning


def stamp(moment, rng):
    """A moment as text, with some offset."""
    hours = rng.choice((0, 0, 1, -5, 5.5))
    text = moment.astimezone(timezone(timedelta(hours=hours))).isoformat(timespec=rng.choice(("seconds", "seconds", "milliseconds")))
    return V(text.replace("+00:00", "Z") if rng.random() < 0.5 else text, 3, moment)


def amount(rng):
    """A number, a duration or a size."""
    unit = rng.choice(("", "", "ms", "ms", "s", "m", "B", "kB"))
    number = rng.choice((Fraction(rng.randrange(-3, 9)), Fraction(rng.randrange(90), 8), Fraction(1000), Fraction(1)))
    return V(f"{float(number):g}" + unit, KINDS[unit], number * UNITS[unit])


def word(rng):
    """A text."""
    return V(rng.choice(("api", "web", "batch", "a", "ap", "12x", "Z", "true")))


def rows(rng, size):
    """Random rows: dicts of values, in the order of time."""
    moment, made = START, []
    for _ in range(size):
        moment += rng.choice((0, 0, 1, 1, 7)) * timedelta(seconds=1)
        row = {"time": stamp(moment, rng)}
        for key in rng.sample(("svc", "took", "status", "host", "n"), rng.randrange(5)):
            row[key] = word(rng) if key in ("svc", "host") or rng.random() < 0.1 else amount(rng)
        made.append(row)
    return made


def quoted(text):
    """A text in quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'


def written(text):
    """A value as a line has it."""
    return quoted(text) if not text or any(c.isspace() or c in '"\\=' for c in text) else text


def line(row):
    """A row as a line."""
    fields = [f"{key}={written(value.text)}" for key, value in row.items() if key != "time"]
    return " ".join(([row["time"].text] if "time" in row else []) + fields)


def plain(found):
    """Rows as the solution gives them."""
    return [{key: value.text for key, value in row.items()} for row in found]


def compare(op, one, other):
    """One comparison, by the table of kinds."""
    if op == "~":
        return other.text in one.text
    if one.kind != other.kind:
        return False
    a, b = one.meaning, other.meaning
    return {"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def condition(rng, made):
    """A random comparison or `has`: (text, truth of a row, explanation, first, last)."""
    if rng.random() < 0.12:
        key = rng.choice(("svc", "took", "n"))
        return f"has {key}", lambda row: key in row, f"has {key}", None, None
    key = rng.choice(("svc", "host", "took", "status", "n", "time", "time"))
    op = rng.choice(("=", "!=", "<", "<=", ">", ">=", ">", "<=", "~") if key != "time" else ("<", "<=", ">", ">=", "=", "!="))
    if key == "time":
        value = stamp(rng.choice(made)["time"].meaning, rng)
    else:
        known = [row[key] for row in made if key in row]
        value = rng.choice(known) if known and rng.random() < 0.8 else amount(rng)
    first = value.meaning if key == "time" and op in ("=", ">", ">=") else None
    last = value.meaning if key == "time" and op in ("=", "<", "<=") else None
    text = value.text if rng.random() < 0.7 else quoted(value.text)
    return f"{key} {op} {text}", lambda row: key in row and compare(op, row[key], value), f"{key} {op} {value.text}", first, last


def tree(rng, made, depth):
    """A random filter: (text, truth of a row, tree of tuples)."""
    kind = rng.choice(("one", "not", "and", "or")) if depth else "one"
    if kind == "one":
        text, truth, shown, first, last = condition(rng, made)
        return text, truth, ("one", shown, first, last)
    if kind == "not":
        text, truth, node = tree(rng, made, depth - 1)
        bare = node[0] in ("one", "not")
        return f"not {text}" if bare else f"not ({text})", lambda row: not truth(row), ("not", node)
    parts = [tree(rng, made, depth - 1) for _ in range(rng.choice((2, 2, 3)))]
    text = f" {kind} ".join(text if node[0] in ("one", "not") else f"({text})" for text, _truth, node in parts)
    truths = [truth for _text, truth, _node in parts]
    if kind == "and":
        return text, lambda row: all(truth(row) for truth in truths), ("and", [node for *_rest, node in parts])
    return text, lambda row: any(truth(row) for truth in truths), ("or", [node for *_rest, node in parts])


def shown(node, negated=False):
    """Explanation, first and last time of a tree."""
    if node[0] == "one":
        return (f"not {node[1]}", None, None) if negated else node[1:]
    if node[0] == "not":
        return shown(node[1], not negated)
    parts = [shown(part, negated) for part in node[1]]
    firsts, lasts = [part[1] for part in parts], [part[2] for part in parts]
    names = ", ".join(part[0] for part in parts)
    if (node[0] == "and") != negated:
        known = [moment for moment in firsts if moment], [moment for moment in lasts if moment]
        return f"all({names})", max(known[0], default=None), min(known[1], default=None)
    return f"any({names})", None if None in firsts else min(firsts), None if None in lasts else max(lasts)


def spread(rng, made, size):
    """Rows over some logs; where times are equal, rows of an earlier log come first."""
    parts = [[] for _ in range(size)]
    for row in made:
        rng.choice(parts).append(row)
    merged = sorted((row["time"].meaning, number, place) for number, part in enumerate(parts) for place, row in enumerate(part))
    return parts, [parts[number][place] for _moment, number, place in merged]


def decimals(number):
    """A number with three decimals at most, half to even."""
    thousandths = round(number * 1000)
    text = f"{abs(thousandths) // 1000}.{abs(thousandths) % 1000:03d}".rstrip("0").rstrip(".")
    return ("-" if thousandths < 0 else "") + text


def aggregate(name, key, group):
    """What a group of rows comes to."""
    found = [row[key] for row in group if key in row]
    amounts = [value.meaning for value in found if value.kind < 3]
    if name == "count":
        return str(len(group))
    if name == "distinct":
        return str(len({value.text for value in found}))
    if name == "last":
        return found[-1].text if found else "-"
    if name == "sum":
        return decimals(sum(amounts, Fraction(0)))
    if not amounts:
        return "-"
    return decimals(max(amounts) if name == "max" else sum(amounts) / Fraction(len(amounts)))


def ordered(made, key, descending):
    """Rows by kind and value of a key."""
    known = [row for row in made if key in row]
    result = sorted(known, key=lambda row: (row[key].kind, row[key].meaning), reverse=descending)
    return result + [row for row in made if key not in row]


def staged(rng, made, simple=False):
    """Random stages: their text, and the rows that they give, as plain dicts."""
    text = ""
    if rng.random() < 0.5:
        key, descending = rng.choice(("took", "svc", "time", "n")), rng.random() < 0.5
        text, made = f"| sort {'-' if descending else ''}{key} ", ordered(made, key, descending)
    if rng.random() < 0.5:
        size = rng.randrange(8)
        text, made = text + f"| limit {size} ", made[:size]
    kind = rng.choice(("none", "fields", "group", "group", "whole"))
    if kind == "fields":
        keys = rng.sample(("svc", "took", "time", "gone"), 2)
        return text + f"| fields {keys[0]}, {keys[1]}", [{k: r[k].text for k in keys if k in r} for r in made]
    if kind in ("group", "whole"):
        name, key = rng.choice(("count", "sum", "avg", "max", "distinct", "last")), rng.choice(("took", "n", "svc", "status"))
        text += f"| {name} " + ("" if name == "count" else key)
        if kind == "whole":
            return text, [{name: aggregate(name, key, made)}]
        by = rng.choice(("svc", "host"))
        groups = sorted({row[by].text for row in made if by in row})
        found = [[row for row in made if by in row and row[by].text == value] for value in groups]
        return text + f" by {by}", [{by: v, name: aggregate(name, key, g)} for v, g in zip(groups, found, strict=True)]
    return text, plain(made)


def test_random_queries(ws):
    """Random filters and stages over random logs."""
    logq = ws.load("logq")
    for _ in range(6):
        made = rows(ws.rng, 25)
        log = logq.Log([line(row) for row in made])
        for _ in range(12):
            text, truth, _node = tree(ws.rng, made, 3)
            stages, wanted = staged(ws.rng, [row for row in made if truth(row)])
            query = f"{text} {stages}" if ws.rng.random() < 0.9 else text
            found = logq.search(query, log)
            assert found == (wanted if query != text else plain(row for row in made if truth(row))), query
        assert logq.lines(logq.search("", log)) == [line(row) for row in made]


def test_errors(ws):
    """What cannot be read is refused, as before."""
    logq = ws.load("logq")
    log = logq.Log(["2026-03-01T10:00:00Z a=1"])
    for query in ("a", "a =", "a = 1 2", "(a = 1", "a = 1)", "and", "a = 1 | nothing", "a = 1 |", 'a = "x', "a ! 1", "| count a",
                  "| limit x", "| sum", 'a = "\\x"', "has", "not", "a b 1", "| bogus a by b", "| count a by b", "| limit -1", "( a = 1", "a = 1 | | count", "| fields", "a = 1 or"):  # fmt: skip
        with raises("logq.query.BadQuery"):
            logq.search(query, log)
    for bad in ("a=1", "2026-03-01 a=1", "2026-03-01T10:00:00 a=1", "2026-03-01T10:00:00Z  a=1", '2026-03-01T10:00:00Z a="1',
                "2026-03-01T10:00:00Z a=", "2026-03-01T10:00:00Z a=1=2", "2026-03-01T10:00:00Z time=1", '2026-03-01T10:00:00Z a="1"b',
                "2026-13-01T10:00:00Z a=1", '2026-03-01T10:00:00Z a="\\x"', '2026-03-01T10:00:00Z a=1"'):  # fmt: skip
        with raises("logq.records.BadLine"):
            logq.Log([bad])
    with raises("logq.records.BadLine"):
        logq.Log(["2026-03-01T10:00:01Z a=1", "2026-03-01T10:00:00Z a=1"])


def test_ends_of_lines_and_flags(ws):
    """Lines may have their ends, and a key without a value is true; `limit` and `fields` do what they say."""
    logq = ws.load("logq")
    log = logq.Log(["2026-03-01T10:00:00Z retried a=1\n", "2026-03-01T10:00:00Z a=2 ok retried=false\n", "2026-03-01T10:00:01Z\n"])
    assert logq.search("", log) == [
        {"time": "2026-03-01T10:00:00Z", "retried": "true", "a": "1"},
        {"time": "2026-03-01T10:00:00Z", "a": "2", "ok": "true", "retried": "false"},
        {"time": "2026-03-01T10:00:01Z"},
    ]
    assert logq.search("retried = true | fields a, retried, fields", log) == [{"a": "1", "retried": "true"}]
    assert logq.search("|fields ok|limit 2", log) == [{}, {"ok": "true"}]
    assert logq.lines(logq.search("| fields a, time | limit 1", log)) == ["2026-03-01T10:00:00Z a=1"]


def test_explanations(ws):
    """`not` is moved inward, and nothing that is negated limits the times."""
    logq = ws.load("logq")
    made = rows(ws.rng, 12)
    for _ in range(40):
        text, _truth, node = tree(ws.rng, made, 3)
        names, first, last = shown(node)
        found, begin, end = logq.explain(text).rsplit(" from ", 1)[0], *logq.explain(text).rsplit(" from ", 1)[1].split(" to ")
        assert found == names, text
        for moment, given in ((first, begin), (last, end)):
            assert given == "..." if moment is None else datetime.fromisoformat(given) == moment, text
    assert logq.explain("") == "all() from ... to ..."


def test_spread(ws):
    """The same rows in one log, in two, in five of which some are empty, and in none."""
    logq = ws.load("logq")
    for size in (1, 2, 2, 5, 5, 40):
        parts, made = spread(ws.rng, rows(ws.rng, 25), size)
        logs = [logq.Log([line(row) for row in part]) for part in parts]
        for _ in range(16):
            text, truth, _node = tree(ws.rng, made, 2)
            stages, wanted = staged(ws.rng, [row for row in made if truth(row)])
            found = logq.search(f"{text} {stages}", *logs)
            assert found == wanted, (size, text, stages)
            stages, wanted = staged(ws.rng, made)
            assert logq.search(stages, *logs) == wanted, (size, stages)
        assert logq.lines(logq.search("", *logs)) == [line(row) for row in made]
    assert logq.search("") == [] and logq.search("| count by svc") == []
    assert logq.search("| count") == [{"count": "0"}]
    assert logq.search("| avg a") == [{"avg": "-"}] and logq.search("| sum a") == [{"sum": "0"}]


def test_equal_times(ws):
    """Where moments are equal, earlier arguments come first, however their offsets are written."""
    logq = ws.load("logq")
    one = logq.Log(["2026-03-01T12:00:00+02:00 n=1", "2026-03-01T10:00:00Z n=2", "2026-03-01T08:00:01-02:00 n=5"])
    two = logq.Log(["2026-03-01T09:59:59Z n=0", "2026-03-01T11:00:00.000+01:00 n=3"])
    three = logq.Log(["2026-03-01T10:00:00Z n=4", "2026-03-01T23:00:00+13:00 n=4"])
    for logs, wanted in (((one, two, three), "0123445"), ((three, two, one), "0443125"), ((two, one, one), "03121255")):
        assert "".join(row["n"] for row in logq.search("", *logs)) == wanted
        assert logq.search("| last n", *logs) == [{"last": "5"}]
        assert logq.search("| limit 3 | last n", *logs) == [{"last": wanted[2]}]
        assert [row["n"] for row in logq.search("| sort -time | limit 2", *logs)] == list(wanted[-2:] if wanted[-2] == "5" else "5" + wanted[1])


def test_stages_in_a_row(ws):
    """Stages behind figures work on the figures of all logs."""
    logq = ws.load("logq")
    for _ in range(8):
        parts, made = spread(ws.rng, rows(ws.rng, 30), 3)
        logs = [logq.Log([line(row) for row in part]) for part in parts]
        names = sorted({row["svc"].text for row in made if "svc" in row})
        counts = {name: sum("svc" in row and row["svc"].text == name for row in made) for name in names}
        best = sorted(names, key=lambda name: -counts[name])[:2]
        assert logq.search("| count by svc | sort -count | limit 2", *logs) == [{"svc": n, "count": str(counts[n])} for n in best]
        assert logq.search("| count by svc | max count", *logs) == [{"max": str(max(counts.values()))}]
        assert logq.search("| count by svc | count", *logs) == [{"count": str(len(names))}]
        assert logq.search("| sort took | limit 7 | distinct svc", *logs) == [
            {"distinct": aggregate("distinct", "svc", ordered(made, "took", False)[:7])}
        ]
