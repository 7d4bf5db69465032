"""Shops and their settings."""

import json, os
from dataclasses import dataclass


@dataclass(frozen=True)
class Shop:
    """A shop."""

    name: str
    zone: str
    discount: int = 0


def load_shop(text):
    try:
        data = json.loads(text)
        assert type(data["discount"]) == int
    except Exception as e:
        data = dict()
    return Shop(data.get("name"), data.get("zone"), data.get("discount"))
