"""The rules against an oracle of their own, and the form as people with and without a mouse meet it."""

import json
import re
from datetime import date, timedelta

LABELS = {
    "name": "Name",
    "plate": "Number plate",
    "zone": "Zone",
    "start": "First day",
    "weeks": "Weeks",
    "email": "Email (optional)",
    "terms": "I accept the terms",
}
POOLS = {
    "name": ["Ada", " Bo ", "", "  "],
    "plate": ["a1", "KA PX-123", "A1B2C3D4", "A1B2C3D4E", "A", "AB", "12", "Ä1B", "A_1", " b-2 ", "", "- -"],
    "zone": ["A", "B", "C", ""],
    "weeks": ["1", "4", "5", "52", "53", "0", "", "-1", "1.0", " 3 ", "03", "1e1", "two", "0x2"],
    "email": ["", " a@b.c ", "ada@example.org", "a@b", "@b.c", "a@@b.c", "a@b@c.d", "a b@c.d", "a@.c", "a@b.", "a@b.c.d"],
    "terms": [True, True, True, False],
}


def wrong(values, today):
    """What is wrong, by an oracle that shares nothing with the solution."""
    first = date.fromisoformat(today)
    last = first + timedelta(days=60)
    found = {}
    if not values["name"].strip():
        found["name"] = "Enter a name"
    plate = values["plate"].strip().replace(" ", "").replace("-", "")
    kinds = {"A" if "A" <= c.upper() <= "Z" and c.isascii() else "1" if c in "0123456789" else "?" for c in plate}
    if not 2 <= len(plate) <= 8 or kinds != {"A", "1"}:
        found["plate"] = "Enter a plate such as KA-PX 123"
    if not values["zone"]:
        found["zone"] = "Choose a zone"
    start = values["start"].strip()
    try:
        day = date.fromisoformat(start) if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", start) else None
    except ValueError:
        day = None
    if day is None:
        found["start"] = "Enter a day such as 2026-03-14"
    elif not first <= day <= last:
        found["start"] = f"Enter a day from {first} to {last}"
    most, weeks = 4 if values["zone"] == "B" else 52, values["weeks"].strip()
    if not (weeks.isascii() and weeks.isdigit() and 1 <= int(weeks) <= most):
        found["weeks"] = f"Enter a number from 1 to {most}"
    email = values["email"].strip()
    before, _, after = email.partition("@")
    if email and (not before or "@" in after or " " in email or "." not in after[1:-1]):
        found["email"] = "Enter an address such as ada@example.org"
    if not values["terms"]:
        found["terms"] = "Accept the terms"
    return [[name, found[name]] for name in LABELS if name in found]


def days(today, rng):
    """Days around the ends of what is right, and what is no day."""
    first = date.fromisoformat(today)
    near = [str(first + timedelta(days=n)) for n in (-1, 0, 1, rng.randrange(2, 59), 59, 60, 61)]
    return [*near, f" {first} ", f"{first.year}-02-30", "2026-13-01", "2027-04-31", f"{first:%Y%m%d}", f"{first}T00", ""]


def drawn(rng, today):
    pools = POOLS | {"start": days(today, rng)}
    return {name: rng.choice(pools[name]) for name in LABELS}


def right(rng, today):
    """A random permit with nothing wrong about it."""
    while True:
        values = drawn(rng, today)
        if not wrong(values, today):
            return values


def some_day(rng):
    return str(date(2026, 1, 1) + timedelta(days=rng.randrange(2000)))


def test_rules(ws):
    cases = []
    for _ in range(400):
        today = some_day(ws.rng)
        values = right(ws.rng, today) | {(name := ws.rng.choice(list(LABELS))): drawn(ws.rng, today)[name]}
        cases.append([ws.rng.choice([values, values, drawn(ws.rng, today)]), today])
    ends = [[some_day(ws.rng), ws.rng.randrange(1, 53)] for _ in range(100)]
    script = """
    const { problems, lastDay } = require("./rules.js");
    const [cases, ends] = JSON.parse(require("fs").readFileSync(0, "utf8"));
    console.log(JSON.stringify([cases.map(one => problems(...one)), ends.map(one => lastDay(...one))]));
    """
    done = ws.run(["node", "-e", script], stdin=json.dumps([cases, ends]))
    assert done.code == 0, done.stderr[-300:]
    told = json.loads(done.stdout)
    for (values, today), found in zip(cases, told[0], strict=True):
        assert found == wrong(values, today), (values, today, found)
    assert told[1] == [str(date.fromisoformat(day) + timedelta(days=7 * weeks - 1)) for day, weeks in ends]


def field(page, name):
    kind = {"zone": "combobox", "terms": "checkbox"}.get(name, "textbox")
    return page.get(kind, LABELS[name])


def fill(page, values):
    for name, value in values.items():
        one = field(page, name)
        if name == "terms":
            if (one.state("checked") == "true") != value:
                one.click()
        elif name == "zone":
            one.choose(value or "(choose)")
        elif one.value != value:
            one.type(value)


def marks(page):
    """Which fields are invalid, with their descriptions, which must be seen on the page."""
    found = []
    for name in LABELS:
        one = field(page, name)
        invalid = one.state("invalid") not in (None, False, "false")
        assert invalid is bool(one.description), f"{name}: invalid {invalid}, described as {one.description!r}"
        if invalid:
            found.append([name, one.description])
            assert any(other.visible for other in one.state("describedby")), name
    return found


def summed(page, found):
    """The summary has the focus, and says this."""
    summary = page.css("#summary")[0]
    assert page.focused == summary
    assert summary.visible
    count = len(found)
    head = "There is 1 problem" if count == 1 else f"There are {count} problems"
    assert [one.name for one in page.all("heading", within=summary)] == [head]
    assert [one.name for one in page.all("link", within=summary)] == [message for _, message in found]
    assert page.title == "Error: Parking permit"
    assert summary.box[1] < page.get("button", "Apply").box[1]


def test_form(ws):
    today = some_day(ws.rng)
    html = ws.read("index.html")
    assert html.count('data-today="2026-03-14"') == 1
    ws.write("index.html", html.replace('data-today="2026-03-14"', f'data-today="{today}"'))
    page = ws.page("index.html", width=900, height=1200)
    good, bad = right(ws.rng, today), {"name": "", "plate": "ABC", "zone": "", "weeks": "77", "email": "a@b", "terms": False}
    values = good | dict(ws.rng.sample(sorted(bad.items()), 3)) | {"start": "2026-02-30"}
    fill(page, values)
    assert marks(page) == []
    assert page.title == "Parking permit"
    page.get("button", "Apply").click()
    found = wrong(values, today)
    summed(page, found)
    assert marks(page) == found
    assert page.path == "index.html"
    for name, message in found:
        link = page.get("link", message, within=page.css("#summary")[0])
        if ws.rng.random() < 0.5:
            link.click()
        else:
            link.focus()
            page.press("Enter")
        assert page.focused == field(page, name)
    assert field(page, "start").value == "2026-02-30"
    first = found[0][0]
    start = field(page, "start")
    start.type(good["start"])
    assert marks(page) == found
    page.press("Tab")
    values["start"] = good["start"]
    left = wrong(values, today)
    assert marks(page) == left
    assert page.focused == field(page, "weeks")
    assert [one.name for one in page.all("link")] == [message for _, message in found]
    assert page.title == "Error: Parking permit"
    fill(page, {"zone": "B"})
    field(page, "weeks").type("5")
    page.press("Tab")
    values |= {"zone": "B", "weeks": "5"}
    assert marks(page) == wrong(values, today)
    fill(page, {"zone": "C"})
    values["zone"] = "C"
    assert marks(page) == wrong(values, today)
    name = field(page, "name")
    name.type(values["name"])
    page.press("Enter")
    summed(page, wrong(values, today))
    assert marks(page) == wrong(values, today)
    fill(page, good | {"name": ""})
    name.focus()
    page.press("Enter")
    summed(page, [["name", "Enter a name"]])
    name.type(good["name"])
    page.press("Enter")
    done = page.css("#done")[0]
    assert page.focused == done
    assert done.visible
    assert page.get("heading", "Permit granted").visible
    plate = good["plate"].replace(" ", "").replace("-", "").upper()
    last = date.fromisoformat(good["start"].strip()) + timedelta(days=7 * int(good["weeks"]) - 1)
    assert f"{plate} in zone {good['zone']} until {last}" in done.text
    assert page.title == "Parking permit"
    assert not page.all("button", "Apply")
    assert not page.all("link")
    assert first in LABELS
    assert page.errors == []
