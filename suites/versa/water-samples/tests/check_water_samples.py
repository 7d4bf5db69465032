"""Hidden checks of water-samples: the value of each answer, exactly, and its sources: all that prove it, and no others.

`OPTIONAL` are papers that some would name and some would not, since the value could be seen without them, too.
"""

import json

VALUES = {
    "lead_over": ["S-1041", "S-1052", "S-1107"],
    "people": 5754,
    "moss_side": 3.1,
    "second_quarter": ["S-1218", "S-1219"],
    "manganese": 52.8,
    "kiln_row": 6.6,
}
SOURCES = {
    "lead_over": [
        "lab/results-2025-q1.csv",
        "lab/methods.md",
        "lab/instruments.log",
        "standards/limits-2019.md",
        "standards/limits-2025.md",
    ],
    "people": [
        "lab/results-2025-q1.csv",
        "lab/instruments.log",
        "standards/limits-2019.md",
        "standards/limits-2025.md",
        "network/zones.csv",
        "errata.md",
    ],
    "moss_side": ["lab/results-2025-q1.csv", "lab/methods.md", "lab/instruments.log", "errata.md"],
    "second_quarter": [
        "lab/results-2025-q2.csv",
        "lab/methods.md",
        "standards/limits-2019.md",
        "standards/limits-2025.md",
    ],
    "manganese": ["lab/results-2025-q1.csv", "lab/methods.md", "lab/instruments.log"],
    "kiln_row": ["lab/results-2025-q1.csv", "lab/results-2025-q2.csv", "lab/methods.md", "lab/instruments.log"],
}
OPTIONAL = {"people": ["lab/methods.md"]}


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


def test_lead_over(ws):
    """Samples of the first quarter of 2025 that exceeded the limit of lead which was in force when they were taken."""
    judge(ws, "lead_over")


def test_people(ws):
    """People in the zones in which those samples were taken, each zone counted once."""
    judge(ws, "people")


def test_moss_side(ws):
    """Mean of lead in Z3 in the first quarter of 2025, in ug/L."""
    judge(ws, "moss_side")


def test_second_quarter(ws):
    """Samples of the second quarter of 2025 that exceeded any limit in force."""
    judge(ws, "second_quarter")


def test_manganese(ws):
    """Highest manganese of the first quarter of 2025 in any zone, in ug/L."""
    judge(ws, "manganese")


def test_kiln_row(ws):
    """Mean of lead in Z4 in the first half of 2025, in ug/L."""
    judge(ws, "kiln_row")
