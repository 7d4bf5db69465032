from site_calls import call, send

send("/login", user="dana", password="low-tide")
for kept, priority, others in ((330, "high", (331,)),):
    call("PATCH", f"/api/tickets/{kept}", {"priority": priority})
    also = ", ".join(f"#{other}" for other in others)
    call("POST", f"/api/tickets/{kept}/comments", {"text": f"also reported in {also}"})
    for other in others:
        call("PATCH", f"/api/tickets/{other}", {"state": "closed", "resolution": f"duplicate of #{kept}"})
