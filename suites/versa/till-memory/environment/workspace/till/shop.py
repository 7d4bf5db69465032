"""Reads a shop: prices, the leaflet with the offers, and a day's baskets."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from till.offers import Bundle, Offer, Percent, ThreeForTwo
from till.register import Till

KINDS = {"percent": Percent, "bundle": Bundle, "three-for-two": ThreeForTwo}


def open_till(folder: str) -> Till:
    """A new till with prices.csv (article,cents) and leaflet.json of a folder."""
    with Path(folder, "prices.csv").open() as file:
        prices = {row["article"]: int(row["cents"]) for row in csv.DictReader(file)}
    return Till(prices, offers(folder))


def offers(folder: str) -> list[Offer]:
    """The offers of leaflet.json, in their order: [kind, name, articles, number if there is one]."""
    leaflet = json.loads(Path(folder, "leaflet.json").read_text())
    return [KINDS[kind](name, tuple(articles), *number) for kind, name, articles, *number in leaflet]


def baskets(path: str) -> dict[int, dict[str, int]]:
    """Baskets by number, from lines like "17 milk:2 bread:1", in their order."""
    found = {}
    for line in Path(path).read_text().splitlines():
        number, *pieces = line.split()
        found[int(number)] = {article: int(count) for article, count in (piece.split(":") for piece in pieces)}
    return found
