"""A person's work in a browser, action by action: what was clicked, typed, chosen, pressed, and what the page was then.

A Chromium with a profile of its own is opened by Playwright (the extra `browser`). A script in every document tells of
trusted events alone, by role and name as a screen reader has them, by a name that it takes away before the page's own
scripts run; after each the accessibility tree and a picture of
the page are kept. What is typed into a field for a password, a card or a one-time code never gets into the journal, and
is taken out of trees and addresses; in pictures such fields are covered. Not covered: drawing on a canvas, scrolling,
and what a page shows of a secret in a picture.
"""

from __future__ import annotations

import json
import os
import secrets
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honestly.errors import SettingsError
from honestly.recording._redact import MARK
from honestly.scratch import scratch_folder

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from honestly.recording._journal import RecordingJournal

_PROGRAMS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
_COVERED = "input[type=password], [autocomplete^='cc-'], [autocomplete='one-time-code'], [data-honestly-covered]"
_SETTLED_S, _ANSWER_MS, _MOST_TREE, _MOST_TEXT = 0.3, 3000, 20_000, 5_000
_SCRIPT = Path(__file__).with_name("browser.js")


class BrowserRecorder:
    """What happens in the pages of a browser, written to a journal while `write_actions` is called."""

    def __init__(self, context: BrowserContext, journal: RecordingJournal) -> None:
        self._context, self._journal = context, journal
        self._waiting: deque[tuple[dict[str, str], Page]] = deque()
        self._acted = 0.0
        name = f"honestly_{secrets.token_hex(8)}"
        context.expose_binding(name, lambda source, told: self._note(source["page"], told))
        script = _SCRIPT.read_text().replace("COVERED", json.dumps(_COVERED)).replace("TELL", json.dumps(name))
        context.add_init_script(script)
        context.on("page", self._watch)

    def _watch(self, page: Page) -> None:
        page.on("framenavigated", lambda frame: self._went(page, frame.url) if frame == page.main_frame else None)

    def _note(self, page: Page, told: Any) -> None:  # noqa: ANN401 - a page's, so anything
        if not isinstance(told, dict) or not isinstance(told.get("action"), str):
            return
        text = str(told.get("text", ""))[:_MOST_TEXT]
        if told.get("secret"):
            self._journal.redactor.add_secret(text)
            text = MARK
        said = {"action": told["action"], "target": str(told.get("target", "")), "text": text}
        self._acted = time.monotonic()
        self._waiting.append(({name: value for name, value in said.items() if value}, page))

    def _went(self, page: Page, url: str) -> None:
        if url != "about:blank" and time.monotonic() - self._acted > 2:  # else the action before it led there
            self._waiting.append(({"action": "goto", "url": url}, page))

    def write_actions(self) -> bool:
        """Writes down what has happened since; whether a page is still open."""
        from playwright.sync_api import Error

        for page in self._context.pages[:1]:
            with suppress(Error):  # it is closed while we wait
                page.wait_for_timeout(100)
        while self._waiting:
            action, page = self._waiting.popleft()
            picture = b""
            try:
                page.wait_for_timeout(1000 * _SETTLED_S)
                tree = f"{page.title()} ({page.url})\n{page.locator('body').aria_snapshot(timeout=_ANSWER_MS)}"
                covered = page.locator(_COVERED)
                picture = page.screenshot(timeout=_ANSWER_MS, mask=[covered], mask_color="#000000")
            except Error as error:  # the page is gone, or does not answer
                tree = f"[the page could not be read: {error.message.splitlines()[0]}]"
            self._journal.acted(action, tree[:_MOST_TREE], picture)
        return bool(self._context.pages)


@contextmanager
def open_recorded_browser(
    journal: RecordingJournal, url: str, *, headless: bool = False
) -> Iterator[tuple[BrowserRecorder, Page]]:
    """Opens a browser at an address and records what happens in it; closes it after the block.

    Raises:
        SettingsError: there is no Playwright, no Chromium or no screen.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise SettingsError("--browser needs Playwright: pip install 'honestly[browser]'") from None
    program = next((each for each in _PROGRAMS if Path(each).exists()), None)
    if program is None:
        raise SettingsError("--browser needs Chromium: apt install chromium (or Google Chrome)")
    if not headless and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise SettingsError(
            "--browser opens a window, and there is no screen here: neither DISPLAY nor WAYLAND_DISPLAY"
        )
    with scratch_folder("browser") as profile, sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            profile, executable_path=program, headless=headless, no_viewport=not headless,
            chromium_sandbox=os.geteuid() != 0,
        )  # fmt: skip
        try:
            recorder = BrowserRecorder(context, journal)
            page = context.new_page()
            for each in context.pages[:-1]:
                each.close()
            try:
                page.goto(url)
            except Error as error:
                raise SettingsError(f"cannot open {url}: {error.message.splitlines()[0]}") from error
            yield recorder, page
        finally:
            with suppress(Error):
                context.close()


def record_browser(journal: RecordingJournal, url: str) -> None:
    """Record what a person does in a browser, until its last page is closed or Ctrl-C.

    Raises:
        SettingsError: as `open_recorded_browser`.
    """
    with open_recorded_browser(journal, url) as (recorder, _), suppress(KeyboardInterrupt):
        while recorder.write_actions():
            pass
