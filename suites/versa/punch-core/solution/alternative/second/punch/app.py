"""A time clock.

    python3 -m punch [--file FILE] in PROJECT | out | switch PROJECT | report [DAYS]

The file (`punch.log` unless told) has a line for each act: `2026-01-05T09:00 anna in web`, `2026-01-05T12:00 anna out`. Who acts is in the environment variable PUNCH_USER,
`nobody` if that is not set. Other lines, and those whose time does not exist, are bad; they are ignored. So are, of each user's lines, an `in` while the user is in, and an `out` while the user is
out, but those are not bad. Lines are in the order of time.

- `in` begins work on a project; whoever is in already is told `already in PROJECT`, with status 1.
- `out` ends it, and prints `PROJECT H:MM`, how long it was; whoever is not in is told `not in`, with status 1.
- `switch` does both at once: it appends an `out` and an `in`, and prints what `out` prints. Whoever is not in is told so, with status 1.
- `report` prints a line `PROJECT H:MM` for each project on which the user was in for at least a minute in the last days, today included (7 unless told): those with most time first, those with the same time by
  their names; then `total H:MM`, and `bad lines: N` if there are any (of whichever user). What began before the first of these days counts from its midnight on. Whoever is still in is counted up to now.

Times are full minutes. A project is a word without blanks. Anything else prints `usage: punch in PROJECT | out | switch PROJECT | report [DAYS]`, with status 2; DAYS is at least 1.
"""

import os
from datetime import datetime

from punch.core import run


def main(argv: list[str]) -> int:
    """Does what the command does with these arguments; gives the exit status."""
    file, arguments = _file(list(argv))
    user = os.environ.get("PUNCH_USER") or "nobody"
    result = run(arguments, _lines(file), datetime.now(), user)
    for line in result.output:
        print(line)
    if result.added:
        with open(file, "a") as stream:
            stream.writelines(map("{}\n".format, result.added))
    return result.status


def _file(arguments: list[str]) -> tuple[str, list[str]]:
    if len(arguments) > 1 and arguments[0] == "--file":
        return arguments[1], arguments[2:]
    return "punch.log", arguments


def _lines(file: str) -> list[str]:
    if not os.path.exists(file):
        return []
    with open(file) as stream:
        return stream.read().splitlines()
