"""Figures per day."""

from collections import Counter
from collections.abc import Iterable
from datetime import timezone
from typing import Any

from weblog.parse import Entry, parse_lines
from weblog.zones import parse_zone


def daily(lines: Iterable[str], zone: str, since: str = "", until: str = "") -> list[dict[str, Any]]:
    """One row for each day that has requests, in the order of the days.

    A day lasts from midnight to midnight in `zone`. `since` and `until` are days such as `"2026-03-01"`; days before
    `since` and days after `until` are left out, and an empty text sets no bound. A row has

    - `day`: such as `"2026-03-01"`;
    - `requests`: how many there were;
    - `errors`: how many of them have a status of 500 or more;
    - `busiest_hour`: the hour of the day in `zone`, 0 to 23, with the most requests; the earliest of several;
    - `slowest`: the path of the slowest request; of equally slow ones the earliest, and of those at the same moment
      the one whose line comes first.
    """
    own = parse_zone(zone)
    days: dict[str, list[Entry]] = {}
    for entry in sorted(parse_lines(lines), key=lambda entry: entry.when):
        day = entry.when.astimezone(own).date().isoformat()
        if (since and day < since) or (until and day > until):
            continue
        days.setdefault(day, []).append(entry)
    return [_row(day, entries, own) for day, entries in sorted(days.items())]


def _row(day: str, entries: list[Entry], own: timezone) -> dict[str, Any]:
    hours = Counter(entry.when.astimezone(own).hour for entry in entries)
    return {
        "day": day,
        "requests": len(entries),
        "errors": sum(entry.status >= 500 for entry in entries),
        "busiest_hour": hours.most_common(1)[0][0],
        "slowest": max(entries, key=lambda entry: entry.milliseconds).path,
    }
