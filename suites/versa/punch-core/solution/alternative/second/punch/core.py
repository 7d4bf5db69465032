"""What the time clock decides, from values alone; `punch.app` says what each command does."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from itertools import starmap
from typing import NamedTuple

USAGE = "usage: punch in PROJECT | out | switch PROJECT | report [DAYS]"
_STAMP = "%Y-%m-%dT%H:%M"
_LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d) (\S+) (?:in (\S+)|out)", re.ASCII)
_MINUTE = timedelta(minutes=1)


class Result(NamedTuple):
    """What came of a command: the exit status, the lines to be printed, and those to be appended to the file."""

    status: int
    output: list[str]
    added: list[str]


class Act(NamedTuple):
    """A line of the file: who began to work on a project, or ended (then there is none), and when."""

    time: datetime
    user: str
    project: str | None


class Stint(NamedTuple):
    """A time on a project; that of somebody who is still in has no end."""

    project: str
    start: datetime
    end: datetime | None


class Desk(NamedTuple):
    """What a command may know: who acts, when (a full minute), the user's stints, and the number of bad lines."""

    user: str
    moment: datetime
    stints: list[Stint]
    bad: int

    def current(self) -> Stint | None:
        """The stint in which the user is."""
        last = self.stints[-1:]
        return last[0] if last and last[0].end is None else None

    def line(self, act: str) -> str:
        """A line for the file."""
        return f"{self.moment.strftime(_STAMP)} {self.user} {act}"


class Command(NamedTuple):
    """A command: what does it, the fewest and the most words behind it, and what each of them must look like."""

    do: Callable[..., Result]
    least: int
    most: int
    word: str

    def takes(self, words: Sequence[str]) -> bool:
        """Whether these words may stand behind the command."""
        return self.least <= len(words) <= self.most and all(re.fullmatch(self.word, word) for word in words)


def run(arguments: list[str], lines: list[str], now: datetime, user: str) -> Result:
    """Does a command, given the file's lines, the time and the user's name."""
    name, *words = arguments or [""]
    command = _COMMANDS.get(name)
    if command is None or not command.takes(words):
        return Result(2, [USAGE], [])
    acts = list(filter(None, map(_read, lines)))
    own = _stints(act for act in acts if act.user == user)
    return command.do(Desk(user, now.replace(second=0, microsecond=0), own, len(lines) - len(acts)), *words)


def _read(line: str) -> Act | None:
    found = _LINE.fullmatch(line)
    try:
        return found and Act(datetime.strptime(found[1], _STAMP), found[2], found[3])
    except ValueError:
        return None


def _stints(acts: Iterable[Act]) -> list[Stint]:
    stints: list[Stint] = []
    inside = False
    for act in acts:
        if act.project and not inside:
            stints.append(Stint(act.project, act.time, None))
        elif inside and not act.project:
            stints[-1] = stints[-1]._replace(end=act.time)
        inside = act.project is not None
    return stints


def _minutes(start: datetime, end: datetime) -> int:
    return (end - start) // _MINUTE


def _spent(what: str, minutes: int) -> str:
    return "{} {}:{:02d}".format(what, *divmod(minutes, 60))


def _enter(desk: Desk, project: str) -> Result:
    current = desk.current()
    if current:
        return Result(1, [f"already in {current.project}"], [])
    return Result(0, [], [desk.line(f"in {project}")])


def _leave(desk: Desk, *following: str) -> Result:
    current = desk.current()
    if not current:
        return Result(1, ["not in"], [])
    acts = ["out", *map("in {}".format, following)]
    return Result(0, [_spent(current.project, _minutes(current.start, desk.moment))], [*map(desk.line, acts)])


def _report(desk: Desk, days: str = "7") -> Result:
    first = desk.moment.replace(hour=0, minute=0) - timedelta(days=int(days) - 1)
    sums: Counter[str] = Counter()
    for project, start, end in desk.stints:
        sums[project] += max(_minutes(max(start, first), end or desk.moment), 0)
    ranks = sorted((+sums).items(), key=lambda entry: (-entry[1], entry[0]))
    bad = [f"bad lines: {desk.bad}"] * bool(desk.bad)
    return Result(0, [*starmap(_spent, [*ranks, ("total", sums.total())]), *bad], [])


_COMMANDS = {
    "in": Command(_enter, 1, 1, r"\S+"),
    "out": Command(_leave, 0, 0, ""),
    "switch": Command(_leave, 1, 1, r"\S+"),
    "report": Command(_report, 0, 1, "[1-9][0-9]{0,3}"),
}
