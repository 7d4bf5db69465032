"""A handover in sales: owners, notes and tickets, by the rules that the company has."""

import json
from copy import deepcopy

LEAVES, HEAD = "samira", "lena"
BY_PLAN = {"premium": "lena", "plus": "milo", "basic": "joost"}
SAID = {"C-111": "lena", "C-112": "milo"}


def _states(ws):
    found = json.loads(ws.read("site-state.json"))
    return found["before"], found["after"]


def _row(rows, number):
    return next(row for row in rows if row["id"] == number)


def _expected(before):
    after = deepcopy(before)
    for customer in after["customers"]:
        if customer["owner"] == LEAVES and customer["status"] == "active":
            customer["owner"] = SAID.get(customer["id"]) or BY_PLAN[customer["plan"]]
            customer["notes"].append(f"owner: {LEAVES} -> {customer['owner']}, 2026-04-01")
    for ticket in after["tickets"]:
        if ticket["assignee"] == LEAVES and ticket["state"] != "closed":
            owner = _row(after["customers"], ticket["customer"])["owner"]
            ticket["assignee"] = HEAD if owner == LEAVES else owner
    return after


def test_customers_have_their_new_owners(ws):
    before, after = _states(ws)
    expected = _expected(before)
    assert any(row != old for row, old in zip(expected["customers"], before["customers"]) if row["id"] > "C-200")
    assert after["customers"] == expected["customers"]


def test_tickets_have_their_new_assignees(ws):
    before, after = _states(ws)
    assert after["tickets"] == _expected(before)["tickets"]


def test_nothing_else_has_changed(ws):
    before, after = _states(ws)
    assert after == _expected(before)
