"""A recall: who is concerned is worked out anew from what was said and from who has which gauge."""

import csv
import json
from copy import deepcopy

RANGES, MENDED, ASKED = ((205100, 205199), (206400, 206429)), "4.2.1", 1060


def _states(ws):
    found = json.loads(ws.read("site-state.json"))
    return found["before"], found["after"]


def _row(rows, number):
    return next(row for row in rows if row["id"] == number)


def _affected(before):
    """The affected gauges of each customer whose account is not closed."""
    last = {}
    for line in csv.DictReader(before["files"]["/deliveries/gauges.csv"].splitlines(), delimiter=";"):
        last[line["serial"]] = line
    found = {}
    for serial, line in sorted(last.items()):
        number = int(serial.removeprefix("HI-"))
        if line["state"] == "delivered" and any(low <= number <= high for low, high in RANGES):
            if _row(before["customers"], line["customer"])["status"] != "closed":
                found.setdefault(line["customer"], []).append(serial)
    return found


def _split(before, after):
    """Tickets that were there, and new ones, as the site has them now."""
    known = {ticket["id"] for ticket in before["tickets"]}
    return [t for t in after["tickets"] if t["id"] in known], [t for t in after["tickets"] if t["id"] not in known]


def _wanted(before):
    """The tickets as they should be that were there, the numbers of those used, and the new ones without numbers."""
    tickets, used, new = deepcopy(before["tickets"]), [], []
    for customer, serials in _affected(before).items():
        mine = [ticket for ticket in tickets if ticket["customer"] == customer and ticket["state"] != "closed"]
        named = [ticket for ticket in mine if any(serial in ticket["title"] for serial in serials)]
        for ticket in named:
            ticket["priority"] = "high"
            ticket["comments"].append({"by": "dana", "text": f"firmware {MENDED}"})
            used.append(ticket["id"])
        if not named:
            record = _row(before["customers"], customer)
            new.append(
                {
                    "title": f"Firmware {MENDED} for {', '.join(serials)}",
                    "customer": customer,
                    "opened": "2026-03-20",
                    "priority": "high" if record["plan"] == "premium" else "normal",
                    "state": "open",
                    "assignee": record["owner"],
                    "resolution": "",
                    "comments": [],
                }
            )
    return tickets, used, new


def test_tickets_that_were_there(ws):
    before, after = _states(ws)
    assert _split(before, after)[0] == _wanted(before)[0]
    assert _wanted(before)[1] == [351]
    assert _split(before, after)[1]


def test_new_tickets(ws):
    before, after = _states(ws)
    new = [{key: value for key, value in ticket.items() if key != "id"} for ticket in _split(before, after)[1]]
    assert sorted(new, key=lambda ticket: ticket["customer"]) == sorted(
        _wanted(before)[2], key=lambda ticket: ticket["customer"]
    )


def test_the_answer_in_the_channel(ws):
    before, after = _states(ws)
    said = after["messages"][len(before["messages"]) :]
    numbers = sorted([*_wanted(before)[1], *(ticket["id"] for ticket in _split(before, after)[1])])
    assert [(m["channel"], m["by"], m["answers"], m["text"]) for m in said] == [
        ("incidents", "dana", ASKED, f"tickets {', '.join(map(str, numbers))}")
    ]


def test_nothing_else_has_changed(ws):
    before, after = _states(ws)
    assert after["messages"][: len(before["messages"])] == before["messages"]
    assert len(after["messages"]) == len(before["messages"]) + 1
    rest = [key for key in before if key not in ("tickets", "messages")]
    assert {key: after[key] for key in rest} == {key: before[key] for key in rest}
