"""Hidden checks of report-ladder: six reports against an oracle, parts of the caller's own, shape by the syntax trees."""

import ast
from datetime import datetime, timedelta

from grader import raises

NAMES = {
    "DailyText": ("day", "text"),
    "WeeklyText": ("week", "text"),
    "DailyMarkdown": ("day", "markdown"),
    "WeeklyMarkdown": ("week", "markdown"),
    "DailyCsv": ("day", "csv"),
    "WeeklyCsv": ("week", "csv"),
}
BANNED = {"isinstance", "type", "hasattr", "getattr", "issubclass", "exec", "eval", "super", "round"}
OWN = """
class Hour:
    name, prefix, counts_days = "hour", "at ", False

    def label(self, time):
        return time.hour


class Year:
    name, prefix, counts_days = "year", "year ", True

    def label(self, time):
        return -time.year


class Lines:
    def head(self, grouping):
        return ["<" + grouping.name, ""]

    def group(self, label, grouping):
        return [repr(label)]

    def row(self, label, row, grouping):
        return repr((label, row.station, row.unit, row.count, row.low, row.high, row.mean, row.days, grouping.counts_days))

    def between(self):
        return ["--", "-"]
"""
LABELS = {
    "day": lambda time: time.date().isoformat(),
    "week": lambda time: "{}-W{:02}".format(*time.isocalendar()[:2]),
    "hour": lambda time: time.hour,
    "year": lambda time: -time.year,
}


def rows(grouping, readings, units):
    """Oracle: groups of rows (station, unit, count, low, high, mean, days)."""
    label, found = LABELS[grouping], []
    for group in sorted({label(time) for time, _s, _v in readings}):
        part = []
        for station in sorted({s for time, s, _v in readings if label(time) == group}):
            mine = [(t, v) for t, s, v in readings if s == station and label(t) == group]
            values = [v for _t, v in mine]
            part.append(
                (
                    station,
                    units.get(station, ""),
                    len(mine),
                    min(values),
                    max(values),
                    sum(values) / len(mine),
                    len({t.date() for t, _v in mine}),
                )
            )
        found.append((group, part))
    return found


def written(grouping, form, readings, units):
    """Oracle: a report."""
    days, lines = grouping in ("week", "year"), []
    groups = rows(grouping, readings, units)
    if form == "csv":
        lines.append(f"{grouping},station,unit,count,low,high,mean{',days' if days else ''}")
    if form == "own":
        lines += ["<" + grouping, ""]
    for number, (label, part) in enumerate(groups):
        if form == "text":
            lines.append({"day": "", "week": "week ", "hour": "at ", "year": "year "}[grouping] + str(label))
        elif form == "markdown":
            lines += [""] * (number > 0) + [
                f"## {label}",
                "",
                "| station | count | low | high | mean |" + " days |" * days,
                "|---|---|---|---|---|" + "---|" * days,
            ]
        elif form == "own":
            lines += ["--", "-"] * (number > 0) + [repr(label)]
        for station, unit, count, low, high, mean, number_of_days in part:
            texts = [f"{low:.1f}", f"{high:.1f}", f"{mean:.1f}"]
            if form == "text":
                line = "  %s: %dx, %s to %s, mean %s" % (station, count, *texts) + (" " + unit if unit else "")
                lines.append(line + (f" (days: {number_of_days})" if days else ""))
            elif form == "own":
                lines.append(repr((label, station, unit, count, low, high, mean, number_of_days, days)))
            elif form == "markdown":
                name = "\\|".join(station.split("|")) + (f" ({unit})" if unit else "")
                lines.append(" | ".join([f"| {name}", str(count), *texts] + [str(number_of_days)] * days) + " |")
            else:
                cells = [str(label), station, unit, str(count), *texts] + [str(number_of_days)] * days
                lines.append(",".join('"%s"' % c.replace('"', '""') if "," in c or '"' in c else c for c in cells))
    return "".join(line + "\n" for line in lines)


def random_readings(rng):
    """Readings over some days, around the ends of years, and units."""
    start = datetime(rng.choice((2024, 2025, 2026)), 12, 27)
    stations = ["Rain", "Harbour, north", 'Hill "top"', "a|b", "rain", "Dam"]
    readings = []
    for _ in range(rng.randrange(14)):
        time = start + timedelta(rng.randrange(12), hours=rng.randrange(24))
        readings.append(
            (time, rng.choice(stations), rng.choice((0.0, -0.04, 0.05, 0.25, 7.25, -3.5, rng.randrange(900) / 8)))
        )
    units = {station: rng.choice(("mm", "C", "", "a,b")) for station in stations if rng.random() < 0.6}
    return readings, units


def trees(ws):
    """Syntax trees by module."""
    return {
        name[9:-3]: ast.parse(ws.read(name))
        for name in ws.files()
        if name.startswith("stations/") and name.endswith(".py")
    }


def functions(tree):
    """All functions and methods of a module."""
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def without_docstring(body):
    """Statements of a body, less its docstring."""
    first = body[0]
    told = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return body[1:] if told else body


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


def test_six_reports(ws):
    """Random readings in each of the six, by their two names and by the new function."""
    reports, short = ws.load("stations.reports"), ws.load("stations")
    for _ in range(15):
        readings, units = random_readings(ws.rng)
        for name, (grouping, form) in NAMES.items():
            wanted = written(grouping, form, readings, units)
            assert getattr(reports, name)(readings, units).render() == wanted, (name, readings, units)
            assert getattr(short, name)(readings=readings, units=units).render() == wanted
            assert reports.report(grouping, form, readings, units) == wanted
        assert (
            short.DailyText(readings).render()
            == written("day", "text", readings, {})
            == reports.report("day", "text", readings)
        )
    assert short.DailyMarkdown([]).render() == short.WeeklyText([]).render() == ""


def test_readings_are_read_at_once(ws):
    """Any iterable will do, and what is changed later changes nothing; a report can be rendered twice."""
    reports = ws.load("stations.reports")
    readings, units = [(datetime(2026, 1, 5), "Rain", 1.0)], {"Rain": "mm"}
    wanted = written("week", "csv", readings, units)
    assert reports.report("week", "csv", ws.load("builtins").iter(readings), units) == wanted
    kept, named = ws.load("collections").UserList(readings), ws.load("collections").UserDict(units)
    made = reports.WeeklyCsv(kept, named)
    assert made.render() == wanted
    kept.append((datetime(2026, 1, 6), "Dam", 1.0))
    named.update({"Rain": "C"})
    assert made.render() == wanted and made.render() == wanted


def test_parts_of_ones_own(ws):
    """Groupings and forms of the caller's, alone and together."""
    ws.write("own_parts.py", OWN)
    own, reports = ws.load("own_parts"), ws.load("stations.reports")
    groupings = {"hour": own.Hour(), "year": own.Year(), "day": "day", "week": "week"}
    forms = {"own": own.Lines(), "text": "text", "markdown": "markdown", "csv": "csv"}
    for _ in range(6):
        readings, units = random_readings(ws.rng)
        for grouping, first in groupings.items():
            for form, second in forms.items():
                given = reports.report(first, second, readings, units)
                assert given == written(grouping, form, readings, units), (grouping, form, readings, units)


def test_tables_and_errors(ws):
    """Parts by their names, and names that there are not."""
    reports = ws.load("stations.reports")
    groupings, forms = ws.load("stations.groupings").GROUPINGS, ws.load("stations.forms").FORMS
    assert sorted(groupings) == ["day", "week"] and sorted(forms) == ["csv", "markdown", "text"]
    readings, units = random_readings(ws.rng)
    for grouping in ("day", "week"):
        for form in ("text", "markdown", "csv"):
            assert reports.report(groupings[grouping], forms[form], readings, units) == written(
                grouping, form, readings, units
            )
    for grouping, form in (("month", "text"), ("day", "pdf"), ("", "text"), ("text", "day"), ("Day", "text")):
        with raises(ValueError):
            reports.report(grouping, form, [])


def test_no_ladder(ws):
    """No class inherits from one of the package; nothing asks what something is."""
    modules = trees(ws)
    classes = {node.name for tree in modules.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for name, tree in modules.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                bases = {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
                assert not bases & classes, f"{name}: {node.name}"
                assert len([n for n in node.body if isinstance(n, ast.FunctionDef)]) <= 5, f"{name}: {node.name}"
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                texts_only = len(node.args) == 2 and getattr(node.args[1], "id", "") == "str"
                node.func.id = "is_text" if texts_only else "isinstance"
        for node in ast.walk(tree):
            assert getattr(node, "id", "") not in BANNED and not isinstance(node, ast.Match), name


def test_imports(ws):
    """Groupings, forms and reports know each other in one direction."""
    modules = trees(ws)
    for name, banned in (("forms", ("groupings", "reports")), ("groupings", ("forms", "reports"))):
        for node in ast.walk(modules[name]):
            words = []
            if isinstance(node, ast.Import):
                words = [word for alias in node.names for word in alias.name.split(".")]
            elif isinstance(node, ast.ImportFrom):
                words = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            assert not set(words) & set(banned), (name, words)


def test_words_and_means(ws):
    """Names are written seldom and never compared with; there is one division."""
    written_texts, divisions = [], 0
    for name, tree in trees(ws).items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant):
                written_texts.append(node.value)
            divisions += isinstance(getattr(node, "op", None), (ast.Div, ast.FloorDiv))
            if isinstance(node, ast.Compare):
                sides = [side.value for side in (node.left, *node.comparators) if isinstance(side, ast.Constant)]
                assert not set(sides) & {"day", "week", "text", "markdown", "csv"}, name
    assert divisions <= 1
    for word in ("day", "week", "text", "markdown", "csv"):
        assert written_texts.count(word) <= 5, word


def test_functions(ws):
    """Short, and none twice."""
    seen = {}
    for name, tree in trees(ws).items():
        for function in functions(tree):
            body = without_docstring(function.body)
            assert body and body[-1].end_lineno - body[0].lineno + 2 <= 12, f"{name}: {function.name} is too long"
            texts, sizes = zip(*(shape(statement) for statement in body), strict=True)
            if len(body) > 2 or (len(body) == 1 and sizes[0] >= 25):
                assert texts not in seen, f"{name}: {function.name} and {seen[texts]}"
                seen[texts] = f"{name}: {function.name}"
