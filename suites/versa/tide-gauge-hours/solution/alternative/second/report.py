import bisect
import csv
import datetime as dt
import json
import os
import sys
from collections import Counter, defaultdict


def load(name):
    path = os.path.join(sys.argv[1], name)
    return list(csv.DictReader(open(path, newline="")))


def parse(text):
    return dt.datetime.strptime(text, "%Y-%m-%dT%H:%M")


def main():
    total, latest = Counter(), defaultdict(dict)
    for entry in load("readings.csv"):
        total[entry["gauge"]] += 1
        value = entry["level"].strip()
        if value == "" or float(value) == -999.0:
            continue
        latest[entry["gauge"]][parse(entry["time"])] = float(value)
    calendar = defaultdict(list)
    for entry in load("offsets.csv"):
        calendar[entry["gauge"]].append((parse(entry["since"]), float(entry["offset"])))

    out = {}
    for gauge in total:
        changes = sorted(calendar[gauge])
        begins = [change[0] for change in changes]
        series = []
        for moment in sorted(latest[gauge]):
            place = bisect.bisect_right(begins, moment)
            if place:
                series.append((moment, latest[gauge][moment] + changes[place - 1][1]))
        areas, seconds = defaultdict(float), Counter()
        for earlier, later in zip(series, series[1:]):
            length = (later[0] - earlier[0]).total_seconds()
            if length > 90 * 60:
                continue
            slope = (later[1] - earlier[1]) / length
            here = earlier[0]
            while here < later[0]:
                top = here.replace(minute=0)
                stop = min(later[0], top + dt.timedelta(hours=1))
                width = (stop - here).total_seconds()
                at_middle = earlier[1] + slope * ((here - earlier[0]).total_seconds() + width / 2)
                areas[top] += at_middle * width
                seconds[top] += int(width)
                here = stop
        means = {top.strftime("%Y-%m-%dT%H:%M"): areas[top] / 3600 for top in sorted(areas) if seconds[top] == 3600}
        best = None
        for hour, mean in means.items():
            if best is None or mean > means[best] + 1e-9:
                best = hour
        values = means.values()
        out[gauge] = dict(
            hours=means,
            highest=best,
            range=max(values) - min(values) if means else None,
            left_out=total[gauge] - len(series),
        )
    json.dump(out, sys.stdout)


main()
