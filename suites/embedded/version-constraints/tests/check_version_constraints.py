"""Hidden checks of version-constraints: behaviour unchanged, parsing in one place, operators in one table."""

import ast

from grader import raises

OPERATORS = ("", "=", "!=", "<", "<=", ">", ">=", "~", "^")


def key(text):
    """Oracle: a version as something that sorts like it."""
    numbers, _, label = text.strip().partition("-")
    return tuple(([int(part) for part in numbers.split(".")] + [0, 0])[:3]), not label, label


def ceiling(operator, operand):
    """Oracle: the version below which `~` and `^` stay."""
    (major, minor, patch), _, _ = key(operand)
    if operator == "~":
        return ((major + 1, 0, 0) if "." not in operand.partition("-")[0] else (major, minor + 1, 0)), True, ""
    if major:
        return (major + 1, 0, 0), True, ""
    return ((0, minor + 1, 0) if minor else (0, 0, patch + 1)), True, ""


def holds(clause, version):
    """Oracle: one clause, without the rule about pre-releases."""
    clause, mine = clause.strip(), key(version)
    if clause == "*":
        return True
    if clause.endswith(".*"):
        clause = "~" + clause[:-2]
    operand = clause.lstrip("=!<>~^")
    operator, other = clause[: len(clause) - len(operand)], key(operand)
    if operator in {"~", "^"}:
        return other <= mine < ceiling(operator, operand)
    answers = {"!=": mine != other, "<": mine < other, "<=": mine <= other, ">": mine > other, ">=": mine >= other}
    return answers.get(operator, mine == other)


def asked(constraint, version):
    """Oracle: whether a pre-release may be given at all."""
    mine = key(version)
    named = [key(clause.strip(" =!<>~^")) for clause in constraint.split(",") if "-" in clause]
    return mine[1] or any(other[0] == mine[0] for other in named)


def random_version(rng, labels=0.3):
    """A version of small numbers, so that many are equal or neighbours."""
    text = ".".join(str(rng.choice((0, 0, 1, 1, 2, 10))) for _ in range(rng.choice((1, 2, 3, 3))))
    return text + (rng.choice(("-a", "-b", "-rc-1", "-b2")) if rng.random() < labels else "")


def random_constraint(rng):
    """One to three clauses."""
    return ",".join(random_clause(rng) for _ in range(rng.choice((1, 1, 2, 3))))


def random_clause(rng):
    """A clause, at times with blanks around operator and version."""
    if rng.random() < 0.15:
        return rng.choice(("*", "1.*", "0.1.*", "1.2.*", "0.*"))
    blank = rng.choice(("", "", " "))
    return blank + rng.choice(OPERATORS) + blank + random_version(rng) + blank


def each(ws, function, arguments):
    """What a function of the solution gives for each tuple of arguments, in one exchange."""
    return ws.load("builtins").list(ws.load("itertools").starmap(function, arguments))


def trees(ws):
    """Syntax trees of the package's modules by file name."""
    names = [name for name in ws.files() if name.startswith("pins/") and name.endswith(".py")]
    return {name.removeprefix("pins/"): ast.parse(ws.read(name)) for name in names}


def functions(tree):
    """All functions and methods of a module."""
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]


def without_docstring(body):
    """Statements of a body, less its docstring."""
    first = body[0] if body else None
    documented = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return body[1:] if documented else body


def branches(function):
    """Number of branches, as the instruction counts them."""
    count = 0
    for node in ast.walk(function):
        if isinstance(node, ast.comprehension):
            count += 1 + len(node.ifs)
        simple = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case, ast.IfExp)
        count += isinstance(node, simple)
    return count


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


def repeated_runs(modules, least=24):
    """Runs of three statements that occur twice; runs of fewer than `least` nodes are too plain to count."""
    seen, repeated = set(), []
    for name, tree in modules.items():
        for node in ast.walk(tree):
            for block in ("body", "orelse", "finalbody"):
                body = getattr(node, block, None)
                if not isinstance(body, list) or isinstance(node, (ast.Module, ast.ClassDef)):
                    continue
                shapes = [shape(statement) for statement in without_docstring(body)]
                for at in range(len(shapes) - 2):
                    run = tuple(text for text, _size in shapes[at : at + 3])
                    if sum(size for _text, size in shapes[at : at + 3]) >= least:
                        if run in seen:
                            repeated.append(f"{name}:{body[at].lineno}")
                        seen.add(run)
    return repeated


def test_the_table_of_the_instruction(ws):
    """Each operator on both sides of each of its borders."""
    borders = {
        "=1.2": ("1.2.0", "1.2", "!1.2.1", "!1"),
        "1": ("1.0.0", "!1.0.1"),
        "!=1.2": ("!1.2.0", "1.2.1"),
        "<1.2": ("1.1.99", "!1.2"),
        "<=1.2": ("1.2.0", "!1.2.1"),
        ">1.2": ("!1.2.0", "1.2.1"),
        ">=1.2": ("1.2.0", "!1.1.9"),
        "~1.2.3": ("1.2.3", "1.2.10", "!1.2.2", "!1.3.0"),
        "~1.2": ("1.2.0", "1.2.9", "!1.1.9", "!1.3.0", "!1.3"),
        "~1": ("1.0.0", "1.9.9", "!2.0.0", "!0.9"),
        "^1.2.3": ("1.2.3", "1.99.0", "!1.2.2", "!2.0.0"),
        "^0.2.3": ("0.2.3", "0.2.9", "!0.3.0", "!0.2.2"),
        "^0.0.3": ("0.0.3", "!0.0.4", "!0.0.2"),
        "^0.0.0": ("0.0.0", "!0.0.1"),
        "^0": ("0.0.0", "!0.0.1", "!0.1"),
        "1.2.*": ("1.2.0", "1.2.77", "!1.3.0"),
        "1.*": ("1.77", "!2.0"),
        "*": ("0", "77.7.7"),
    }
    cases = [(constraint, version) for constraint, versions in borders.items() for version in versions]
    answers = each(ws, ws.load("pins").allows, [(constraint, version.lstrip("!")) for constraint, version in cases])
    for (constraint, version), given in zip(cases, answers, strict=True):
        assert given is (version[0] != "!"), (constraint, version)


def test_random_constraints(ws):
    """Random constraints of up to three clauses, with pre-releases and blanks, allow what they did."""
    cases = [(random_constraint(ws.rng), random_version(ws.rng)) for _ in range(300)]
    for (constraint, version), given in zip(cases, each(ws, ws.load("pins").allows, cases), strict=True):
        expected = asked(constraint, version) and all(holds(clause, version) for clause in constraint.split(","))
        assert given is expected, (constraint, version)


def test_explanations(ws):
    """`explain` names the broken clauses as written, in order, and a pre-release that nobody asked for last."""
    cases = [(random_constraint(ws.rng), random_version(ws.rng)) for _ in range(150)]
    for (constraint, version), given in zip(cases, each(ws, ws.load("pins").explain, cases), strict=True):
        expected = [clause.strip() for clause in constraint.split(",") if not holds(clause, version)]
        expected += [] if asked(constraint, version) else ["pre-release"]
        assert given == expected, (constraint, version)


def test_newest(ws):
    """`newest` skips text that is no version, takes the first of equal versions as written, and any iterable."""
    newest = ws.load("pins").newest
    cases = []
    for _ in range(60):
        versions = [random_version(ws.rng) for _ in range(ws.rng.randrange(9))] + ["", "latest", "1.2.3.4", "1-"]
        ws.rng.shuffle(versions)
        cases.append((random_clause(ws.rng), versions))
    for (constraint, versions), given in zip(cases, each(ws, newest, cases), strict=True):
        fine = [v for v in versions if v[:1].isdigit() and v.count(".") < 3 and v[-1] != "-"]
        allowed = [v for v in fine if asked(constraint, v) and holds(constraint, v)]
        assert given == (max(allowed, key=key) if allowed else None), (constraint, versions)
    iterator = ws.load("builtins").iter
    assert newest("*", iterator([])) is None
    assert newest("~1", iterator(["x", " 1.2", "1.2.0 "])) == " 1.2"
    assert newest("~1", {"1.2.0-rc": None, "1.1": None}) == "1.1"


def test_nonsense_is_refused_as_before(ws):
    """Text that is no version or clause raises ConstraintError with the same message, from all three functions."""
    pins = ws.load("pins")
    for text in ("", "x", "1.2.3.4", "1..2", "1.2-", "-rc", "1.²", "+1", "1. 2", "v1"):
        with raises("ConstraintError", match="^not a version: "):
            pins.allows("*", text)
        for clause in (f">={text}", f"^ {text}"):
            for function, argument in ((pins.allows, "1"), (pins.explain, "1"), (pins.newest, [])):
                with raises("ConstraintError") as caught:
                    function(clause, argument)
                assert str(caught.value) == f"not a version: {text!r}"
    for clause, blamed in (
        (">=1.*", "1.*"),
        ("1.2.3.*", "1.2.3.*"),
        ("1-a.*", "1-a.*"),
        ("==1", "=1"),
        ("", ""),
        (".*", ""),
    ):
        with raises("ConstraintError") as caught:
            pins.allows(f"<1, {clause}", "2")
        assert str(caught.value) == f"not a version: {blamed!r}"
    with raises(ValueError):
        pins.explain("1", "one")
    assert ws.op("is_", pins.ConstraintError, ws.load("pins.constraints").ConstraintError) is True


def test_parse_version_gives_an_order(ws):
    """What `parse_version` returns compares like versions do."""
    parse = ws.load("pins.versions").parse_version
    for _ in range(20):
        first, second = random_version(ws.rng, 0.5), random_version(ws.rng, 0.5)
        for one, other in ((first, second), (second, first), (first, first)):
            left, right = parse(one), parse(f" {other} ")
            plain = all(isinstance(value, (tuple, list)) for value in (left, right))
            less = left < right if plain else ws.op("lt", left, right)
            same = left == right if plain else ws.op("eq", left, right)
            assert (less, same) == (key(one) < key(other), key(one) == key(other)), (one, other)
    with raises("ConstraintError"):
        parse("1.x")


def test_public_names_and_signatures(ws):
    """The three functions are found where they were, with the same parameters."""
    signature = ws.load("inspect").signature
    for module, name, parameters in (
        ("pins.constraints", "allows", ["constraint", "version"]),
        ("pins.report", "explain", ["constraint", "version"]),
        ("pins.lock", "newest", ["constraint", "versions"]),
    ):
        for place in (module, "pins"):
            assert list(signature(getattr(ws.load(place), name)).parameters) == parameters, f"{place}.{name}"


def test_parsing_is_in_one_place(ws):
    """`parse_version` is defined in versions.py, and no other module calls int."""
    modules = trees(ws)
    assert "versions.py" in modules, "there is no pins/versions.py"
    assert "parse_version" in {function.name for function in functions(modules["versions.py"])}
    for file, tree in modules.items():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        mapped = [node.args[0] for node in calls if getattr(node.func, "id", "") == "map" and node.args]
        converted = [node for node in (*mapped, *(node.func for node in calls)) if getattr(node, "id", "") == "int"]
        assert file == "versions.py" or not converted, f"{file} calls int"


def test_each_operator_is_written_once(ws):
    """No operator but `=` occurs twice as a string of its own."""
    written = []
    for tree in trees(ws).values():
        written += [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    for operator in OPERATORS[2:]:
        assert written.count(operator) <= 1, operator


def test_functions_are_short_and_simple(ws):
    """At most 20 lines without docstring and five branches a function, and no run of three statements twice."""
    modules = trees(ws)
    for file, tree in modules.items():
        for function in functions(tree):
            documented = len(function.body) - len(without_docstring(function.body))
            documented = function.body[0].end_lineno - function.body[0].lineno + 1 if documented else 0
            assert function.end_lineno - function.lineno + 1 - documented <= 20, f"{file}: {function.name} is too long"
            assert branches(function) <= 5, f"{file}: {function.name} branches too often"
    assert repeated_runs(modules) == []


def test_pre_releases(ws):
    """A pre-release is allowed where a clause names one of the same numbers, and the other clauses hold too."""
    borders = {
        ">=1.2.3-b": ("1.2.3-b", "1.2.3-c", "!1.2.3-a", "!1.2.4-c", "2"),
        "^1.2-a": ("1.2.0-a", "1.2-b", "!1.2.1-b", "1.2.1"),
        "<2, >=1-rc": ("1.0.0-rc", "!1.0.0-beta", "!1.1-rc", "!2-a"),
        "!=1.0.0-rc": ("!1-rc", "1-rd", "!1.0.1-rc"),
        "1-a": ("1.0-a", "!1", "!1-b"),
        "*": ("!1-a",),
        "~1": ("!1.0.0-a", "!1.5-a"),
    }
    cases = [(constraint, version) for constraint, versions in borders.items() for version in versions]
    plain = [(constraint, version.lstrip("!")) for constraint, version in cases]
    pins = ws.load("pins")
    explained = each(ws, pins.explain, plain)
    for (constraint, version), given, reasons in zip(cases, each(ws, pins.allows, plain), explained, strict=True):
        assert given is (version[0] != "!"), (constraint, version)
        assert (reasons == []) is given, (constraint, version)
