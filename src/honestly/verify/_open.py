"""What every verdict needs from outside: a way to open a fresh sandbox over a tree of files."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

from honestly.records import Tree

if TYPE_CHECKING:
    from honestly.sandbox import Egress, Extent, Layout, Limits, Sandbox


class OpenBox(Protocol):
    """Opens a fresh sandbox over a tree of files. Harbor's scripts and other people's programs need their own."""

    def __call__(
        self,
        tree: Tree,
        /,
        *,
        layout: Layout = ...,
        limits: Limits = ...,
        egress: Egress | None = ...,
        extent: Extent = ...,
    ) -> AbstractAsyncContextManager[Sandbox]: ...
