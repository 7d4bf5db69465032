"""What the grader's process does: takes sets of check files, and runs the checks that the host names, one or a series.

The host takes part in a single check from its beginning to its end. Of a series it sends everything ahead, a wire to a
candidate for each check, and has the candidates' sandbox count the turns that are called here. A series stops at the
first check in which anything is out of the ordinary: too slow, in want of the host, without a candidate. The rest of it
is skipped, and the host sees to it. What came of the others is told many at a time.
"""

from __future__ import annotations

import os
import sys
import time
from functools import partial

from honestly.verify._guest.asking import HostAway, Wire
from honestly.verify._guest.grader import run_check
from honestly.verify._guest.wire import DONE, END, FILES, MORE, SERIES, START, Channel, dumps, loads, plant, take_files

TYPE_CHECKING = False  # importing typing costs every sandbox some milliseconds
if TYPE_CHECKING:
    from collections.abc import Callable

_TELL_S = 0.1
"""How long results of a series may be held back."""
_LONGEST = 2000


class _Series:
    """Where a series stands."""

    def __init__(self, turns: Channel, core: int) -> None:
        self._turns = turns
        self._last: Channel | None = None
        self._cores = os.sched_getaffinity(0)
        self._keep_to({core})
        self.stopped = False
        self._told_at = time.monotonic()

    def turn(self, candidate: Channel) -> None:
        """Has the next candidate begin, now that one is done, which is killed, and need not hear that we hang up."""
        self._turns.turn()
        self._let_go()
        self._last = candidate

    def _let_go(self) -> None:
        if self._last is not None:
            self._last.close()

    def end(self) -> None:
        """Ends it."""
        self._turns.close()
        self._let_go()
        self._keep_to(self._cores)

    @staticmethod
    def _keep_to(cores: set[int]) -> None:
        """Keeps to processors: candidate and grader take turns, and to wake each other on one costs less."""
        try:
            os.sched_setaffinity(0, cores)
        except OSError:
            pass

    def holds_back(self) -> bool:
        """Whether what is to be told now can wait for what comes next."""
        now = time.monotonic()
        if not self.stopped and now < self._told_at + _TELL_S:
            return True
        self._told_at = now
        return False


class _Service:
    """One process that runs checks, and the set of check files that it has."""

    def __init__(self, host: Channel) -> None:
        self._host = host
        self._home = os.getcwd()
        self._sets = 0
        self._series: _Series | None = None

    def files(self, payload: bytes, kind: bytes = FILES) -> None:
        """Takes a set of check files in place of the last."""
        files = take_files(self._host, kind, payload)
        if self._series and self._series.stopped:
            return
        self._sets += 1
        _move(f"{self._home}/set-{self._sets}")
        plant(files)

    def series(self, payload: bytes) -> None:
        """Begins a series."""
        self._series = _Series(Channel(self._host.descriptor()), int(payload))

    def check(self, payload: bytes) -> None:
        """Runs a check."""
        candidate, series = Channel(self._host.descriptor()), self._series
        name, seed, patience = loads(payload, None)
        if series is None:
            done, _ = _run(Wire(self._host, candidate, patience), name, seed)
            candidate.close()
            self._host.send(DONE, done)
        elif series.stopped:
            candidate.close()
        else:
            done, series.stopped = _run(Wire(None, candidate, patience, self._host.flush), name, seed)
            if series.stopped:
                candidate.close()
            else:
                series.turn(candidate)
            self._host.send(DONE, done, held=series.holds_back())

    def end(self, _payload: bytes) -> None:
        """Ends the series."""
        if self._series:
            self._series.end()
            self._series = None
        self._host.send(END, b"")


def _run(wire: Wire, name: str, seed: int) -> tuple[bytes, bool]:
    """Runs a check; returns the message about it, and whether anything was out of the ordinary."""
    began = time.monotonic()
    try:
        status, message, ended = run_check(wire, name, seed)
        how = ended or "whole" if wire.begun or wire.hosted else "unbegun"
    except HostAway:
        status, message, how = "error", "", "host"
    wire.end()
    seconds = time.monotonic() - began
    return dumps([status, message[:_LONGEST], seconds, how], None), how in ("unbegun", "host") or status == "timeout"


def forked(descriptor: int) -> None:
    """Does what the host orders."""
    sys.modules["grader"] = sys.modules[run_check.__module__]
    sys.path.insert(0, "")
    host = Channel(descriptor, takes_descriptors=True)
    service = _Service(host)
    orders: dict[bytes, Callable[[bytes], None]] = {
        FILES: service.files,
        MORE: partial(service.files, kind=MORE),
        SERIES: service.series,
        START: service.check,
        END: service.end,
    }
    while True:
        kind, payload = host.receive()
        orders[kind](payload)


def _move(folder: str) -> None:
    """Goes to a new directory, and forgets the modules that came from the one before."""
    before = os.getcwd() + "/"
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(before):
            del sys.modules[name]
    os.mkdir(folder)
    os.chdir(folder)
