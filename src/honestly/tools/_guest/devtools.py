"""Chromium under its own protocol, over a pipe: requests with a deadline, and one page in a fresh profile.

Nothing of it can be reached from a page: there is no port. What happens unasked is answered at once and kept in bounded
form: dialogs, other windows, errors. A page that opens dialogs or windows without end is given up.
"""

from __future__ import annotations

import fcntl
import json
import os
import select
import time
from collections import deque
from typing import Any

from .chromium import ARGUMENTS, browser_home, chromium_program

_OPTIONS = (
    "--headless",
    "--no-sandbox",  # the sandbox around it is ours, and lets nothing make another one
    "--remote-debugging-pipe",
    "--disable-blink-features=AutomationControlled",  # no page shall know by a flag that it is judged
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--enable-features=NetworkServiceInProcess2",  # two processes fewer
    "--disable-features=MediaRouter,OptimizationHints,PreloadTopChromeWebUI,Translate,WebUIOmniboxAimPopup,WebUIOmniboxPopup",
    "--disable-sync",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--mute-audio",
    "--no-first-run",
    "--no-service-autorun",
    "--no-startup-window",
    "--password-store=basic",
)
_MOST_EVENTS, _MOST_KEPT, _LONGEST = 25, 200, 500


class Late(Exception):  # noqa: N818  (an event of the page's)
    """There is no answer in time: the page hangs, or keeps the browser busy."""


class Refused(Exception):  # noqa: N818  (an event of the page's)
    """The error of a request that is not there, or cannot be done; the text says why."""


class Chromium:
    """A browser that has been started; it ends with this program."""

    def __init__(self) -> None:
        folder, path = browser_home(), chromium_program()
        self._source, far_sink = os.pipe()
        far_source, self._sink = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (far_source, far_sink)]
        actions = [(os.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate(ends, 3)]
        arguments = [path, *ARGUMENTS, *_OPTIONS, f"--user-data-dir={folder}/profile"]
        os.posix_spawn(path, arguments, os.environ, file_actions=actions)
        for end in (*ends, far_source, far_sink):
            os.close(end)
        self._rest, self._messages = bytearray(), deque[bytes]()
        self._last = 0
        self.page: Page | None = None

    def call_browser(self, due: float, method: str, session: str = "", **given: Any) -> dict[str, Any]:
        """The browser's answer to a request of its protocol.

        Args:
            due: when it must have answered, by `time.monotonic`.
            method: as the protocol calls it.
            session: that of a page; the browser's if empty.
            given: the request's parameters.

        Raises:
            Late: it does not.
            Refused: it will not do it, or has ended.
        """
        number = self.send(method, session, **given)
        while True:
            message = json.loads(self._next(due))
            if message.get("id") == number:
                if "error" in message:
                    raise Refused(str(message["error"].get("message", ""))[:_LONGEST])
                return dict(message["result"])
            if "method" in message and self.page is not None:
                self.page.take_event(message["method"], message.get("params", {}), message.get("sessionId", ""))

    def send(self, method: str, session: str = "", **given: Any) -> int:
        """Makes a request; returns its number."""
        self._last += 1
        request = {"id": self._last, "method": method, "params": given, **({"sessionId": session} if session else {})}
        data = memoryview(json.dumps(request).encode() + b"\0")
        while data:
            data = data[os.write(self._sink, data) :]
        return self._last

    def _next(self, due: float) -> bytes:
        while not self._messages:
            left = due - time.monotonic()
            if left <= 0 or not select.select([self._source], [], [], left)[0]:
                raise Late("the page does not answer")
            part = os.read(self._source, 1 << 20)
            if not part:
                raise Refused("the browser has ended: perhaps the page needed more memory than there is")
            self._rest += part
            if b"\0" in part:
                *whole, rest = bytes(self._rest).split(b"\0")
                self._messages.extend(whole)
                self._rest = bytearray(rest)
        return self._messages.popleft()


class Page:
    """A page in a profile of its own, and what has happened in it."""

    def __init__(self, chromium: Chromium, due: float) -> None:
        self._chromium = chromium
        self.session, self._profile, self._target, self._frame = "", "", "", ""
        self._world = 0
        self.errors: list[str] = []
        self.dialogs: list[list[str]] = []
        self.opened = 0
        self.drag: dict[str, Any] | None = None
        self.accept = False
        self._ended = ""
        chromium.page = self
        self._profile = chromium.call_browser(due, "Target.createBrowserContext")["browserContextId"]
        made = chromium.call_browser(due, "Target.createTarget", url="about:blank", browserContextId=self._profile)
        self._target = made["targetId"]
        self.session = chromium.call_browser(due, "Target.attachToTarget", targetId=self._target, flatten=True)[
            "sessionId"
        ]
        chromium.call_browser(due, "Target.setDiscoverTargets", discover=True)
        for domain in ("Page", "Runtime", "DOM", "CSS", "Log", "Inspector", "Accessibility"):
            self.call_page(due, f"{domain}.enable")
        agent = str(chromium.call_browser(due, "Browser.getVersion")["userAgent"]).replace("Headless", "")
        self.call_page(due, "Emulation.setUserAgentOverride", userAgent=agent, acceptLanguage="en-US")
        self.call_page(due, "Emulation.setTimezoneOverride", timezoneId="UTC")
        self.call_page(due, "Emulation.setFocusEmulationEnabled", enabled=True)
        self.call_page(due, "Input.setInterceptDrags", enabled=True)
        self._frame = self.call_page(due, "Page.getFrameTree")["frameTree"]["frame"]["id"]

    def close(self) -> None:
        """Ends it, and its profile."""
        self._chromium.send("Target.disposeBrowserContext", browserContextId=self._profile)

    def call_page(self, due: float, method: str, **given: Any) -> dict[str, Any]:
        """The answer to a request about this page; raises what `Chromium.call_browser` does."""
        if self._ended:
            raise Refused(self._ended)
        return self._chromium.call_browser(due, method, self.session, **given)

    def page_address(self, due: float) -> str:
        """Where it is, as the browser says."""
        return str(self._chromium.call_browser(due, "Target.getTargetInfo", targetId=self._target)["targetInfo"]["url"])

    def own_world(self, due: float) -> int:
        """A world of our own in the present document, where nothing is as the page's scripts have made it."""
        if not self._world:
            made = self.call_page(due, "Page.createIsolatedWorld", frameId=self._frame, worldName="judge")
            self._world = int(made["executionContextId"])
        return self._world

    def take_event(self, name: str, told: dict[str, Any], session: str) -> None:
        """Takes note of what happened, and answers it where something waits for an answer."""
        if name == "Target.targetCreated":
            self._close_window(told["targetInfo"])
        elif session != self.session:
            return
        elif name == "Page.javascriptDialogOpening":
            self.dialogs.append([told["type"], told["message"][:_LONGEST]])
            yes = self.accept or told["type"] in ("alert", "beforeunload")
            self._chromium.send("Page.handleJavaScriptDialog", self.session, accept=yes)
            self._stop_at(len(self.dialogs), "dialogs")
        elif name == "Page.frameNavigated" and "parentId" not in told["frame"]:
            self._world = 0
        elif name == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self._note_error(str(details.get("exception", {}).get("description") or details.get("text")))
        elif name == "Runtime.consoleAPICalled" and told["type"] in ("error", "assert"):
            self._note_error(" ".join(str(one.get("value", one.get("description", ""))) for one in told["args"]))
        elif name == "Log.entryAdded" and told["entry"]["level"] == "error":
            self._note_error(f"{told['entry']['text']} {told['entry'].get('url', '')}".strip())
        elif name == "Input.dragIntercepted":
            self.drag = told["data"]
        elif name == "Inspector.targetCrashed":
            self._end_page("the page crashed")

    def _note_error(self, text: str) -> None:
        if len(self.errors) < _MOST_KEPT:
            self.errors.append(text[:_LONGEST])

    def _close_window(self, told: dict[str, Any]) -> None:
        """Closes any window that is not this page."""
        ours = told["type"] == "page" and told.get("browserContextId") == self._profile
        if ours and self._target not in ("", told["targetId"]):
            self.opened += 1
            self._chromium.send("Target.closeTarget", targetId=told["targetId"])
            self._stop_at(self.opened, "windows")

    def _stop_at(self, count: int, what: str) -> None:
        if count >= _MOST_EVENTS:
            self._end_page(f"the page opened {_MOST_EVENTS} {what}")

    def _end_page(self, why: str) -> None:
        self._ended = why
        raise Refused(why)
