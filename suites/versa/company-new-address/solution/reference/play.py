from site_calls import call, send

send("/login", user="dana", password="low-tide")
call("PATCH", "/api/customers/C-103", {"address": "Strandgaten 14, 5013 Bergen", "phone": "+47 55 90 31 72"})
call("POST", "/api/tickets/301/comments", {"text": "Strandgaten 14, 5013 Bergen"})
call("PATCH", "/api/tickets/301", {"state": "closed", "resolution": "address changed"})
