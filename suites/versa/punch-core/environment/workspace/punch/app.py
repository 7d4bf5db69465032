"""A time clock.

    python3 -m punch [--file FILE] in PROJECT | out | switch PROJECT | report [DAYS]

The file (`punch.log` unless told) has a line for each act: `2026-01-05T09:00 anna in web`, `2026-01-05T12:00 anna out`. Who acts is in the environment variable PUNCH_USER,
`nobody` if that is not set, or empty. Other lines, and those whose time does not exist, are bad; they are ignored. So are, of each user's lines, an `in` while the user is in, and an `out` while the user is
out, but those are not bad. Lines are in the order of time.

- `in` begins work on a project; whoever is in already is told `already in PROJECT`, with status 1.
- `out` ends it, and prints `PROJECT H:MM`, how long it was; whoever is not in is told `not in`, with status 1.
- `switch` does both at once: it appends an `out` and an `in`, and prints what `out` prints. Whoever is not in is told so, with status 1.
- `report` prints a line `PROJECT H:MM` for each project on which the user was in for at least a minute in the last days, today included (7 unless told): those with most time first, those with the same time by
  their names; then `total H:MM`, and `bad lines: N` if there are any (of whichever user). What began before the first of these days counts from its midnight on. Whoever is still in is counted up to now.

Times are full minutes. A project is a word without blanks. Anything else prints `usage: punch in PROJECT | out | switch PROJECT | report [DAYS]`, with status 2; DAYS is at least 1.
"""

import os
import re
from datetime import datetime, timedelta


def main(argv: list[str]) -> int:
    """Does what the command does with these arguments; gives the exit status."""
    file = "punch.log"
    args = list(argv)
    if len(args) >= 2 and args[0] == "--file":
        file = args[1]
        args = args[2:]
    user = os.environ.get("PUNCH_USER") or "nobody"
    now = datetime.now().replace(second=0, microsecond=0)
    lines = []
    if os.path.exists(file):
        with open(file) as stream:
            lines = stream.read().splitlines()
    bad = 0
    since = project = None
    periods = []
    for line in lines:
        found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d) (\S+) (?:in (\S+)|out)", line, re.ASCII)
        if not found:
            bad += 1
            continue
        try:
            time = datetime.strptime(found[1], "%Y-%m-%dT%H:%M")
        except ValueError:
            bad += 1
            continue
        if found[2] != user:
            continue
        if found[3]:
            if project is None:
                since, project = time, found[3]
        elif project is not None:
            periods.append((project, since, time))
            since = project = None
    if len(args) == 2 and args[0] == "in" and args[1] and not re.search(r"\s", args[1]):
        if project is not None:
            print(f"already in {project}")
            return 1
        with open(file, "a") as stream:
            stream.write(f"{now.strftime('%Y-%m-%dT%H:%M')} {user} in {args[1]}\n")
        return 0
    elif args == ["out"]:
        if project is None:
            print("not in")
            return 1
        minutes = int((now - since).total_seconds()) // 60
        print(f"{project} {minutes // 60}:{minutes % 60:02d}")
        with open(file, "a") as stream:
            stream.write(f"{now.strftime('%Y-%m-%dT%H:%M')} {user} out\n")
        return 0
    elif len(args) == 2 and args[0] == "switch" and args[1] and not re.search(r"\s", args[1]):
        if project is None:
            print("not in")
            return 1
        minutes = int((now - since).total_seconds()) // 60
        print(f"{project} {minutes // 60}:{minutes % 60:02d}")
        with open(file, "a") as stream:
            stream.write(f"{now.strftime('%Y-%m-%dT%H:%M')} {user} out\n")
            stream.write(f"{now.strftime('%Y-%m-%dT%H:%M')} {user} in {args[1]}\n")
        return 0
    elif args and args[0] == "report" and len(args) <= 2:
        days = 7
        if len(args) == 2:
            if not re.fullmatch(r"[1-9]\d{0,3}", args[1], re.ASCII):
                print("usage: punch in PROJECT | out | switch PROJECT | report [DAYS]")
                return 2
            days = int(args[1])
        first = datetime(now.year, now.month, now.day) - timedelta(days=days - 1)
        if project is not None:
            periods.append((project, since, now))
        sums = {}
        for name, start, end in periods:
            if end > first:
                minutes = int((end - max(start, first)).total_seconds()) // 60
                if minutes > 0:
                    sums[name] = sums.get(name, 0) + minutes
        for name in sorted(sums, key=lambda name: (-sums[name], name)):
            print(f"{name} {sums[name] // 60}:{sums[name] % 60:02d}")
        total = sum(sums.values())
        print(f"total {total // 60}:{total % 60:02d}")
        if bad:
            print(f"bad lines: {bad}")
        return 0
    print("usage: punch in PROJECT | out | switch PROJECT | report [DAYS]")
    return 2
