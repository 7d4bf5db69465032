"""Where cards are against an oracle of its own; the board by keyboard and by pointer against a model of it."""

import json

TITLES = "Blue Tandem,Racer,Cargo bike,Folder,Tricycle,Penny farthing,Mountain bike,City bike,Trailer,Unicycle".split(",")
NAMES = "Waiting,On the stand,Parts ordered,To be fetched".split(",")


class Model:
    """Columns with cards, as lists, and what the page must make of them."""

    def __init__(self, rng):
        ids = rng.sample(range(100, 1000), 20)
        self.columns = [{"id": f"c{ids[at]}", "title": title, "limit": None} for at, title in enumerate(NAMES)]
        self.cards = [
            {"id": f"k{ids[at + 5]}", "title": title, "column": self.columns[rng.choice((0, 1, 3)) if at > 3 else (1, 0, 0, 0)[at]]["id"]}
            for at, title in enumerate(rng.sample(TITLES, 7))
        ]
        self.lists = {column["id"]: [] for column in self.columns}
        for card in self.cards:
            self.lists[card["column"]].append(card["title"])
        for column in self.columns[1:3]:
            column["limit"] = max(1, len(self.lists[column["id"]]))
        rng.shuffle(self.columns)

    @property
    def data(self):
        return f"window.COLUMNS = {json.dumps(self.columns)};\nwindow.CARDS = {json.dumps(self.cards)};\n"

    def place(self, title):
        """Column, by number, and place of a card."""
        for at, column in enumerate(self.columns):
            if title in self.lists[column["id"]]:
                return at, self.lists[column["id"]].index(title)
        raise AssertionError(title)

    def takes(self, at, title):
        column = self.columns[at]
        held = self.lists[column["id"]]
        return title in held or column["limit"] is None or len(held) < column["limit"]

    def put(self, title, at, place):
        here = self.lists[self.columns[self.place(title)[0]]["id"]]
        here.remove(title)
        self.lists[self.columns[at]["id"]].insert(max(0, place), title)

    def arrow(self, title, key):
        at, place = self.place(title)
        if key in ("ArrowUp", "ArrowDown"):
            return self.put(title, at, place + (1 if key == "ArrowDown" else -1))
        way = range(at + 1, len(self.columns)) if key == "ArrowRight" else range(at - 1, -1, -1)
        to = next((one for one in way if self.takes(one, title)), None)
        if to is not None:
            self.put(title, to, place)

    def said(self, word, title):
        at, place = self.place(title)
        column = self.columns[at]
        return f"{word}{title}, {column['title']}, {place + 1} of {len(self.lists[column['id']])}"

    def shown(self):
        """Headings, names of lists, and cards in each."""
        found = []
        for column in self.columns:
            held = self.lists[column["id"]]
            count = len(held) if column["limit"] is None else f"{len(held)} of {column['limit']}"
            found.append((f"{column['title']} ({count})", column["title"], list(held)))
        return found


def seen(page):
    """The same, as it is on the page, and the cards that are lifted."""
    lists, heads = page.all("list"), page.all("heading")[1:]
    buttons = [page.all("button", within=one) for one in lists]
    found = [
        (head.name, one.name, [card.name for card in cards])
        for head, one, cards in zip(heads, lists, buttons, strict=True)
    ]
    assert sum(map(len, buttons)) == len(page.all("listitem"))
    return found


def pressed(page):
    return [one.name for one in page.all("button") if one.state("pressed") in (True, "true")]


def test_where_cards_are(ws):
    rng, model = ws.rng, Model(ws.rng)
    cards, columns = [card["id"] for card in model.cards], [column["id"] for column in model.columns]
    own = {card["id"]: card["column"] for card in model.cards}
    limits = {column["id"]: column["limit"] for column in model.columns}
    stored, wanted = [None, "{", "[]", "3", "null", '"x"', '{"a": 1}', '{"%s": [3]}' % columns[0]], []
    away = next(column for column in columns if column != own[cards[0]])
    stored += [json.dumps({away: cards[:1]} | bad) for bad in ({"zzz": None}, {"zzz": [3]}, {"zzz": "r"}, {"zzz": {}})]
    broken = len(stored)
    for _ in range(60):
        names = [*columns, "gone", "constructor"]
        rng.shuffle(names)
        places = {name: [rng.choice([*cards, "gone"]) for _ in range(rng.randrange(4))] for name in names[: rng.randrange(7)]}
        stored.append(json.dumps(places))
    for at, text in enumerate(stored):
        said, left, made = json.loads(text) if at >= broken else {}, list(cards), {}
        for column in columns:
            made[column] = []
            for card in said.get(column, []):
                if card in left:
                    left.remove(card)
                    made[column].append(card)
        for card in left:
            made[own[card]].append(card)
        wanted.append(made)
    moves, results = [], []
    for at in range(120):
        card, column, places = rng.choice(cards), rng.choice(columns), wanted[at % len(wanted)]
        place = rng.randrange(-2, 9)
        held = places[column]
        if card not in held and limits[column] is not None and len(held) >= limits[column]:
            results.append(None)
        else:
            made = {name: [one for one in some if one != card] for name, some in places.items()}
            above = made[column][: max(place, 0)]
            made[column] = [*above, card, *made[column][len(above) :]]
            results.append(made)
        moves.append([places, card, column, place])
    script = """
    globalThis.window = {};
    require("./data.js");
    const { arranged, moved } = require("./moves.js");
    const [stored, moves] = JSON.parse(require("fs").readFileSync(0, "utf8"));
    const first = stored.map(text => arranged(window.COLUMNS, window.CARDS, text));
    const told = moves.map(move => moved(window.COLUMNS, ...move));
    console.log(JSON.stringify([first, told, moves]));
    """
    ws.write("data.js", model.data)
    done = ws.run(["node", "-e", script], stdin=json.dumps([stored, moves]))
    assert done.code == 0, done.stderr[-300:]
    first, told, kept = json.loads(done.stdout)
    for text, found, right in zip(stored, first, wanted, strict=True):
        assert found == right, (text, found, right)
    for move, found, right in zip(moves, told, results, strict=True):
        assert found == right, (move, found, right)
    assert kept == moves


def test_keyboard(ws):
    rng, model = ws.rng, Model(ws.rng)
    ws.write("data.js", model.data)
    page = ws.page("index.html", width=1000, height=700)
    assert seen(page) == model.shown()
    boxes = [one.box for one in page.all("list")]
    assert all(one[0] + one[2] <= other[0] for one, other in zip(boxes, boxes[1:], strict=False))
    status = page.get("status")
    titles = [card["title"] for card in model.cards]
    title = max(model.lists.values(), key=len)[-1]
    card = page.get("button", title)
    card.focus()
    page.press("Space")
    for key in ("ArrowDown", "ArrowUp", "ArrowUp", "ArrowDown"):
        page.press(key)
        model.arrow(title, key)
        assert status.text == model.said("", title), key
    assert seen(page) == model.shown()
    page.press("Space")
    for turn, end in enumerate(("Space", "Escape", "Tab", "click", "reload")):
        title = rng.choice(titles)
        card, before = page.get("button", title), json.loads(json.dumps(model.lists))
        card.focus()
        page.press("ArrowRight", "ArrowDown", "ArrowLeft")
        assert seen(page) == model.shown()
        page.press("Enter" if turn % 2 else "Space")
        assert (pressed(page), status.text) == ([title], model.said("Lifted ", title))
        keys = ["ArrowUp"] * 2 + ["ArrowRight"] * 2 + ["ArrowLeft"] * 4 + ["ArrowDown"] * 2
        keys = rng.sample([*keys, "ArrowRight", "ArrowDown"], 6)
        for number, key in enumerate(keys):
            page.press(key)
            model.arrow(title, key)
            assert status.text == model.said("", title), (keys[: number + 1], status.text)
            assert page.focused == card
        assert seen(page) == model.shown()
        assert pressed(page) == [title]
        if end == "reload":
            page.reload()
            model.lists = before
            status = page.get("status")
        elif end == "click":
            page.get("heading", "Repairs").click()
        else:
            page.press(end)
        if end == "Escape":
            model.lists = before
        word = "Put back " if end == "Escape" else "Dropped "
        assert seen(page) == model.shown()
        assert pressed(page) == []
        if end != "reload":
            assert status.text == model.said(word, title)
        if end in ("Space", "Escape"):
            assert page.focused == card
    page.get("button", titles[0]).click()
    assert pressed(page) == titles[:1]
    page.press("ArrowDown", "ArrowRight")
    model.arrow(titles[0], "ArrowDown")
    model.arrow(titles[0], "ArrowRight")
    page.get("button", titles[0]).click()
    assert (status.text, pressed(page)) == (model.said("Dropped ", titles[0]), [])
    page.reload()
    assert seen(page) == model.shown()
    assert page.errors == []


def test_pointer(ws):
    rng, model = ws.rng, Model(ws.rng)
    ws.write("data.js", model.data)
    page = ws.page("index.html", width=1000, height=700)
    titles = [card["title"] for card in model.cards]
    status, full = page.get("status"), 0
    for turn in range(9):
        title, at = rng.choice(titles), rng.randrange(4)
        if turn == 0:
            title, at = next((one, n) for one in titles for n in range(4) if not model.takes(n, one))
        held = model.lists[model.columns[at]["id"]]
        others = [one for one in held if one != title]
        onto = rng.choice(others) if others and turn % 3 else None
        target = page.get("button", onto) if onto else page.all("heading")[1 + at]
        page.get("button", title).drag(target)
        if model.takes(at, title):
            model.put(title, at, others.index(onto) if onto else len(others))
            assert status.text == model.said("Dropped ", title), (title, onto, status.text)
        else:
            full += 1
            assert status.text == f"{model.columns[at]['title']} is full"
        assert seen(page) == model.shown(), (title, onto, at)
        assert pressed(page) == []
    assert full
    said = status.text
    page.get("button", titles[0]).drag(page.get("heading", "Repairs"))
    assert (seen(page), status.text) == (model.shown(), said)
    page.reload()
    assert seen(page) == model.shown()
    assert page.errors == []
