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
    """A shop from JSON. ValueError if it is none."""
    data: object = json.loads(text)
    if not isinstance(data, dict):
        raise ValueError("a shop is an object")
    name, zone, discount = data.get("name"), data.get("zone"), data.get("discount", 0)
    if not isinstance(name, str) or not isinstance(zone, str):
        raise ValueError("name and zone are texts")
    if not isinstance(discount, int) or isinstance(discount, bool) or not 0 <= discount <= 100:
        raise ValueError(f"not a discount: {discount}")
    return Shop(name, zone, discount)
