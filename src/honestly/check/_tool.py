"""A check as a tool of the agent `honest`, which works on a copy of a checkout: it gets the page, and goes on.

What it was told and what it did then are steps of its trajectory. The state before is the checkout itself, so the tool
is for `honestly agent do`, and for no tasks of a study.
"""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from honestly.agents import copy_of, without_clutter
from honestly.check._change import Change
from honestly.check._check import CheckTerms, check_change
from honestly.check._kept import KeptParts
from honestly.check._suite import open_suite
from honestly.errors import HonestlyError, ToolError
from honestly.records import Edit
from honestly.sandbox import Sandbox, open_sandbox
from honestly.show import printable_text_line
from honestly.tools import ToolResult, tool
from honestly.work import Journal

_MOST = 400


class CheckTool:
    """Checks the work so far against the checkout that an agent got a copy of."""

    def __init__(self, *, place: str = ".") -> None:
        """A tool for a copy of the checkout at a folder."""
        self._top, self._tool = Path(place).resolve(), tool(self.check)
        self.spec = self._tool.spec

    async def __call__(self, box: Sandbox, arguments: Mapping[str, Any]) -> ToolResult:
        """The page of a check."""
        return await self._tool(box, arguments)

    async def close(self) -> None:
        """Does nothing: there is nothing to release."""

    async def check(self, box: Sandbox, claim: str = "") -> str:
        """Check your changes so far: what they break, faults that no test notices, whether the claim is true.

        It takes minutes. `claim` is what you are going to say of them.
        """
        before = copy_of(self._top).tree
        edit, _ = without_clutter(self._top, before, Edit.between(before, await box.snapshot()))
        change = Change("", "", "", before, edit.apply(before), (claim,) if claim else ())
        if not change.paths:
            raise ToolError("no file differs from the checkout; change something first")
        try:
            with TemporaryDirectory() as folder, Journal(Path(folder, "check.jsonl"), kind="check") as journal:
                kept = KeptParts(journal)
                suite = await open_suite(change, self._top, open_sandbox, kept=kept)
                found = await check_change(change, suite, CheckTerms(), kept, lambda _words: None)
        except HonestlyError as error:
            raise ToolError(f"it cannot be checked: {error}") from error
        rows = [f"{row.weight}: {printable_text_line(row.text)[:_MOST]}" for row in found.shown_rows()[0]]
        return "\n".join([found.sentence, *rows])
