"""The one line that a person types while an agent works: what comes from the terminal, key by key, and what it makes.

The terminal does not echo, since the line is drawn below what the agent does. Ctrl-C stays the terminal's business.
"""

import codecs
import re
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager

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
    """The terminal hands over keys as they come and does not echo them; afterwards it is as it was.

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
