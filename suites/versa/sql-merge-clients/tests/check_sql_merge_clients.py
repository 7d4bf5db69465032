"""Hidden checks of sql-merge-clients: random clients against a loop, and what the new database refuses."""

import sqlite3

from grader import raises

SCHEMA = """CREATE TABLE clients (id INTEGER PRIMARY KEY, email TEXT, name TEXT, joined TEXT NOT NULL);
CREATE TABLE orders (id INTEGER PRIMARY KEY, client INTEGER, cents INTEGER);"""

def values(rows):
    """Rows as SQL literals."""
    def text(value):
        return "NULL" if value is None else str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"

    return ", ".join("(" + ", ".join(map(text, row)) + ")" for row in rows)


def fill(**tables):
    """Inserts of rows by table; empty tables stay empty."""
    return "".join(f"INSERT INTO {name} VALUES {values(rows)};\n" for name, rows in tables.items() if rows)


def migrated(ws, clients, orders):
    """The database after the script, which may do all but attach others and set switches."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(SCHEMA + fill(clients=clients, orders=orders))
    denied = {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH}
    db.set_authorizer(lambda action, *_: sqlite3.SQLITE_DENY if action in denied else sqlite3.SQLITE_OK)
    db.executescript(ws.read("migrate.sql"))
    db.set_authorizer(None)
    if db.in_transaction:
        db.rollback()
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("PRAGMA ignore_check_constraints = OFF")
    return db


def expected(clients, orders):
    """Rows of the four tables."""
    groups, of = {}, {}
    for number, email, name, joined in sorted(clients):
        address = (email or "").strip(" ").lower()
        if address:
            groups.setdefault(address, []).append((number, (name or "").strip(" "), joined))
    customers = []
    for address, rows in groups.items():
        names = sorted((row for row in rows if row[1]), key=lambda row: (-len(row[1]), row[0]))
        customers.append((rows[0][0], address, names[0][1] if names else None, min(row[2] for row in rows)))
        of |= {row[0]: rows[0][0] for row in rows}
    known, kept, rejected = {row[0] for row in clients}, [], []
    for number, client, cents in sorted(orders):
        if client not in known:
            rejected.append((number, "no client"))
        elif client not in of:
            rejected.append((number, "no email"))
        elif cents is None or cents < 0:
            rejected.append((number, "bad amount"))
        else:
            kept.append((number, of[client], cents))
    return sorted(customers), sorted(of.items()), kept, rejected


def compare(ws, clients, orders):
    """Migrates, and compares each table."""
    db = migrated(ws, clients, orders)
    tables = ("customers", "merges", "orders", "rejected")
    found = tuple(db.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in tables)
    assert found == expected(clients, orders)
    names = db.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND type <> 'index'")
    assert {row[0] for row in names} == set(tables)
    assert not db.execute("SELECT name FROM sqlite_temp_master WHERE type <> 'index'").fetchall()
    return db


def test_random_clients(ws):
    """Random clients and orders."""
    for _ in range(10):
        emails = ["a@x", " A@x ", "b@x", "B@X", "", "   ", None, "c@x"]
        names = ["Al", "Bo", " Bo ", "Cecily", "", "  ", None, "Dee Dee"]
        ids = ws.rng.sample(range(1, 60), 14)
        clients = [(n, ws.rng.choice(emails), ws.rng.choice(names), f"20{ws.rng.randrange(10, 25)}-01-01") for n in ids]
        orders = [
            (n, ws.rng.choice([*ids, None, 99, 98]), ws.rng.choice([None, -5, 0, 0, 7, ws.rng.randrange(900)]))
            for n in ws.rng.sample(range(100), 40)
        ]
        compare(ws, clients, orders)


def test_columns(ws):
    """Names of columns, and primary keys."""
    db = compare(ws, [], [])
    for table, columns in {
        "customers": ["id", "email", "name", "joined"],
        "merges": ["client", "customer"],
        "orders": ["id", "customer", "cents"],
        "rejected": ["order_id", "reason"],
    }.items():
        info = db.execute(f"PRAGMA table_info({table})").fetchall()
        assert [row[1] for row in info] == columns
        assert [row[5] for row in info] == [1, *[0] * (len(columns) - 1)]


def test_what_is_refused(ws):
    """What the tables promise holds later, too."""
    db = compare(ws, [(1, "a@x", None, "2020-01-01"), (2, "b@x", "", "2020-01-01")], [(1, 1, 5)])
    for order in (
        "INSERT INTO customers VALUES (5, 'a@x', 'x', '2020-01-01')",
        "INSERT INTO customers VALUES (5, NULL, 'x', '2020-01-01')",
        "INSERT INTO customers VALUES (5, 'c@x', 'x', NULL)",
        "INSERT INTO orders VALUES (5, 77, 1)",
        "INSERT INTO orders VALUES (5, NULL, 1)",
        "INSERT INTO orders VALUES (5, 1, NULL)",
        "INSERT INTO orders VALUES (5, 1, -1)",
        "INSERT INTO orders VALUES (1, 1, 1)",
        "INSERT INTO merges VALUES (9, 77)",
        "DELETE FROM customers WHERE id = 1",
    ):
        with raises(sqlite3.IntegrityError):
            db.execute(order)
    db.execute("INSERT INTO orders VALUES (6, 2, 0)")
    db.execute("INSERT INTO customers VALUES (6, 'f@x', NULL, '2020-01-01')")
