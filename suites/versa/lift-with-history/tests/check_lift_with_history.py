"""Hidden checks of lift-with-history: random experiments against the same in exact numbers."""

import json
from fractions import Fraction


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


def expected(users, visits):
    """The answer."""
    arms, before = {}, {}
    for user, arm, minutes in users:
        arms.setdefault(user, []).append(arm)
        before.setdefault(user, minutes)
    kept = [user for user in arms if len(set(arms[user])) == 1]
    total = {user: sum(Fraction(str(minutes)) for name, minutes in visits if name == user) for user in kept}
    known = [Fraction(str(before[user])) for user in kept if before[user] != ""]
    fill = sum(known) / len(known) if known else Fraction(0)
    x = [fill if before[user] == "" else Fraction(str(before[user])) for user in kept]
    ranked = sorted(total.values())
    cut = ranked[-(-95 * len(kept) // 100) - 1] if kept else None
    y = [min(total[user], cut) for user in kept]
    theta = Fraction(0)
    if kept:
        mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
        var = sum((each - mean_x) ** 2 for each in x)
        theta = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / var if var else theta
        z = [b - theta * (a - mean_x) for a, b in zip(x, y)]
    counts = {arm: sum(arms[user][0] == arm for user in kept) for arm in "ab"}
    found = {"users": counts, "left_out": len(arms) - len(kept), "cut": None if cut is None else float(cut), "theta": float(theta)}
    found |= {"lift": None, "error": None, "spared": None}
    if min(counts.values()) > 1:
        def squares(values):
            result = []
            for arm in "ab":
                own = [value for user, value in zip(kept, values) if arms[user][0] == arm]
                mean = sum(own) / len(own)
                result.append((mean, sum((each - mean) ** 2 for each in own) / (len(own) - 1) / len(own)))
            return result

        (of_a, one), (of_b, other) = squares(z)
        plain = sum(part for _, part in squares(y))
        found["lift"], found["error"] = float(of_b - of_a), float(one + other) ** 0.5
        found["spared"] = float(1 - (one + other) / plain) if plain else None
    return found


def compare(ws, users, visits):
    """Runs the program on rows."""
    said = asked(ws, users__csv=table(["user", "arm", "before"], users), visits__csv=table(["user", "minutes"], visits))
    same(said, expected(users, visits))


def test_random(ws):
    """Random experiments of several sizes, with users in both arms, twice, unknown, and far out."""
    for size in (19, 20, 21, 40, 61):
        users, visits = [], []
        for user in range(size):
            level = ws.rng.uniform(1, 60)
            users.append((user, ws.rng.choice("ab"), ws.rng.choice([round(level, 1), round(level, 1), ""])))
            visits += [(user, round(ws.rng.uniform(0, level), 2)) for _ in range(ws.rng.randrange(4))]
            if ws.rng.random() < 0.15:
                users.append((user, ws.rng.choice("ab"), 7))
        visits += [(ws.rng.randrange(size), 500), (9999, 3), (ws.rng.randrange(size), 700)]
        users += [(7000, "a", 3.5), (7001, "a", ""), (7002, "b", 1), (7003, "b", 2)]
        ws.rng.shuffle(visits)
        ws.rng.shuffle(users)
        compare(ws, users, visits)


def test_edges(ws):
    """Nobody, one in an arm, nothing known before, no visit at all."""
    compare(ws, [], [])
    compare(ws, [(1, "a", 4), (2, "b", 5), (3, "b", 7)], [(2, 5), (3, 9), (1, 1)])
    compare(ws, [(1, "a", ""), (2, "a", ""), (3, "b", ""), (4, "b", "")], [(2, 5), (3, 9), (1, 1)])
    compare(ws, [(1, "a", 3), (2, "a", 5), (3, "b", 8), (4, "b", 1)], [])
    compare(ws, [(1, "a", 3), (1, "b", 3)], [(1, 5)])
