"""Folds tickets that report the same gauge into the oldest of them (rules: /support/duplicates.txt)."""
import re
from itertools import groupby

from site_calls import call, send

PLATE = re.compile(r"(?<![^\W_])HI[- ]?([0-9]{6})(?![^\W_])", re.I)
RANKING = "low normal high".split()


def sightings():
    """(customer, serial, ticket number) for whatever a living ticket names."""
    for ticket in call("GET", "/api/tickets")["tickets"]:
        if ticket["state"] == "closed":
            continue
        words = "\n".join([ticket["title"], *(said["text"] for said in ticket["comments"])])
        for serial in set(PLATE.findall(words)):
            yield ticket["customer"], serial, ticket["id"]


def fold(numbers):
    first, *rest = numbers
    urgency = {n: call("GET", f"/api/tickets/{n}")["priority"] for n in numbers}
    top = max(urgency.values(), key=RANKING.index)
    if urgency[first] != top:
        call("PATCH", f"/api/tickets/{first}", {"priority": top})
    send(f"/tickets/{first}/comments", text="also reported in " + ", ".join(map("#{}".format, rest)))
    for n in rest:
        call("PATCH", f"/api/tickets/{n}", {"state": "closed", "resolution": f"duplicate of #{first}"})


send("/login", user="dana", password="low-tide")
found = sorted(sightings())
for _, same in groupby(found, key=lambda row: row[:2]):
    reports = [row[2] for row in same]
    if len(reports) > 1:
        fold(reports)
