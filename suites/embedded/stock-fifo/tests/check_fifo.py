"""Hidden checks of stock-fifo: random movements against a warehouse of single pieces."""

import json

RUN = """
import json, sqlite3, sys
from stock.fifo import BadMovement, value
out = []
for movements in json.load(sys.stdin):
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE movement (id INTEGER PRIMARY KEY, item TEXT NOT NULL, kind TEXT NOT NULL, pieces INTEGER NOT NULL, cents INTEGER, of INTEGER)")
    db.executemany("INSERT INTO movement VALUES (?, ?, ?, ?, ?, ?)", movements)
    db.commit()
    before = db.total_changes
    try:
        sales, worth = value(db)
        out.append([sorted(sales.items()), sorted(worth.items())])
    except BadMovement as error:
        out.append(["bad", error.id] if isinstance(error, ValueError) else "no ValueError")
    if db.total_changes != before or db.in_transaction:
        out[-1] = "the database was changed"
print(json.dumps(out))
"""


def valued(movements):
    """Oracle: every piece is an entry of a list, those that are sold first in front."""
    stock, out, item_of, cost = {}, {}, {}, {}
    for number, item, kind, pieces, cents, of in sorted(movements):
        here = stock.setdefault(item, [])
        if kind == "buy" and cents is not None and cents >= 0:
            here += [cents] * pieces
        elif kind == "sell" and pieces <= len(here):
            out[number], item_of[number] = here[:pieces], item
            del here[:pieces]
        elif kind == "return" and item_of.get(of) == item and pieces <= len(out[of]):
            here[:0] = out[of][-pieces:]
            del out[of][-pieces:]
        elif kind == "scrap" and pieces <= len(here):
            del here[len(here) - pieces :]
        else:
            return ["bad", number]
    cost = {number: sum(pieces) for number, pieces in out.items()}
    return [
        [list(entry) for entry in sorted(cost.items())],
        [list(entry) for entry in sorted((i, sum(p)) for i, p in stock.items())],
    ]


def agrees(ws, *cases):
    """Demands the oracle's answers."""
    done = ws.run(["python3", "-S", "-c", RUN], stdin=json.dumps(cases), timeout=10)
    assert done.code == 0, done
    for movements, given in zip(cases, json.loads(done.stdout), strict=True):
        assert given == valued(movements), movements


def history(rng, size, items, careless):
    """Random movements; with `careless` above 0 some of them are impossible."""
    movements, left, open_sales, number = [], dict.fromkeys(items, 0), [], 0
    for _ in range(size):
        number += rng.choice((1, 1, 3))
        item = rng.choice(items)
        kind = rng.choice(("buy", "sell", "sell", "return", "scrap"))
        if rng.random() < careless:
            movements.append(
                rng.choice(
                    [
                        [
                            number,
                            item,
                            kind,
                            rng.randrange(1, 30),
                            rng.choice((None, -1)),
                            rng.choice((None, number, 1, 2)),
                        ],
                        [number, item, "swap", 1, 1, None],
                    ]
                )
            )
            continue
        if kind == "return" and open_sales:
            entry = rng.choice(open_sales)
            if entry[2] == 0:
                continue
            pieces = rng.randrange(1, entry[2] + 1)
            entry[2] -= pieces
            left[entry[1]] += pieces
            movements.append([number, entry[1], kind, pieces, None, entry[0]])
        elif kind in ("sell", "scrap") and left[item]:
            pieces = rng.randrange(1, min(left[item], 9) + 1)
            left[item] -= pieces
            movements.append([number, item, kind, pieces, None, None])
            if kind == "sell":
                open_sales.append([number, item, pieces])
        else:
            pieces = rng.randrange(1, 8)
            left[item] += pieces
            movements.append([number, item, "buy", pieces, rng.randrange(20), None])
    return movements


def test_random_histories(ws):
    """Purchases, sales, returns and scrap of several items, all possible."""
    agrees(ws, *(history(ws.rng, 60, ["nut", "bolt"], 0) for _ in range(30)))


def test_impossible_movements(ws):
    """The first movement that cannot have happened is named."""
    agrees(ws, *(history(ws.rng, 20, ["nut", "bolt"], 0.06) for _ in range(40)))


def test_each_kind_of_impossible_movement(ws):
    """One of each, and the nearest possible one."""
    buy, sell = [1, "a", "buy", 5, 2, None], [3, "a", "sell", 4, None, None]
    more = [
        [6, "a", kind, pieces, cents, of]
        for kind, pieces, cents, of in (
            ("sell", 1, None, None),
            ("sell", 2, None, None),
            ("scrap", 1, None, None),
            ("scrap", 2, None, None),
            ("return", 4, None, 3),
            ("return", 5, None, 3),
            ("return", 1, None, 1),
            ("return", 1, None, None),
            ("return", 1, None, 6),
            ("return", 1, None, 9),
            ("buy", 1, 0, None),
            ("buy", 1, -1, None),
            ("buy", 1, None, None),
            ("Sell", 1, None, None),
            ("", 1, 1, 1),
        )
    ]
    agrees(
        ws,
        *([buy, sell, movement] for movement in more),
        [buy, sell, [7, "b", "return", 1, None, 3]],
        [[9, "b", "scrap", 1, None, None]],
    )


def test_returns(ws):
    """What went out last comes back first, and is used before everything else, the latest return first."""
    buys = [[k, "a", "buy", 2, 10**k, None] for k in range(1, 5)]
    story = [
        [5, "a", "sell", 5, None, None],
        [6, "a", "return", 2, None, 5],
        [7, "a", "return", 2, None, 5],
        [8, "a", "sell", 3, None, None],
    ]
    agrees(
        ws,
        buys + story,
        [
            *buys,
            *story,
            [9, "a", "scrap", 3, None, None],
            [10, "a", "return", 3, None, 8],
            [11, "a", "sell", 1, None, None],
        ],
    )
    agrees(
        ws,
        [
            [1, "nut", "buy", 2, 5, None],
            [2, "nut", "buy", 4, 7, None],
            [3, "nut", "sell", 3, None, None],
            [4, "nut", "return", 2, None, 3],
            [5, "nut", "sell", 1, None, None],
        ],
    )


def test_many_movements_of_many_pieces(ws):
    """20,000 movements of a billion pieces each: neither pieces nor open lots may be walked through."""
    size, movements = 5_000, []
    for k in range(size):
        movements.append([k + 1, "a", "buy", 10**9, 1 + k % 7, None])
    for k in range(size):
        movements.append([size + 2 * k + 1, "a", "sell", 10**9 // 2, None, None])
        movements.append([size + 2 * k + 2, "a", "scrap", 1, None, None])
    done = ws.run(["python3", "-S", "-c", RUN], stdin=json.dumps([movements]), timeout=2)
    assert done.code == 0, done
    [[sales, [[_item, left]]]] = json.loads(done.stdout)
    costs = [10**9 // 2 * (1 + k // 2 % 7) for k in range(size)]
    assert [cost for _number, cost in sales] == costs
    assert left == sum(10**9 * (1 + k % 7) for k in range(size)) - sum(costs) - size * (1 + (size - 1) % 7)


def test_nothing(ws):
    """No movements give two empty dicts."""
    agrees(ws, [])
