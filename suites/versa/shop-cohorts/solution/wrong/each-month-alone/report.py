"""Cohorts of customers."""

import csv
import json
import sys
from datetime import date
from pathlib import Path
from statistics import median

with (Path(sys.argv[1]) / "sales.csv").open(newline="") as file:
    rows = list(csv.DictReader(file))
sales = {row["id"]: row for row in rows if not row["refund_of"]}
refunds = [row for row in rows if row["refund_of"]]
net = {key: int(row["cents"]) for key, row in sales.items()}
for row in refunds:
    if row["refund_of"] in net:
        net[row["refund_of"]] -= int(row["cents"])


def month(day):
    return 12 * int(day[:4]) + int(day[5:7]) - 1


customers = {}
for key, row in sales.items():
    if net[key] > 0:
        customers.setdefault(row["customer"], []).append((row["day"], net[key]))
last = max((month(row["day"]) for row in rows), default=0)
cohorts = {}
for bought in customers.values():
    cohorts.setdefault(month(min(bought)[0]), []).append(bought)

answer = {}
for start, members in sorted(cohorts.items()):
    months = range(start, last + 1)
    active = [sum(any(month(day) == each for day, _ in bought) for bought in members) for each in months]
    cents = [sum(paid for bought in members for day, paid in bought if month(day) == each) for each in months]
    days = [sorted({date.fromisoformat(day) for day, _ in bought}) for bought in members]
    gaps = [(own[1] - own[0]).days for own in days if len(own) > 1]
    answer[f"{start // 12:04d}-{start % 12 + 1:02d}"] = {
        "customers": len(members),
        "active": [count / len(members) for count in active],
        "cents": cents,
        "days_to_second": median(gaps) if gaps else None,
    }
print(json.dumps({"unknown_refunds": sum(row["refund_of"] not in sales for row in refunds), "cohorts": answer}))
