"""Hidden checks of sql-device-sessions: random events against a loop; the query is run here, on its own."""

import sqlite3

SCHEMA = """-- `at` is a number of seconds; `kind` is 'ping' or 'off'.
CREATE TABLE events (device TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL);"""

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


def expected(events):
    """The rows, by walking each device's events."""
    found = []
    for device in sorted({row[0] for row in events}):
        runs, off = [], True
        for at, kind in sorted({(at, kind == "off") for name, at, kind in events if name == device}):
            if not runs or (at > runs[-1][1] and (off or at - runs[-1][1] > 600)):
                runs.append([at, at])
                off = False
            runs[-1][1] = at
            off = kind
        best = min(runs, key=lambda run: (run[0] - run[1], run[0]))
        gaps = [after[0] - before[1] for before, after in zip(runs, runs[1:])]
        found.append((device, len(runs), best[1] - best[0], best[0], max(gaps, default=None)))
    return found


def compare(ws, events):
    """Runs the query on events."""
    assert answers(ws.read("query.sql"), SCHEMA + fill(events=events)) == expected(events)


def test_random_events(ws):
    """Random events, in any order, some of them twice."""
    for _ in range(10):
        events = []
        for device in ws.rng.sample(["a", "B", "b", "c c", "d'"], 4):
            at = ws.rng.randrange(-500, 500)
            for _ in range(ws.rng.randrange(1, 25)):
                at += ws.rng.choice([0, 1, 5, 599, 600, 601, 602, 2000])
                events.append((device, at, ws.rng.choice(["ping", "ping", "ping", "off"])))
        events += ws.rng.sample(events, len(events) // 4)
        ws.rng.shuffle(events)
        compare(ws, events)


def test_ties_and_edges(ws):
    """Sessions of one length, an off beside a ping of the same second, exactly 600 seconds."""
    compare(ws, [("x", 0, "ping"), ("x", 600, "ping"), ("x", 1201, "ping"), ("x", 1801, "ping")])
    compare(ws, [("x", 5, "off"), ("x", 5, "ping"), ("x", 6, "ping"), ("y", 9, "ping"), ("y", 9, "ping")])
    compare(ws, [])
