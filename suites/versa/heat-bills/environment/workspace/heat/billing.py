"""What each flat has to pay."""

from __future__ import annotations

from collections.abc import Iterable

from heat.house import House
from heat.meters import consumption
from heat.readings import Reading, clean, of_meter
from heat.shares import split


def used(house: House, readings: Iterable[Reading]) -> dict[str, int]:
    """Consumption by flat: the sum over all meters that it has or had."""
    noted, found = list(readings), {flat.name: 0 for flat in house.flats}
    for meter in house.meters:
        found[meter.flat] += consumption(clean(of_meter(noted, meter.name)), meter.digits)
    return found


def bills(house: House, readings: Iterable[Reading], cents: int) -> dict[str, int]:
    """Bills by flat, in cents: 30 percent of the costs by area, and what remains by consumption."""
    by_area = cents * 30 // 100
    fixed = split(by_area, [flat.area for flat in house.flats])
    variable = split(cents - by_area, list(used(house, readings).values()))
    return {flat.name: one + other for flat, one, other in zip(house.flats, fixed, variable, strict=True)}
