"""Hidden checks of gas-tiers: the tariff of today and others against an oracle, and the shape by the syntax trees."""

import ast

from grader import raises

TODAY = (850, ((500, 12), (1500, 9), (None, 7)))
FUNCTIONS = {"price": ["units"], "marginal": ["units"], "explain": ["units"], "budget": ["cents"], "summary": ["units"]}


def counts(tariff, units):
    """Oracle: units in each tier."""
    found, below = [], 0
    for upper, _cents in tariff[1]:
        top = units if upper is None else min(units, upper)
        found.append(max(top - below, 0))
        below = upper
    return found


def cost(tariff, units):
    """Oracle: a price."""
    return tariff[0] + sum(n * cents for n, (_upper, cents) in zip(counts(tariff, units), tariff[1], strict=True))


def most(tariff, cents):
    """Oracle: the greatest number of units for some money, found by halving."""
    if cents < tariff[0]:
        return None
    low, high = 0, 1
    while cost(tariff, high) <= cents:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if cost(tariff, middle) <= cents else (low, middle)
    return low


def line(tariff, bills):
    """Oracle: a summary."""
    cents = sum(cost(tariff, units) for units in bills)
    tiers = [sum(counts(tariff, units)[at] > 0 for units in bills) for at in range(len(tariff[1]))]
    money = f"{cents // 100}.{cents % 100:02}"
    return f"{len(bills)} bills, {sum(bills)} units, {money} EUR, tiers {'/'.join(map(str, tiers))}"


def compare(ws, tariff):
    """All functions at all borders of a tariff, and between them."""
    gas = ws.load("gas")
    borders = [0, *(upper for upper, _cents in tariff[1] if upper), 10**12]
    some = sorted(
        {max(border + step, 0) for border in borders for step in (-1, 0, 1)}
        | {ws.rng.randrange(1, 4000) for _ in range(8)}
    )
    for units in some:
        assert gas.price(units) == cost(tariff, units), (tariff, units)
        assert gas.marginal(units) == cost(tariff, units + 1) - cost(tariff, units), (tariff, units)
        rows = [f"{n} x {c} = {n * c}" for n, (_u, c) in zip(counts(tariff, units), tariff[1], strict=True) if n]
        assert gas.explain(units) == [f"base {tariff[0]}", *rows, f"total {cost(tariff, units)}"], (tariff, units)
    if tariff[1][-1][1]:
        for cents in sorted({max(cost(tariff, units) + step, 0) for units in some for step in (-1, 0, 1)} | {0}):
            assert gas.budget(cents) == most(tariff, cents), (tariff, cents)
    for size in (0, 1, 2, 5):
        bills = [ws.rng.choice(some[:-2]) for _ in range(size)]
        assert gas.summary(bills) == line(tariff, bills), (tariff, bills)


def replace(ws, tariff):
    """Puts another tariff in place."""
    ws.write("gas/tiers.py", f'"""Another tariff."""\n\nBASE = {tariff[0]}\nTIERS = {tariff[1]}\n')


def trees(ws):
    """Syntax trees by module."""
    return {
        name[4:-3]: ast.parse(ws.read(name)) for name in ws.files() if name.startswith("gas/") and name.endswith(".py")
    }


def functions(tree):
    """All functions of a module."""
    return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))]


def test_today(ws):
    """The tariff of today."""
    compare(ws, TODAY)


def test_random_tariffs(ws):
    """Tiers of any number and price; the second is dearer at times."""
    size = ws.rng.choice((2, 4, 5))
    uppers = sorted(ws.rng.sample(range(1, 3000), size - 1))
    tariff = (ws.rng.randrange(2000), tuple((upper, ws.rng.randrange(1, 30)) for upper in (*uppers, None)))
    replace(ws, tariff)
    compare(ws, tariff)


def test_four_tiers(ws):
    """The tariff of next year."""
    tariff = (990, ((100, 20), (101, 3), (1000, 11), (None, 8)))
    replace(ws, tariff)
    compare(ws, tariff)


def test_one_tier(ws):
    """One tier, and nothing for the base."""
    replace(ws, (0, ((None, 5),)))
    compare(ws, (0, ((None, 5),)))


def test_free_units(ws):
    """Tiers that cost nothing, in between and at the end."""
    tariff = (10, ((5, 0), (8, 4), (20, 0), (None, 2)))
    replace(ws, tariff)
    compare(ws, tariff)


def test_free_without_end(ws):
    """The last tier costs nothing."""
    tariff = (10, ((5, 3), (None, 0)))
    replace(ws, tariff)
    compare(ws, tariff)
    budget = ws.load("gas").budget
    assert [budget(cents) for cents in (9, 10, 24)] == [None, 0, 4]
    for cents in (25, 26, 1000):
        with raises(OverflowError):
            budget(cents)


def test_great_numbers(ws):
    """More units or money take no longer."""
    ws.limit(3)
    gas = ws.load("gas")
    assert gas.budget(10**15) == most(TODAY, 10**15) and gas.price(10**15) == cost(TODAY, 10**15)
    assert gas.marginal(10**15) == 7 and gas.explain(10**15)[-1] == f"total {cost(TODAY, 10**15)}"
    assert gas.summary([10**15]) == line(TODAY, [10**15])


def test_errors_and_signatures(ws):
    """Below 0; the same parameters; names where they were."""
    gas = ws.load("gas")
    for call in (gas.price, gas.marginal, gas.explain, lambda units: gas.summary([3, units])):
        for units in (-1, -600):
            with raises(ValueError):
                call(units)
    assert gas.budget(-5) is None
    for name, parameters in FUNCTIONS.items():
        place = ws.load("gas.price" if name == "marginal" else f"gas.{name}")
        assert list(ws.load("inspect").signature(getattr(place, name)).parameters) == parameters, name


def test_the_table(ws):
    """It has two names, both literals."""
    tree = trees(ws)["tiers"]
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        found[target.id] = ast.literal_eval(node.value)
    assert found == {"BASE": TODAY[0], "TIERS": TODAY[1]}


def test_numbers_are_in_the_table(ws):
    """No other number elsewhere, and nowhere else a variable of a module."""
    for name, tree in trees(ws).items():
        if name == "tiers":
            continue
        numbers = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) in (int, float)]
        hundreds = 1 if name == "summary" else 0
        assert numbers.count(100) <= hundreds and set(numbers) <= {0, 1, 100}, (name, numbers)
        for node in tree.body:
            fine = isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef))
            fine = fine or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
            fine = fine or (isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__")
            assert fine, (name, ast.unparse(node))


def test_the_table_is_used_once(ws):
    """In how many functions the names of the table stand."""
    uses = {"TIERS": 0, "BASE": 0}
    for name, tree in trees(ws).items():
        for function in functions(tree) if name != "tiers" else []:
            nodes = list(ast.walk(function))
            names = {n.id for n in nodes if isinstance(n, ast.Name)} | {
                n.attr for n in nodes if isinstance(n, ast.Attribute)
            }
            for word in uses:
                uses[word] += word in names
    assert uses["TIERS"] == 1 and uses["BASE"] in (1, 2), uses


def test_sizes(ws):
    """Short functions, few branches, no while, no message twice."""
    kinds = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case, ast.IfExp)
    messages = []
    for name, tree in trees(ws).items():
        for node in ast.walk(tree):
            assert not isinstance(node, ast.While), name
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                messages += [
                    n.value
                    for a in node.exc.args
                    for n in ast.walk(a)
                    if isinstance(n, ast.Constant) and isinstance(n.value, str)
                ]
        for function in functions(tree):
            if isinstance(function, ast.Lambda):
                continue
            body = (
                function.body[1:]
                if isinstance(function.body[0], ast.Expr) and isinstance(function.body[0].value, ast.Constant)
                else function.body
            )
            assert body[-1].end_lineno - body[0].lineno + 2 <= 10, f"{name}: {function.name} is too long"
            nodes = list(ast.walk(function))
            branches = sum(isinstance(n, kinds) for n in nodes) + sum(
                1 + len(n.ifs) for n in nodes if isinstance(n, ast.comprehension)
            )
            assert branches <= 3, f"{name}: {function.name} branches too often"
    assert len(messages) == len(set(messages)), messages
