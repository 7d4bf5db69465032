"""Hidden checks of sql-unit-budgets: random trees against a walk; the query is run here, on its own."""

import sqlite3

SCHEMA = """CREATE TABLE units (id INTEGER PRIMARY KEY, parent INTEGER, name TEXT NOT NULL);
CREATE TABLE posts (person INTEGER NOT NULL, unit INTEGER NOT NULL);
CREATE TABLE costs (unit INTEGER NOT NULL, cents INTEGER NOT NULL);"""

def answers(sql, script):
    """Rows of one SELECT, run in memory, where nothing but reading is allowed."""
    db = sqlite3.connect(":memory:")
    db.executescript(script)
    allowed = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
    db.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY)
    left = [2000]

    def tick():
        left[0] -= 1
        return left[0] < 0

    db.set_progress_handler(tick, 100_000)
    return db.execute(sql).fetchall()


def values(rows):
    """Rows as SQL literals."""
    def text(value):
        return "NULL" if value is None else str(value) if isinstance(value, int) else "'" + value.replace("'", "''") + "'"

    return ", ".join("(" + ", ".join(map(text, row)) + ")" for row in rows)


def fill(**tables):
    """Inserts of rows by table; empty tables stay empty."""
    return "".join(f"INSERT INTO {name} VALUES {values(rows)};\n" for name, rows in tables.items() if rows)


def expected(units, posts, costs):
    """The rows, by walking down."""
    below, rows = {}, []
    for number, parent, name in units:
        below.setdefault(parent, []).append((number, name))

    def walk(number, name, above):
        path = [*above, name]
        own = sum(cents for unit, cents in costs if unit == number)
        total, people = own, {person for person, unit in posts if unit == number}
        for each in below.get(number, ()):
            more, others = walk(*each, path)
            total, people = total + more, people | others
        rows.append(("/".join(path), number, len(above), own, total, len(people)))
        return total, people

    for each in below.get(None, ()):
        walk(*each, [])
    return [(path, *rest) for path, _, *rest in sorted(rows, key=lambda row: (row[0].encode(), row[1]))]


def compare(ws, units, posts, costs):
    """Runs the query on tables."""
    found = answers(ws.read("query.sql"), SCHEMA + fill(units=units, posts=posts, costs=costs))
    assert found == [tuple(row) for row in expected(units, posts, costs)]


def test_random_trees(ws):
    """Random forests with circles, equal names, and names that look like patterns."""
    for _ in range(8):
        numbers = ws.rng.sample(range(1, 100), 20)
        names = ["a", "a_", "a%", "A", "b/c", "b", "it's", ""]
        units = [
            (n, ws.rng.choice([None, *numbers[: at + 2], *numbers[:at]]) if at > 2 else None, ws.rng.choice(names))
            for at, n in enumerate(numbers)
        ]
        posts = [(ws.rng.randrange(12), ws.rng.choice([*numbers, 777])) for _ in range(30)]
        costs = [(ws.rng.choice([*numbers, 777]), ws.rng.randrange(-500, 900)) for _ in range(40)]
        compare(ws, units, posts, costs)


def test_deep_and_empty(ws):
    """A chain, and nothing at all."""
    units = [(n, n - 1 if n > 1 else None, f"u{n}") for n in range(1, 40)]
    compare(ws, units, [(n % 3, n) for n in range(1, 40)], [(39, 7), (20, -7), (20, -7)])
    compare(ws, [], [(1, 1)], [(1, 5)])
