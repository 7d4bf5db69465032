"""What the time clock decides: from lines, a time and a user to lines and a status. It reads and writes nothing."""

import re
from datetime import datetime, timedelta
from typing import NamedTuple

_FORMAT = "%Y-%m-%dT%H:%M"
_LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d) (\S+) (?:in (\S+)|out)", re.ASCII)
_USAGE = "usage: punch in PROJECT | out | switch PROJECT | report [DAYS]"


class Result(NamedTuple):
    """What comes of a command."""

    status: int
    output: list
    added: list


class _Work(NamedTuple):
    """What a file says about a user: finished periods, one that is open (or None), and the number of bad lines in the file."""

    periods: list
    open_since: tuple | None
    bad: int


def run(arguments, lines, now, user):
    """What a command prints, appends and ends with."""
    command, *rest = arguments or [""]
    handler, form = _COMMANDS.get(command, (None, r"(?!)"))
    if not re.fullmatch(form, "".join(f"\n{word}" for word in rest)):
        return Result(2, [_USAGE], [])
    now = (now or datetime.now()).replace(second=0, microsecond=0)
    return handler(_read(lines, user), now, f"{now.strftime(_FORMAT)} {user} ", *rest)


def _in(work, _now, head, project):
    if work.open_since:
        return Result(1, [f"already in {work.open_since[0]}"], [])
    return Result(0, [], [f"{head}in {project}"])


def _out(work, now, head):
    if not work.open_since:
        return Result(1, ["not in"], [])
    project, since = work.open_since
    return Result(0, [_spent(project, _minutes(since, now))], [f"{head}out"])


def _switch(work, now, head, project):
    done = _out(work, now, head)
    return done if done.status else done._replace(added=[*done.added, f"{head}in {project}"])


def _report(work, now, _head, days="7"):
    first = datetime(now.year, now.month, now.day) - timedelta(days=int(days) - 1)
    sums = _sums([*work.periods, *([(*work.open_since, now)] if work.open_since else [])], first)
    output = [_spent(name, sums[name]) for name in sorted(sums, key=lambda name: (-sums[name], name))]
    output.append(_spent("total", sum(sums.values())))
    return Result(0, output + [f"bad lines: {work.bad}"] * (work.bad > 0), [])


def _sums(periods, first):
    """Minutes by project from a time on."""
    sums = {}
    for name, start, end in periods:
        minutes = _minutes(max(start, first), end)
        if minutes > 0:
            sums[name] = sums.get(name, 0) + minutes
    return sums


def _read(lines, user):
    acts = list(map(_act, lines))
    return _periods([act for act in acts if act and act[1] == user], acts.count(None))


def _periods(acts, bad):
    periods, current = [], None
    for time, _who, project in acts:
        if project:
            current = current or (project, time)
        elif current:
            periods.append((*current, time))
            current = None
    return _Work(periods, current, bad)


def _act(line):
    """Time, user and project (None for an end) of a line; None if it is bad."""
    found = _LINE.fullmatch(line)
    try:
        return found and (datetime.strptime(found[1], _FORMAT), found[2], found[3])
    except ValueError:
        return None


def _minutes(start, end):
    return int((end - start).total_seconds()) // 60


def _spent(name, minutes):
    return f"{name} {minutes // 60}:{minutes % 60:02d}"


_COMMANDS = {"in": (_in, r"\n\S+"), "out": (_out, ""), "switch": (_switch, r"\n\S+"), "report": (_report, r"(\n[1-9][0-9]{0,3})?")}
