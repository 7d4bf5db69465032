from site_calls import call, send

send("/login", user="dana", password="low-tide")
AFFECTED = {
    "C-102": "HI-205100",
    "C-108": "HI-206429",
    "C-109": "HI-205117, HI-205118, HI-206412",
    "C-112": "HI-205155",
    "C-114": "HI-205199",
}
AFFECTED["C-111"] = "HI-206400"
PREMIUM = ("C-109", "C-112", "C-114")

call("PATCH", "/api/tickets/351", {"priority": "high"})
call("POST", "/api/tickets/351/comments", {"text": "firmware 4.2.1"})
used = []
for customer, serials in AFFECTED.items():
    owner = call("GET", f"/api/customers/{customer}")["owner"]
    priority = "high" if customer in PREMIUM else "normal"
    title = f"Firmware 4.2.1 for {serials}"
    new = {"title": title, "customer": customer, "priority": priority, "assignee": owner}
    used.append(call("POST", "/api/tickets", new)["id"])
tickets = ", ".join(map(str, used))
call("POST", "/api/channels/incidents/messages", {"text": f"tickets {tickets}", "answers": 1060})
