"""Hidden checks of tide-gauge-hours: random readings against areas that are added up minute by minute."""

import datetime
import json
from fractions import Fraction

START = datetime.datetime(2025, 2, 27)


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


def stamp(minute):
    """A minute as text."""
    return (START + datetime.timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M")


def expected(readings, offsets):
    """The answer."""
    found = {}
    for gauge in dict.fromkeys(row[0] for row in readings):
        own = {at: Fraction(str(level)) for name, at, level in readings if name == gauge and level not in ("", -999, "-999.0")}
        known = {}
        for at, level in own.items():
            held = max(((since, offset) for name, since, offset in offsets if name == gauge and since <= at), default=None)
            if held:
                known[at] = level + Fraction(str(held[1]))
        times, levels = sorted(known), {}
        for a, b in zip(times, times[1:]):
            if b - a <= 90:
                for at in range(a, b):
                    levels[at] = known[a] + (known[b] - known[a]) * Fraction(2 * (at - a) + 1, 2 * (b - a))
        hours = {}
        for at in sorted({each - each % 60 for each in levels}):
            if all(at + each in levels for each in range(60)):
                hours[stamp(at)] = sum(levels[at + each] for each in range(60)) / 60
        found[gauge] = {
            "hours": {hour: float(mean) for hour, mean in hours.items()},
            "highest": max(hours, key=hours.get) if hours else None,
            "range": float(max(hours.values()) - min(hours.values())) if hours else None,
            "left_out": sum(name == gauge for name, _, _ in readings) - len(known),
        }
    return found


def compare(ws, readings, offsets):
    """Runs the program on rows."""
    wanted = expected(readings, offsets)
    said = asked(
        ws,
        readings__csv=table(["gauge", "time", "level"], [(name, stamp(at), level) for name, at, level in readings]),
        offsets__csv=table(["gauge", "since", "offset"], [(name, stamp(at), level) for name, at, level in offsets]),
    )
    same(said, wanted)


def test_random(ws):
    """Random readings of three gauges over two days, in any order."""
    for _ in range(4):
        readings, offsets = [], []
        for gauge in ("harbour", "mole", "st. ives"):
            at = ws.rng.randrange(200)
            for _ in range(60):
                at += ws.rng.choice([1, 7, 20, 30, 60, 60, 89, 90, 91, 120])
                level = ws.rng.choice([round(ws.rng.uniform(-3, 3), 3)] * 12 + ["", -999, "-999.0"])
                readings.append((gauge, at, level))
                if ws.rng.random() < 0.1:
                    readings.append((gauge, at, round(ws.rng.uniform(-3, 3), 2)))
            for since in {ws.rng.randrange(3000) for _ in range(4)} | {readings[-5][1]}:
                offsets.append((gauge, since, round(ws.rng.uniform(-1, 1), 2)))
        ws.rng.shuffle(readings)
        compare(ws, readings, offsets)


def test_edges(ws):
    """Ninety minutes, equal hours, a gauge without offsets, a year's last hour."""
    flat = [("a", at, 1.5) for at in (0, 90, 180, 271, 300, 360)]
    compare(ws, flat + [("b", 0, 2), ("b", 60, 2), ("c", 5, ""), ("d", 0, -998.5), ("d", 60, -999.5)],
            [("a", -5, 0.5), ("c", 0, 1), ("d", 0, 0), ("d", 30, 1)])
    compare(ws, [("a", 300 * 1440 + at, at / 10) for at in (600, 660, 700, 720, 800)], [("a", 300 * 1440 + 660, 0)])
