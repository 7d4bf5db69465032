"""Hidden checks of water-bursts: the value of each answer, exactly, and its sources: all that prove it, and no others.

`OPTIONAL` are papers that some would name and some would not, since the value could be seen without them, too.
"""

import json

VALUES = {
    "lost": 162,
    "paid_b03": 9800,
    "paid_b04": 10950,
    "paid_all": 20850,
    "property_minutes": 109250,
    "tower": 1.248,
    "harrow": 95,
}
SOURCES = {
    "lost": ["bursts/b-04.md", "telemetry/dma4-2025-05-02.csv"],
    "paid_b03": ["bursts/log-2025.csv", "bursts/b-03.md", "service/standards-2025.md", "minutes/ops-2025-05-13.md"],
    "paid_b04": ["bursts/log-2025.csv", "bursts/b-04.md", "service/standards-2025.md"],
    "paid_all": [
        "bursts/log-2025.csv",
        "bursts/b-03.md",
        "bursts/b-04.md",
        "service/standards-2025.md",
        "minutes/ops-2025-03-04.md",
        "minutes/ops-2025-05-13.md",
    ],
    "property_minutes": ["bursts/log-2025.csv", "errata.md"],
    "tower": ["telemetry/r2-level-2025-04-25.csv", "network/reservoirs-change-2025.md"],
    "harrow": ["telemetry/r3-level-2025-05-30.csv", "network/reservoirs.csv"],
}
OPTIONAL = {"paid_b04": ["minutes/ops-2025-05-13.md"], "paid_all": ["service/standards-2023.md", "errata.md"]}


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


def test_lost(ws):
    """M3 that were lost by the burst B-04."""
    judge(ws, "lost")


def test_paid_b03(ws):
    """Pounds that were paid for B-03 altogether."""
    judge(ws, "paid_b03")


def test_paid_b04(ws):
    """Pounds that were paid for B-04 altogether."""
    judge(ws, "paid_b04")


def test_paid_all(ws):
    """Pounds that were paid for the bursts of the first half of 2025 altogether."""
    judge(ws, "paid_all")


def test_property_minutes(ws):
    """Minutes without water in the first quarter of 2025, each multiplied by the number of properties, summed over all bursts."""
    judge(ws, "property_minutes")


def test_tower(ws):
    """ML in R2 at the lowest level that was recorded on 2025-04-25."""
    judge(ws, "tower")


def test_harrow(ws):
    """M3 by which the lowest level recorded for R3 on 2025-05-30 lay above the lowest level that is allowed."""
    judge(ws, "harrow")
