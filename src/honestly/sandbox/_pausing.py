"""Sandboxes that can be paused, and deadlines that do not run meanwhile.

While a sandbox is paused nothing in it runs and nothing begins. Whose time that is: nobody's. The keeper moves the
deadlines of its commands, and here those move that somebody outside has set over work in the sandbox
(`unpaused_limit`). Clocks inside go on, as on a laptop that was closed: what counts seconds by itself, as `timeout`
does, counts the pause, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, runtime_checkable

import anyio

from honestly.sandbox._api import Sandbox

_LONG_S = 1e8


@runtime_checkable
class PausableSandbox(Sandbox, Protocol):
    """A sandbox that can be paused."""

    patience: Patience

    async def pause(self) -> None:
        """Let nothing inside run until `resume`; what is asked of it meanwhile is done after that, files apart.

        Raises:
            SandboxError: Something inside went on running; or the sandbox is closed or broken.
        """
        ...

    async def resume(self) -> None:
        """Let everything run again; see `pause`."""
        ...


class Patience:
    """The deadlines over work in a sandbox, and for how long it has been paused."""

    def __init__(self) -> None:
        self._scopes: set[anyio.CancelScope] = set()
        self._since: float | None = None
        self.paused_s = 0.0
        """Seconds of all pauses that have ended."""

    @contextmanager
    def unpaused_limit(self, seconds: float | None) -> Iterator[anyio.CancelScope]:
        """`anyio.move_on_after`, for seconds in which the sandbox is not paused."""
        with anyio.move_on_after(seconds) as scope:
            if self._since is not None:
                scope.deadline += _LONG_S
            self._scopes.add(scope)
            try:
                yield scope
            finally:
                self._scopes.discard(scope)

    def hold_deadlines(self) -> None:
        """Let no deadline come while the sandbox is paused."""
        self._since = anyio.current_time()
        self._move(_LONG_S)

    def go_on(self) -> None:
        """Count on, from where it was held."""
        if self._since is not None:
            lasted, self._since = anyio.current_time() - self._since, None
            self.paused_s += lasted
            self._move(lasted - _LONG_S)

    def _move(self, seconds: float) -> None:
        for scope in self._scopes:
            scope.deadline += seconds


def pausable_box(box: Sandbox) -> PausableSandbox | None:
    """The sandbox, if it can be paused."""
    return box if hasattr(box, "patience") and isinstance(box, PausableSandbox) else None


def unpaused_limit(box: Sandbox, seconds: float | None) -> AbstractContextManager[anyio.CancelScope]:
    """`anyio.move_on_after`, for seconds in which a sandbox is not paused."""
    found = pausable_box(box)
    return found.patience.unpaused_limit(seconds) if found else anyio.move_on_after(seconds)


def paused_s(box: Sandbox) -> float:
    """Seconds for which a sandbox has been paused so far."""
    found = pausable_box(box)
    return found.patience.paused_s if found else 0.0
