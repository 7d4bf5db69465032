"""Times on a till roll."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

NIGHT = timedelta(hours=4)
"""How long after midnight a trading day ends, by the clock on the wall."""


def _local(stamp: int, zone: str) -> datetime:
    return datetime.fromtimestamp(stamp, ZoneInfo(zone))


def shown(stamp: int, zone: str) -> str:
    """The local time in a zone, as `2025-06-01 14:05`."""
    return _local(stamp, zone).strftime("%Y-%m-%d %H:%M")


def trading_day(stamp: int, zone: str) -> str:
    """The local date to which the sales of a moment belong, as `2025-06-01`."""
    return (_local(stamp, zone) - NIGHT).date().isoformat()
