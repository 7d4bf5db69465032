"""The embedded sites: made afresh from a seed, the same by pages and by interface, and never a traceback."""

import json
import re
from contextlib import asynccontextmanager

import anyio
import httpx2
import pytest
from hypothesis import given, settings, strategies as st

from honestly.errors import SiteError
from honestly.http import Refusal
from honestly.sites import SITES, App, SiteAnswer, SiteRequest, open_site
from honestly.tools import Api

NAMES = [known.name for known in SITES.known]
APPS: dict[str, App] = {name: SITES.make_object(name, {"seed": 0}) for name in NAMES}
COMPANY = {"customer": "C-103", "ticket": 301, "channel": "sales"}
FORM = "application/x-www-form-urlencoded"


@asynccontextmanager
async def browsing(name, seed=0):
    """An open site, and a client that keeps cookies, with a login where there is one."""
    async with (
        open_site(name, seed) as site,
        httpx2.AsyncClient(base_url=site.url, follow_redirects=True, verify=False) as client,
    ):
        if site.app.password:
            reply = await client.post("/login", data={"user": site.app.user, "password": site.app.password})
            assert "Log out" in reply.text
        yield site, client
        assert site.troubles == []


def run(work, *args):
    return anyio.run(work, *args)


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_makes_the_same_site_and_another_seed_another_one(name):
    def state(seed):
        app: App = SITES.make_object(name, {"seed": seed})
        return json.dumps(app.state())

    assert state(3) == state(3)
    assert state(3) != state(4)


@pytest.mark.parametrize("name", NAMES)
def test_every_endpoint_is_documented_answers_its_example_and_the_poor_pages_say_less(name):
    async def work():
        async with browsing(name) as (site, client):
            good, poor = site.api("good"), site.api("poor")
            listed = (await client.get("/api/")).json()["endpoints"]
            routed = {
                f"{route.method} {route.path[4:]}" for route, _ in site.app._routes if route.path.startswith("/api")
            }
            assert list(good.pages) == list(poor.pages) == ["GET /", *listed]
            assert set(good.pages) == routed
            for endpoint, page in good.pages.items():
                assert len(poor.pages[endpoint]) < len(page)
                if found := re.search(r"^Example: (\S+) (\S+) with (.*)$", page, re.MULTILINE):
                    path = found[2].format(
                        sku="GAR-2", key="OPS-2", number=first_open(site), slug="pests", name="fern", **COMPANY
                    )
                    sent = {"params" if found[1] == "GET" else "json": json.loads(found[3])}
                    reply = await client.request(found[1], good.base + path, headers=good.headers, **sent)
                    assert reply.status_code in {200, 409}, reply.text
            Api(base=good.base, methods=good.methods, headers=good.headers, pages=good.pages)

    run(work)


def first_open(site):
    threads = site.state().get("threads", [{"locked": False, "id": 1001}])
    return next(each["id"] for each in threads if not each["locked"])


def test_the_interface_and_the_pages_of_the_shop_change_one_state():
    async def work():
        async with browsing("shop") as (site, client):
            key = site.api().headers
            rich = next(each for each in site.state()["products"] if each["stock"] >= 3)
            await client.post("/cart/add", data={"sku": rich["sku"], "quantity": "1"})
            cart = (await client.post("/api/cart", json={"sku": rich["sku"], "quantity": 2}, headers=key)).json()
            assert [(line["sku"], line["quantity"]) for line in cart["lines"]] == [(rich["sku"], 3)]
            page = await client.post("/orders", data={"address": "2", "note": ""})
            order = site.state()["orders"][-1]
            assert page.url.path == f"/orders/{order['id']}"
            assert order["status"] == "placed"
            left = next(each["stock"] for each in site.state()["products"] if each["sku"] == rich["sku"])
            assert left == rich["stock"] - 3
            await client.post(f"/api/orders/{order['id']}/cancel", headers=key)
            assert "cancelled" in (await client.get(f"/orders/{order['id']}")).text
            assert (await client.post(f"/api/orders/{order['id']}/cancel", headers=key)).status_code == 409

    run(work)


def test_the_forum_and_the_tracker_do_what_their_forms_say():
    async def work():
        async with browsing("forum") as (site, client):
            report = next(each for each in site.state()["reports"] if each["state"] == "open")
            await client.post(f"/reports/{report['id']}/remove")
            post = site.state()["posts"][report["post"] - 1]
            assert post["removed"]
            assert "(removed)" in (await client.get(f"/threads/{post['thread']}")).text
            await client.post(f"/threads/{post['thread']}/moderate", data={"pinned": "yes", "locked": "yes"})
            late = await client.post(f"/threads/{post['thread']}/reply", data={"text": "and"})
            assert (late.status_code, "this thread is locked" in late.text) == (409, True)
        async with browsing("tracker") as (site, client):
            await client.post("/tickets", data={"project": "OPS", "title": "<b>&", "text": "x", "priority": "urgent"})
            made = site.state()["tickets"][-1]
            assert (made["id"], made["priority"]) == ("OPS-7", "urgent")
            await client.post("/tickets/OPS-7/label", data={"label": "slow"})
            page = (await client.get("/tickets?label=slow&project=OPS&state=open&assignee=&q=%3Cb")).text
            assert "<b>" not in page
            assert "&lt;b&gt;&amp;" in page

    run(work)


def test_who_is_not_logged_in_reads_and_changes_nothing():
    async def work():
        async with open_site("shop") as site, httpx2.AsyncClient(base_url=site.url, verify=False) as client:
            before = site.state()
            assert (await client.get("/products")).status_code == 200
            away = await client.get("/orders?x=1")
            assert (away.status_code, away.headers["location"]) == (303, "/login?next=%2Forders%3Fx%3D1")
            assert (await client.post("/cart/add", data={"sku": "GAR-2"})).headers["location"] == "/login"
            assert (await client.post("/api/cart", json={"sku": "GAR-2"})).status_code == 401
            wrong = {"user": "mira", "password": "x", "next": "//evil.example"}
            assert (await client.post("/login", data=wrong)).status_code == 403
            right = await client.post("/login", data={**wrong, "password": "sunflower"})
            assert right.headers["location"] == "/"
            assert site.state() == before

    run(work)


@pytest.mark.parametrize("name", NAMES)
def test_hostile_requests_get_a_refusal(name):
    async def work():
        async with browsing(name) as (site, client):
            before, key = site.state(), site.api().headers
            post = (
                "/api/cart"
                if name == "shop"
                else "/api/tickets"
                if name in {"tracker", "company"}
                else "/api/boards/pests/threads"
            )
            statuses = [
                (await client.post(post, headers=key | {"content-type": kind}, content=body)).status_code
                for kind, body in [
                    ("application/json", b"{"), ("application/json", b"[1]"), ("application/json", b"\xff"),
                    ("application/json", b"[" * 100_000), ("application/json", b'{"sku": 1e999, "title": [], "text": {}}'),
                    ("application/json", b'{"sku": "GAR-2", "quantity": 1.5, "title": null}'), (FORM, b"a=%ff"),
                    (FORM, b"&".join(b"a=%d" % n for n in range(1000))), ("multipart/form-data", b"x"), ("", b"x"),
                    ("application/json", b'{"title": "\\ud800", "text": "a", "project": "OPS", "sku": "\\u0000"}'),
                ]
            ]  # fmt: skip
            assert set(statuses) <= {400, 404, 415, 422}
            assert (await client.post(post, headers=key, content=b"x" * 300_000)).status_code == 413
            for path in ("/nowhere", "/%ff", "/%00", "/api/nowhere", "/" + "a" * 5000, "/?page=x&page=%ff"):
                assert 400 <= (await client.get(path)).status_code < 500
            assert (await client.delete("/")).status_code == 405
            assert site.state() == before

    run(work)


@given(
    st.sampled_from(NAMES), st.sampled_from(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "BREW"]),
    st.lists(st.sampled_from(["api", "cart", "orders", "1001", "tickets", "OPS-1", "threads", "1", "posts", "vote", "{", "%7B"])
             | st.text(max_size=3), max_size=4),
    st.dictionaries(st.sampled_from(["sku", "quantity", "title", "text", "state", "way", "page", "q"]),
                    st.none() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.text(max_size=2), max_size=2)),
    st.binary(max_size=10),
)  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_nothing_that_is_asked_breaks_a_site(name, method, parts, values, noise):
    app = APPS[name]
    target = "/" + "/".join(parts)
    for headers, body in (
        ({"content-type": "application/json", "authorization": f"Bearer {app._key}"}, json.dumps(values).encode()),
        ({"content-type": FORM, "cookie": noise.decode("latin-1")}, noise),
    ):
        answer = app.answer(SiteRequest(method, target, headers, body))
        assert 200 <= answer.status < 500
        assert answer.body or answer.status == 303


@pytest.mark.slow
def test_a_list_does_not_grow_without_end_and_a_site_of_ones_own_may_break():
    async def work():
        async with open_site("tracker") as site, httpx2.AsyncClient(base_url=site.url, verify=False) as client:
            for number in range(2000):
                site.answer(SiteRequest("POST", "/filters", {"content-type": FORM}, b"name=%d" % number))
            assert len(site.state()["filters"]) == 2000
            assert (await client.get("/filters")).status_code == 200
        async with (
            open_site("test_sites:Broken") as site,
            httpx2.AsyncClient(base_url=site.url, verify=False) as client,
        ):
            assert (await client.get("/")).status_code == 500
            assert "ZeroDivisionError" in site.troubles[0]

    run(work)
    with pytest.raises(SiteError, match=r"there is no site 'shp' .did you mean 'shop'"):
        run(work_of_nothing)


async def work_of_nothing():
    async with open_site("shp"):
        pass


class Live:
    """A site that hands out its own lists, and changes them when it is read."""

    def __init__(self):
        self.rows = [{"id": 1, "n": 0}]

    def answer(self, asked):
        self.rows[0]["n"] += 1
        return SiteAnswer(200, b"", "text/html")

    def state(self):
        return {"rows": self.rows}


def test_the_state_of_a_site_that_hands_out_its_own_lists_stays_as_it_was_and_can_be_locked():
    async def work():
        async with open_site("test_sites:Live") as site:
            site.answer(SiteRequest("GET", "/", {}, b""))
            assert (site.before, site.state()) == ({"rows": [{"id": 1, "n": 0}]}, {"rows": [{"id": 1, "n": 1}]})
        for method in ("GET", "POST"):
            async with open_site("test_sites:Live#rows/1") as site:
                assert site.answer(SiteRequest(method, "/", {}, b"")).status == 403
                assert site.state() == site.before == {"rows": [{"id": 1, "n": 0}]}

    run(work)


class Broken:
    """A site with a fault."""

    def answer(self, asked):
        raise ZeroDivisionError(asked.target)

    def state(self):
        return {}


@pytest.mark.slow
def test_nothing_is_left_of_a_site_that_was_closed():
    async def work():
        ports = []
        for _ in range(10):
            async with browsing("shop") as (site, client):
                await client.post("/addresses", data={"name": "a", "street": "b", "postcode": "c", "city": "d"})
                assert len(site.state()["addresses"]) == 4
                ports.append(int(site.url.rpartition(":")[2]))
        for port in set(ports):
            with pytest.raises(OSError):
                await anyio.connect_tcp("127.0.0.1", port)

    run(work)


@pytest.mark.slow
def test_a_site_is_not_asked_without_end(monkeypatch):
    async def work():
        async with open_site("tracker") as site:
            comment = SiteRequest("POST", "/tickets/OPS-2/comment", {"content-type": FORM}, b"text=" + b"a" * 1990)
            statuses = [site.answer(comment).status for _ in range(4300)]
            assert set(statuses) == {303, 409, 429}
            assert statuses[-1] == 429
            assert len(json.dumps(site.state())) < 9 << 20
        monkeypatch.setattr("honestly.sites._site._MOST_SEEN", 5)
        async with open_site("tracker") as site:
            assert [site.answer(SiteRequest("GET", "/")).status for _ in range(7)] == [200] * 5 + [429] * 2

    run(work)


def test_what_is_kept_of_requests_is_bounded_however_long_their_addresses_are():
    async def work():
        async with open_site("tracker") as site:
            long = "/" + "a" * 60_000
            assert {site.answer(SiteRequest("GET", long)).status for _ in range(200)} == {400, 429}
            for _ in range(200):
                assert site.refuse_request("GET", long, Refusal(403, "shut")).status == 403
            assert sum(len(each.target) for each in site.requests) < 9 << 20

    run(work)
