from site_calls import call, send

send("/login", user="dana", password="low-tide")
# D-71: 3 x 389.90 = 1169.70, 42 days, plus: 75% = 877.28, less 2 x 15.00 = 847.28
# D-64: 2 x 52.15 = 104.30, 62 days, plus: 45% = 46.94
AMOUNT = "976.62"

call("POST", "/api/tickets/310/comments", {"text": f"refund {AMOUNT} EUR"})
call("PATCH", "/api/tickets/310", {"state": "waiting", "assignee": "tomas"})
call("POST", "/api/customers/C-107/notes", {"text": f"2026-03-20: refund {AMOUNT} EUR, ticket 310"})
