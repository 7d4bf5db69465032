"""Hidden checks of ferry-fares: the value of each answer, exactly, and its sources: all that prove it, and no others.

`OPTIONAL` are papers that some would name and some would not, since the value could be seen without them, too.
"""

import json

VALUES = {
    "family": 852,
    "resident_van": 1018,
    "cyclists": 738,
    "resident_march": 67,
    "bicycle_days": 42,
    "steepest": "adult",
}
SOURCES = {
    "family": ["tariffs/tariff-2025.csv", "tariffs/conditions-2025.md", "circulars/2025-05-surcharge.md"],
    "resident_van": [
        "tariffs/tariff-2025.csv",
        "tariffs/conditions-2025.md",
        "errata.md",
        "circulars/2025-05-surcharge.md",
        "circulars/2025-08-surcharge.md",
    ],
    "cyclists": [
        "tariffs/tariff-2025.csv",
        "tariffs/tariff-2025-rev-b.csv",
        "tariffs/conditions-2025.md",
        "circulars/2025-05-surcharge.md",
    ],
    "resident_march": ["tariffs/tariff-2024.csv", "tariffs/conditions-2024.md", "circulars/2025-02-surcharge.md"],
    "bicycle_days": ["circulars/2025-06-bicycles.md", "timetables/holidays-2025.md"],
    "steepest": ["tariffs/tariff-2024.csv", "tariffs/tariff-2025.csv", "tariffs/tariff-2025-rev-b.csv"],
}
OPTIONAL = {"cyclists": ["circulars/2025-06-bicycles.md"]}


def judge(ws, key):
    """Compares one answer."""
    answer = json.loads(ws.read("answers.json"))[key]
    value, sources = answer["value"], answer["sources"]
    assert isinstance(value, bool) is False and value == VALUES[key], (key, value)
    assert all(isinstance(source, str) for source in sources), sources
    assert len(sources) == len(set(sources)), sources
    missing = set(SOURCES[key]) - set(sources)
    assert not missing, (key, "missing", missing)
    more = set(sources) - set(SOURCES[key]) - set(OPTIONAL.get(key, []))
    assert not more, (key, "not needed", more)


def test_family(ws):
    """Kr for a single journey on route 2 on 2025-06-11."""
    judge(ws, "family")


def test_resident_van(ws):
    """Kr that the same car of 5.4 m, with its driver, who has a resident card, pays for two single journeys on route 2, one on 2025-06-12 and one on 2025-08-20, together."""
    judge(ws, "resident_van")


def test_cyclists(ws):
    """Kr for two adults, each with a bicycle and a return ticket, on route 2, out on 2025-08-09 and back on 2025-08-17."""
    judge(ws, "cyclists")


def test_resident_march(ws):
    """Kr for a single journey on route 1 of one adult on foot with a resident card on 2025-03-30."""
    judge(ws, "resident_march")


def test_bicycle_days(ws):
    """The number of days of 2025 on which bicycles were free on route 3."""
    judge(ws, "bicycle_days")


def test_steepest(ws):
    """The category of route 2 whose price before surcharge and reductions was raised most, in percent, from 2025-03-31 to 2025-07-01, written as in the tariffs."""
    judge(ws, "steepest")
