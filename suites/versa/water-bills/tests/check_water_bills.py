"""Hidden checks of water-bills: the value of each answer, exactly, and its sources: all that prove it, and no others.

`OPTIONAL` are papers that some would name and some would not, since the value could be seen without them, too.
"""

import json

VALUES = {"bakery": 50328, "school": 24025, "thwaite": 17620, "kiln_row": 13181, "upper_calder": 15640, "dairy": 15465}
SOURCES = {
    "bakery": ["meters/readings-2025.csv", "meters/types.json", "customers/accounts.csv", "tariffs/water-2024.md"],
    "school": [
        "meters/readings-2025.csv",
        "meters/types.json",
        "customers/accounts.csv",
        "tariffs/water-2024.md",
        "tariffs/water-2025.md",
    ],
    "thwaite": [
        "meters/readings-2025.csv",
        "meters/types.json",
        "meters/replacements.md",
        "customers/accounts.csv",
        "tariffs/water-2025.md",
    ],
    "kiln_row": [
        "network/zones.csv",
        "customers/accounts.csv",
        "customers/changes-2025.md",
        "meters/readings-2025.csv",
        "meters/types.json",
        "errata.md",
        "tariffs/water-2024.md",
        "tariffs/water-2025.md",
        "tariffs/social-tariff.md",
    ],
    "upper_calder": [
        "network/zones.csv",
        "customers/accounts.csv",
        "customers/changes-2025.md",
        "meters/readings-2025.csv",
        "meters/types.json",
        "tariffs/water-2025.md",
    ],
    "dairy": [
        "customers/accounts.csv",
        "meters/readings-2025.csv",
        "meters/types.json",
        "tariffs/water-2024.md",
        "tariffs/water-2025.md",
    ],
}
OPTIONAL = {"thwaite": ["customers/changes-2025.md"]}


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


def test_bakery(ws):
    """Pence that the Hollins Bakery owes for the first quarter."""
    judge(ws, "bakery")


def test_school(ws):
    """Pence that the Moss Side School owes for the second quarter."""
    judge(ws, "school")


def test_thwaite(ws):
    """Pence that R. Thwaite owes for the second quarter."""
    judge(ws, "thwaite")


def test_kiln_row(ws):
    """Pence that M. Hollins of Kiln Row owes for the second quarter."""
    judge(ws, "kiln_row")


def test_upper_calder(ws):
    """Pence that M. Hollins of Upper Calder owes us for the second quarter."""
    judge(ws, "upper_calder")


def test_dairy(ws):
    """Pence by which the bill of the Harrow Dairy for the second quarter is higher than that for the first."""
    judge(ws, "dairy")
