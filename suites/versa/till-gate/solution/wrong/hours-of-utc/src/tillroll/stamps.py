"""Times on a till roll."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo


def shown(stamp: int, zone: str) -> str:
    """Local time."""
    return datetime.fromtimestamp(stamp, ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M")


def trading_day(stamp: int, zone: str) -> str:
    """Local date, of the day before until 04:00."""
    local = datetime.fromtimestamp(stamp - 4 * 3600, ZoneInfo(zone))
    return f"{local + timedelta(0):%Y-%m-%d}"
