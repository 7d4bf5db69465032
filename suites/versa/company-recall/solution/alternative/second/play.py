"""The recall of firmware 4.2.0 (rules: /support/recalls.txt; which gauges: #incidents, messages 1060 and 1061)."""
import csv
import re

from site_calls import call, send

MENDED = "4.2.1"
FAULTY = {*range(205100, 205200), *range(206400, 206430)}  # 1061: the second range ends with HI-206429
ANNOUNCED = 1060

send("/login", user="dana", password="low-tide")

table = call("GET", "/api/file?path=/deliveries/gauges.csv")["text"]
final = {}  # a later line of a serial number overrules an earlier one
for row in csv.DictReader(table.split(), delimiter=";"):
    final[int(row["serial"].removeprefix("HI-"))] = row["customer"], row["state"]

holdings = {}
for serial in sorted(FAULTY & final.keys()):
    holder, state = final[serial]
    if state == "delivered":
        holdings.setdefault(holder, []).append(serial)


def existing(holder, serials):
    """The customer's ticket that is not closed and has one of the gauges in its title, if there is one."""
    for ticket in call("GET", f"/api/tickets?customer={holder}")["tickets"]:
        named = re.findall(r"(?i)\bhi[- ]?(\d{6})\b", ticket["title"])
        if ticket["state"] != "closed" and not set(serials).isdisjoint(map(int, named)):
            return ticket["id"]
    return None


concerned = []
for holder, serials in holdings.items():
    record = call("GET", f"/api/customers/{holder}")
    if record["status"] == "closed":
        continue
    number = existing(holder, serials)
    if number is not None:
        call("PATCH", f"/api/tickets/{number}", {"priority": "high"})
        send(f"/tickets/{number}/comments", text=f"firmware {MENDED}")
    else:
        fresh = {
            "title": f"Firmware {MENDED} for " + ", ".join(f"HI-{serial}" for serial in serials),
            "customer": holder,
            "priority": ("normal", "high")[record["plan"] == "premium"],
            "assignee": record["owner"],
        }
        number = call("POST", "/api/tickets", fresh)["id"]
    concerned.append(number)

send("/chat/incidents", answers=ANNOUNCED, text="tickets " + ", ".join(map(str, sorted(concerned))))
