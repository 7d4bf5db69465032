"""The core of a marina's front desk: berths, stays, prices, accounts and reports."""

from marina.berths import Berth, Boat, Harbour
from marina.desk import Desk, NoBerth
from marina.spans import Span
from marina.tariff import Season, Tariff

__all__ = ["Berth", "Boat", "Desk", "Harbour", "NoBerth", "Season", "Span", "Tariff"]
