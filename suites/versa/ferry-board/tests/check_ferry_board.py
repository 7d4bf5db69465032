"""Hidden checks of ferry-board: the value of each answer, exactly, and its sources: all that prove it, and no others.

`OPTIONAL` are papers that some would name and some would not, since the value could be seen without them, too.
"""

import json

VALUES = {
    "ramp_left": 1037450,
    "revision_b": 4,
    "charter": 49300,
    "passengers": 36007,
    "lane_metres": 318,
    "treasurer_absent": ["2025-03-18", "2025-09-16"],
}
SOURCES = {
    "ramp_left": ["minutes/board-2025-03-18.md", "minutes/board-2025-06-10.md", "finance/ramp-costs.csv"],
    "revision_b": ["minutes/board-2025-06-10.md", "minutes/board-2025-09-16.md"],
    "charter": [
        "contracts/charter-school.md",
        "contracts/charter-school-amendment-1.md",
        "logs/ternan-charter-2025.csv",
    ],
    "passengers": ["stats/passengers-2025.csv", "errata.md"],
    "lane_metres": ["fleet/vessels.csv", "fleet/refit-hildina-2025.md"],
    "treasurer_absent": [
        "statutes/board.md",
        "minutes/board-2025-03-18.md",
        "minutes/board-2025-06-10.md",
        "minutes/board-2025-09-16.md",
    ],
}
OPTIONAL = {"ramp_left": ["minutes/board-2025-02-11.md"], "treasurer_absent": ["minutes/board-2025-02-11.md"]}


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


def test_ramp_left(ws):
    """Kr of the budget of the new ramp that were not yet paid out at the end of 2025-09-30."""
    judge(ws, "ramp_left")


def test_revision_b(ws):
    """Members who voted for revision B of the tariff."""
    judge(ws, "revision_b")


def test_charter(ws):
    """Kr that the school of Nólsker pays for its charter in November 2025."""
    judge(ws, "charter")


def test_passengers(ws):
    """Passengers on route 2 from April to June 2025."""
    judge(ws, "passengers")


def test_lane_metres(ws):
    """Lane metres on the car deck of the Hildina that was in service on 2025-06-10."""
    judge(ws, "lane_metres")


def test_treasurer_absent(ws):
    """Dates of the meetings of the board in 2025, as far as their minutes hold, at which whoever was then the treasurer was absent."""
    judge(ws, "treasurer_absent")
