"""Extras: each takes the cents so far, and gives the cents with itself."""

from collections.abc import Callable

from quotes.parcel import LIGHT, Parcel

Extra = Callable[[int, Parcel, int], int]
EXTRAS: dict[str, Extra] = {}


class Unavailable(Exception):
    """Raised by an extra that cannot be had."""


def extra(name: str) -> Callable[[Extra], Extra]:
    """Registers an extra."""

    def register(function: Extra) -> Extra:
        EXTRAS[name] = function
        return function

    return register


@extra("express")
def express(cents: int, parcel: Parcel, zone: int) -> int:
    """Tomorrow: half as much again, in full ten cents, rounded up. Not for what two must carry."""
    if parcel.grams > LIGHT:
        raise Unavailable("express")
    return -(-cents * 3 // 20) * 10


@extra("green")
def green(cents: int, parcel: Parcel, zone: int) -> int:
    """Slowly, by rail: a twentieth less, at most 1.50. Not within zone 0, where no train goes."""
    if zone == 0:
        return cents
    return cents - min(cents // 20, 150)


@extra("bulky")
def bulky(cents: int, parcel: Parcel, zone: int) -> int:
    """Needed for a girth over 300."""
    return cents + (2_390 if parcel.girth > 300 else 0)


@extra("insured")
def insured(cents: int, parcel: Parcel, zone: int) -> int:
    """A fiftieth of what was asked so far, at least 0.99; for islands and other far places the double."""
    return cents + max(cents // 50, 99) * (2 if zone == 3 else 1)


@extra("evening")
def evening(cents: int, parcel: Parcel, zone: int) -> int:
    """After six: 1.20, but nothing for letters or above 25 euros."""
    if parcel.is_letter or cents > 2_500:
        return cents
    return cents + 120
