"""The openers of sandboxes that every verdict needs: a way to open a fresh sandbox over a tree of files."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from honestly.records import Preparation, Tree

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


def script_of_harbor(path: str) -> list[str]:
    """The command that runs a script of Harbor's: by bash, or by `sh` in an image that has no bash."""
    return ["sh", "-c", 'if command -v bash >/dev/null; then exec bash "$0"; else exec sh "$0"; fi', path]


def furnished_opener(preparation: Preparation, open_box: OpenBox) -> OpenBox:
    """Opens sandboxes with `open_box` that also show, and have the memory for, what a task's workspace needs.

    Raises:
        TaskError: what was installed for it is not on this machine any more.
    """
    from honestly.sandbox import Layout, Limits
    from honestly.tasks import preparation_layout

    own, plain, usual = preparation_layout(preparation), Layout(), Limits()

    def opened(
        tree: Tree,
        /,
        *,
        layout: Layout = plain,
        **how: Any,  # noqa: ANN401 - what an OpenBox takes
    ) -> AbstractAsyncContextManager[Sandbox]:
        limits = how.get("limits", usual)
        if (preparation.memory_mb or 0) > limits.memory_mb:
            how["limits"] = replace(limits, memory_mb=preparation.memory_mb)
        packages, shown = {**layout.packages, **own.packages}, {**layout.shown, **own.shown}
        return open_box(tree, layout=replace(layout, packages=packages, shown=shown, pythonpath=own.pythonpath), **how)

    return opened
