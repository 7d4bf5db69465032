"""Hidden checks of ferry-quay: the value of each answer, exactly, and its sources: all that prove it, and no others.

`OPTIONAL` are papers that some would name and some would not, since the value could be seen without them, too.
"""

import json

VALUES = {"delay": 44, "aboard": 190, "spare": 12, "master": "Jórun Olsen", "insurer": 36800, "fuel": 322}
SOURCES = {
    "delay": ["timetables/changes-2025.md", "logs/brimil-deck-2025-06-19.log"],
    "aboard": ["logs/brimil-deck-2025-06-19.log", "crew/rota-2025-06.csv", "crew/changes-2025-06.md"],
    "spare": ["fleet/certificates.md", "logs/brimil-deck-2025-06-19.log"],
    "master": ["crew/changes-2025-06.md", "crew/people.json"],
    "insurer": [
        "incidents/2025-06-19-final.md",
        "finance/tug-invoice-2025-06-23.md",
        "insurance/policy-2025.md",
        "insurance/endorsement-1.md",
    ],
    "fuel": ["logs/brimil-engine-2025-06-19.csv", "logs/brimil-deck-2025-06-19.log", "incidents/2025-06-19-final.md"],
}
OPTIONAL = {
    "delay": ["incidents/2025-06-19-final.md"],
    "aboard": ["incidents/2025-06-19-final.md"],
    "spare": ["incidents/2025-06-19-final.md"],
    "master": ["logs/brimil-deck-2025-06-19.log"],
    "insurer": ["logs/brimil-deck-2025-06-19.log"],
}


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


def test_delay(ws):
    """Minutes by which number 208 left Stórhamn late on that day."""
    judge(ws, "delay")


def test_aboard(ws):
    """People aboard, passengers and crew, when the ship touched the quay."""
    judge(ws, "aboard")


def test_spare(ws):
    """Passengers that the ship could have carried on that journey (number 207) in addition to those who were aboard, by its certificate."""
    judge(ws, "spare")


def test_master(ws):
    """Full name of the master at that time."""
    judge(ws, "master")


def test_insurer(ws):
    """Kr that the insurer pays for the event (the quay's head, where it happened, is of stone and was not damaged)."""
    judge(ws, "insurer")


def test_fuel(ws):
    """Litres of fuel that both engines together burnt from leaving Nólsker with number 207 to the touch of the quay."""
    judge(ws, "fuel")
