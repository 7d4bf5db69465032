"""The tool `browser`: Chromium under Playwright inside the sandbox, one for each trial, one action a call.

The browser and Playwright run in the sandbox (`_guest/browser.py`); what crosses is an action one way, and bounded text
and images the other. It starts with the first call, reaches what the sandbox serves on its own loopback and what its
egress allows, and keeps nothing in the workspace but downloads. One tool with an `action` rather than twenty tools: the
twenty schemas would cost a model thousands of tokens in each request. What it costs, and the limits that it needs, are
in docs/tools-browser.md.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from inspect import cleandoc
from typing import Annotated, Any, Literal

import anyio
import msgspec

from honestly.errors import ToolError
from honestly.models import ToolSpec
from honestly.sandbox import Limits, Sandbox
from honestly.tools._api import Arguments, ToolResult
from honestly.tools._guests import Guest, GuestGone, Reply
from honestly.tools._pictures import picture_in
from honestly.tools._text import middle_dropped, tidy_text

BROWSER_PACKAGES = ("playwright",)
"""The packages that the sandbox must show: `packages_layout(BROWSER_PACKAGES)`, after `pip install
'honestly[browser]'`.
"""


def browser_packages() -> tuple[str, ...]:
    """`BROWSER_PACKAGES`, and what reads PDFs where it is installed."""
    return (*BROWSER_PACKAGES, *(("pypdf",) if find_spec("pypdf") else ()))


BROWSER_LIMITS = Limits(memory_mb=3072, processes=384, disk_mb=1024, open_files=2048, cpu_s=3600)
"""Limits under which the browser works: it is a dozen processes with a hundred threads, half a GiB before any page."""

_START_S, _GRACE_S = 120.0, 60.0
_LOST = "The browser and its tabs are gone; the next call starts a new one."


class _Action(msgspec.Struct, frozen=True, kw_only=True):
    """Use a web browser inside the sandbox. It reaches servers that run in the sandbox, and hosts that are allowed.

    Actions: goto (url: an address, or a file of the workspace), back, snapshot, screenshot (an image; of the target, if
    given), click, hover, type (text into target, replacing what is there), press (the key named by text), select (an
    option of the target), scroll (direction, or to the target), wait (for the text or target to appear, or timeout
    seconds), upload (files of the workspace into the target), download (url, or the target's; lands in downloads/),
    tabs, tab (go to it), new_tab, close_tab, console (messages of the page).

    Most actions answer with a snapshot: the page's elements with references such as [ref=e12], to be used as target in
    the next actions.
    """

    action: Literal[
        "goto", "back", "snapshot", "screenshot", "click", "hover", "type", "press", "select", "scroll", "wait",
        "upload", "download", "tabs", "tab", "new_tab", "close_tab", "console",
    ]  # fmt: skip
    url: str = ""
    target: Annotated[
        str, msgspec.Meta(description="Reference from the last snapshot, or a selector of Playwright.")
    ] = ""
    text: str = ""
    values: Annotated[list[str], msgspec.Meta(description="Options to select, or files to upload, if several.")] = []
    submit: Annotated[bool, msgspec.Meta(description="Press Enter after typing.")] = False
    direction: Literal["down", "up", "top", "bottom"] = "down"
    tab: Annotated[int, msgspec.Meta(description="Number of a tab, from 1.")] = 0
    full_page: Annotated[bool, msgspec.Meta(description="Screenshot of the whole page.")] = False
    start: Annotated[int, msgspec.Meta(ge=0, description="Show the snapshot from this character on.")] = 0
    dialog: Annotated[
        Literal["dismiss", "accept"], msgspec.Meta(description="Answer to confirm and prompt dialogs that this opens.")
    ] = "dismiss"
    dialog_text: Annotated[str, msgspec.Meta(description="What to enter in a prompt dialog.")] = ""
    timeout: Annotated[float, msgspec.Meta(gt=0, le=300, description="Seconds that the action may take.")] = 15.0


class _Image(msgspec.Struct, frozen=True):
    data: bytes


class _Did(Reply, frozen=True, kw_only=True):
    how: Literal["ok", "failed", "gone", "absent"]
    text: str = ""
    dropped: Annotated[int, msgspec.Meta(ge=0)] = 0
    images: tuple[_Image, ...] = ()


class BrowserTool:
    """The tool that drives one Chromium in the sandbox; made once for each trial."""

    def __init__(self, *, characters: int = 10_000) -> None:
        """A browser that has not started.

        Args:
            characters: Most characters of a page's snapshot that one call gives back; half from the beginning, half
                from the end.
        """
        self._characters = characters
        self._guest: Guest[_Did] | None = None
        self._box: Sandbox | None = None
        self._one = anyio.Lock()
        self._arguments = Arguments(_Action, skip=0)
        self.spec = ToolSpec(name="browser", doc=cleandoc(_Action.__doc__ or ""), schema=self._arguments.schema)

    async def __call__(self, box: Sandbox, arguments: Mapping[str, Any]) -> ToolResult:
        """Does one action; see `Tool.__call__`."""
        given = self._arguments.checked_arguments(arguments)
        async with self._one:
            if box is not self._box or (self._guest and self._guest.gone):
                await self.close()
            return await self._do_action(box, given)

    async def close(self) -> None:
        """Ends the browser and all that it started; idempotent."""
        guest, self._guest = self._guest, None
        if guest:
            await guest.close()

    async def _do_action(self, box: Sandbox, given: dict[str, Any]) -> ToolResult:
        if self._guest is None:
            self._guest, self._box = (
                await Guest.start(box, ("wire", "chromium", "tabs", "pdf", "actions", "browser"), _Did),
                box,
            )
        try:
            request = {**given, "characters": self._characters}
            did = await self._guest.ask_guest(request, _START_S + given["timeout"] + _GRACE_S)
        except GuestGone as error:
            self._guest = None
            return ToolResult(text=f"[The browser is gone: {middle_dropped(tidy_text(str(error)), 2000)[0]}. {_LOST}]")
        text, cut = middle_dropped(
            tidy_text(did.text), self._characters + 8000
        )  # beside the snapshot: what happened, and where
        if did.how == "absent":
            await self.close()
            raise ToolError(
                f"there is no browser here: {text}. Whoever opens the sandbox must show Playwright, with "
                "layout=packages_layout(BROWSER_PACKAGES) and BROWSER_LIMITS, after pip install 'honestly[browser]'."
            )
        if did.how == "gone":
            await self.close()
            return ToolResult(text=f"[The browser ended; perhaps the page needed more memory than there is. {_LOST}]")
        if did.how == "failed":
            raise ToolError(text)
        images = tuple(one for image in did.images[:1] if (one := picture_in(image.data)))
        return ToolResult(text=text or "done", images=images, dropped=did.dropped + cut)
