"""Input from a terminal: a line while an agent works, or keys, one word for each.

While a line is typed, the terminal does not echo, since the line is drawn below what the agent does, and Ctrl-C stays
the terminal's business. Among keys Ctrl-C is an answer that is always heard: the first is a key like the others, and
asks; a second one before any other key leaves at once, whatever is being drawn or read at that moment.
"""

import codecs
import os
import re
import select
import signal
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?")
_LONGEST = 4000


class Typed:
    """The line that is being typed, and the keys that edit it."""

    def __init__(self) -> None:
        self.text = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def keys(self, data: bytes) -> list[str]:
        """Take the keys that came, and return the lines that they finish."""
        lines = []
        for key in _SEQUENCE.sub("", self._decoder.decode(data)):
            if key in "\r\n":
                lines.append(self.text.strip())
                self.text = ""
            elif key in "\x7f\x08":
                self.text = self.text[:-1]
            elif key == "\x15":
                self.text = ""
            elif key == "\x17":
                self.text = "".join(self.text.rstrip().rpartition(" ")[:2])
            elif key.isprintable() and len(self.text) < _LONGEST:
                self.text += key
        return [line for line in lines if line]


@contextmanager
def quiet_keys() -> Iterator[None]:
    """Makes the terminal pass keys at once without echo, and restores it afterwards.

    Nor does it throw away, at a Ctrl-C, what was typed just before: who has been told that there are keys would wait
    for the next one.
    """
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    now = termios.tcgetattr(descriptor)
    now[3] = now[3] & ~(termios.ICANON | termios.ECHO) | termios.NOFLSH
    termios.tcsetattr(descriptor, termios.TCSADRAIN, now)
    try:
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


INTERRUPT, RESIZED = "interrupt", "resized"

_KEY = re.compile(r"\x1b\[([0-9;?]*)([@-~])|\x1bO(.)|[\s\S]")
_NAMED = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_NUMBERED = {"1": "home", "4": "end", "5": "page up", "6": "page down", "7": "home", "8": "end"}


class Keys:
    """The keys that the person presses."""

    def __init__(self, signals: int, taken: tuple[int, int]) -> None:
        """Keys of standard input.

        Args:
            signals: a pipe's end that gives the number of each signal.
            taken: both ends of another pipe, which ends the waiting when signals were taken while it lasted.
        """
        self._signals, self._taken = signals, taken
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
            ready, _, _ = select.select([sys.stdin.fileno(), self._signals, self._taken[0]], [], [])
            if self._signals in ready:
                self.heard()
            elif self._taken[0] in ready:
                os.read(self._taken[0], 64)
            else:
                data = os.read(sys.stdin.fileno(), 4096)
                self.ended = not data
                self._pressed += split_keys(data.decode("utf-8", "replace"))
        key = self._pressed.pop(0)
        if key not in {INTERRUPT, RESIZED}:
            self.interrupts = 0
        return key

    def heard(self) -> None:
        """Takes the signals that came; the second Ctrl-C in a row is an error that leaves."""
        with suppress(BlockingIOError):
            signals = os.read(self._signals, 64)
            self._pressed += [INTERRUPT if number == signal.SIGINT else RESIZED for number in signals]
            self.interrupts += signals.count(signal.SIGINT)
            os.write(self._taken[1], b"!")
        if self.interrupts > 1:
            raise KeyboardInterrupt


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
def keys_listening() -> Iterator[Keys]:
    """Reads keys, Ctrl-C and window changes; restores the signals afterwards."""
    read, write = os.pipe()
    taken = os.pipe()
    for end in (read, write, *taken):
        os.set_blocking(end, False)
    keys = Keys(read, taken)

    # Python calls a handler once for two signals that come while it is busy elsewhere; the pipe gets a byte of each.
    def handle(_number: int, _frame: FrameType | None) -> None:
        keys.heard()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGWINCH)}
    woken = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    try:
        yield keys
    finally:
        signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        for end in (read, write, *taken):
            os.close(end)
