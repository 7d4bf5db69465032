"""Opening a sandbox: the one place that decides which kind it is."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from honestly.errors import SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox._api import Limits, Sandbox
from honestly.sandbox._layout import DEFAULT, Layout

__all__ = ["open_sandbox"]

_LIMITS = Limits()


@asynccontextmanager
async def open_sandbox(
    tree: Tree, limits: Limits = _LIMITS, *, layout: Layout = DEFAULT, unsafe: bool = False
) -> AsyncIterator[Sandbox]:
    """Open a sandbox whose workspace holds the files of `tree`; on leaving, everything inside is killed.

    Args:
        tree: The files of the workspace.
        limits: What the code inside may use.
        layout: Where the workspace lies, and which other directories there are.
        unsafe: Isolate nothing (`UnsafeSandbox`); for people who know that the code is harmless. Of a layout, it can
            only show packages.

    Raises:
        ValueError: The layout does not fit this machine.
        SandboxUnavailableError: This machine does not let us build a sandbox; the message says what to do.
        SandboxError: The files don't fit.
    """
    if os.name != "posix":
        raise SandboxUnavailableError(
            f"commands cannot be run on {sys.platform}. Run honestly in a Linux container (Docker, Podman) or virtual "
            "machine; everything but running untrusted code works here."
        )
    box = await _open(tree, limits, layout, unsafe=unsafe)
    try:
        yield box
    finally:
        await box.close()


async def _open(tree: Tree, limits: Limits, layout: Layout, *, unsafe: bool) -> Sandbox:
    # Imported late: on other systems the modules behind these do not exist.
    if unsafe:
        if layout != Layout(packages=layout.packages):
            raise SandboxUnavailableError(
                f"without isolation nothing can be shown at {', '.join(layout.places)}; run this in a sandbox"
            )
        from honestly.sandbox._unsafe import UnsafeSandbox

        return await UnsafeSandbox.open(tree, limits, layout.packages)
    from honestly.sandbox._linux import LinuxSandbox

    return await LinuxSandbox.open(tree, limits, layout)
