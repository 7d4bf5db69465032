"""Hidden checks of clinic-knots: behaviour against an oracle, imports and shape by the syntax trees."""

import ast
from datetime import date, timedelta

from grader import raises

BASE = {"check": 4000, "lab": 2500, "surgery": 30000}
PLACES = {
    "clinic": "CODES FINE Patient Visit bill due fee letter total",
    "clinic.patients": "Patient",
    "clinic.visits": "CODES Patient Visit",
    "clinic.billing": "Patient Visit bill fee total",
    "clinic.reminders": "FINE PERIOD Patient due letter",
}
DYNAMIC = {"importlib", "__import__", "sys", "exec", "eval", "globals"}


def age(born, day):
    """Oracle: years."""
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def cost(case, visit):
    """Oracle: cents for a visit (day, code, minutes)."""
    day, code, minutes = visit
    if code == "check" and age(case["born"], day) < 18:
        return 0
    quarters = 0 if minutes <= 30 else (minutes - 30 + 14) // 15
    cents = BASE[code] + quarters * (BASE[code] // 10)
    return (cents + 4) // 5 if case["insured"] else cents


def owed(case):
    """Oracle: the balance."""
    fines = 1500 * (case["reminded"] - 1) if case["reminded"] else 0
    return sum(cost(case, visit) for visit in case["visits"]) + fines - case["paid"]


def reminders(case, today):
    """Oracle: how many reminders are due."""
    covered = 0
    for visit in sorted(case["visits"], key=lambda v: v[0]):
        covered += cost(case, visit)
        if covered > case["paid"]:
            return max(0, min(3, (today - visit[0]).days // 30))
    return 0


def lines(case):
    """Oracle: a bill."""
    text = [f"{v[0].isoformat()} {v[1]} {cost(case, v) / 100:.2f}" for v in sorted(case["visits"], key=lambda v: v[0])]
    if case["reminded"] > 1:
        text.append(f"fines {(case['reminded'] - 1) * 15}.00")
    return [*text, f"balance {owed(case) / 100:.2f}"]


def random_case(rng):
    """A patient and visits."""
    start = date(2026, 1, 1) + timedelta(rng.randrange(300))
    born = start.replace(year=start.year - rng.choice((17, 18, 18, 40)), day=min(start.day, 28)) + timedelta(
        rng.choice((0, 1, 5))
    )
    case = {"born": born, "insured": rng.random() < 0.5, "reminded": rng.randrange(4), "visits": []}
    for _ in range(rng.randrange(6)):
        minutes = rng.choice((1, 29, 30, 31, 45, 46, 60, 61, 200))
        case["visits"].append(
            (start + timedelta(rng.choice((0, 0, 1, 4, 29, 30, 60))), rng.choice(tuple(BASE)), minutes)
        )
    costs = [cost(case, visit) for visit in sorted(case["visits"], key=lambda v: v[0])]
    case["paid"] = max(sum(costs[: rng.randrange(len(costs) + 1)]) + rng.choice((-1, 0, 0, 1)), 0)
    case["today"] = start + timedelta(rng.choice((0, 28, 29, 30, 31, 59, 60, 61, 90, 91, 120, 150, -10)))
    return case


def made(clinic, case):
    """The patient of a case, and the visits."""
    patient = clinic.Patient("Ann", case["born"], insured=case["insured"])
    visits = [clinic.Visit(patient, *visit) for visit in case["visits"]]
    patient.paid, patient.reminded = case["paid"], case["reminded"]
    return patient, visits


def trees(ws):
    """Syntax trees of the modules by their names."""
    names = [name for name in ws.files() if name.startswith("clinic/") and name.endswith(".py")]
    assert all(name.count("/") == 1 for name in names), names
    return {name[:-3].replace("/", ".").removesuffix(".__init__"): ast.parse(ws.read(name)) for name in names}


def imported(node, module, modules):
    """Modules of the package that one import statement names."""
    if isinstance(node, ast.Import):
        return {alias.name for alias in node.names if alias.name in modules}
    base = node.module or ""
    if node.level:
        base = "clinic" + ("." + base if base else "")
    deeper = {f"{base}.{alias.name}" for alias in node.names} & set(modules)
    return deeper | ({base} & set(modules))


def edges(modules):
    """Who imports whom."""
    found = {}
    for module, tree in modules.items():
        nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        found[module] = set().union(*(imported(node, module, modules) for node in nodes))
    return found


def reached(graph, start):
    """All that a module imports, directly or by others."""
    seen, todo = set(), [start]
    while todo:
        for other in graph[todo.pop()] - seen:
            seen.add(other)
            todo.append(other)
    return seen


def test_random_patients(ws):
    """Fees, totals, balances, bills, reminders of random patients."""
    clinic = ws.load("clinic")
    for _ in range(40):
        case = random_case(ws.rng)
        patient, visits = made(clinic, case)
        assert [visit.fee() for visit in visits] == [cost(case, visit) for visit in case["visits"]], case
        assert [clinic.fee(visit) for visit in visits] == [cost(case, visit) for visit in case["visits"]]
        assert clinic.total(visits) == sum(cost(case, visit) for visit in case["visits"])
        assert patient.balance() == owed(case), case
        assert clinic.bill(patient) == lines(case), case
        assert clinic.due(patient, case["today"]) == reminders(case, case["today"]), case
        assert patient.is_late(case["today"]) is (reminders(case, case["today"]) > case["reminded"])
    assert clinic.total([]) == 0 and tuple(clinic.CODES) == tuple(BASE) and clinic.FINE == 1500


def test_letters(ws):
    """A letter counts as a reminder and holds the bill."""
    clinic = ws.load("clinic")
    for _ in range(40):
        case = random_case(ws.rng)
        patient, _visits = made(clinic, case)
        late = reminders(case, case["today"]) > case["reminded"]
        given = clinic.letter(patient, case["today"])
        case["reminded"] += late
        head = f"Dear Ann, this is reminder {case['reminded']}."
        assert given == ("\n".join([head, *lines(case)]) if late else None), case
        assert patient.reminded == case["reminded"]


def test_visits_and_ages(ws):
    """Refused visits are not put; minutes are 30 unless told; birthdays count."""
    clinic = ws.load("clinic")
    patient = clinic.Patient("Bo", date(2008, 2, 29))
    for code, minutes in (("Check", 30), ("", 30), ("lab", 0), ("lab", -1)):
        with raises(ValueError):
            clinic.Visit(patient, date(2026, 1, 1), code, minutes)
    assert len(patient.visits) == 0
    assert clinic.Visit(patient, date(2026, 1, 1), "lab").minutes == 30 and len(patient.visits) == 1
    assert clinic.Visit(patient, date(2026, 1, 1), "lab", 1).fee() == 2500
    assert patient.is_child(date(2026, 2, 28)) is True and patient.is_child(date(2026, 3, 1)) is False
    assert patient.paid == 0 and patient.reminded == 0 and patient.insured is False and patient.name == "Bo"


def test_names_are_where_they_were(ws):
    """Each name is found where it was, and is one object."""
    for place, names in PLACES.items():
        for name in names.split():
            here, there = getattr(ws.load(place), name), getattr(ws.load("clinic"), name, None)
            if name in {"CODES", "FINE", "PERIOD"}:
                assert here == {"CODES": tuple(BASE), "FINE": 1500, "PERIOD": 30}[name]
            else:
                assert ws.op("is_", here, there) is True, (place, name)
    signature = ws.load("inspect").signature
    for name, wanted in (
        ("fee", ["visit"]),
        ("total", ["visits"]),
        ("bill", ["patient"]),
        ("due", ["patient", "today"]),
        ("letter", ["patient", "today"]),
    ):
        assert list(signature(getattr(ws.load("clinic"), name)).parameters) == wanted, name


def test_each_module_first(ws):
    """A patient works after its own module's import, and each module can be the first."""
    for module in trees(ws):
        done = ws.run(["python3", "-S", "-B", "-c", f"import {module}"])
        assert done.code == 0, (module, done.stderr[-300:])
    code = (
        "from datetime import date\nfrom clinic.patients import Patient\np = Patient('x', date(1980, 1, 1))\n"
        "assert (p.balance(), p.is_late(date(2026, 1, 1))) == (0, False)\n"
    )
    assert ws.run(["python3", "-S", "-B", "-c", code]).code == 0


def test_no_cycles(ws):
    """No module reaches itself; the layers are kept."""
    graph = edges(trees(ws))
    assert set(PLACES) <= set(graph)
    for module in graph:
        assert module not in reached(graph, module), f"{module} imports itself by others"
    high = {"clinic.billing", "clinic.reminders"}
    for low in ("clinic.patients", "clinic.visits"):
        assert not reached(graph, low) & high, low
    assert "clinic.billing" not in reached(graph, "clinic.reminders")
    assert "clinic.reminders" not in reached(graph, "clinic.billing")


def test_imports_stand_on_top(ws):
    """No import inside of anything, nothing dynamic."""
    for module, tree in trees(ws).items():
        nodes = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        assert all(node in tree.body for node in nodes), module
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names |= {alias.name.split(".")[0] for node in nodes for alias in node.names}
        names |= {(node.module or "").split(".")[0] for node in nodes if isinstance(node, ast.ImportFrom)}
        assert not names & DYNAMIC, (module, names & DYNAMIC)


def test_sizes(ws):
    """At most 60 lines and one class for each module."""
    for module in trees(ws):
        path = module.replace(".", "/") + ".py" if module != "clinic" else "clinic/__init__.py"
        assert len(ws.read(path).splitlines()) <= 60, path
        assert sum(isinstance(node, ast.ClassDef) for node in ast.walk(ast.parse(ws.read(path)))) <= 1, path


def test_constants_are_written_once(ws):
    """The fine and the codes."""
    found = [node.value for tree in trees(ws).values() for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    for value in (1500, *BASE):
        assert sum(type(other) is type(value) and other == value for other in found) == 1, value


def test_nothing_is_set_from_outside(ws):
    """No assignment to an attribute of an imported name, no global statement, no setattr."""
    for module, tree in trees(ws).items():
        names = {
            alias.asname or alias.name.split(".")[0]
            for node in tree.body
            if isinstance(node, (ast.Import, ast.ImportFrom))
            for alias in node.names
        }
        for node in ast.walk(tree):
            assert not isinstance(node, ast.Global), module
            assert getattr(node, "id", "") != "setattr", module
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                assert not (isinstance(node.value, ast.Name) and node.value.id in names), (
                    f"{module} sets {ast.unparse(node)}"
                )
