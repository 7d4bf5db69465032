"""Writes the minutes of one weekly by replaying its commands (rules: /meetings/how.txt)."""
import re

from site_calls import call, send

DAY, BEFORE = "2026-03-19", "2026-03-12"
COMMAND = re.compile(
    r"ACTION @(?P<who>\w+): (?P<what>.+)|MOVE (?P<moved>\d+) @(?P<to>\w+)|DONE (?P<done>\d+)", re.S
)

send("/login", user="dana", password="low-tide")

todo = {}  # number of the message -> [handle, text]
said = call("GET", "/api/messages?channel=weekly")["messages"]
for message in sorted(said, key=lambda m: (m["at"], m["id"])):
    hit = COMMAND.fullmatch(message["text"].strip())
    if not hit or not message["at"].startswith(DAY):
        continue
    match hit.lastgroup:
        case "what":
            todo[message["id"]] = [hit["who"], hit["what"].strip()]
        case "to":
            if int(hit["moved"]) in todo:
                todo[int(hit["moved"])][0] = hit["to"]
        case "done":
            todo.pop(int(hit["done"]), None)

left = sorted((who, number, what) for number, (who, what) in todo.items())
page = [f"{who}: {what} (#{number})" for who, number, what in left] + [f"{len(left)} open"]

# As the older minutes end (with or without a line end), so does this one.
older = call("GET", f"/api/file?path=/meetings/{BEFORE}.txt")["text"]
ending = "\n" if older.endswith("\n") else ""
call("PUT", "/api/file", {"path": f"/meetings/{DAY}.txt", "text": "\n".join(page) + ending})

send("/files/move", path=f"/meetings/{BEFORE}.txt", folder="/meetings/archive")

for who, _, what in left:
    for ticket in dict.fromkeys(re.findall(r"\bticket (\d+)\b", what)):
        send(f"/tickets/{ticket}/comments", text=f"weekly {DAY}: {who}")
