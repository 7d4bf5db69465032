"""The browser of a hidden check: opened when the check first asks for a page, in a sandbox of its own, gone with it.

Neither the work nor the checks are in that sandbox: only Chromium, the program that drives it, and the files that the
page is made of. So a page that breaks out of its renderer finds nothing to read or to change but itself; it could then
forge answers about itself, as plain data.
"""

import base64
import math
from contextlib import AsyncExitStack
from typing import Any, Literal

from honestly.errors import SandboxError, VerifierError
from honestly.records import Tree
from honestly.sandbox import Sandbox
from honestly.tools import BROWSER_LIMITS
from honestly.tools._guests import Guest, GuestGone, Reply
from honestly.verify._open import OpenBox

_PROGRAM = ("wire", "chromium", "devtools", "keys", "serving", "page")
_START_S, _SPARE_S = 120.0, 20.0
_MOST = 24 << 20


class _Answer(Reply, frozen=True, kw_only=True):
    how: Literal["ok", "no", "late", "absent"]
    text: str = ""
    value: Any = None


class Pages:
    """The browser of one check; leave it as a context to end all of it."""

    def __init__(self, open_box: OpenBox) -> None:
        self._open_box = open_box
        self._stack = AsyncExitStack()
        self._box: Sandbox | None = None
        self._guest: Guest[_Answer] | None = None

    async def __aenter__(self) -> "Pages":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def ask_browser(self, work: Sandbox, folder: str, name: str, given: list[Any], seconds: float) -> list[Any]:
        """The answer to a question: `["ok", value]`, or `["no" or "late", why]`.

        Args:
            work: where the work is, whose files as they are now `open` shows.
            folder: where it lies there.
            name: of the question, as in `tools/_guest/page.py`.
            given: its arguments, plain data.
            seconds: how long the page may take.

        Raises:
            VerifierError: there is no Chromium, or it does not start.
            SandboxError: a sandbox broke.
        """
        if name == "slow":
            return ["late", ""]
        if name == "open":
            # Plain files in a folder of a tree, in base64.
            tree = await work.snapshot()
            files = {
                path: base64.b64encode(file.data).decode()
                for path, file in tree.below(folder).files.items()
                if file.mode != "link"
            }
            if sum(map(len, files.values())) > _MOST:
                return ["no", f"the files of the page are larger than {_MOST >> 20} MiB"]
            given = [*given, files]
        guest, spare = self._guest or await self._start_browser(), _START_S if name == "open" else _SPARE_S
        try:
            answer = await guest.ask_guest({"name": name, "given": given, "seconds": seconds}, seconds + spare)
        except GuestGone as error:
            return ["no", f"the browser is gone: {error}"[:500]]
        return [answer.how, answer.value if answer.how == "ok" else answer.text]

    async def longest_wait(self) -> float:
        """Seconds that the process of the browser that waited longest has waited to run; infinite if not known."""
        if self._box is None:
            return 0.0
        try:
            told = await self._box.exec(["sh", "-c", "cat /proc/[0-9]*/schedstat"], timeout=_SPARE_S)
        except SandboxError:  # a page has worn it out
            return math.inf
        rows = [line.split() for line in told.stdout.splitlines()]
        return max((int(row[1]) / 1e9 for row in rows if len(row) == 3), default=math.inf)

    async def _start_browser(self) -> Guest[_Answer]:
        self._box = await self._stack.enter_async_context(self._open_box(Tree(), limits=BROWSER_LIMITS))
        self._guest = await Guest.start(self._box, _PROGRAM, _Answer)
        self._stack.push_async_callback(self._guest.close)
        # Before it sees any page: from here on, that the browser is gone is the page's doing.
        try:
            answer = await self._guest.ask_guest(
                {"name": "begin", "given": [], "seconds": _START_S}, _START_S + _SPARE_S
            )
        except GuestGone as error:
            raise VerifierError(f"the browser of a check did not start: {error}") from error
        if answer.how != "ok":
            raise VerifierError(f"the browser of a check did not start: {answer.text}")
        return self._guest
