"""Hidden checks of discount-table: results of the old code over a grid of orders, the table at work, the shape of the module."""

import ast
import json

GRID = [
    (cents, items, years, coupon, day)
    for cents in (0, 9_999, 10_000, 10_001, 49_999, 50_000, 80_001)
    for items in (0, 1, 2, 9, 10, 19, 20)
    for years in (-1, 0, 1, 4, 5, 9)
    for coupon in ("", "WELCOME", "BULK", "BULKY", "bulk", "XMAS")
    for day in (0, 1, 2, 4, 5, 6)
]
RUN = """
import json, sys
from shop import Order, discount, total
print(json.dumps([[discount(Order(*row)), total(Order(*row))] for row in json.load(sys.stdin)]))
"""


def percent(cents, items, years, coupon, day):
    """Oracle: the old code."""
    best = 0
    if coupon == "WELCOME":
        best = 15 if years == 0 else 5
    elif coupon.startswith("BULK"):
        best = 12 if items >= 20 else 8 if items >= 10 else 0
    if years > 0:
        if years >= 5:
            best = max(best, 10 if cents > 10_000 else 7)
        elif day == 1:
            best = max(best, 4)
        elif day >= 5 and items > 1:
            best = max(best, 3)
    elif cents >= 50_000 and not coupon:
        best = 6
    return best if items else 0


def test_results_stay(ws):
    """Every border of every condition, and random orders between."""
    rng = ws.rng
    rows = rng.sample(GRID, 4000)
    rows += [
        (
            rng.randrange(90_000),
            rng.randrange(25),
            rng.randrange(8),
            rng.choice(("", "WELCOME", "BULK1")),
            rng.randrange(7),
        )
        for _ in range(500)
    ]
    done = ws.run(["python3", "-S", "-c", RUN], stdin=json.dumps(rows))
    assert done.code == 0, done
    for row, (given, paid) in zip(rows, json.loads(done.stdout), strict=True):
        assert given == percent(*row), (row, given)
        assert paid == row[0] - row[0] * given // 100, (row, paid)


def test_the_table(ws):
    """Rules have names of their own, positive percentages, and conditions that say what they claim."""
    prices = ws.load("shop.prices")
    rules = list(prices.RULES)
    names = [rule.name for rule in rules]
    percents = [rule.percent for rule in rules]
    assert len(set(names)) == len(names) and all(isinstance(name, str) and name for name in names)
    assert all(type(number) is int and number > 0 for number in percents)
    assert set(percents) == {15, 5, 12, 8, 10, 7, 4, 3, 6}
    for row in ws.rng.sample(GRID, 120):
        order = prices.Order(*row)
        applying = [rule.applies(order) for rule in rules]
        assert all(type(answer) is bool for answer in applying), row
        best = max((number for number, applies in zip(percents, applying) if applies), default=0)
        assert best == percent(*row), row
        if best:
            first = next(k for k, (number, applies) in enumerate(zip(percents, applying)) if applies and number == best)
            assert prices.reason(order) == names[first], row
        else:
            assert prices.reason(order) is None


def test_the_table_can_change(ws):
    """Appended and removed rules count at once; the earliest of equals gives the reason."""
    code = (
        "from types import SimpleNamespace as Rule\nfrom shop import prices as p\n"
        "o = p.Order(100, 1, coupon='WELCOME')\nz = p.Order(100, 1)\n"
        "p.RULES.append(Rule(name='new', percent=15, applies=lambda o: True))\n"
        "print(p.discount(o), p.reason(o) == 'new', p.discount(z), p.reason(z))\n"
        "p.RULES.insert(0, Rule(name='first', percent=15, applies=lambda o: True))\n"
        "print(p.reason(o), p.total(z))\n"
        "p.RULES[:] = [r for r in p.RULES if r.percent != 15]\n"
        "print(p.discount(o), p.discount(z))\n"
        "p.RULES.append(Rule(name='most', percent=40, applies=lambda o: o.cents == 100))\n"
        "print(p.discount(o), p.reason(z), p.discount(p.Order(101, 1)))\n"
    )
    assert ws.run(["python3", "-c", code]).stdout == "15 False 15 new\nfirst 85\n5 0\n40 most 0\n"


def ifs(node):
    """The `if`s of a function: statements, expressions and clauses of comprehensions, not those of functions inside."""
    found = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.Lambda)):
            continue
        found += isinstance(child, (ast.If, ast.IfExp)) + (
            len(child.ifs) if isinstance(child, ast.comprehension) else 0
        )
        found += ifs(child)
    return found


def test_the_shape(ws):
    """At most one `if` for each function, and short functions."""
    tree = ast.parse(ws.read("shop/prices.py"))
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.Lambda)):
            assert ifs(node) <= 1, f"line {node.lineno}: more than one if"
        if isinstance(node, ast.FunctionDef):
            first = node.body[1] if ast.get_docstring(node) and len(node.body) > 1 else node.body[0]
            assert node.end_lineno - first.lineno + 2 <= 8, f"{node.name} is too long"
        if isinstance(node, ast.If):
            inner = [child for child in ast.walk(node) if isinstance(child, ast.If) and child is not node]
            assert not inner, f"line {node.lineno}: an if in an if"
