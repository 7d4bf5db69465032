"""A plug-in of pytest that stops a test which hangs, so that the others are run.

The first has as long as the orders say, later ones less: tests that wait for the same thing in vain come in numbers. A
test that hung in an earlier run has two seconds. It stops what waits in Python, and no loop in a compiled module.
"""

from __future__ import annotations

import json
import signal

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from types import FrameType
    from typing import Any

_KNOWN_S, _LEAST_S = 2.0, 3.0

with open("honestly_limits.json", encoding="utf-8") as _file:
    _orders = json.load(_file)


class _Limits:
    def __init__(self) -> None:
        self._seconds: float = _orders["seconds"]
        self._hung = set(_orders["hung"])

    def _phase(self, item: Any) -> Generator[None, None, None]:
        known = item.nodeid in self._hung
        seconds = _KNOWN_S if known else self._seconds

        def stop(_signal: int, _frame: FrameType | None) -> None:
            if not known:
                self._seconds = max(_LEAST_S, self._seconds / 4)
                self._hung.add(item.nodeid)
            pytest.fail(f"{_orders['word']} {seconds:.0f} s", pytrace=False)

        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self, item: Any) -> Generator[None, None, None]:
        yield from self._phase(item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: Any) -> Generator[None, None, None]:
        yield from self._phase(item)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_teardown(self, item: Any) -> Generator[None, None, None]:
        yield from self._phase(item)


def pytest_configure(config: Any) -> None:
    config.pluginmanager.register(_Limits(), "honestly-limits")
