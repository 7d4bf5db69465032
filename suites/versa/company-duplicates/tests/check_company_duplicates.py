"""Duplicates among all tickets, found anew from what customers wrote."""

import json
import re
from copy import deepcopy

SERIAL = re.compile(r"(?<![a-z0-9])hi[- ]?([0-9]{6})(?![0-9])", re.IGNORECASE)
PRIORITIES = ("low", "normal", "high")


def _states(ws):
    found = json.loads(ws.read("site-state.json"))
    return found["before"], found["after"]


def _row(rows, number):
    return next(row for row in rows if row["id"] == number)


def _expected(before):
    after, groups = deepcopy(before), {}
    for ticket in after["tickets"]:
        texts = [ticket["title"], *(comment["text"] for comment in ticket["comments"])]
        for serial in sorted({found for text in texts for found in SERIAL.findall(text)}):
            if ticket["state"] != "closed":
                groups.setdefault((ticket["customer"], serial), []).append(ticket)
    for group in groups.values():
        kept, *others = sorted(group, key=lambda ticket: ticket["id"])
        if others:
            kept["priority"] = max((ticket["priority"] for ticket in group), key=PRIORITIES.index)
            also = ", ".join(f"#{ticket['id']}" for ticket in others)
            kept["comments"].append({"by": "dana", "text": f"also reported in {also}"})
        for ticket in others:
            ticket.update(state="closed", resolution=f"duplicate of #{kept['id']}")
    return after


def test_those_that_are_kept(ws):
    before, after = _states(ws)
    expected = _expected(before)
    for number in (330, 337):
        assert _row(expected["tickets"], number) != _row(before["tickets"], number)
        assert _row(after["tickets"], number) == _row(expected["tickets"], number)


def test_all_tickets(ws):
    before, after = _states(ws)
    assert after["tickets"] == _expected(before)["tickets"]


def test_nothing_else_has_changed(ws):
    before, after = _states(ws)
    assert after == _expected(before)
