"""Hidden checks of heat-bills: exact answers, and random houses against the rules, applied by hand."""

import json


def diagnosis(ws):
    """What the solution says."""
    return json.loads(ws.read("diagnosis.json"))


def test_where_the_fault_is(ws):
    """The function, and the reading that it treats wrongly."""
    found = diagnosis(ws)
    assert (found["module"], found["function"]) == ("heat/readings.py", "clean")
    assert type(found["line"]) is int and found["line"] == 39


def test_what_it_does(ws):
    """The consumption that comes out, and what follows for the bills."""
    found = diagnosis(ws)
    assert found["flat"] == "4L"
    assert (found["consumption_wrong"], found["consumption_right"]) == (853, 798)
    assert (found["bills_wrong"], found["overpaid"]) == (12, 3728)
    assert all(type(found[key]) is int for key in ("consumption_wrong", "consumption_right", "bills_wrong", "overpaid"))


def consumed(readings, digits):
    """Consumption of a meter; readings are (day, value, estimated) in the order in which they were noted."""
    by_day = sorted(readings, key=lambda reading: reading[0])
    values = []
    for place, (_day, value, estimated) in enumerate(by_day):
        real = [other for _day, other, guess in by_day[place + 1 :] if not guess]
        if not (estimated and real and value > real[0]):
            values.append(value)
    total = 0
    for before, after in zip(values, values[1:], strict=False):
        if after >= before:
            total += after - before
        elif before >= 9 * 10 ** (digits - 1):
            total += 10**digits - before + after
    return total


def shares(cents, weights):
    """Shares by weight, largest remainders first."""
    weights = weights if sum(weights) else [1 for _ in weights]
    exact = [divmod(cents * weight, sum(weights)) for weight in weights]
    left = cents - sum(whole for whole, _rest in exact)
    lucky = sorted(range(len(weights)), key=lambda n: (-exact[n][1], n))[:left]
    return [whole + (n in lucky) for n, (whole, _rest) in enumerate(exact)]


def random_meter(rng):
    """Digits and readings of a meter: it grows, goes past its end, is put right; estimates are off."""
    digits = rng.choice((3, 4))
    size = 10**digits
    value, day, found = rng.choice((rng.randrange(size), size - rng.randrange(1, size // 5), size * 9 // 10)), 0, []
    for _ in range(rng.randrange(12)):
        day += rng.choice((0, 1, 1, 3))
        value = (value + rng.choice((0, 1, 5, 30, size // 10))) % size
        if rng.random() < 0.1:
            value = max(0, value - rng.randrange(40))
        estimated = rng.random() < 0.45
        noted = max(0, min(size - 1, value + rng.choice((-20, 0, 0, 10, 45, 80)))) if estimated else value
        found.append((f"2025-{1 + day // 20:02d}-{1 + day % 20:02d}", noted, estimated))
    return digits, found


def test_random_houses(ws):
    """Consumption and bills of random houses."""
    heat, billing = ws.load("heat"), ws.load("heat.billing")
    for _ in range(60):
        rng = ws.rng
        flats = [(f"F{n}", rng.randrange(1, 9000)) for n in range(rng.randrange(1, 6))]
        meters = [(f"M{n}", rng.choice(flats)[0], *random_meter(rng)) for n in range(rng.randrange(8))]
        noted = [(day, name, value, e) for name, _flat, _digits, found in meters for day, value, e in found]
        late = [reading for reading in noted if rng.random() < 0.1]
        used = {flat: 0 for flat, _area in flats}
        order = [reading for reading in noted if reading not in late] + late
        for name, flat, digits, _found in meters:
            used[flat] += consumed([(day, value, e) for day, whose, value, e in order if whose == name], digits)
        house = heat.House(
            tuple(heat.Flat(*flat) for flat in flats), tuple(heat.Meter(name, flat, digits) for name, flat, digits, _f in meters)
        )
        readings = [heat.Reading(*reading) for reading in order]
        assert billing.used(house, readings) == used, order
        cents = rng.choice((rng.randrange(100), rng.randrange(10**6)))
        fixed = shares(cents * 3 // 10, [area for _flat, area in flats])
        variable = shares(cents - cents * 3 // 10, list(used.values()))
        wanted = {flat: one + other for (flat, _area), one, other in zip(flats, fixed, variable, strict=True)}
        assert heat.bills(house, readings, cents) == wanted


def test_rows_of_estimates(ws):
    """Several estimates before a real reading: each is measured by that reading alone."""
    heat, billing = ws.load("heat"), ws.load("heat.billing")
    house = heat.House((heat.Flat("A", 100),), (heat.Meter("M", "A", 4),))
    for values, wanted in (
        ("100 180e 190e 150", 50),
        ("100 190e 180e 150 160", 60),
        ("100 190e 140e 150", 50),
        ("100 120e 110e 150", 60),
        ("100 151e 150e 150 120e", 50),
        ("100 151e 149e 152e 150 40", 50),
        ("9950 9990e 9980e 20", 70),
        ("200e 190e", 0),
        ("200e 190e 195", 5),
        ("200 250e 210 100 240e", 150),
        ("200 250e 210 300e 100 9000 8999e 5", 9915),
    ):
        readings = [
            heat.Reading(f"2025-01-{day:02d}", "M", int(text.rstrip("e")), text.endswith("e"))
            for day, text in enumerate(values.split(), 1)
        ]
        assert billing.used(house, readings) == {"A": wanted}, values


def test_the_house_itself(ws):
    """Files are read as before, and the data were left alone."""
    heat = ws.load("heat")
    house, noted = ws.load("heat.house").load("data"), ws.load("heat.readings").load("data/2025.csv")
    assert len(noted) == 100 and len(house.meters) == 15
    lines = ws.read("data/2025.csv").splitlines()
    rows = [(line.split(",")[0], line.split(",")[1], int(line.split(",")[2]), line.endswith("e")) for line in lines[1:]]
    assert [(r.day, r.meter, r.value, r.estimated) for r in noted] == rows
    wanted = {"1L": 79504, "1R": 139382, "2L": 103154, "2R": 102757, "3L": 119040, "3R": 109020}
    wanted |= {"4L": 97400, "4R": 150953, "5L": 77291, "5R": 97958, "6L": 72813, "6R": 85295}
    assert heat.bills(house, noted, 1234567) == wanted
