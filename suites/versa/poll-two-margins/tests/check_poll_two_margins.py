"""Hidden checks of poll-two-margins: random polls against raking by cells, to the last digits."""

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


def expected(people, margins):
    """The answer."""
    first = {}
    for person in people:
        first.setdefault(person[0], person)
    kept = [row for row in first.values() if row[1] in margins["age"] and row[2] in margins["region"]]
    cells = {}
    for row in kept:
        cells[row[1], row[2]] = cells.get((row[1], row[2]), 0) + 1
    weight = {cell: float(count) for cell, count in cells.items()}
    before = None
    while kept and weight != before and (before is None or max(abs(weight[cell] - before[cell]) for cell in weight) > 1e-14):
        before = weight
        for axis, name in enumerate(("age", "region")):
            sums = {}
            for cell, value in weight.items():
                sums[cell[axis]] = sums.get(cell[axis], 0) + value
            whole = sum(margins[name][key] for key in sums)
            weight = {cell: value * margins[name][cell[axis]] / whole / sums[cell[axis]] for cell, value in weight.items()}
    weight = {cell: len(kept) * value / cells[cell] for cell, value in weight.items()}
    said = [(weight[row[1], row[2]], row[2], row[3] == "yes") for row in kept if row[3] in ("yes", "no")]
    regions = {}
    for region in margins["region"]:
        own = [(w, yes) for w, where, yes in said if where == region]
        regions[region] = sum(w for w, yes in own if yes) / sum(w for w, _ in own) if own else None
    share = float(sum(w for w, _, yes in said if yes) / sum(w for w, _, _ in said)) if said else None
    effective = sum(w for w, _, _ in said) ** 2 / sum(w * w for w, _, _ in said) if said else 0.0
    return {
        "counted": len(kept),
        "left_out": len(people) - len(kept),
        "share": share,
        "effective": effective,
        "margin_of_error": 1.96 * (share * (1 - share) / effective) ** 0.5 if said else None,
        "heaviest": max(weight.values()) if kept else None,
        "regions": {key: None if value is None else float(value) for key, value in regions.items()},
    }


def compare(ws, people, margins):
    """Runs the program on people."""
    said = asked(
        ws, people__csv=table(["id", "age", "region", "answer"], people), margins__json=json.dumps(margins)
    )
    same(said, expected(people, margins))


def shares(rng, keys):
    """Random shares that add up to 1."""
    parts = [rng.uniform(0.2, 2) for _ in keys]
    return {key: part / sum(parts) for key, part in zip(keys, parts)}


def test_random(ws):
    """Random polls, with rows that do not count and groups without anybody."""
    ages, regions = ["18-39", "40-64", "65+"], ["north", "south", "isles", "far"]
    for at in range(5):
        margins = {"age": shares(ws.rng, [*ages, "100+"]), "region": shares(ws.rng, regions)}
        people = [(n, age, region, ws.rng.choice(["yes", "no", "unsure", ""])) for n, (age, region) in enumerate(
            (age, region) for age in ages for region in regions[: 3 + at % 2])]
        for n in range(100, 180):
            age, region = ws.rng.choice([*ages, ages[0], "child"]), ws.rng.choice([*regions[:3], "north", "abroad"])
            people.append((ws.rng.choice([n, n, n, n - 1, 3]), age, region, ws.rng.choice(["yes", "yes", "no", "unsure"])))
        ws.rng.shuffle(people)
        compare(ws, people, margins)


def test_edges(ws):
    """Nobody counts, nobody answers, one person, an id whose first row does not count."""
    margins = {"age": {"a": 0.25, "b": 0.75}, "region": {"x": 0.5, "y": 0.5}}
    compare(ws, [], margins)
    compare(ws, [(1, "c", "x", "yes")], margins)
    compare(ws, [(1, "a", "x", "unsure"), (2, "b", "x", ""), (3, "b", "y", "")], margins)
    compare(ws, [(1, "a", "x", "yes")], margins)
    compare(ws, [(1, "a", "nowhere", "yes"), (1, "a", "x", "yes"), (2, "b", "x", "no"), (3, "a", "y", "no"),
                 (4, "b", "y", "yes")], margins)
