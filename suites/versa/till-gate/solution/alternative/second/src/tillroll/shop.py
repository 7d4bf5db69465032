"""Shops and their settings."""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Shop:
    """A shop."""

    name: str
    zone: str
    discount: int = 0


def load_shop(text: str) -> Shop:
    """Reads the settings of a shop, a JSON object; ValueError for whatever else it may be."""
    try:
        data: object = json.loads(text)
    except RecursionError as error:
        raise ValueError("the settings of a shop lie too deep") from error
    match data:
        case {"name": str(name), "zone": str(zone), **others}:
            discount = others.get("discount", 0)
            if isinstance(discount, int) and not isinstance(discount, bool) and 0 <= discount <= 100:
                return Shop(name, zone, discount)
    raise ValueError("a shop has the texts name and zone, and may have a whole discount from 0 to 100")
