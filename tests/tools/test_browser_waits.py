"""What the browser tool waits for where Chromium tells things late; the pages are made up, so that they always are late."""

import asyncio
from importlib.util import find_spec

import pytest

pytestmark = pytest.mark.skipif(find_spec("playwright") is None, reason="needs the extra browser")
LATE_S = 0.2


def guest_actions():
    """What runs in the browser's sandbox; it needs the browser's driver."""
    from honestly.tools._guest import actions

    return actions


class Emitter:
    def __init__(self):
        self.heard = {}

    def on(self, event, handler):
        self.heard.setdefault(event, []).append(handler)

    def says(self, event, thing):
        for handler in self.heard.get(event, ()):
            handler(thing)

    def says_late(self, event, thing):
        asyncio.get_running_loop().call_later(LATE_S, self.says, event, thing)


class Page(Emitter):
    url = "http://site/"

    async def wait_for_load_state(self, *_, **__):
        pass

    async def goto(self, *_, **__):
        from playwright.async_api import Error

        self.says_late("download", Download())
        raise Error("Page.goto: Download is starting")

    async def close(self):
        self.heard.clear()


class Download:
    suggested_filename = "a.csv"

    async def save_as(self, path):
        path.write_text("a,b\n")


class Navigation:
    failure = "net::ERR_ABORTED"

    def __init__(self, *, known=True):
        self.known = known

    def is_navigation_request(self):
        return True

    @property
    def frame(self):
        from playwright.async_api import Error

        if not self.known:
            raise Error("Frame for this navigation request is not available")
        return self


class Context(Emitter):
    async def new_page(self):
        page = Page()
        self.says("page", page)
        return page


def done(act, tmp_path, monkeypatch):
    """What a reply would say after `act(context, tabs, page)`."""
    from honestly.tools._guest.tabs import Tabs

    async def go():
        context = Context()
        tabs = Tabs(context)
        page = await tabs.open()
        tabs.noted()
        await act(context, tabs, page)
        return tabs.noted()

    monkeypatch.chdir(tmp_path)
    return asyncio.run(go())


@pytest.mark.parametrize("action", ["goto", "download"])
def test_a_download_that_is_told_after_its_address_was_left_is_waited_for(action, tmp_path, monkeypatch):
    async def act(context, tabs, page):
        await guest_actions().ACTIONS[action](tabs, {"url": "http://site/report", "timeout": 5.0})

    assert done(act, tmp_path, monkeypatch) == ["downloaded downloads/a.csv (4 bytes)"]


def test_a_click_waits_for_the_download_that_takes_a_pages_place_and_for_a_new_tab(tmp_path, monkeypatch):
    async def act(context, tabs, page):
        page.says("request", link := Navigation())
        page.says("requestfailed", link)
        page.says_late("download", Download())
        await guest_actions()._settle_after(tabs, tabs.current, {"timeout": 5.0})
        assert tabs.noted() == ["downloaded downloads/a.csv (4 bytes)"]
        context.says("request", popup := Navigation(known=False))
        context.says_late("page", Page())
        context.says_late("requestfinished", popup)
        await guest_actions()._settle_after(tabs, tabs.current, {"timeout": 5.0})

    assert done(act, tmp_path, monkeypatch) == ["tab 2 opened, and is now the current one"]
