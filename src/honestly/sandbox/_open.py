"""Opening a sandbox: the one place that decides which kind it is."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from honestly.records import Tree
from honestly.sandbox._api import Limits, Sandbox
from honestly.sandbox._linux import LinuxSandbox
from honestly.sandbox._unsafe import UnsafeSandbox

__all__ = ["open_sandbox"]

_DEFAULT = Limits()


@asynccontextmanager
async def open_sandbox(tree: Tree, limits: Limits = _DEFAULT, *, unsafe: bool = False) -> AsyncIterator[Sandbox]:
    """Open a sandbox whose workspace holds the files of `tree`; on leaving, everything inside is killed.

    Args:
        tree: The files of `/workspace`.
        limits: What the code inside may use.
        unsafe: Isolate nothing (`UnsafeSandbox`); for people who know that the code is harmless.

    Raises:
        SandboxUnavailableError: This machine does not let us build a sandbox; the message says what to do.
        SandboxError: The files don't fit.
    """
    box: Sandbox = await (UnsafeSandbox if unsafe else LinuxSandbox).open(tree, limits)
    try:
        yield box
    finally:
        await box.close()
