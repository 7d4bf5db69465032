"""Counts the steps that SQLite needs for each query on a database with random rows."""

import random
import sqlite3
from pathlib import Path

QUERIES = ("open_tickets", "latest_reply", "busy_agents")


def database(seed, tickets=3000):
    """A database with the schema, the indexes and random rows."""
    rng = random.Random(seed)
    db = sqlite3.connect(":memory:")
    db.executescript(Path("schema.sql").read_text() + Path("indexes.sql").read_text())
    teams = [f"team{number}" for number in range(6)]
    db.executemany("INSERT INTO agent VALUES (?, ?, ?)", [(n, f"agent {n}", rng.choice(teams)) for n in range(1, 41)])
    for number in range(1, tickets + 1):
        state = rng.choice(("open", "waiting")) if rng.random() < 100 / tickets else "done"
        agent = rng.choice((None, *range(1, 41)))
        row = (number, agent, rng.choice(teams), state, rng.randrange(4), rng.randrange(1000))
        db.execute("INSERT INTO ticket VALUES (?, ?, ?, ?, ?, ?)", row)
        for _ in range(4):
            author = rng.choice(("customer", "ada", "ben"))
            db.execute(
                "INSERT INTO message VALUES (NULL, ?, ?, ?)",
                (rng.randrange(1, tickets + 1), author, rng.randrange(9999)),
            )
    return db


def steps(db, name):
    """Rows of a query and the steps that it took, in tens."""
    count = 0

    def tick():
        nonlocal count
        count += 10

    db.set_progress_handler(tick, 10)
    rows = db.execute(Path("queries", name + ".sql").read_text(), {"team": "team1"}).fetchall()
    db.set_progress_handler(None, 10)
    return rows, count


if __name__ == "__main__":
    for name in QUERIES:
        print(name, steps(database(1, 300), name)[1], "steps with 300 tickets")
