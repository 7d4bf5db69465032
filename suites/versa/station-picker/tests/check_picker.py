"""The combobox as a person with a keyboard, one with a mouse and one with a screen reader meet it."""

import json
import unicodedata

WORDS = (
    "Gare Sainte Évry Nord Sud Élan Bois Pont Châtel Bâle Centre Lac Île Ober Unter Neu Mühl Brück Kirch Étang Nant Cité"
).split()


def plain(text):
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)).lower()


def fitting(names, text):
    """The independent oracle: a name fits if one of its words, and what follows it, begins with the text."""
    wanted = plain(text.strip())
    hits = []
    for name in names:
        starts = [0, *(at + 1 for at, letter in enumerate(name) if letter in " -")]
        places = [at for at in starts if plain(name[at:]).startswith(wanted)] if wanted else []
        if places:
            hits.append((min(places) > 0, name))
    return [name for _, name in sorted(hits, key=lambda hit: hit[0])][:8]


def opened(ws, least=0):
    """The page with stations of its own, and their codes by name."""
    rng = ws.rng
    names = []
    while len(names) < 60:
        words = rng.sample(WORDS, rng.choice((1, 2, 2, 3)))
        name = words[0] + "".join(rng.choice(" -") + word for word in words[1:])
        if name not in names:
            names.append(name)
    codes = {name: f"{rng.randrange(10_000):04}" for name in names}
    data = json.dumps([{"name": name, "code": code} for name, code in codes.items()])
    ws.write("stations.js", f"window.STATIONS = {data};")
    return ws.page("index.html", width=700, height=500), codes


def seen(page):
    """All that the page says, as data."""
    field = page.get("combobox", "Station")
    lists = page.all("listbox")
    options = page.all("option")
    marked = [one.name for one in options if one.state("selected")]
    named = field.state("activedescendant") or []
    assert bool(field.state("expanded")) is bool(lists)
    assert [one.name for one in lists] in ([], ["Stations"])
    if lists:
        assert field.state("controls") == lists
        assert lists[0].visible
    assert page.focused == field
    assert [one.name for one in named if one] == marked
    return [one.name for one in options], marked, page.get("status").text, field.value, page.css("#code")[0].text


def said(count):
    return f"{count} station{'s' if count > 1 else ''}"


def test_typing_and_keys(ws):
    page, codes = opened(ws)
    names = list(codes)
    field = page.get("combobox", "Station")
    assert not page.all("listbox")
    assert field.state("expanded") is False
    field.click()
    assert seen(page) == ([], [], "", "", "")
    many = max(WORDS, key=lambda word: len(fitting(names, word)))
    texts = [plain(many).upper(), "", " " + plain(many[:2]), "zq", "n", "C"]
    two_words = [name for name in names if " " in name or "-" in name]
    texts += [plain(ws.rng.choice(two_words))[:-1], plain(ws.rng.choice(names)[1:4])]
    for text in texts:
        field.type(text)
        fits = fitting(names, text)
        wanted = said(len(fits)) if fits else "No stations" if text.strip() else ""
        assert seen(page) == (fits, [], wanted, text, "")
    text = plain(many[:2])
    fits = fitting(names, text)
    assert len(fits) > 2
    field.type(text)
    page.press("ArrowUp")
    assert seen(page)[:2] == (fits, fits[-1:])
    box, frame = page.all("option")[-1].box, page.get("listbox").box
    assert frame[3] <= 120
    assert frame[1] - 1 <= box[1]
    assert box[1] + box[3] <= frame[1] + frame[3] + 1
    page.press("ArrowDown")
    assert seen(page)[1] == fits[:1]
    assert page.get("listbox").box[1] - 1 <= page.all("option")[0].box[1]
    page.press("ArrowUp", "ArrowUp")
    assert seen(page)[1] == fits[-2:-1]
    page.press("Enter")
    name = fits[-2]
    assert seen(page) == ([], [], "", name, codes[name])
    page.press("Enter")
    assert seen(page) == ([], [], "", name, codes[name])
    page.press("ArrowDown")
    again = fitting(names, name)
    assert seen(page) == (again, again[:1], said(len(again)), name, codes[name])
    page.press("Escape")
    assert seen(page) == ([], [], "", name, codes[name])
    page.press("ArrowUp")
    assert seen(page)[1] == again[-1:]
    page.press("Escape", "End", "Backspace")
    assert seen(page)[2:] == (said(len(fitting(names, name[:-1]))), name[:-1], "")
    page.press("Enter")
    assert seen(page)[2:] == (said(len(fitting(names, name[:-1]))), name[:-1], "")
    page.press("ArrowDown", "Enter")
    assert seen(page)[4] == codes[fitting(names, name[:-1])[0]]
    page.press("Escape")
    assert seen(page) == ([], [], "", "", "")
    page.press("ArrowDown")
    assert seen(page) == ([], [], "", "", "")
    assert page.errors == []


def test_pointer_and_leaving(ws):
    page, codes = opened(ws)
    names = list(codes)
    field = page.get("combobox", "Station")
    text = max((word[:2] for word in WORDS), key=lambda part: len(fitting(names, part)))
    fits = fitting(names, text)
    field.type(text)
    page.all("option")[1].click()
    assert seen(page) == ([], [], "", fits[1], codes[fits[1]])
    for leave in (lambda: page.press("Tab"), lambda: page.get("heading", "Departures").click()):
        field.type(text)
        page.press("ArrowDown")
        assert seen(page) == (fits, fits[:1], said(len(fits)), text, "")
        leave()
        assert page.focused != field
        assert (page.all("listbox"), page.all("option"), field.state("expanded")) == ([], [], False)
        assert not field.state("activedescendant")
        assert (page.get("status").text, field.value, page.css("#code")[0].text) == ("", text, "")
    assert not page.errors
