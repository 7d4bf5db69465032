"""Pay for shifts that begin and end by the clock on the wall."""

from shifts.pay import Rates, pay
from shifts.roster import Shift
from shifts.zones import Zone

__all__ = ["Rates", "Shift", "Zone", "pay"]
