"""Time zones, written as offsets from UTC."""

import re
from datetime import timedelta, timezone

_OFFSET = re.compile(r"([+-])([0-9]{2}):([0-9]{2})")


def parse_zone(text: str) -> timezone:
    """The zone for `"Z"` or for an offset such as `"+05:30"` or `"-03:30"` (three and a half hours behind UTC).

    Raises ValueError for other texts, for more than 59 minutes, and for more than 23 hours.
    """
    if text == "Z":
        return timezone.utc
    match = _OFFSET.fullmatch(text)
    if match is None:
        raise ValueError(f"not a time zone: {text!r}")
    hours, minutes = int(match[2]), int(match[3])
    if hours > 23 or minutes > 59:
        raise ValueError(f"not a time zone: {text!r}")
    if match[1] == "-":
        hours = -hours
    return timezone(timedelta(hours=hours, minutes=minutes))
