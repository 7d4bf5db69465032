"""Names against an oracle of their own, and the dialogs as people with a keyboard and with a mouse meet them."""

import json

WORDS = "Harbour,Ferry,Gulls,Quay,Lighthouse,Fog,Anchor,Two boats,Old crane,Ropes,Night,Tide".split(",")
BAD = '/\\:*?"'


def wrong(names, old, name):
    name = name.strip()
    if not name:
        return "Enter a name"
    if len(name) > 40:
        return "Use at most 40 characters"
    bad = [letter for letter in name if letter in BAD]
    if bad:
        return f"Do not use {bad[0]}"
    taken = [other for other in names if other != old and other.lower() == name.lower()]
    return f"There is a photo {taken[0]} already" if taken else ""


def test_names(ws):
    rng, cases = ws.rng, []
    for _ in range(300):
        names = rng.sample(WORDS, 4)
        text = rng.choice([*names, names[0].upper(), names[1].lower(), "", " ", "Pier", "Pier \U0001f642"])
        if rng.random() < 0.4:
            text += "".join(rng.choice("ab \U0001f642" + BAD * (rng.random() < 0.5)) for _ in range(rng.randrange(6)))
        if rng.random() < 0.3:
            text = (text + rng.choice(["x", "\U0001f642"]) * 50)[: rng.choice([39, 40, 41])]
        cases.append([names, names[0], rng.choice(["", " "]) + text])
    script = """
    const { wrongName } = require("./names.js");
    console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0, "utf8")).map(one => wrongName(...one))));
    """
    done = ws.run(["node", "-e", script], stdin=json.dumps(cases))
    assert done.code == 0, done.stderr[-300:]
    for case, told in zip(cases, json.loads(done.stdout), strict=True):
        assert told == wrong(*case), (case, told)


def begun(ws):
    names = ws.rng.sample(WORDS, 4)
    ws.write("photos.js", f"window.PHOTOS = {json.dumps(names)};")
    return ws.page("index.html", width=900, height=700), names


def listed(page, names):
    """No dialog is open, and the list holds these names."""
    assert not page.all("dialog")
    assert not page.all("alertdialog")
    wanted = [f"{word} {name}" for name in names for word in ("Rename", "Delete")]
    assert [one.name for one in page.all("button")] == wanted
    assert [one.text.startswith(name) for one, name in zip(page.all("listitem"), names, strict=True)] == [True] * len(names)


def alone(page, role, title, controls, focus):
    """One dialog can be found, it keeps the focus, and nothing but it can be reached."""
    found = page.all("dialog") + page.all("alertdialog")
    assert [(one.role, one.name, one.state("modal")) for one in found] == [(role, title, True)]
    assert found[0].visible
    fields = page.all("textbox") + page.all("button")
    assert [one.name for one in fields] == controls
    assert not page.all("link")
    assert not page.all("listitem")
    assert page.focused == fields[controls.index(focus)]
    left, _, _, height = found[0].box
    assert left > 8
    assert found[0].box[1] + height < 690
    return fields


def rounds(page, fields):
    """Tab goes round in both directions, and a click beside the dialog changes nothing."""
    at = fields.index(page.focused)
    for step in [1] * len(fields) + [-1] * (len(fields) + 1) + [1]:
        page.press("Tab" if step > 0 else "Shift+Tab")
        at = (at + step) % len(fields)
        assert page.focused == fields[at]
    page.click(4, 696)
    assert page.focused == fields[at]


NAME, SURE, GONE = ["New name", "Save", "Cancel"], ["Discard", "Keep editing"], ["Delete", "Cancel"]


def test_renaming(ws):
    page, names = begun(ws)
    listed(page, names)
    status = page.get("status")
    at = ws.rng.randrange(4)
    old, other = names[at], names[at - 1]
    page.get("button", f"Rename {old}").click()
    fields = alone(page, "dialog", f"Rename {old}", NAME, "New name")
    assert fields[0].value == old
    rounds(page, fields)
    page.press("Escape")
    listed(page, names)
    assert page.focused == page.get("button", f"Rename {old}")
    assert status.text == ""
    page.press("Enter")
    page.type("Pier")
    field = page.get("textbox", "New name")
    assert field.value == "Pier"
    for end, sure in (("Escape", "Escape"), ("Cancel", "Keep editing")):
        if end == "Cancel":
            page.get("button", "Cancel").click()
        else:
            page.press("Escape")
        over = alone(page, "alertdialog", "Discard the new name?", SURE, "Keep editing")
        rounds(page, over)
        if sure == "Escape":
            page.press("Escape")
        else:
            page.get("button", sure).click()
        alone(page, "dialog", f"Rename {old}", NAME, "New name")
        assert field.value == "Pier"
    for bad in (f" {other.upper()} ", "a/b", " "):
        field.type(bad)
        if bad == "a/b":
            page.get("button", "Save").click()
        else:
            page.press("Enter")
        alone(page, "dialog", f"Rename {old}", NAME, "New name")
        message = wrong(names, old, bad)
        assert (field.state("invalid"), field.description) == ("true", message)
        assert any(one.visible and one.text == message for one in field.state("describedby"))
        page.press("End")
        page.type("x")
        assert (field.state("invalid"), field.description) == ("false", "")
        assert message not in page.get("dialog").text
    page.press("Escape")
    page.get("button", "Discard").click()
    listed(page, names)
    assert page.focused == page.get("button", f"Rename {old}")
    assert status.text == ""
    page.press("Enter")
    page.type(f"  {old.upper()} 2 ")
    page.get("button", "Save").click()
    names[at] = f"{old.upper()} 2"
    listed(page, names)
    assert status.text == f"Renamed {old} to {names[at]}"
    assert page.focused == page.get("button", f"Rename {names[at]}")
    page.get("button", f"Rename {other}").click()
    page.press("Enter")
    listed(page, names)
    assert page.focused == page.get("button", f"Rename {other}")
    assert page.errors == []


def test_deleting(ws):
    page, names = begun(ws)
    heading, status = page.get("heading", "Photos"), page.get("status")
    name = names[1]
    page.get("button", f"Delete {name}").focus()
    page.press("Space")
    fields = alone(page, "alertdialog", f"Delete {name}?", GONE, "Cancel")
    rounds(page, fields)
    for end in ("Escape", "Cancel"):
        if end == "Cancel":
            page.get("button", f"Delete {name}").click()
            page.get("button", "Cancel").click()
        else:
            page.press("Escape")
        listed(page, names)
        assert page.focused == page.get("button", f"Delete {name}")
        assert status.text == ""
    for at in (1, 2, 0, 0):
        name = names.pop(at)
        page.get("button", f"Delete {name}").click()
        page.press("Shift+Tab", "Enter")
        listed(page, names)
        assert status.text == f"Deleted {name}"
        wanted = page.get("button", f"Delete {names[min(at, len(names) - 1)]}") if names else heading
        assert page.focused == wanted
    page.press("Tab")
    assert page.focused == page.get("link", "Help")
    page.press("Shift+Tab")
    assert page.focused != heading
    assert page.errors == []
