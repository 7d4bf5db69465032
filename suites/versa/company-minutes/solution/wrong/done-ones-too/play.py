from site_calls import call, send

send("/login", user="dana", password="low-tide")
MINUTES = """\
ines: order 20 brackets (#1043)
ines: count the cables (#1054)
joost: visit De Vries Towage (#1048)
milo: send the offer to Isla Ferries (#1041)
priya: find out why readings stop, ticket 346 (#1044)
tomas: pay the freight back, ticket 345 (#1042)
6 open
"""

call("PUT", "/api/file", {"path": "/meetings/2026-03-19.txt", "text": MINUTES})
send("/files/move", path="/meetings/2026-03-12.txt", folder="/meetings/archive")
call("POST", "/api/tickets/345/comments", {"text": "weekly 2026-03-19: tomas"})
call("POST", "/api/tickets/346/comments", {"text": "weekly 2026-03-19: priya"})
