"""A guest that keeps one browser, Debian's Chromium under Playwright, and does one action at a time in it.

A reply says what was done, what happened meanwhile, where the browser is, and what the page holds: Playwright's
accessibility snapshot, with a reference for each element. Pages are hostile: whatever does not end in time is said to
have failed, what is long is cut in the middle, and a page with too many elements for a snapshot is shown as text. When
the browser itself is gone or hangs, the reply says so and this program is of no more use.

Not covered: several windows or users, permissions (all refused), sound, and what needs a graphics card.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
from typing import TYPE_CHECKING, Any

from .chromium import ARGUMENTS, Absent, browser_home, chromium_program
from .wire import Wire

if TYPE_CHECKING:
    from playwright.async_api import Page, ViewportSize

_VIEWPORT: ViewportSize = {"width": 1280, "height": 720}
_LAUNCH_S = 60.0
_SLACK_S = 10.0
_LOOK_S = 5.0
_MOST_NODES = 60_000
_PAGELESS = ("console", "tabs", "screenshot")


class _Browser:
    def __init__(self) -> None:
        from . import actions, pdf, tabs

        self._actions = actions
        self._tabs_of, self._pdf = tabs.Tabs, pdf.PdfReader()
        self.gone = False

    async def start(self) -> None:
        """Launches it."""
        from playwright.async_api import async_playwright

        path = chromium_program()
        browser_home()
        proxy = os.environ.get("http_proxy")
        playwright = await async_playwright().start()
        browser = await playwright.chromium.launch(
            executable_path=path,
            chromium_sandbox=False,  # the sandbox around it is ours, and lets nothing make another one
            args=[*ARGUMENTS, *([f"--proxy-server={proxy}"] if proxy else [])],
            timeout=1000 * _LAUNCH_S,
        )
        browser.on("disconnected", lambda _: setattr(self, "gone", True))
        self._browser = browser
        context = await browser.new_context(viewport=_VIEWPORT, accept_downloads=True)
        await self._pdf.watch(context)
        self._tabs = self._tabs_of(context)

    async def do_action(self, given: dict[str, Any]) -> dict[str, Any]:
        """Does one action."""
        from playwright.async_api import Error

        self._tabs.accept, self._tabs.answer = given["dialog"] == "accept", given["dialog_text"]
        self._pdf.saves = given["action"] == "download"
        how, images, done = "ok", [], ""
        try:
            async with asyncio.timeout(given["timeout"] + _SLACK_S):
                if given["action"] == "screenshot":
                    images.append({"data": await self._actions.screenshot(self._tabs, given)})
                else:
                    done = await self._actions.ACTIONS[given["action"]](self._tabs, given)
        except TimeoutError:
            how, done = "failed", f"`{given['action']}` did not end in time; the page may hang"
        except self._actions.Refused as error:
            how, done = "failed", str(error)
        except Error as error:
            how, done = "failed", _shortened_line(error.message)
        except OSError as error:
            how, done = "failed", _shortened_line(f"a file could not be written: {error}")
        await self._see_if_alive()
        report = {} if self.gone else await self._action_report(given, how, done)
        return {"how": "gone"} if self.gone else {"how": how, "images": images, **report}

    async def _see_if_alive(self) -> None:
        """Sees whether the browser lives where no tab is left: of one that dies, the tabs are told first."""
        from playwright.async_api import Error

        if self._tabs.current is None and not self.gone:
            try:
                session = await asyncio.wait_for(self._browser.new_browser_cdp_session(), _LOOK_S)
                await session.detach()
            except (Error, TimeoutError):
                self.gone = True

    async def _action_report(self, given: dict[str, Any], how: str, done: str) -> dict[str, Any]:
        """The reply's text: what was done, what happened, where the browser is, what the page holds."""
        place, answers = await self._place_lines()
        shows = answers and how == "ok" and given["action"] not in _PAGELESS
        page = await self._page_text(given) if shows else ("", 0)
        notes = [f"- {note}" for note in self._tabs.noted()]
        parts = [done, *notes, *place, page[0]]
        return {"text": "\n".join(part for part in parts if part), "dropped": page[1]}

    async def _place_lines(self) -> tuple[list[str], bool]:
        """Where the browser is, and whether a page is there that answers."""
        from playwright.async_api import Error

        from .tabs import shortened_line

        tab = self._tabs.current
        if tab is None:
            return ["no tab is open"], False
        title, answers = "", True
        try:
            title = shortened_line(await asyncio.wait_for(tab.page.title(), _LOOK_S), 200)
        except (Error, TimeoutError):
            answers = False
            self._tabs.note_text("the page does not answer; if it stays so, `close_tab` ends it, and `new_tab` goes on")
        count = len(self._tabs.open_tabs)
        number = f" (tab {self._tabs.open_tabs.index(tab) + 1} of {count})" if count > 1 else ""
        return [f"URL: {shortened_line(tab.page.url)}{number}", f"Title: {title or '(none)'}"], answers

    async def _page_text(self, given: dict[str, Any]) -> tuple[str, int]:
        """The page as text, from where it is asked for, and how many bytes were left out."""
        from playwright.async_api import Error

        tab = self._tabs.current
        if tab is None:
            return "", 0
        try:
            text = await asyncio.wait_for(_element_lines(tab.page), 2 * _LOOK_S)
        except (Error, TimeoutError):
            return "(no snapshot: the page does not answer, or goes on to another one all the time)", 0
        wanted = given["target"] if given["action"] == "snapshot" else ""
        text = _snapshot_below(text, wanted) if wanted else text
        return _text_window(text[given["start"] :], given["characters"])


async def _element_lines(page: Page) -> str:
    """The accessibility snapshot; of a page with too many elements, the beginning of its text."""
    session = await page.context.new_cdp_session(page)
    count = (await session.send("Memory.getDOMCounters"))["nodes"]
    await session.detach()
    if count <= _MOST_NODES:
        return str(await page.aria_snapshot(mode="ai", timeout=1000 * _LOOK_S))
    words = await page.evaluate("() => document.body.innerText.slice(0, 100000)")
    return f"({count:,} nodes are too many for a snapshot; use selectors. The text begins:)\n{words}"


def _snapshot_below(text: str, reference: str) -> str:
    """The lines of a snapshot that belong to one element."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if f"[ref={reference}]" in line:
            deep = len(line) - len(line.lstrip())
            rest = lines[at + 1 :]
            last = next((i for i, other in enumerate(rest) if len(other) - len(other.lstrip()) <= deep), len(rest))
            return "\n".join([line, *rest[:last]])
    return f"(no element {_shortened_line(reference)} in the snapshot)"


def _text_window(text: str, most: int) -> tuple[str, int]:
    if len(text) <= most:
        return text, 0
    half = most // 2
    gap = f"[... {len(text) - 2 * half:,} characters left out; `snapshot` with `target` or `start` shows them ...]"
    dropped = len(text[half:-half].encode("utf-8", "replace"))
    return f"{text[:half]}\n{gap}\n{text[-half:]}", dropped


def _shortened_line(text: str) -> str:
    return text if len(text) <= 800 else f"{text[:800]}…"


async def _serve(wire: Wire) -> None:
    loop, browser = asyncio.get_running_loop(), None
    while (given := await loop.run_in_executor(None, wire.read)) is not None:
        if not given:
            continue
        try:
            if importlib.util.find_spec("playwright") is None:
                raise Absent("the sandbox shows no playwright")
            if browser is None:
                browser = _Browser()
                await browser.start()
            reply = await browser.do_action(given)
        except Absent as error:
            reply = {"how": "absent", "text": str(error)}
        wire.write({"id": given["id"], **reply})


def main() -> None:
    """Answers the host's requests until it hangs up."""
    asyncio.run(_serve(Wire()))
