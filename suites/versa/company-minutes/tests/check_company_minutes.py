"""The minutes of a meeting, worked out anew from what was said."""

import json
import re
from copy import deepcopy

DAY, LAST, ARCHIVE = "2026-03-19", "/meetings/2026-03-12.txt", "/meetings/archive/2026-03-12.txt"


def _states(ws):
    found = json.loads(ws.read("site-state.json"))
    return found["before"], found["after"]


def _row(rows, number):
    return next(row for row in rows if row["id"] == number)


def _actions(before):
    """Owner and text of each action that is left, by the number of its message."""
    found = {}
    said = [message for message in before["messages"] if message["channel"] == "weekly" and message["at"].startswith(DAY)]
    for message in sorted(said, key=lambda message: (message["at"], message["id"])):
        text = message["text"]
        if action := re.fullmatch(r"ACTION @(\w+): (.+)", text):
            found[message["id"]] = [action[1], action[2]]
        elif moved := re.fullmatch(r"MOVE (\d+) @(\w+)", text):
            found[int(moved[1])][0] = moved[2]
        elif done := re.fullmatch(r"DONE (\d+)", text):
            del found[int(done[1])]
    return sorted((owner, number, text) for number, (owner, text) in found.items())


def _expected(before):
    after, actions = deepcopy(before), _actions(before)
    lines = [f"{owner}: {text} (#{number})" for owner, number, text in actions]
    after["files"][f"/meetings/{DAY}.txt"] = "\n".join([*lines, f"{len(lines)} open"])
    after["files"][ARCHIVE] = after["files"].pop(LAST)
    for owner, _, text in actions:
        for ticket in re.findall(r"ticket (\d+)", text):
            _row(after["tickets"], int(ticket))["comments"].append({"by": "dana", "text": f"weekly {DAY}: {owner}"})
    return after


def test_the_minutes(ws):
    before, after = _states(ws)
    name = f"/meetings/{DAY}.txt"
    assert after["files"].get(name) == _expected(before)["files"][name]


def test_the_archive(ws):
    before, after = _states(ws)
    assert LAST not in after["files"]
    assert after["files"].get(ARCHIVE) == before["files"][LAST]


def test_the_tickets(ws):
    before, after = _states(ws)
    assert after["tickets"] == _expected(before)["tickets"]


def test_nothing_else_has_changed(ws):
    before, after = _states(ws)
    assert after == _expected(before)
