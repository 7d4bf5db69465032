"""The customer moves: record, ticket, and nothing else."""

import json
from copy import deepcopy

ADDRESS, PHONE = "Strandgaten 14, 5013 Bergen", "+47 55 90 31 72"


def _states(ws):
    found = json.loads(ws.read("site-state.json"))
    return found["before"], found["after"]


def _row(rows, number):
    return next(row for row in rows if row["id"] == number)


def _expected(before):
    after = deepcopy(before)
    _row(after["customers"], "C-103").update(address=ADDRESS, phone=PHONE)
    ticket = _row(after["tickets"], 301)
    ticket.update(state="closed", resolution="address changed")
    ticket["comments"].append({"by": "dana", "text": ADDRESS})
    return after


def test_the_customer_is_up_to_date(ws):
    before, after = _states(ws)
    assert _row(after["customers"], "C-103") == _row(_expected(before)["customers"], "C-103")


def test_the_ticket_is_closed(ws):
    before, after = _states(ws)
    assert _row(after["tickets"], 301) == _row(_expected(before)["tickets"], 301)


def test_nothing_else_has_changed(ws):
    before, after = _states(ws)
    assert after == _expected(before)
