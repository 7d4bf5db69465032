"""Hidden checks of price-history: random logs against a migration in Python."""

import json

RUN = """
import json, sqlite3, sys
out = []
for rows in json.load(sys.stdin):
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE price_log (sku TEXT, title TEXT, seen TEXT, cents INTEGER)")
    db.executemany("INSERT INTO price_log VALUES (?, ?, ?, ?)", rows)
    db.commit()
    db.executescript(open("migrate.sql").read())
    found = {"in_transaction": db.in_transaction}
    for name in ("product", "price", "rejected"):
        found[name] = db.execute(f"SELECT * FROM {name}").fetchall()
        found[name + ".columns"] = [row[1] for row in db.execute(f"PRAGMA table_info({name})")]
    found["left"] = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
    out.append(found)
print(json.dumps(out))
"""


def migrated(rows):
    """Oracle: products, periods and rejected rows."""
    rejected, good = [], {}
    for row in rows:
        sku, title, seen, cents = row
        if sku is None or not sku.strip(" ") or seen is None or cents is None or cents < 0:
            rejected.append(row)
        else:
            clean = "".join(c.upper() if c.isascii() else c for c in sku.strip(" "))
            good.setdefault(clean, []).append((seen, title, cents))
    products, periods = [], []
    for number, sku in enumerate(sorted(good), 1):
        titles = [(seen, title) for seen, title, _cents in good[sku] if title is not None]
        products.append([number, sku, max(titles)[1] if titles else None])
        daily = {}
        for seen, _title, cents in good[sku]:
            daily[seen] = max(cents, daily.get(seen, 0))
        found = []
        for seen in sorted(daily):
            if not found or found[-1][1] != daily[seen]:
                if found:
                    found[-1][3] = seen
                found.append([number, daily[seen], seen, None])
        periods += found
    return products, periods, rejected


def order(rows):
    """Rows in an order of their own, nulls included."""
    return sorted(rows, key=lambda row: [(value is None, str(value)) for value in row])


def agrees(ws, *logs):
    """Demands the oracle's tables for every log."""
    done = ws.run(["python3", "-I", "-S", "-c", RUN], stdin=json.dumps(logs))
    assert done.code == 0, done
    for rows, found in zip(logs, json.loads(done.stdout), strict=True):
        products, periods, rejected = migrated(rows)
        assert order(found["product"]) == order(products), rows
        assert order(found["price"]) == order(periods), rows
        assert order(found["rejected"]) == order(rejected), rows
        assert sorted(name for (name,) in found["left"]) == ["price", "product", "rejected"], found["left"]
        assert found["product.columns"] == ["id", "sku", "title"]
        assert found["price.columns"] == ["product_id", "cents", "valid_from", "valid_to"]
        assert found["rejected.columns"] == ["sku", "title", "seen", "cents"]
        assert found["in_transaction"] is False


def log(rng, size):
    """A random log with few skus, days and prices, so that everything repeats."""
    skus = ["a1", "A1", " a1 ", "B2", "b2  ", "c", "ä-x", "Ä-X", "a b", None, "", "   "]
    return [
        [
            rng.choice(skus),
            rng.choice(("Bolt", "bolt", "Nut", None)),
            rng.choice((None, *(f"2024-0{rng.randrange(1, 3)}-{day:02d}" for day in range(1, 12)))),
            rng.choice((10, 10, 10, 12, 0, 9, 100, -1, None)),
        ]
        for _ in range(size)
    ]


def test_random_logs(ws):
    """Logs in any order in which everything that can happen does."""
    agrees(ws, *(log(ws.rng, size) for size in [60] * 12 + [5] * 12))


def test_prices_that_return(ws):
    """A price that comes back begins a new period, and days between need not be there."""
    rows = [["x", "t", f"2024-01-{day:02d}", cents] for day, cents in enumerate((5, 5, 7, 7, 5, 0, 0, 5), 1)]
    ws.rng.shuffle(rows)
    agrees(
        ws,
        rows,
        rows[:3],
        [["A", "a", f"2024-01-{day:02d}", cents] for day, cents in ((1, 10), (3, 10), (7, 12), (9, 10))],
    )


def test_several_prices_on_one_day(ws):
    """The highest counts, as a number; the others leave no trace, but their titles count."""
    agrees(
        ws,
        [
            ["x", "a", "2024-01-01", 9],
            ["X ", "c", "2024-01-01", 100],
            [" x", "b", "2024-01-02", 100],
            ["x", None, "2024-01-03", 99],
        ],
    )


def test_rejected_rows(ws):
    """They stay as they were, duplicates included, and give neither products nor titles."""
    rows = [[" ", "t", "2024-01-01", 1]] * 3 + [
        ["x", "t", None, 1],
        ["y", "t", "2024-01-01", -5],
        ["z", "t", "2024-01-01", None],
    ]
    agrees(ws, rows, [*rows, ["Y", None, "2023-01-01", 0], [" z ", "a", "2024-01-01", 3]])


def test_empty_log(ws):
    """Nothing becomes three empty tables."""
    agrees(ws, [])
