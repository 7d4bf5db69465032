"""Samira's customers and tickets go to her colleagues, as Lena decided in #sales (messages 1020 to 1025)."""
from site_calls import call, send

LEAVER, HEAD, LAST_DAY = "samira", "lena", "2026-04-01"
# What Lena said, the most specific word first: the first row that fits a record decides; None leaves it alone.
DECISIONS = (
    ("status", "closed", None),                     # 1020
    ("status", "paused", None),                     # 1022
    ("name", "Lagoon Research Trust", HEAD),        # 1025, not Joost as in 1022
    ("name", "Skerry Pilots", "milo"),              # 1023
    ("plan", "premium", HEAD),                      # 1020, as the two below
    ("plan", "plus", "milo"),
    ("plan", "basic", "joost"),
)


def heir(record):
    return next(who for field, value, who in DECISIONS if record[field] == value)


send("/login", user="dana", password="low-tide")

leaving = call("GET", f"/api/customers?owner={LEAVER}")["customers"]
handed = {record["id"]: heir(record) for record in leaving if record["owner"] == LEAVER}
for number, successor in handed.items():
    if successor is not None:
        call("PATCH", f"/api/customers/{number}", dict(owner=successor))
        send(f"/crm/{number}/notes", text=f"owner: {LEAVER} -> {successor}, {LAST_DAY}")

for state in ("open", "waiting"):
    for ticket in call("GET", f"/api/tickets?assignee={LEAVER}&state={state}")["tickets"]:
        owner_now = call("GET", "/api/customers/" + ticket["customer"])["owner"]
        call("PATCH", f"/api/tickets/{ticket['id']}", dict(assignee=HEAD if owner_now == LEAVER else owner_now))
