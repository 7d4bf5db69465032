"""Hidden checks of punch-core: decisions against an oracle, the command, and the shape by the syntax trees."""

import ast
from datetime import datetime, timedelta

USAGE = "usage: punch in PROJECT | out | switch PROJECT | report [DAYS]"
ALLOWED = {"collections", "dataclasses", "datetime", "functools", "itertools", "re", "typing"}
OUTSIDE = {"open", "print", "input", "now", "today", "utcnow", "environ", "getenv"}
COMMANDS = ("in", "out", "switch", "report")
NOW = datetime(2026, 3, 4, 15, 20)


def spent(name, minutes):
    """Oracle: a name and a time."""
    return f"{name} {minutes // 60}:{minutes % 60:02}"


def expected(arguments, acts, bad, now, user):
    """Oracle: status, output, added; acts are (time, user, project or None)."""
    now = datetime(*now.timetuple()[:5])
    inside, done = None, []
    for time, who, project in acts:
        if who == user and project and not inside:
            inside = (project, time)
        elif who == user and not project and inside:
            done.append((*inside, time))
            inside = None
    head = f"{now.isoformat(timespec='minutes')} {user}"
    command, rest = (arguments or [""])[0], arguments[1:]
    word = len(rest) == 1 and rest[0] and len(rest[0].split()) == 1 and rest[0] == rest[0].strip()
    if command in ("in", "switch") and word or command == "out" and not rest:
        if command == "in":
            return (1, [f"already in {inside[0]}"], []) if inside else (0, [], [f"{head} in {rest[0]}"])
        if not inside:
            return 1, ["not in"], []
        added = [f"{head} out"] + [f"{head} in {word}" for word in rest]
        return 0, [spent(inside[0], (now - inside[1]) // timedelta(minutes=1))], added
    fine = (
        not rest
        or len(rest) == 1
        and rest[0].isascii()
        and rest[0].isdigit()
        and rest[0][0] != "0"
        and len(rest[0]) < 5
    )
    if command != "report" or not fine:
        return 2, [USAGE], []
    midnight = datetime(now.year, now.month, now.day) - timedelta(int(rest[0]) - 1 if rest else 6)
    sums = {}
    for name, start, end in done + ([(*inside, now)] if inside else []):
        sums[name] = sums.get(name, 0) + max((end - max(start, midnight)) // timedelta(minutes=1), 0)
    rows = sorted((-minutes, name) for name, minutes in sums.items() if minutes)
    lines = [spent(name, -minutes) for minutes, name in rows] + [spent("total", sum(sums.values()))]
    return 0, lines + ([f"bad lines: {bad}"] if bad else []), []


def random_file(rng):
    """Lines of a file, their acts, and the number of bad ones."""
    time, lines, acts, bad = NOW - timedelta(rng.choice((1, 3, 8, 20)), minutes=rng.randrange(3000)), [], [], 0
    for _ in range(rng.randrange(14)):
        time = min(time + timedelta(minutes=rng.choice((0, 1, 30, 59, 60, 61, 600, 1440, 4000))), NOW)
        if rng.random() < 0.2:
            lines.append(
                rng.choice(
                    (
                        "",
                        "x",
                        "2026-02-30T10:00 anna in web",
                        "2026-02-03T10:00 anna in",
                        "2026-02-03T10:00 anna out web",
                        " 2026-02-03T10:00 anna out",
                        "2026-02-03T24:00 bob out",
                        "2026-02-03T10:00:00 anna out",
                    )
                )
            )
            bad += 1
            continue
        acts.append(
            (time, rng.choice(("anna", "anna", "anna", "bob")), rng.choice((None, "web", "api", "in", "total")))
        )
        lines.append(
            f"{time.isoformat(timespec='minutes')} {acts[-1][1]} " + (f"in {acts[-1][2]}" if acts[-1][2] else "out")
        )
    return lines, acts, bad


def trees(ws):
    """Syntax trees by file name."""
    return {name: ast.parse(ws.read(name)) for name in ws.files() if name.startswith("punch/") and name.endswith(".py")}


def functions(tree):
    """All functions of a module."""
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def branches(function):
    """Number of branches, as the instruction counts them."""
    kinds = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case, ast.IfExp)
    nodes = list(ast.walk(function))
    return sum(isinstance(n, kinds) for n in nodes) + sum(
        1 + len(n.ifs) for n in nodes if isinstance(n, ast.comprehension)
    )


def outside(tree):
    """Names and attributes that reach out of a module: parameters and variables called `now` are fine."""
    found = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return found | {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id != "now"}


def texts(tree):
    """All text constants."""
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def test_decisions(ws):
    """Random files and commands: status, output, and lines that are added."""
    run = ws.load("punch.core").run
    asked = (["in", "web"], ["out"], ["switch", "api"], ["report"], ["report", "1"], ["report", "2"], ["report", "30"])
    for _ in range(60):
        lines, acts, bad = random_file(ws.rng)
        user = ws.rng.choice(("anna", "anna", "bob", "cyd"))
        now = NOW + timedelta(seconds=ws.rng.choice((0, 1, 31, 59)), microseconds=ws.rng.choice((0, 999_999)))
        for arguments in asked:
            given = run(arguments, lines, now, user)
            wanted = expected(arguments, acts, bad, now, user)
            assert (given.status, list(given.output), list(given.added)) == wanted, (arguments, lines, now, user)


def test_usage(ws):
    """What is no command."""
    run = ws.load("punch.core").run
    wrong = ([], [""], ["in"], ["in", ""], ["in", "a b"], ["in", "a\tb"], ["in", " a"], ["in", "a", "b"], ["out", "a"], ["switch"], ["switch", "a\n"], ["report", "0"],
             ["report", "-1"], ["report", "07"], ["report", "1.5"], ["report", "x"], ["report", "1", "2"], ["report", "12345"], ["report", ""], ["In", "a"], ["sleep"], ["out", ""])  # fmt: skip
    for arguments in wrong:
        for lines in ([], ["2026-03-04T10:00 anna in web"]):
            given = run(arguments, lines, NOW, "anna")
            assert (given.status, list(given.output), list(given.added)) == (2, [USAGE], []), arguments
    assert run(["report", "9999"], [], NOW, "anna").output == ["total 0:00"]


def test_arguments_are_left_alone(ws):
    """Nothing that is given changes, and a second call gives the same."""
    run = ws.load("punch.core").run
    lines = ws.hold(["2026-03-04T10:00 anna in web", "x"])
    arguments = ws.hold(["switch", "api"])
    first, second = run(arguments, lines, NOW, "anna"), run(arguments, lines, NOW, "anna")
    assert ws.value(lines) == ["2026-03-04T10:00 anna in web", "x"] and ws.value(arguments) == ["switch", "api"]
    assert (first.status, first.output, first.added) == (second.status, second.output, second.added)
    assert first.output == ["web 5:20"]


def test_the_command(ws):
    """What is printed and appended, with a file of its own and without."""
    command = ["python3", "-S", "-B", "-m", "punch"]
    day = datetime.now().strftime("%Y-%m-%dT")
    for option, file in (([], "punch.log"), (["--file", "other.txt"], "other.txt")):
        for arguments, code, out in (
            (["out"], 1, "not in\n"), (["in", "web"], 0, ""), (["in", "x"], 1, "already in web\n"), (["switch", "api"], 0, "web 0:0"), (["out"], 0, "api 0:0"), (["sleep"], 2, USAGE + "\n"),
        ):  # fmt: skip
            done = ws.run([*command, *option, *arguments])
            assert done.code == code and done.stdout.startswith(out) and (out or not done.stdout), (
                arguments,
                done.stdout,
                done.stderr,
            )
        lines = ws.read(file).splitlines()
        assert [line.split(" ", 1)[1] for line in lines] == [
            "nobody in web",
            "nobody out",
            "nobody in api",
            "nobody out",
        ]
        assert ws.read(file).endswith("\n") and all(line[:10].count("-") == 2 and line[16] == " " for line in lines)
        ws.write(file, "2026-01-05T09:00 nobody in web\n2026-01-05T12:00 nobody out\nx\n")
        assert ws.run([*command, *option, "report", "9999"]).stdout == "web 3:00\ntotal 3:00\nbad lines: 1\n"
    assert day[:2] == "20" and "other.txt" in ws.files()
    assert ws.run([*command, "--file"]).code == 2


def test_the_user(ws):
    """The name of the user comes from the environment; an empty one is that of nobody."""
    for name, user in (("zoe", "zoe"), ("", "nobody")):
        command = f"PUNCH_USER={name} python3 -S -B -m punch --file user{name}.txt in web"
        assert ws.run(["sh", "-c", command]).code == 0
        assert ws.read(f"user{name}.txt").split(" ", 1)[1] == f"{user} in web\n"


def test_main(ws):
    """The function takes a list, which it leaves alone."""
    main = ws.load("punch.app").main
    arguments = ws.hold(["--file", "main.txt", "in", "web"])
    assert main(arguments) == 0 and ws.value(arguments) == ["--file", "main.txt", "in", "web"]
    assert main(["--file", "main.txt", "in", "web"]) == 1 and main([]) == 2
    assert list(ws.load("inspect").signature(main).parameters) == ["argv"]


def test_the_core_is_pure(ws):
    """What the core imports and names."""
    tree = trees(ws)["punch/core.py"]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= ALLOWED
        if isinstance(node, ast.ImportFrom):
            assert not node.level and node.module.split(".")[0] in ALLOWED, node.module
    assert not outside(tree) & OUTSIDE, outside(tree) & OUTSIDE
    assert not outside(tree) & {"__import__", "exec", "eval", "globals", "__builtins__", "getattr"}


def test_only_the_app_reaches_out(ws):
    """The clock is read in one place, all else in the same module."""
    modules = trees(ws)
    for name, tree in modules.items():
        assert name == "punch/app.py" or not outside(tree) & OUTSIDE, name
    app = modules["punch/app.py"]
    clocks = [n for n in ast.walk(app) if isinstance(n, ast.Attribute) and n.attr in ("now", "today", "utcnow")]
    assert len(clocks) == 1, len(clocks)
    used = {a.name for n in ast.walk(app) if isinstance(n, ast.ImportFrom) and n.module == "datetime" for a in n.names}
    assert used <= {"datetime"} and not {"timedelta", "strptime", "strftime"} & outside(app)


def test_the_app_decides_nothing(ws):
    """No command is named there, and there are few branches."""
    app = trees(ws)["punch/app.py"]
    assert not set(texts(app)) & set(COMMANDS)
    tops = [node for node in app.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    assert sum(branches(top) for top in tops) <= 5


def test_sizes(ws):
    """At most 15 lines and four branches for a function; no shared state; texts that are written once or twice."""
    modules = trees(ws)
    for name, tree in modules.items():
        for function in functions(tree):
            body = function.body
            told = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
            length = (
                function.end_lineno - function.lineno + 1 - (body[0].end_lineno - body[0].lineno + 1 if told else 0)
            )
            assert length <= 15, f"{name}: {function.name} is too long"
            assert branches(function) <= 4, f"{name}: {function.name} branches too often"
        assert not any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(tree)), name
    written = [text for tree in modules.values() for text in texts(tree)]
    assert all(written.count(command) <= 2 for command in COMMANDS)
    assert sum("%H:%M" in text and len(text) < 20 for text in written) <= 1
