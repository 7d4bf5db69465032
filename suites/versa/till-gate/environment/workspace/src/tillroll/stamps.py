"""Times on a till roll."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo


def shown(stamp, zone):
    return datetime.fromtimestamp(stamp).strftime("%Y-%m-%d %H:%M")


def trading_day(stamp, zone):
    local = datetime.utcfromtimestamp(stamp).replace(tzinfo=ZoneInfo(zone))
    return (local - timedelta(hours=4)).date()
