"""Hidden checks of slow-dashboard: rows by an oracle, and the number of steps that SQLite takes."""

import json

RUN = """
import json, sqlite3, sys
tables, teams = json.load(sys.stdin)
db = sqlite3.connect(":memory:")
db.executescript(SCHEMA)
before = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
db.executescript(open("indexes.sql").read())
made = [row for row in db.execute("SELECT type, name, sql FROM sqlite_master") if row[1] not in before]
for name, rows in tables.items():
    if rows:
        db.executemany(f"INSERT INTO {name} VALUES ({','.join('?' * len(rows[0]))})", rows)
db.commit()
def run(name, team):
    count = 0
    def tick():
        nonlocal count
        count += 100
        return count > 3_000_000
    db.set_progress_handler(tick, 100)
    try:
        cursor = db.execute(open(f"queries/{name}.sql").read(), {"team": team})
        rows = cursor.fetchall()
        names = [entry[0] for entry in cursor.description]
    except sqlite3.OperationalError as error:
        rows, names = None, str(error)
    return rows, names, count
changes = db.total_changes
out = {name: run(name, teams[0]) for name in ("latest_reply", "busy_agents")}
out["open_tickets"] = [run("open_tickets", team) for team in teams]
out["made"], out["writes"] = made, db.total_changes - changes
print(json.dumps(out))
"""
SCHEMA = """
CREATE TABLE agent (id INTEGER PRIMARY KEY, name TEXT NOT NULL, team TEXT NOT NULL);
CREATE TABLE ticket (
    id INTEGER PRIMARY KEY,
    agent_id INTEGER REFERENCES agent,
    team TEXT NOT NULL,
    state TEXT NOT NULL,
    priority INTEGER NOT NULL,
    opened INTEGER NOT NULL
);
CREATE TABLE message (id INTEGER PRIMARY KEY, ticket_id INTEGER NOT NULL REFERENCES ticket, author TEXT NOT NULL, at INTEGER NOT NULL);
"""


def upper(text):
    """What SQLite's upper() does: ASCII letters only."""
    return "".join(char.upper() if char.isascii() else char for char in text)


def demanded(tables, team):
    """Oracle: rows of the three queries."""
    mine = [t for t in tables["ticket"] if upper(t[2]) == upper(team) and t[3] == "open"]
    opened = [[t[0], t[4], t[5]] for t in sorted(mine, key=lambda t: (-t[4], t[5], t[0]))][:20]
    latest = {}
    for _id, ticket, author, at in tables["message"]:
        if author != "customer":
            latest[ticket] = max(at, latest.get(ticket, at))
    waiting = [[t[0], latest.get(t[0])] for t in sorted(tables["ticket"]) if t[3] == "waiting"]
    busy = []
    for number, name, _team in tables["agent"]:
        count = sum(t[1] == number and t[3] != "done" for t in tables["ticket"])
        if count:
            busy.append([number, name, count])
    return opened, waiting, sorted(busy, key=lambda row: (-row[2], row[0]))


def content(rng, tickets, active, teams=("ops", "Ops", "dev", "web", "x", "y"), states=("open", "waiting")):
    """Random rows: `active` tickets are not done."""
    agents = [[n, f"agent {rng.randrange(5)}", rng.choice(teams)] for n in range(1, 41)]
    busy = set(rng.sample(range(1, tickets + 1), active))
    rows = [
        [
            n,
            rng.choice((None, *range(1, 41))),
            rng.choice(teams),
            rng.choice(states) if n in busy else "done",
            rng.randrange(4),
            rng.randrange(tickets),
        ]
        for n in range(1, tickets + 1)
    ]
    messages = [
        [
            n,
            rng.randrange(1, tickets + 1),
            rng.choice(("customer", "ada", "Customer", "customers", "a")),
            rng.randrange(9999),
        ]
        for n in range(1, 4 * tickets + 1)
    ]
    return {"agent": agents, "ticket": rows, "message": messages}


def result(ws, tables, teams):
    """What the queries give; demands the oracle's rows."""
    done = ws.run(["python3", "-I", "-S", "-c", RUN.replace("SCHEMA", repr(SCHEMA))], stdin=json.dumps([tables, teams]))
    assert done.code == 0, done
    out = json.loads(done.stdout)
    for team, (rows, names, _count) in zip(teams, out["open_tickets"], strict=True):
        assert names == ["id", "priority", "opened"], names
        assert rows == demanded(tables, team)[0], team
    _opened, waiting, busy = demanded(tables, "")
    assert out["latest_reply"][:2] == [waiting, ["id", "latest"]], out["latest_reply"][1]
    assert out["busy_agents"][:2] == [busy, ["id", "name", "tickets"]], out["busy_agents"][1]
    assert out["writes"] == 0, "a query changed the database"
    return out


def test_random_rows(ws):
    """Teams in any case, ties in every order, tickets without agents or messages."""
    for size, active in ((40, 30), (150, 60)):
        result(ws, content(ws.rng, size, active), ["ops", "OPS", "web", "none", "Dev"])
    result(ws, content(ws.rng, 90, 80, teams=("ops", "Ops")), ["ops"])


def test_other_states(ws):
    """A state that nobody has thought of yet is not done either, and is neither open nor waiting."""
    result(ws, content(ws.rng, 60, 40, states=("open", "waiting", "Open", "a", "zzz", "", "doner")), ["x", "y"])


def test_empty_tables(ws):
    """No rows give no rows."""
    result(ws, {"agent": [], "ticket": [], "message": []}, ["ops"])


def test_steps(ws):
    """On 3,000 tickets each query takes at most 12,000 steps."""
    out = result(ws, content(ws.rng, 3000, 140, teams=("ops", "dev", "web", "x", "y", "z")), ["ops", "nobody"])
    counts = {name: out[name][2] for name in ("latest_reply", "busy_agents")}
    counts["open_tickets"] = max(count for _rows, _names, count in out["open_tickets"])
    assert max(counts.values()) <= 12_000, counts


def test_only_indexes_are_made(ws):
    """At most five, on the tables that are there."""
    made = result(ws, content(ws.rng, 20, 5), ["ops"])["made"]
    assert len(made) <= 5 and all(kind == "index" for kind, _name, _sql in made), made
