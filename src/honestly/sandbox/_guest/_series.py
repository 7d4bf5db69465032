"""Forks one after the other, at the word of whoever they work with, so that the program outside need not be asked.

The program hands over all wires at once, and with them one end of a line of turns. The other end is with the processes'
partner: each byte that it writes says that the present fork's work is done. That is all that can be said there.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence

__all__ = ["Series"]

_MOST = 256


class Series:
    """The wires that wait for their forks, and the line on which their turns are called."""

    def __init__(self, turns: int, wires: Sequence[int]) -> None:
        """Take over descriptors."""
        os.set_blocking(turns, False)
        self.turns = turns
        self._wires = deque(wires)

    def next(self) -> int:
        """The next fork's wire, which the caller closes; -1 if there is none."""
        return self._wires.popleft() if self._wires else -1

    def called(self) -> int:
        """How many turns were called since the last time; -1 if the partner has hung up."""
        try:
            return len(os.read(self.turns, _MOST)) or -1
        except BlockingIOError:
            return 0
        except OSError:
            return -1

    def close(self) -> None:
        """Let go of what is left."""
        os.close(self.turns)
        while self._wires:
            os.close(self._wires.popleft())
