"""The actions in a browser: one function for each action, which says what it did.

An element is named by its reference in the last snapshot (`e12`; `f1e3` inside a frame), or by a selector of
Playwright's. Whatever cannot be done raises Playwright's error or `Refused`, whose text is for the model.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

from playwright.async_api import Error, Locator, Page, Response

from .tabs import Tab, Tabs, free_path, shortened_line

_REFERENCE = re.compile(r"(?:f\d+)?e\d+")
_SCHEMES = ("http", "https", "file", "about", "data", "blob")
_HOST_AND_PORT = re.compile(r"[\w.-]+:\d+(?:[/?#]|$)")
_SETTLE_S = 3.0
_COMING_S = 1.0
_ERROR_PAGE_MS = 1000.0
_TALLEST = 6000
_MOST_IMAGE_BYTES = 3_500_000
_CONSOLE_SHOWN = 50
_NETWORK = ("ERR_NAME_NOT_RESOLVED", "ERR_INTERNET_DISCONNECTED", "ERR_ADDRESS_UNREACHABLE", "ERR_TUNNEL_CONNECTION")

Action = Callable[[Tabs, dict[str, Any]], Awaitable[str]]


class Refused(Exception):  # noqa: N818  (a word to the model)
    """The request makes no sense."""


async def _goto(tabs: Tabs, given: dict[str, Any]) -> str:
    url = _browser_address(given)
    tab = await tabs.current_tab()
    try:
        response = await _gone_to(tab.page, url, given)
    except Error as error:
        if "Download is starting" in str(error):
            await tabs.wait_downloads(given["timeout"], given["timeout"])
            return "the address is a download"
        with suppress(Error):  # the page that says so comes later, and would get in the way of the next action
            await tab.page.wait_for_url("chrome-error://**", timeout=_ERROR_PAGE_MS)
        raise Refused(_error_text(error)) from None
    await tab.settle_tab(_SETTLE_S)
    return f"went to {shortened_line(url)}" + (f" (status {response.status})" if response else "")


async def _gone_to(page: Page, url: str, given: dict[str, Any]) -> Response | None:
    """Goes to an address, once more if the page was on its way to another."""
    try:
        return await page.goto(url, timeout=_timeout_ms(given), wait_until="domcontentloaded")
    except Error as error:
        if "interrupted by another navigation" not in str(error):
            raise
    return await page.goto(url, timeout=_timeout_ms(given), wait_until="domcontentloaded")


async def _go_back(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = await tabs.current_tab()
    await tab.page.go_back(timeout=_timeout_ms(given), wait_until="domcontentloaded")
    await tab.settle_tab(_SETTLE_S)
    return "went back"


async def _click(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = await tabs.current_tab()
    await (await _located_element(tab.page, given)).click(timeout=_timeout_ms(given))
    await _settle_after(tabs, tab, given)
    return f"clicked {given['target']}"


async def _hover(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = await tabs.current_tab()
    await (await _located_element(tab.page, given)).hover(timeout=_timeout_ms(given))
    await _settle_after(tabs, tab, given)
    return f"moved to {given['target']}"


async def _type_text(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = await tabs.current_tab()
    element = await _located_element(tab.page, given)
    await element.fill(given["text"], timeout=_timeout_ms(given))
    if given["submit"]:
        await element.press("Enter", timeout=_timeout_ms(given))
    await _settle_after(tabs, tab, given)
    return f"typed into {given['target']}" + (" and pressed Enter" if given["submit"] else "")


async def _press(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = await tabs.current_tab()
    if not given["text"]:
        raise Refused("`press` needs a key in `text`, such as Enter, Escape, ArrowDown or Control+a")
    if given["target"]:
        await (await _located_element(tab.page, given)).press(given["text"], timeout=_timeout_ms(given))
    else:
        await tab.page.keyboard.press(given["text"])
    await _settle_after(tabs, tab, given)
    return f"pressed {shortened_line(given['text'], 40)}"


async def _select(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = await tabs.current_tab()
    wanted = given["values"] or [given["text"]]
    chosen = await (await _located_element(tab.page, given)).select_option(wanted, timeout=_timeout_ms(given))
    await _settle_after(tabs, tab, given)
    return f"selected {', '.join(shortened_line(value, 60) for value in chosen[:20])}"


async def _scroll(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = await tabs.current_tab()
    if given["target"]:
        await (await _located_element(tab.page, given)).scroll_into_view_if_needed(timeout=_timeout_ms(given))
        return f"scrolled to {given['target']}"
    far = {"down": 600, "up": -600, "bottom": 10**7, "top": -(10**7)}
    await tab.page.mouse.wheel(0, far[given["direction"]])
    await tab.settle_tab(_SETTLE_S)
    return f"scrolled {given['direction']}"


async def _wait_for_text(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = await tabs.current_tab()
    if given["text"]:
        await tab.page.get_by_text(given["text"]).first.wait_for(timeout=_timeout_ms(given))
        return "the text is there"
    if given["target"]:
        await (await _located_element(tab.page, given)).wait_for(timeout=_timeout_ms(given))
        return "the element is there"
    await tab.page.wait_for_timeout(_timeout_ms(given))
    return f"waited {given['timeout']:g} s"


async def _upload(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = await tabs.current_tab()
    files = given["values"] or [given["text"]]
    _require(files)
    element = await _located_element(tab.page, given)
    try:
        await element.set_input_files(files, timeout=_timeout_ms(given))
    except Error as error:
        if "HTMLInputElement" not in str(error) and "input[type=file]" not in str(error):
            raise
        async with tab.page.expect_file_chooser(timeout=_timeout_ms(given)) as chosen:
            await element.click(timeout=_timeout_ms(given))
        await (await chosen.value).set_files(files, timeout=_timeout_ms(given))
    await _settle_after(tabs, tab, given)
    return f"uploaded {shortened_line(', '.join(files))}"


async def _download_address(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = await tabs.current_tab()
    url = given["url"] and _browser_address(given)
    if not url:
        element = await _located_element(tab.page, given)
        link = await element.get_attribute("href", timeout=_timeout_ms(given))
        if link is None:
            async with tab.page.expect_download(timeout=_timeout_ms(given)):
                await element.click(timeout=_timeout_ms(given))
            await tabs.wait_downloads(given["timeout"])
            return f"downloaded what {given['target']} leads to"
        url = urljoin(tab.page.url, link)
    before = tabs.current
    page = await tabs.open()
    try:
        response = await page.goto(url, timeout=_timeout_ms(given))
        path = free_path(Path(urlsplit(url).path).name)
        path.write_bytes(await response.body() if response else b"")
        tabs.note_text(f"downloaded {path} ({path.stat().st_size:,} bytes)")
    except Error as error:
        if "Download is starting" not in str(error):
            raise Refused(_error_text(error)) from None
        await tabs.wait_downloads(given["timeout"], given["timeout"])
    finally:
        await page.close()
        tabs.current = before
    return f"fetched {shortened_line(url)}"


async def _switch_tab(tabs: Tabs, given: dict[str, Any]) -> str:
    tab = _tab_numbered(tabs, given)
    tabs.current = tab
    await tab.page.bring_to_front()
    return f"tab {given['tab']} is the current one"


async def _new_tab(tabs: Tabs, given: dict[str, Any]) -> str:
    await tabs.open()
    return await _goto(tabs, given) if given["url"] else "opened a tab"


async def _close_tab(tabs: Tabs, given: dict[str, Any]) -> str:
    await tabs.close(_tab_numbered(tabs, given))
    return f"closed tab {given['tab']}"


async def _tab_list(tabs: Tabs, given: dict[str, Any]) -> str:
    del given
    await tabs.current_tab()
    lines = [
        f"{'*' if tab is tabs.current else ' '} {number}: {shortened_line(tab.page.url)}"
        for number, tab in enumerate(tabs.open_tabs, 1)
    ]
    return "\n".join(["tabs, * for the current one:", *lines])


async def _console_lines(tabs: Tabs, given: dict[str, Any]) -> str:
    del given
    tab = await tabs.current_tab()
    lines = list(tab.console)[-_CONSOLE_SHOWN:]
    return "\n".join([f"the last {len(lines)} of {tab.messages:,} console messages:", *lines])


async def _page_snapshot(tabs: Tabs, given: dict[str, Any]) -> str:
    del given
    await (await tabs.current_tab()).settle_tab(_SETTLE_S)
    return ""


async def screenshot(tabs: Tabs, given: dict[str, Any]) -> str:
    """The page, or an element, as an image in base64."""
    tab = await tabs.current_tab()
    options: dict[str, Any] = {"timeout": _timeout_ms(given), "scale": "css", "animations": "disabled"}
    where: Page | Locator = tab.page
    if given["target"]:
        where = await _located_element(tab.page, given)
    elif given["full_page"]:
        session = await tab.page.context.new_cdp_session(tab.page)
        size = (await session.send("Page.getLayoutMetrics"))["cssContentSize"]
        await session.detach()
        tall = min(_TALLEST, max(1, size["height"]))
        options |= {"full_page": True, "clip": {"x": 0, "y": 0, "width": 1280, "height": tall}}
    data = await where.screenshot(**options)
    if len(data) > _MOST_IMAGE_BYTES:
        data = await where.screenshot(**options, type="jpeg", quality=60)
    return base64.b64encode(data).decode()


def _browser_address(given: dict[str, Any]) -> str:
    """The address as the browser takes it: a host needs no scheme, a file of the workspace only its path."""
    url: str = given["url"].strip()
    if not url:
        raise Refused(f"`{given['action']}` needs an address in `url`")
    if _HOST_AND_PORT.match(url):
        return f"http://{url}"
    if urlsplit(url).scheme in _SCHEMES:
        return url
    if Path(url).exists():
        return Path(url).resolve().as_uri()
    raise Refused(
        f"{shortened_line(url)!r} is neither an address with {', '.join(_SCHEMES[:3])} nor a file of the workspace"
    )


def _require(files: list[str]) -> None:
    for path in files:
        if not Path(path).is_file():
            raise Refused(f"there is no file {shortened_line(path)!r} in the workspace; name files in `values`")


async def _located_element(page: Page, given: dict[str, Any]) -> Locator:
    target: str = given["target"].strip()
    if not target:
        raise Refused(
            f"`{given['action']}` needs a `target`: a reference from the snapshot, such as e12, or a selector"
        )
    if not _REFERENCE.fullmatch(target):
        return page.locator(target)
    element = page.locator(f"aria-ref={target}")
    if not await element.count():
        raise Refused(f"there is no {target} in the last snapshot of this page; take a new `snapshot`")
    return element


def _tab_numbered(tabs: Tabs, given: dict[str, Any]) -> Tab:
    number = given["tab"]
    if not 1 <= number <= len(tabs.open_tabs):
        raise Refused(f"there is no tab {number}; there are {len(tabs.open_tabs)}, counted from 1")
    tab: Tab = tabs.open_tabs[number - 1]
    return tab


def _error_text(error: Error) -> str:
    text = shortened_line(error.message, 400)
    if any(name in text for name in _NETWORK):
        text += " (the sandbox has no network but its own loopback, and what its list of allowed hosts lets through)"
    return text


def _timeout_ms(given: dict[str, Any]) -> float:
    return 1000.0 * float(given["timeout"])


async def _settle_after(tabs: Tabs, tab: Tab, given: dict[str, Any]) -> None:
    """Waits for what an action has set off."""
    await tab.settle_tab(_SETTLE_S)
    await tabs.wait_opening(_SETTLE_S)
    await tabs.wait_downloads(given["timeout"], _COMING_S if tab.left else 0.0)
    tab.left = False


ACTIONS: dict[str, Action] = {
    "goto": _goto,
    "back": _go_back,
    "click": _click,
    "hover": _hover,
    "type": _type_text,
    "press": _press,
    "select": _select,
    "scroll": _scroll,
    "wait": _wait_for_text,
    "upload": _upload,
    "download": _download_address,
    "tab": _switch_tab,
    "new_tab": _new_tab,
    "close_tab": _close_tab,
    "tabs": _tab_list,
    "console": _console_lines,
    "snapshot": _page_snapshot,
}
