"""What shifts are paid."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from shifts.roster import Shift
from shifts.zones import Zone

SUNDAY = 6
MINUTE = timedelta(minutes=1)


@dataclass(frozen=True)
class Rates:
    """Cents for an hour, and percent on top for hours at night and on Sundays."""

    hour: int
    night: int = 25
    sunday: int = 50


def minutes(shift: Shift, zone: Zone) -> dict[str, int]:
    """How many minutes a shift really lasts ("all"), and how many of them are at night and on a Sunday."""
    now, end = zone.to_utc(shift.start), zone.to_utc(shift.end)
    found = {"all": 0, "night": 0, "sunday": 0}
    while now < end:
        clock = zone.to_local(now)
        found["all"] += 1
        found["night"] += is_night(clock)
        found["sunday"] += clock.weekday() == SUNDAY
        now += MINUTE
    return found


def is_night(clock: datetime) -> bool:
    """Whether a local time is between 22:00 and 6:00."""
    return clock.hour >= 22 or clock.hour < 6


def pay(shift: Shift, zone: Zone, rates: Rates) -> int:
    """Cents for a shift, rounded once, half a cent up."""
    found = minutes(shift, zone)
    weighted = found["all"] * 100 + found["night"] * rates.night + found["sunday"] * rates.sunday
    return (2 * weighted * rates.hour + 6000) // 12000
