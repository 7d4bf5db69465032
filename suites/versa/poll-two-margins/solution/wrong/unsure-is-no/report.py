"""A poll weighted to two margins."""

import csv
import json
import math
import sys
from pathlib import Path

folder = Path(sys.argv[1])
margins = json.loads((folder / "margins.json").read_text())
people, seen, rows = [], set(), 0
with (folder / "people.csv").open(newline="") as file:
    for row in csv.DictReader(file):
        rows += 1
        if row["id"] not in seen and all(row[name] in margins[name] for name in margins):
            people.append(row)
        seen.add(row["id"])

targets = {}
for name, shares in margins.items():
    there = {key: share for key, share in shares.items() if any(row[name] == key for row in people)}
    targets[name] = {key: share / sum(there.values()) for key, share in there.items()}
weights = [1.0] * len(people)


def weight_of(name, key):
    return sum(weight for weight, row in zip(weights, people) if row[name] == key) / sum(weights)


def is_off():
    return any(abs(weight_of(name, key) - share) > 1e-11 for name in targets for key, share in targets[name].items())


while is_off():
    for name in ("age", "region"):
        factors = {key: share / weight_of(name, key) for key, share in targets[name].items()}
        weights = [weight * factors[row[name]] for weight, row in zip(weights, people)]
weights = [weight * len(people) / sum(weights) for weight in weights]


def yes_share(chosen):
    all_of = sum(weight for weight, _ in chosen)
    return sum(weight for weight, row in chosen if row["answer"] == "yes") / all_of if chosen else None


said = [(weight, row) for weight, row in zip(weights, people) if row["answer"]]
share = yes_share(said)
effective = sum(weight for weight, _ in said) ** 2 / sum(weight**2 for weight, _ in said) if said else 0
print(
    json.dumps(
        {
            "counted": len(people),
            "left_out": rows - len(people),
            "share": share,
            "effective": effective,
            "margin_of_error": 1.96 * math.sqrt(share * (1 - share) / effective) if said else None,
            "heaviest": max(weights, default=None),
            "regions": {key: yes_share([each for each in said if each[1]["region"] == key]) for key in margins["region"]},
        }
    )
)
