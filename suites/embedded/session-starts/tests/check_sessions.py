"""Hidden checks of session-starts: random events of several users against sessions cut in Python."""

import json

RUN = """
import json, sqlite3, sys
rows = []
for events in json.load(sys.stdin):
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE event (user TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, page TEXT)")
    db.executemany("INSERT INTO event VALUES (?, ?, ?, ?)", events)
    rows.append(db.execute(open("query.sql").read()).fetchall())
print(json.dumps(rows))
"""


def cut(events):
    """Oracle."""
    users = {}
    for user, at, kind, page in events:
        if kind != "ping":
            users.setdefault(user, {}).setdefault(at, []).append((kind, page))
    rows = []
    for user in sorted(users):
        sessions, last, out = [], None, False
        for at in sorted(users[user]):
            if last is None or at - last > 1800 or out:
                sessions.append([at, at, set(), False])
            out = any(kind == "logout" for kind, _page in users[user][at])
            session = sessions[-1]
            session[1], session[3] = at, out
            session[2] |= {page for kind, page in users[user][at] if kind == "view" and page is not None}
            last = at
        for number, (start, end, pages, out) in enumerate(sessions, 1):
            rows.append([user, number, start, end - start, len(pages), "logout" if out else "timeout"])
    return rows


def agrees(ws, *cases):
    """Demands the oracle's rows for each list of events."""
    done = ws.run(["python3", "-I", "-S", "-c", RUN], stdin=json.dumps(cases))
    assert done.code == 0, done
    for events, rows in zip(cases, json.loads(done.stdout), strict=True):
        assert rows == cut(events), events


def stream(rng, users, size):
    """Random events in random order, with pauses around half an hour."""
    clock = dict.fromkeys(users, 100)
    events = []
    for _ in range(size):
        user = rng.choice(users)
        clock[user] += rng.choice((0, 0, 1, 60, 900, 1799, 1800, 1801, 5000))
        kind = rng.choice(("view", "view", "view", "click", "ping", "logout"))
        events.append([user, clock[user], kind, rng.choice(("/a", "/b", "/c", None))])
    rng.shuffle(events)
    return events


def test_random_events(ws):
    """Several users at once, several events in a second, rows in no order."""
    agrees(ws, *(stream(ws.rng, ["ada", "ben", "Zoe", ""], 60) for _ in range(20)))


def test_pauses(ws):
    """1800 seconds are no pause yet, 1801 are; a chain of short pauses is one session."""
    agrees(
        ws,
        [["u", at, "view", "/a"] for at in (0, 1800, 3600, 5401, 7201)],
        [["ada", at, "view", "/b"] for at in (5000, 6800, 8601)],
    )


def test_pings(ws):
    """Pings neither begin nor prolong a session, and a user with pings only has none."""
    agrees(
        ws,
        [["u", 0, "view", None], ["u", 1000, "ping", None], ["u", 2000, "click", None]],
        [["u", 0, "ping", "/a"], ["v", 5, "click", None], ["v", 90, "ping", None]],
        [["u", 7, "logout", None], ["u", 7, "ping", None], ["u", 8, "ping", "/a"]],
        [],
    )


def test_logouts(ws):
    """What happens in the second of the logout still belongs to the session; a logout may be a session of its own."""
    agrees(
        ws,
        [["u", 5, "logout", None], ["u", 5, "view", "/x"], ["u", 6, "logout", None], ["u", 7, "view", "/y"]],
        [["u", 5, "view", "/a"], ["u", 9, "logout", None], ["u", 9, "view", "/b"], ["u", 9, "logout", "/c"]],
    )


def test_pages(ws):
    """Only pages that were viewed count, each once in a session."""
    agrees(
        ws,
        [
            ["u", k, kind, page]
            for k, (kind, page) in enumerate((("view", "/a"), ("view", "/a"), ("click", "/b"), ("view", None)))
        ],
        [["u", 0, "view", "/a"], ["u", 0, "view", "/b"], ["u", 4000, "view", "/a"], ["u", 4000, "logout", "/z"]],
    )
