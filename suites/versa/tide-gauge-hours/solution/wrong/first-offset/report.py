"""Hourly means of tide gauges."""

import csv
import json
import sys
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path

START = datetime(2000, 1, 1)


def rows(name):
    with (Path(sys.argv[1]) / name).open(newline="") as file:
        yield from csv.DictReader(file)


def minute(text):
    return (datetime.fromisoformat(text) - START) // timedelta(minutes=1)


def line_mean(points, start):
    """The mean over an hour from `start`, or None."""
    area, covered = 0, 0
    for (a, left), (b, right) in zip(points, points[1:]):
        low, high = max(a, start), min(b, start + 60)
        if b - a <= 90 and low < high:
            middle = Fraction(low + high, 2)
            area += (left + (right - left) * (middle - a) / (b - a)) * (high - low)
            covered += high - low
    return area / 60 if covered == 60 else None


readings, counts, offsets = {}, {}, {}
for row in rows("readings.csv"):
    gauge = row["gauge"]
    counts[gauge] = counts.get(gauge, 0) + 1
    own = readings.setdefault(gauge, {})
    if row["level"].strip() and Fraction(row["level"]) != -999:
        own[minute(row["time"])] = Fraction(row["level"])
for row in rows("offsets.csv"):
    offsets.setdefault(row["gauge"], []).append((minute(row["since"]), Fraction(row["offset"])))

answer = {}
for gauge, own in readings.items():
    steps = sorted(offsets.get(gauge, []))
    points = []
    for time, level in sorted(own.items()):
        held = [offset for since, offset in steps if since <= time]
        if held:
            points.append((time, level + held[0]))
    hours = {}
    for hour in sorted({time // 60 + more for time, _ in points for more in (0, 1)}):
        mean = line_mean(points, 60 * hour)
        if mean is not None:
            hours[hour] = mean
    names = {hour: (START + timedelta(hours=hour)).strftime("%Y-%m-%dT%H:00") for hour in hours}
    answer[gauge] = {
        "hours": {names[hour]: float(mean) for hour, mean in hours.items()},
        "highest": names[max(hours, key=hours.get)] if hours else None,
        "range": float(max(hours.values()) - min(hours.values())) if hours else None,
        "left_out": counts[gauge] - len(points),
    }
print(json.dumps(answer))
