"""The desk: where a quote is made."""

from collections.abc import Sequence

from quotes.extras import EXTRAS, Unavailable
from quotes.parcel import Parcel
from quotes.rates import carriage
from quotes.zones import zone

GIRTH = 360
HEAVIEST = 70_000


class Refused(Exception):
    """Raised for what is not taken; `reason` is a word."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def quote(parcel: Parcel, code: str, extras: Sequence[str] = (), *, stamps: int = 0) -> int:
    """Cents for a parcel to a post code, with extras in the order given, less stamps (of 100 cents) that the sender has.

    Raises:
        Refused: "sides", "girth", "heavy", "code", "extra" (unknown), "twice", "bulky" (needed and not asked for), "express" (not to be had), or "stamps" (more than half of the price would be paid by them).
    """
    _check(parcel, extras)
    try:
        where = zone(code)
    except ValueError as error:
        raise Refused("code") from error
    cents = carriage(parcel, where)
    for name in extras:
        try:
            cents = EXTRAS[name](cents, parcel, where)
        except KeyError as error:
            raise Refused("extra") from error
        except Unavailable as error:
            raise Refused(str(error)) from error
    return _stamped(cents, stamps)


def _check(parcel: Parcel, extras: Sequence[str]) -> None:
    if min(parcel.sides) < 1 or parcel.grams < 1:
        raise Refused("sides")
    if parcel.girth > GIRTH:
        raise Refused("girth")
    if parcel.grams > HEAVIEST:
        raise Refused("heavy")
    if len(set(extras)) < len(extras):
        raise Refused("twice")
    if parcel.girth > 300 and "bulky" not in extras:
        raise Refused("bulky")


def _stamped(cents: int, stamps: int) -> int:
    if stamps < 0 or stamps * 100 > cents // 2:
        raise Refused("stamps")
    return cents - stamps * 100
