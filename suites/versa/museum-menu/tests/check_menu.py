"""The menu in wide and narrow windows, as people with a mouse, with a keyboard and with a screen reader meet it."""

import json

WORDS = "Harbours,Opening times,Cranes,Ships,Tickets,Research,Library,Guided tours,Archive,Friends,Press,Directions".split(",")
LONG = ["Binnenschifffahrtsgesellschaftsgeschichtenverzeichnis", "All about the harbours of the northern and western coasts"]


class Site:
    """Pages with titles of their own, and the page that shows them."""

    def __init__(self, ws, width):
        rng = ws.rng
        titles = iter(rng.sample(WORDS, 10))
        self.links, self.groups, pages = [], {}, []
        for kind in rng.sample(["page", "group", "page", "group", "group"], 5):
            title = next(titles)
            if kind == "page":
                self.links.append(title)
                pages.append({"title": title, "href": f"p{len(pages)}.html"})
            else:
                inner = [LONG[len(self.groups)]] if len(self.groups) < 2 else []
                inner += [next(titles) for _ in range(1 + (len(self.groups) == 2))]
                self.groups[title] = inner
                pages.append({"title": title, "pages": [{"title": one, "href": f"{one[:4]}.html"} for one in inner]})
        self.order = [page["title"] for page in pages]
        self.here = rng.choice([one for inner in self.groups.values() for one in inner])
        for page in (one for group in pages for one in group.get("pages", [])):
            if page["title"] == self.here:
                page["href"] = "index.html" + rng.choice(["", "?day=1", "#content"])
        ws.write("pages.js", f"window.PAGES = {json.dumps(pages)};")
        self.page = ws.page("index.html", width=width, height=700)

    def get(self, title):
        return self.page.get("button" if title in self.groups or title == "Menu" else "link", title)

    def check(self, *, menu, entries, group=None):
        """What can be found, and what the buttons say: `menu` is None where there is no button for it."""
        page, nav = self.page, self.page.get("navigation", "Main")
        buttons = {one.name: one.state("expanded") for one in page.all("button", within=nav)}
        wanted = {} if menu is None else {"Menu": menu}
        wanted |= {title: title == group for title in self.order if title in self.groups} if entries else {}
        assert buttons == wanted, (buttons, wanted)
        links = [one.name for one in page.all("link", within=nav)]
        shown = []
        for title in self.order if entries else []:
            shown += [title] if title in self.links else self.groups[title] if title == group else []
        assert links == shown, (links, shown)
        every = page.all("link", within=nav) + page.all("button", within=nav)
        assert all(one.visible for one in every), [one for one in every if not one.visible]
        assert [one.name for one in every if one.attribute("aria-current")] == [self.here] * (self.here in shown)

    def fits(self, *widths):
        for width in widths:
            self.page.resize(width, 700)
            assert self.page.size[0] <= width, (width, self.page.size)

    def legible(self):
        """Contrast and outline of all that can be used, as it is, under the mouse, and with the focus."""
        nav = self.page.get("navigation", "Main")
        self.page.press("Tab")
        for one in self.page.all("link", within=nav) + self.page.all("button", within=nav):
            assert one.contrast >= 4.5, one
            one.hover()
            self.page.wait(lambda one=one: one.contrast >= 4.5, f"{one.name} under the mouse")

    def outlined(self, one):
        assert self.page.focused == one, (self.page.focused, one)
        assert one.style("outline-style") not in ("none", ""), one
        assert float(one.style("outline-width").removesuffix("px")) >= 2
        assert one.contrast >= 4.5


def skip(page):
    """The first stop leads to the content, and cannot be seen without the focus."""
    link = page.get("link", "Skip to content")
    main = page.css("main")[0]
    assert not link.visible
    page.press("Tab")
    assert page.focused == link
    assert link.visible
    assert link.contrast >= 4.5
    page.press("Enter")
    assert page.focused == main
    assert not link.visible
    page.press("Tab")
    assert page.focused == page.get("link", "Prices")
    page.press("Shift+Tab")
    assert page.focused != main


def test_wide(ws):
    site = Site(ws, 1200)
    page, rng = site.page, ws.rng
    skip(page)
    site.check(menu=None, entries=True)
    entries = [site.get(title) for title in site.order]
    boxes = [one.box for one in entries]
    for one, other in zip(boxes, boxes[1:], strict=False):
        assert one[0] + one[2] <= other[0] + 1 or other[1] >= one[1] + one[3] - 1
    first, second, third = rng.sample(list(site.groups), 3)
    heading = page.get("heading", "Museum of Harbours")
    before = heading.box
    site.get(first).hover()
    site.check(menu=None, entries=True)
    for title in (first, second, third):
        site.get(title).click()
        site.check(menu=None, entries=True, group=title)
        assert heading.box == before
        site.legible()
        site.get(title).focus()
        site.fits(1600, 801, 800, 1200)
        site.check(menu=None, entries=True, group=title)
    page.press("Tab")
    site.outlined(site.get(site.groups[third][0]))
    page.press("Escape")
    site.outlined(site.get(third))
    site.check(menu=None, entries=True)
    page.press("Enter", "Escape")
    assert page.focused == site.get(third)
    site.check(menu=None, entries=True)
    page.press("Space")
    site.check(menu=None, entries=True, group=third)
    page.press("Shift+Tab")
    site.check(menu=None, entries=True)
    site.get(first).click()
    site.get(first).click()
    site.check(menu=None, entries=True)
    site.get(first).click()
    page.click(600, 650)
    site.check(menu=None, entries=True)
    assert page.errors == []


def test_narrow(ws):
    site = Site(ws, ws.rng.randrange(320, 800))
    page, rng = site.page, ws.rng
    skip(page)
    site.check(menu=False, entries=False)
    menu = site.get("Menu")
    assert menu.box[3] >= 44
    page.reload()
    menu = site.get("Menu")
    page.press("Tab", "Tab")
    site.outlined(menu)
    page.press("Tab")
    assert page.focused == page.get("link", "Prices")
    page.press("Shift+Tab", "Enter")
    site.check(menu=True, entries=True)
    group, other, _ = rng.sample(list(site.groups), 3)
    site.get(group).click()
    site.check(menu=True, entries=True, group=group)
    bottom = site.get(group).box[1] + site.get(group).box[3]
    for title in site.groups[group]:
        page.press("Tab")
        one = site.get(title)
        site.outlined(one)
        assert one.box[3] >= 44
        assert one.box[1] >= bottom - 1
        bottom = one.box[1] + one.box[3]
    after = site.order[site.order.index(group) + 1 :]
    if after:
        assert site.get(after[0]).box[1] >= bottom - 1
    page.press("Tab")
    site.check(menu=True, entries=True)
    bottom = menu.box[1] + menu.box[3]
    menu.focus()
    for title in site.order:
        page.press("Tab")
        one = site.get(title)
        site.outlined(one)
        assert one.box[3] >= 44
        assert one.box[1] >= bottom - 1
        bottom = one.box[1] + one.box[3]
    site.get(other).click()
    site.check(menu=True, entries=True, group=other)
    site.legible()
    site.get(site.groups[other][0]).focus()
    site.fits(320, 799, 480)
    site.check(menu=True, entries=True, group=other)
    page.press("Escape")
    assert page.focused == site.get(other)
    site.check(menu=True, entries=True)
    page.press("Escape")
    assert page.focused == menu
    site.check(menu=False, entries=False)
    page.press("Enter", "Escape")
    assert page.focused == menu
    site.check(menu=False, entries=False)
    menu.click()
    page.get("heading", "Museum of Harbours").click()
    site.check(menu=True, entries=True)
    page.resize(1000, 700)
    site.check(menu=None, entries=True)
    page.resize(500, 700)
    site.check(menu=False, entries=False)
    page.resize(1000, 700)
    site.check(menu=None, entries=True)
    assert page.errors == []
