"""Hidden checks of loan-schedule: random loans against exact fractions in Python."""

from fractions import Fraction


def interest(owed, rate):
    """Oracle of i: round() takes halves to the even number."""
    return round(Fraction(owed * rate, 120000))


def schedule(owed, rate, paid):
    """Oracle: rows of the schedule, or None if it would never end."""
    rows = []
    if owed and max(0, owed + interest(owed, rate) - paid) >= owed:
        return None
    while owed:
        added = interest(owed, rate)
        payment = min(paid, owed + added)
        owed += added - payment
        rows.append((len(rows) + 1, added, payment, owed))
    return rows


def months(owed, rate, paid):
    """Oracle of n."""
    rows = schedule(owed, rate, paid)
    return -1 if rows is None else len(rows)


def instalment(owed, rate, most):
    """Oracle of m: the search needs no assumption but that more paid is never slower."""
    low, high = 0, owed + interest(owed, rate)
    while high - low > 1:
        middle = (low + high) // 2
        if 0 <= months(owed, rate, middle) <= most:
            high = middle
        else:
            low = middle
    return high


def bc(ws, lines):
    """What bc prints."""
    done = ws.run(
        ["bc", "-q", "loan.bc"], stdin="".join(line + "\n" for line in lines), env={"BC_LINE_LENGTH": "0"}, timeout=5
    )
    assert done.code == 0 and not done.stderr, done
    return done.stdout.splitlines()


def agrees(ws, cases):
    """Demands the value of each expression."""
    given = bc(ws, [expression for expression, _value in cases])
    assert len(given) == len(cases), given[:9]
    for (expression, value), line in zip(cases, given):
        assert line == str(value), (expression, line, value)


def test_rounding(ws):
    """Halves to the even number, on both sides of zero; large numbers; every scale."""
    cases = [(f"r({a}, {b})", round(Fraction(a, b))) for a in range(-9, 10) for b in (1, 2, 3, 4, 6)]
    for _ in range(30):
        b = ws.rng.randrange(1, 10**12)
        a = ws.rng.randrange(-(10**24), 10**24)
        cases += [(f"r({a}, {b})", round(Fraction(a, b))), (f"r({2 * a + 1}, 2)", round(Fraction(2 * a + 1, 2)))]
    agrees(ws, cases)
    agrees(ws, [("(scale = 7) * 0", 0), *cases[:40]])


def test_interest(ws):
    """One month, halves of cents included."""
    cases = [
        (f"i({c}, {y})", interest(c, y))
        for c, y in ((0, 500), (120, 500), (360, 500), (60000, 1), (180000, 1), (1, 100000), (7, 0))
    ]
    for _ in range(40):
        c, y = ws.rng.randrange(10**15), ws.rng.randrange(100001)
        cases.append((f"i({c}, {y})", interest(c, y)))
    agrees(ws, cases)


def test_months(ws):
    """Loans that end, that end with a small rest, and that never end."""
    cases = []
    for _ in range(25):
        c, y = ws.rng.randrange(1, 10**7), ws.rng.randrange(3000)
        m = interest(c, y) + ws.rng.choice((-1, 0, 1 + c // 50, c // 3, c, c + 1, c - 1))
        cases.append((f"n({c}, {y}, {m})", months(c, y, m)))
    cases += [
        (f"n({c}, {y}, {m})", months(c, y, m))
        for c, y, m in ((0, 500, 0), (0, 0, 5), (10, 0, 0), (10, 0, 3), (10, 0, 10), (1, 100000, 1), (100, 12000, 10))
    ]
    agrees(ws, cases)


def test_instalments(ws):
    """The smallest instalment that is enough, also for a billion and for many months."""
    cases = []
    for _ in range(12):
        c, y, k = ws.rng.randrange(1, 10**6), ws.rng.randrange(2000), ws.rng.randrange(1, 15)
        cases.append((f"m({c}, {y}, {k})", instalment(c, y, k)))
    for c, y, k in ((1, 0, 600), (2, 0, 600), (3, 0, 2), (5, 0, 2), (100, 0, 7), (9, 100000, 5), (10**15, 450, 6)):
        cases.append((f"m({c}, {y}, {k})", instalment(c, y, k)))
    agrees(ws, cases)
    agrees(ws, [("m(100000000, 350, 240)", instalment(10**8, 350, 240))])


def test_schedules(ws):
    """Lines of whole schedules, and of none."""
    for c, y, m in (
        (100000, 500, 40000),
        (ws.rng.randrange(10**4, 10**6), 799, 9000),
        (50, 0, 20),
        (1, 100000, 2),
        (0, 100, 5),
        (100, 12000, 95),
    ):
        assert bc(ws, [f"s({c}, {y}, {m})"]) == [" ".join(map(str, row)) for row in schedule(c, y, m)] + ["0"], (
            c,
            y,
            m,
        )
    assert bc(ws, ["s(1000, 1200, 10)", "s(1, 0, 0)"]) == ["-1", "-1"]


def test_nothing_else_changes(ws):
    """Whatever scale is, results are whole; scale, bases and the caller's variables stay."""
    names = "abcfhikmnopqrstyz"
    before = [f"{name} = {number}" for number, name in enumerate(names, 5)]
    calls = ["i(360, 500)", "n(1000, 500, 300)", "m(1000, 500, 4)", "s(100, 500, 60)", "r(1, 3)"]
    wanted = [
        "2",
        "4",
        str(instalment(1000, 500, 4)),
        *(" ".join(map(str, row)) for row in schedule(100, 500, 60)),
        "0",
        "0",
    ]
    after = [*"abcfhikmnopqrstyz", "scale", "ibase", "obase"]
    values = [*(str(number) for number, _name in enumerate(names, 5)), "9", "10", "10"]
    assert bc(ws, ["scale = 9", *before, *calls, *after]) == wanted + values
