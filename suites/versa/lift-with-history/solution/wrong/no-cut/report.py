"""The effect of an experiment."""

import csv
import json
import math
import sys
from pathlib import Path
from statistics import mean, variance


def rows(name):
    with (Path(sys.argv[1]) / name).open(newline="") as file:
        yield from csv.DictReader(file)


first, arms = {}, {}
for row in rows("users.csv"):
    first.setdefault(row["user"], row)
    arms.setdefault(row["user"], set()).add(row["arm"])
kept = {user: row for user, row in first.items() if len(arms[user]) == 1}
outcome = dict.fromkeys(kept, 0.0)
for row in rows("visits.csv"):
    if row["user"] in kept:
        outcome[row["user"]] += float(row["minutes"])

known = [float(row["before"]) for row in kept.values() if row["before"]]
filled = mean(known) if known else 0.0
before = {user: float(row["before"] or filled) for user, row in kept.items()}
ordered = sorted(outcome.values())
cut = ordered[math.ceil(len(ordered) * 95 / 100) - 1] if ordered else None
capped = {user: value for user, value in outcome.items()}

theta, middle = 0.0, 0.0
if kept:
    middle, centre = mean(before.values()), mean(capped.values())
    spread = sum((value - middle) ** 2 for value in before.values())
    if spread:
        theta = sum((capped[user] - centre) * (before[user] - middle) for user in kept) / spread
adjusted = {user: value - theta * (before[user] - middle) for user, value in capped.items()}


def by_arm(values, arm):
    return [values[user] for user, row in kept.items() if row["arm"] == arm]


def squared_error(values):
    return sum(variance(by_arm(values, arm)) / len(by_arm(values, arm)) for arm in "ab")


counts = {arm: len(by_arm(capped, arm)) for arm in "ab"}
lift = error = spared = None
if min(counts.values()) > 1:
    lift = mean(by_arm(adjusted, "b")) - mean(by_arm(adjusted, "a"))
    error = math.sqrt(squared_error(adjusted))
    plain = squared_error(capped)
    spared = 1 - squared_error(adjusted) / plain if plain else None
print(
    json.dumps(
        {
            "users": counts,
            "left_out": len(first) - len(kept),
            "cut": cut,
            "theta": theta,
            "lift": lift,
            "error": error,
            "spared": spared,
        }
    )
)
