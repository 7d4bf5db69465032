"""Hidden checks of shop-cohorts: random sales against a computation customer by customer."""

import datetime
import json


def asked(ws, **files):
    """What the program says of files in a folder of their own."""
    folder = f"case{ws.rng.getrandbits(40)}"
    for name, text in files.items():
        ws.write(f"{folder}/{name.replace('__', '.')}", text)
    done = ws.run(["python3", "report.py", folder])
    assert done.code == 0, done
    return json.loads(done.stdout)


def table(head, rows):
    """A CSV file."""
    return "".join(",".join(map(str, row)) + "\n" for row in [head, *rows])


def same(found, wanted, where="answer"):
    """Whether answers are alike: numbers to nine digits, everything else exactly."""
    if isinstance(wanted, dict):
        assert type(found) is dict and found.keys() == wanted.keys(), (where, found, wanted)
        for key in wanted:
            same(found[key], wanted[key], f"{where}.{key}")
    elif isinstance(wanted, list):
        assert type(found) is list and len(found) == len(wanted), (where, found, wanted)
        for at, pair in enumerate(zip(found, wanted)):
            same(*pair, f"{where}[{at}]")
    elif isinstance(wanted, float):
        assert type(found) in (int, float) and abs(found - wanted) <= 1e-7 * max(1.0, abs(wanted)), (where, found, wanted)
    else:
        assert type(found) is type(wanted) and found == wanted, (where, found, wanted)


def expected(rows):
    """The answer."""
    sales = {row[0]: list(row) for row in rows if row[4] == ""}
    unknown = 0
    for row in rows:
        if row[4] != "":
            if row[4] in sales:
                sales[row[4]][3] -= row[3]
            else:
                unknown += 1
    good = [row for row in sales.values() if row[3] > 0]
    months = sorted({row[2][:7] for row in rows})
    every, at = [], months[0] if months else "9"
    while months and at <= months[-1]:
        every.append(at)
        year, number = map(int, at.split("-"))
        at = f"{year + number // 12:04d}-{number % 12 + 1:02d}"
    begin = {}
    for row in sorted(good, key=lambda each: each[2]):
        begin.setdefault(row[1], row[2][:7])
    found = {}
    for cohort in sorted(set(begin.values())):
        people = [name for name, first in begin.items() if first == cohort]
        own = [row for row in good if row[1] in people]
        span = [month for month in every if month >= cohort]
        waits = []
        for name in people:
            days = sorted({datetime.date.fromisoformat(row[2]) for row in own if row[1] == name})
            waits += [(days[1] - days[0]).days] if len(days) > 1 else []
        waits.sort()
        found[cohort] = {
            "customers": len(people),
            "active": [len({row[1] for row in own if row[2][:7] == month}) / len(people) for month in span],
            "cents": [float(sum(row[3] for row in own if row[2][:7] <= month)) for month in span],
            "days_to_second": (waits[len(waits) // 2] + waits[~(len(waits) // 2)]) / 2 if waits else None,
        }
    return {"unknown_refunds": unknown, "cohorts": found}


def compare(ws, rows):
    """Runs the program on rows."""
    same(asked(ws, sales__csv=table(["id", "customer", "day", "cents", "refund_of"], rows)), expected(rows))


def test_random(ws):
    """Random sales and refunds over a new year."""
    for _ in range(5):
        rows, ids = [], ws.rng.sample(range(1000), 90)
        for at, number in enumerate(ids):
            day = (datetime.date(2024, 9, 10) + datetime.timedelta(ws.rng.randrange(200))).isoformat()
            if at > 20 and ws.rng.random() < 0.3:
                back = ws.rng.choice([*ids[:20], *ids[:20], 5000, ids[at - 1]])
                paid = next((row[3] for row in rows if row[0] == back), 100)
                rows.append((number, "zoe", day, ws.rng.choice([paid, paid // 2 + 1, 9, paid + 50]), back))
            else:
                rows.append((number, f"c{ws.rng.randrange(14)}", day, ws.rng.randrange(1, 900), ""))
        ws.rng.shuffle(rows)
        compare(ws, rows)


def test_edges(ws):
    """No rows, voids alone, two sales on one day, a refund in the last month."""
    compare(ws, [])
    compare(ws, [(1, "a", "2025-01-02", 5, ""), (2, "a", "2025-01-03", 5, 1)])
    compare(ws, [(1, "a", "2024-12-31", 5, ""), (2, "a", "2024-12-31", 5, ""), (3, "b", "2025-12-01", 1, 99)])
    compare(ws, [(1, "a", "2024-11-30", 5, ""), (2, "b", "2024-12-31", 9, ""), (3, "b", "2025-01-01", 7, ""),
                 (4, "b", "2025-02-01", 4, 2), (5, "b", "2025-02-02", 4, 2), (6, "b", "2024-12-31", 50, 3)])
