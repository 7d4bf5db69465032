"""What a customer gets for goods that came back, worked out anew from the company's files."""

import csv
import json
from copy import deepcopy
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

REFUNDED = ("D-71", "D-64")


def _states(ws):
    found = json.loads(ws.read("site-state.json"))
    return found["before"], found["after"]


def _row(rows, number):
    return next(row for row in rows if row["id"] == number)


def _price(files, year, item):
    lines = files[f"/accounts/prices-{year}.txt"].splitlines()
    return next(Decimal(line.split()[-1]) for line in lines if line.startswith(f"{item} "))


def _amount(before):
    total = Decimal(0)
    for line in csv.DictReader(before["files"]["/deliveries/2026-q1.csv"].splitlines(), delimiter=";"):
        if line["delivery"] not in REFUNDED:
            continue
        delivered, returned = date.fromisoformat(line["delivered"]), date.fromisoformat(line["returned"])
        days = (returned - delivered).days
        plan = _row(before["customers"], line["customer"])["plan"]
        percent = 100 if days <= 30 else 70 if days <= 60 else 40
        percent = min(100, percent + {"plus": 5, "premium": 10}.get(plan, 0))
        whole = int(line["units"]) * _price(before["files"], delivered.year, line["item"])
        share = (whole * percent / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
        total += share - 15 * int(line["opened units"])
    return f"{total:.2f}"


def _expected(before):
    after, amount = deepcopy(before), _amount(before)
    ticket = _row(after["tickets"], 310)
    ticket.update(state="waiting", assignee="tomas")
    ticket["comments"].append({"by": "dana", "text": f"refund {amount} EUR"})
    _row(after["customers"], "C-107")["notes"].append(f"2026-03-20: refund {amount} EUR, ticket 310")
    return after


def test_the_ticket_says_the_amount_and_goes_to_accounts(ws):
    before, after = _states(ws)
    assert _row(after["tickets"], 310) == _row(_expected(before)["tickets"], 310)


def test_the_customer_has_the_note(ws):
    before, after = _states(ws)
    assert _row(after["customers"], "C-107") == _row(_expected(before)["customers"], "C-107")


def test_nothing_else_has_changed(ws):
    before, after = _states(ws)
    assert after == _expected(before)
