from site_calls import call, send

send("/login", user="dana", password="low-tide")
OWNERS = {"premium": "lena", "plus": "milo", "basic": "joost"}
SAID = {"C-111": "lena", "C-112": "milo"}

owners = {}
for customer in call("GET", "/api/customers?owner=samira&status=active")["customers"]:
    number = customer["id"]
    owners[number] = SAID.get(number, OWNERS[customer["plan"]])
    call("PATCH", f"/api/customers/{number}", {"owner": owners[number]})
for ticket, assignee in ((320, "lena"), (321, "lena"), (322, "milo"), (324, "milo")):
    call("PATCH", f"/api/tickets/{ticket}", {"assignee": assignee})
