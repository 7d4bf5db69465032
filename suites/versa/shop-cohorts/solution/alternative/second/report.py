import csv
import datetime
import json
import os
import sys


def main(folder):
    with open(os.path.join(folder, "sales.csv"), newline="") as handle:
        lines = list(csv.reader(handle))[1:]
    worth, who, when, orphans, newest = {}, {}, {}, 0, None
    for ident, customer, day, cents, back in lines:
        newest = max(newest or day, day)
        if back == "":
            worth[ident], who[ident], when[ident] = int(cents), customer, day
    for ident, customer, day, cents, back in lines:
        if back == "":
            continue
        if back not in worth:
            orphans += 1
            continue
        worth[back] = max(0, worth[back] - int(cents))
    history = {}
    for ident, value in worth.items():
        if value:
            per_day = history.setdefault(who[ident], {})
            per_day[when[ident]] = per_day.get(when[ident], 0) + value
    tables = {}
    for per_day in history.values():
        ordered = sorted(per_day)
        entry = tables.setdefault(ordered[0][:7], {"people": 0, "seen": {}, "money": {}, "waits": []})
        entry["people"] += 1
        for name in {day[:7] for day in ordered}:
            entry["seen"][name] = entry["seen"].get(name, 0) + 1
        for day in ordered:
            entry["money"][day[:7]] = entry["money"].get(day[:7], 0) + per_day[day]
        if len(ordered) >= 2:
            first, second = (datetime.date.fromisoformat(day).toordinal() for day in ordered[:2])
            entry["waits"].append(second - first)
    result = {}
    for cohort in sorted(tables):
        entry, name, running = tables[cohort], cohort, 0
        active, cents = [], []
        while name <= newest[:7]:
            active.append(entry["seen"].get(name, 0) / entry["people"])
            running += entry["money"].get(name, 0)
            cents.append(running)
            year, number = int(name[:4]), int(name[5:])
            name = f"{year + 1:04d}-01" if number == 12 else f"{year:04d}-{number + 1:02d}"
        waits = sorted(entry["waits"])
        middle = None
        if waits:
            middle = (waits[(len(waits) - 1) // 2] + waits[len(waits) // 2]) / 2
        result[cohort] = {"customers": entry["people"], "active": active, "cents": cents, "days_to_second": middle}
    print(json.dumps({"unknown_refunds": orphans, "cohorts": result}))


main(sys.argv[1])
