"""What carrying costs, in cents."""

from quotes.parcel import LIGHT, Parcel

STEPS = ((1_000, 389), (2_000, 449), (5_000, 599), (10_000, 849), (20_000, 1_399), (LIGHT, 1_749))
PER_ZONE = (0, 40, 90, 260)
LETTER = (195, 195, 225, 310)
FREIGHT = 57  # for each kilogram that has begun


def carriage(parcel: Parcel, zone: int) -> int:
    """Cents for carrying a parcel into a zone."""
    if parcel.is_letter:
        return LETTER[zone]
    for limit, cents in STEPS:
        if parcel.billed <= limit:
            return cents + PER_ZONE[zone]
    return _freight(parcel, zone)


def _freight(parcel: Parcel, zone: int) -> int:
    kilograms = -(-parcel.billed // 1000)
    cents = kilograms * FREIGHT
    if zone == 0:
        return max(cents, 1_900)
    return cents + (1 + zone) * PER_ZONE[zone]
