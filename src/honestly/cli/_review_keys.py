"""Keys as they come from a terminal, one word for each, and Ctrl-C as an answer that is always heard.

The first Ctrl-C is a key like the others, and asks; a second one before any other key leaves at once, whatever is being
drawn or read at that moment.
"""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["INTERRUPT", "RESIZED", "Keys", "listening"]

INTERRUPT, RESIZED = "interrupt", "resized"

_KEY = re.compile(r"\x1b\[([0-9;?]*)([@-~])|\x1bO(.)|[\s\S]")
_NAMED = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_NUMBERED = {"1": "home", "4": "end", "5": "page up", "6": "page down", "7": "home", "8": "end"}


class Keys:
    """What the person presses."""

    def __init__(self, wake: int) -> None:
        """Keys of standard input; `wake` can be read when a signal came."""
        self._wake = wake
        self._pressed: list[str] = []
        self.interrupts = 0
        """Ctrl-C since the last other key."""
        self.ended = False
        """Whether nothing more can come."""

    def next(self) -> str:
        """The next key: a character, a name like `page down`, INTERRUPT or RESIZED; waits for it."""
        while not self._pressed:
            if self.ended:
                return "q"
            ready, _, _ = select.select([sys.stdin.fileno(), self._wake], [], [])
            if self._wake in ready:
                self._signals(os.read(self._wake, 64))
            else:
                data = os.read(sys.stdin.fileno(), 4096)
                self.ended = not data
                self._pressed += split_keys(data.decode("utf-8", "replace"))
        key = self._pressed.pop(0)
        if key not in {INTERRUPT, RESIZED}:
            self.interrupts = 0
        return key

    def interrupt(self) -> None:
        """Notes a Ctrl-C; the second one in a row is an error that leaves."""
        self.interrupts += 1
        if self.interrupts > 1:
            raise KeyboardInterrupt

    def _signals(self, data: bytes) -> None:
        self._pressed += [INTERRUPT if number == signal.SIGINT else RESIZED for number in data]


def split_keys(text: str) -> list[str]:
    """Each key of what came at once: escape sequences by name, or left out where they have none."""
    keys = []
    for match in _KEY.finditer(text):
        numbers, letter, function = match.groups()
        if letter or function:
            named = _NUMBERED.get(numbers, "") if letter == "~" else _NAMED.get(letter or function, "")
            keys += [named] if named else []
        else:
            keys.append(match[0])
    return keys


@contextmanager
def listening() -> Iterator[Keys]:
    """Keys, with Ctrl-C and changes of the window among them; afterwards signals are what they were."""
    read, write = os.pipe()
    os.set_blocking(write, False)
    keys = Keys(read)

    def heard(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT:
            keys.interrupt()
        os.write(write, bytes([number]))

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGWINCH)}
    try:
        yield keys
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read)
        os.close(write)
