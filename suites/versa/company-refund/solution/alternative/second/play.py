"""What Port of Lisse gets back (rules: /accounts/refunds-2026.txt), in whole cents and per cents."""
import re
from bisect import bisect_left
from datetime import date

from site_calls import call, send

REFUNDED = {"D-64", "D-71"}  # ticket 310: D-72 went out again, so it is not refunded
UP_TO_DAYS, PERCENT = (30, 60), (100, 70, 40)
EXTRA = {"basic": 0, "plus": 5, "premium": 10}
OPENED = 1500

send("/login", user="dana", password="low-tide")


def text_of(path):
    return call("GET", f"/api/file?path={path}")["text"]


def cents(year, item):
    euro, cent = re.search(rf"(?m)^{item}\s.*?(\d+)\.(\d\d)$", text_of(f"/accounts/prices-{year}.txt")).groups()
    return int(euro) * 100 + int(cent)


ticket = call("GET", "/api/tickets/310")
customer = ticket["customer"]
extra = EXTRA[call("GET", f"/api/customers/{customer}")["plan"]]

total = 0
for line in text_of("/deliveries/2026-q1.csv").splitlines()[1:]:
    delivery, buyer, item, units, out, back, opened = line.split(";")
    if delivery not in REFUNDED or buyer != customer:
        continue
    days = (date.fromisoformat(back) - date.fromisoformat(out)).days
    share = min(100, PERCENT[bisect_left(UP_TO_DAYS, days)] + extra)
    total += (int(units) * cents(out[:4], item) * share + 50) // 100 - int(opened) * OPENED

verdict = f"refund {total // 100}.{total % 100:02d} EUR"
send("/tickets/310/comments", text=verdict)
call("PATCH", "/api/tickets/310", {"assignee": "tomas", "state": "waiting"})
send(f"/crm/{customer}/notes", text=f"2026-03-20: {verdict}, ticket 310")
