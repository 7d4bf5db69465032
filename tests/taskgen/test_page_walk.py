"""Walking sites: what a page holds, how much of the embedded sites is reached, and hostile sites that end."""

import random
import time
from functools import partial

import anyio
import pytest

from honestly.errors import TaskError
from honestly.sites import SiteAnswer, open_site
from honestly.taskgen.pages._read import Cell, read_page
from honestly.taskgen.pages._values import form_values
from honestly.taskgen.pages._visit import Account, Visitor, checked_origin
from honestly.taskgen.pages._walk import form_shape, path_shape, walk_site

HOME = "http://127.0.0.1:1/shop/"


def test_a_page_is_read_as_somebody_without_javascript_sees_it():
    page = read_page(
        """<!doctype html><title>T</title><!-- <a href=/not>no</a> --><script>document.write("<a href=/js>js</a>")</script>
        <h1>Two &amp; three</h1><a href="b?x=1#top">to b</a><a href="//evil.example/">away</a>
        <table><caption>All</caption><tr><th>Name<th>Price</tr><tr><td><a href=/p/1>Pan</a><td>3.50 EUR<form action=/add
        method=POST><label>How many <input name=n type=number value=2 required></label><button>Add</button></form></tr></table>
        <dl><dt>Stock<dd>7</dl>
        <form action=find><label for=w>Word</label><input id=w name=w><select name=s><option>a<option value=2 selected>b</select>
        <input type=checkbox name=c><textarea name=t>
one</textarea><input type=submit value=Go>""",
        HOME,
    )
    assert (page.title, page.facts) == ("Two & three", (("Stock", Cell("7")),))
    assert [link.href for link in page.links] == [f"{HOME}b?x=1#top", "http://evil.example/", "http://127.0.0.1:1/p/1"]
    (table,) = page.tables
    assert (table.caption, table.columns) == ("All", ("Name", "Price"))
    assert table.rows == ((Cell("Pan", "http://127.0.0.1:1/p/1"), Cell("3.50 EUR")),)
    add, find = page.forms
    assert (add.method, add.button, add.fields[0].label, add.fields[0].required) == ("post", "Add", "How many", True)
    assert (find.action, find.button) == ("http://127.0.0.1:1/shop/find", "Go")
    assert [(f.name, f.label, f.type, f.value) for f in find.fields] == [
        ("w", "Word", "text", ""), ("s", "s", "select", "2"), ("c", "c", "checkbox", ""), ("t", "t", "textarea", "one"),
    ]  # fmt: skip
    assert find.fields[2].options == (("", "no"), ("on", "yes"))


@pytest.mark.parametrize("piece", ["<!--", "<![CDATA[", "<a b='", "<form><label><td>", "<option>", "&#", "</"])
def test_a_page_of_broken_tags_is_read_in_time_that_grows_with_its_length(piece):
    begun = time.process_time()
    read_page(f"<form><select name=a>{piece * (200_000 // len(piece))}<p>", HOME)
    assert time.process_time() - begun < 20  # quadratic time would be minutes


def test_ordinary_pages_have_facts_in_text_and_headers_over_two_rows():
    page = read_page(
        """<h1>Branch</h1><div class="flash success"><div>x</div><p>Saved: yes</p></div><p role=status>Left: 3</p>
        <p>Opened: 1931<p><b>Librarian:</b> <a href=/people/4>Ada Quist</a></p><ul><li>Seats: 40<li><p>Floors: 2</p></ul>
        <p>Who goes there and asks for the way: it is long, and nobody knows where it ends</p><p>At 9:30 it opens</p>
        <p>Founded in 1922. Members: 64. Contact: Mr. Okafor.</p>
        <table><thead><tr><th rowspan=2>Title<th colspan=2>Copies<th colspan=0 rowspan=999999>Shelf</tr>
        <tr><th>here<th>lent</tr></thead>
        <tr><td rowspan=2>Moby<td>3<td>1<td>A<tr><td>5<td>0<td>B<tr><td>Emma<td>2<td>0<td>A<tr><td colspan=4>in all 6</table>
        <table><tr><th>Phone:<td>12 34<tr><th>Fax<td>none</table><form><p>Name: Bo <input name=q></p></form>""",
        "http://127.0.0.1/x",
    )
    assert [(name, cell.text) for name, cell in page.facts] == [
        ("Opened", "1931"), ("Librarian", "Ada Quist"), ("Seats", "40"), ("Floors", "2"),
        ("Members", "64"), ("Contact", "Mr. Okafor"), ("Phone", "12 34"), ("Fax", "none"),
    ]  # fmt: skip
    (table,) = page.tables
    assert table.columns == ("Title", "Copies here", "Copies lent", "Shelf")
    rows = [[cell.text for cell in row] for row in table.rows]
    assert rows == [["Moby", "3", "1", "A"], ["Moby", "5", "0", "B"], ["Emma", "2", "0", "A"]]


def test_addresses_and_forms_that_differ_in_numbers_are_of_one_shape():
    assert path_shape("/orders/1001?page=2&sort=") == path_shape("/orders/7?sort=x&page=1") == "/orders/#?page&sort"
    page = read_page("<form method=post action=/posts/3/vote><input name=w><button>Vote on 3</button></form>", HOME)
    assert form_shape(page.forms[0]) == "POST /posts/#/# [Vote on #] w"


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/", "https://example.org/", "ftp://127.0.0.1/", "http://127.0.0.1.example.org/",
            "http://u:p@127.0.0.1/", "http://[::2]/", "127.0.0.1:80", "http://127.0.0.1:99999/", "http://169.254.1.1/"],
)  # fmt: skip
def test_only_this_machine_is_visited(url):
    with pytest.raises(TaskError):
        checked_origin(url)
    assert checked_origin("http://[::1]:80/x") == "http://[::1]:80"
    assert checked_origin("http://example.org/x", ["example.org"]) == "http://example.org"


async def walked(name, **how):
    """What a walk of a site finds, and the site."""
    async with open_site(name) as site:
        account = Account(site.app.user, site.app.password) if getattr(site.app, "password", "") else None
        async with Visitor(site.url, account) as visitor:
            return await walk_site(visitor, **{"pages": 200, **how}), site


@pytest.mark.parametrize(
    ("name", "pages", "forms"),
    [
        ("tracker", 20, 9),
        pytest.param("shop", 30, 9, marks=pytest.mark.slow),
        pytest.param("forum", 30, 10, marks=pytest.mark.slow),
    ],
)
def test_every_page_of_an_embedded_site_that_links_lead_to_is_found_and_nothing_is_changed(name, pages, forms):
    found, site = anyio.run(partial(walked, name, per_shape=7))
    assert site.state() == site.before
    assert len(found.places) >= pages
    assert len(found.forms) >= forms
    gets = [each for each, _ in site.app._routes if each.method == "GET" and not each.path.startswith(("/api", "/log"))]
    paths = [path.partition("?")[0].split("/") for path in found.places]
    assert [each.path for each in gets if all(each.values(path) is None for path in paths)] == []


class Hostile:
    """A site that never ends, in every way that we could think of."""

    def __init__(self):
        self.asked = []

    def state(self):
        return {"asked": len(self.asked)}

    def answer(self, asked):
        self.asked.append((asked.method, asked.target))
        path = asked.target.partition("?")[0]
        number = int("".join(filter(str.isdigit, asked.target)) or 0)
        special = {
            "/": self.home, "/loop": lambda: SiteAnswer(302, b"", "text/html", (("location", "/loop"),)),
            "/away": lambda: SiteAnswer(302, b"", "text/html", (("location", "http://192.0.2.1/"),)),
            "/big": lambda: html(b"<p>big</p>" * 1_000_000), "/tags": lambda: html(b"<!--" * 100_000),
            "/liar": lambda: SiteAnswer(200, b"<h1>caf\xe9 \xff</h1>", "text/html; charset=utf-8"),
            "/unknown": lambda: SiteAnswer(200, b"<h1>x</h1>", "text/html; charset=klingon"),
            "/odd": lambda: SiteAnswer(200, b"<h1>odd</h1>", "text/html; charset=idna"),
            "/meta": lambda: html(b"<meta charset=iso-8859-1><h1>th\xe9</h1>"),
            "/gzip": lambda: SiteAnswer(200, b"\x1f\x8b", "text/html", (("content-encoding", "gzip"),)),
            "/file": lambda: SiteAnswer(200, b"%PDF", "application/pdf"), "/broken": lambda: 1 / 0,
            "/bad-location": lambda: SiteAnswer(302, b"", "text/html", (("location", "http://[x/"),)),
        }  # fmt: skip
        if path in special:
            return special[path]()
        if path.startswith("/deep"):
            return html(b'<a href="%s/more">more</a>' % path.encode())
        return html(
            b'<h1>%d</h1><a href="?month=%d">next</a><a href="/list/%d">x</a>' % (number, number + 1, number + 1)
        )

    def home(self):
        links = (
            *(
                "/calendar?month=1",
                "/deep",
                "/loop",
                "/away",
                "/big",
                "/tags",
                "/liar",
                "/unknown",
                "/gzip",
                "/file",
                "/odd",
                "/meta",
            ),
            *("/broken", "/bad-location", "http://example.org/", "javascript:alert(1)", "mailto:a@b", "/logout"),
            *("/items/3/delete", "http://[x/", "//192.0.2.1/", "/" + "l" * 3000),
        )
        return html("".join(f'<a href="{link}">{link[:20]}</a>' for link in links).encode())


def html(body):
    return SiteAnswer(200, body, "text/html")


@pytest.mark.slow
def test_a_walk_of_a_hostile_site_ends_asks_by_get_and_stays_there():
    found, site = anyio.run(partial(walked, "test_page_walk:Hostile", pages=60))
    asked = site.app.asked
    assert len(found.places) <= 60
    assert {method for method, _ in asked} == {"GET"}
    assert not any("delete" in target or "logout" in target for _, target in asked)
    assert len(asked) < 150
    for reason in (
        "it redirects more than 5 times", "it redirects to another host", "it is larger than 1 MiB", "it is not HTML",
        "it is compressed, though nobody asked", "another host", "a link that sounds as if it did something",
        "it has more than 20,000 tags", "more than 12 pages of a shape", "status 500", "the address is very long",
        "deeper than 12 folders", "it redirects to what is no address", "no address of a page",
    ):  # fmt: skip
        assert found.left[reason] >= 1, (reason, found.left)
    titles = {place.page.title for place in found.places.values()}
    assert {"caf\ufffd \ufffd", "x", "odd", "th\xe9"} <= titles


def test_a_walk_stops_at_its_limits_and_says_so():
    few, _ = anyio.run(partial(walked, "test_page_walk:Hostile", pages=5))
    assert len(few.places) == 5
    assert few.left["more than --pages, or time was up"] > 0
    late, _ = anyio.run(partial(walked, "test_page_walk:Hostile", until=0.0))
    assert len(late.places) == 1


def test_later_tries_fill_in_what_must_be_and_what_the_site_shows():
    page = read_page(
        "<form method=post action=/x><input name=customer required><input name=note><input name=old value=kept>"
        "<input type=number name=n value=0></form>", HOME,
    )  # fmt: skip
    known = {"customer": ("C-1", "C-2")}
    first, second, third = (form_values(page.forms[0], random.Random(number), number, known) for number in range(3))
    assert first["note"]
    assert second["customer"] in known["customer"]
    assert (second["note"], second["n"]) == ("", "0")
    assert third["customer"] not in known["customer"]
    assert " " not in third["customer"]
