"""Which rows, against an oracle of its own; the table by keyboard and by pointer; its view in the address."""

import json
import re
from functools import cmp_to_key
from urllib.parse import urlencode

RIVERS = ["Alster", "alster", "Elbe", "elbe", "Bille", "Este", "Oste", "oste", ""]
NOTES = ["", "", "foam", "Foam after rain", "low water", "rain", "Rain, low water", "oily", "smells"]
KEYS = {"id": "Id", "river": "River", "ph": "pH", "note": "Note"}


def samples(rng, count):
    ids = rng.sample(range(100), count)
    return [
        {
            "id": f"{rng.choice('wW')}-{number}",
            "river": rng.choice(RIVERS),
            "ph": rng.choice([None, rng.randrange(40, 110) / 10, rng.randrange(5, 12)]),
            "note": rng.choice(NOTES),
        }
        for number in ids
    ]


def shown(all_of_them, words, key, down):
    """The oracle: ids of the rows, by insertion of one after the other."""
    found = []
    for one in all_of_them:
        texts = "\n".join((one["id"], one["river"], one["note"])).lower()
        if all(word in texts for word in words.lower().split(" ")):
            found.append(one)
    if not key:
        return [one["id"] for one in found]

    def value(one):
        return one[key] if key == "ph" else one[key].lower()

    def order(one, other):
        return (value(one) > value(other)) - (value(one) < value(other))

    full = [one for one in found if value(one) not in (None, "")]
    empty = [one for one in found if value(one) in (None, "")]
    full.sort(key=cmp_to_key((lambda one, other: order(other, one)) if down else order))
    return [one["id"] for one in full + empty]


def test_rows(ws):
    rng, cases = ws.rng, []
    for _ in range(250):
        words = " ".join(rng.choice(["", "rain", "LOW", "ste", "w-", "a", "r", "lb"]) for _ in range(rng.randrange(4)))
        key = rng.choice(["", *KEYS])
        cases.append([samples(rng, rng.randrange(12)), words, key, rng.random() < 0.5])
    script = """
    const { shown } = require("./rows.js");
    const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
    const told = cases.map(one => shown(...one).map(sample => sample.id));
    console.log(JSON.stringify([told, cases]));
    """
    done = ws.run(["node", "-e", script], stdin=json.dumps(cases))
    assert done.code == 0, done.stderr[-300:]
    told, kept = json.loads(done.stdout)
    for case, found in zip(cases, told, strict=True):
        assert found == shown(*case), (case, found)
    assert kept == cases


class View:
    """The page, and what it must show."""

    def __init__(self, ws, path="index.html"):
        self.all = samples(ws.rng, 12)
        ws.write("samples.js", f"window.SAMPLES = {json.dumps(self.all)};")
        self.marked, self.q, self.key, self.down = set(), "", "", False
        self.page = ws.page(path, width=900, height=400)

    @property
    def ids(self):
        return shown(self.all, self.q, self.key, self.down)

    @property
    def rows(self):
        return self.page.css("tbody tr")

    def check(self):
        """Rows, marks, heads, status and address are what they must be; returns the rows that Tab can reach."""
        rows, ids = self.rows, self.ids
        cells = [row.text.split() for row in rows]
        assert [found[0] for found in cells] == ids, (cells, ids)
        assert {one for one, row in zip(ids, rows, strict=True) if row.attribute("aria-selected") == "true"} == (
            self.marked & set(ids)
        )
        heads = {one.text: one.attribute("aria-sort") for one in self.page.css("th")}
        way = "descending" if self.down else "ascending"
        assert heads == {name: way if key == self.key else None for key, name in KEYS.items()}
        count = f"{len(ids)} of {len(self.all)} samples, {len(self.marked)} marked"
        assert self.page.get("status").text == count
        stops = [at for at, row in enumerate(rows) if not (row.attribute("tabindex") or "").startswith("-")]
        assert len(stops) == min(1, len(rows))
        return stops

    def address(self):
        said = {"q": self.q} if self.q else {}
        said |= {"key": self.key, "dir": "down" if self.down else "up"} if self.key else {}
        path = self.page.path.partition("#")
        assert path[0] in ("index.html", "/index.html")
        assert path[2].replace("%20", "+") == urlencode(said), (self.page.path, said)


def sort(view, key, keyboard):
    button = view.page.get("button", KEYS[key])
    if keyboard:
        button.focus()
        view.page.press("Enter")
    else:
        button.click()
    view.down = view.key == key and not view.down
    view.key = key
    assert view.page.focused == button


def test_sorting_filtering_and_the_address(ws):
    view = View(ws)
    page, rng = view.page, ws.rng
    assert page.get("table", "Samples").visible
    assert view.check() == [0]
    for key in rng.sample(list(KEYS), 3):
        for turn in range(rng.choice((1, 2, 3))):
            sort(view, key, turn % 2)
            view.check()
    view.address()
    sort(view, "ph", keyboard=True)
    field = page.get("textbox", "Filter")
    field.focus()
    for letter in "W- a ":
        page.type(letter)
        view.q += letter
        view.check()
        assert page.focused == field
    view.address()
    page.reload()
    view.check()
    assert page.get("textbox", "Filter").value == view.q
    page.get("textbox", "Filter").type("zz")
    view.q = "zz"
    view.check()
    page.press("Backspace", "Backspace")
    view.q = ""
    view.check()
    view.address()
    for hash_, q, key, down in (
        ("q=rain+%26&key=note&dir=down", "rain &", "note", True),
        ("key=size&dir=up&q=e", "e", "", False),
        ("key=river&dir=left", "", "", False),
        ("dir=down", "", "", False),
        ("dir=up&key=id", "", "id", False),
    ):
        page.goto("samples.js")
        page.goto(f"index.html#{hash_}")
        view.q, view.key, view.down = q, key, down
        view.check()
        assert page.get("textbox", "Filter").value == q
    assert page.errors == []


def test_rows_by_keyboard(ws):
    view = View(ws)
    page, rng = view.page, ws.rng
    page.get("button", "Note").focus()
    page.press("Tab")
    at = 0
    for key in ["ArrowUp", *rng.choices(["ArrowDown", "ArrowDown", "Space"], k=8), "End", "ArrowDown", "Space", "ArrowUp", "Home"]:
        page.press(key)
        if key == "Space":
            view.marked ^= {view.ids[at]}
        else:
            last = len(view.ids) - 1
            at = {"ArrowUp": max(0, at - 1), "ArrowDown": min(last, at + 1), "End": last, "Home": 0}[key]
        assert page.focused == view.rows[at], key
    page.press("ArrowDown", "ArrowDown", "Space")
    view.marked ^= {view.ids[2]}
    assert view.check() == [2]
    kept = view.ids[2]
    page.press("Tab")
    assert page.focused == page.get("link", "Help")
    page.press("Shift+Tab")
    assert page.focused == view.rows[2]
    page.press("Shift+Tab")
    assert page.focused == page.get("button", "Note")
    sort(view, "id", keyboard=False)
    assert view.check() == [view.ids.index(kept)]
    field, number = page.get("textbox", "Filter"), re.sub(r"\D", "", kept)
    field.type(f"-{number}")
    view.q = f"-{number}"
    assert view.check() == [view.ids.index(kept)]
    other = next(one["id"] for one in view.all if number not in one["id"])
    field.type(other)
    view.q = other
    assert view.check() == [0]
    field.type("zz")
    view.q = "zz"
    view.check()
    field.type(" ")
    view.q = " "
    assert view.check() == [view.ids.index(kept)]
    at = rng.randrange(3, 7)
    row = view.rows[at]
    row.click()
    view.marked ^= {view.ids[at]}
    assert view.check() == [at]
    assert page.focused == row
    sort(view, "ph", keyboard=True)
    view.check()
    assert page.errors == []
