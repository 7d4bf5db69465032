"""Where events of trials match a regular expression, whatever the expression and the texts are.

Python's expressions can take for ever on a text that was made for it, so they run in a program of their own that gets a
text and gives places; the kernel ends it when it has used its seconds of CPU on one trial. Such a trial is said not to
be searched, and the next one goes to a fresh program.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from honestly.audit import TrialEvent
from honestly.errors import SettingsError

SECONDS = 2.0
"""Of CPU for one trial."""
_MOST = 1000
"""Places in one event."""
_PROGRAM = """
import json, re, signal, sys
from itertools import islice
pattern = re.compile(sys.argv[1])
for line in sys.stdin.buffer:
    signal.setitimer(signal.ITIMER_VIRTUAL, float(sys.argv[2]))
    texts = json.loads(line)
    found = [[match.span() for match in islice(pattern.finditer(text), int(sys.argv[3]))] for text in texts]
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    print(json.dumps(found), flush=True)
"""


class Match(NamedTuple):
    """A place in an event."""

    event: TrialEvent
    start: int
    """Its first character in the text that is searched."""
    end: int
    """The character after its last."""


class Grep:
    """A compiled regular expression to search for."""

    def __init__(self, expression: str, seconds: float = SECONDS) -> None:
        """Nothing runs yet.

        Args:
            expression: as Python's `re` takes it.
            seconds: of CPU that one trial may take.

        Raises:
            SettingsError: the expression is none.
        """
        try:
            re.compile(expression)
        except (re.error, RecursionError, OverflowError) as error:
            raise SettingsError(f"--grep takes a regular expression of Python's; {expression!r}: {error}") from None
        self._words = [sys.executable, "-I", "-S", "-c", _PROGRAM, expression, str(seconds), str(_MOST)]
        self._running: subprocess.Popen[bytes] | None = None

    def matches(self, events: Iterable[TrialEvent]) -> Iterator[Match] | None:
        """The places in a trial's events, in order; None where the search took too long."""
        held = list(events)
        running = self._running or subprocess.Popen(
            self._words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        self._running = running
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            running.stdin.write(json.dumps([event.text for event in held]).encode() + b"\n")
            running.stdin.flush()
            answer = running.stdout.readline()
        except BrokenPipeError:
            answer = b""
        if not answer:
            self.close()
            return None
        found = zip(held, json.loads(answer), strict=True)
        return (Match(event, start, end) for event, spans in found for start, end in spans)

    def close(self) -> None:
        """Ends the program."""
        if self._running is not None:
            self._running.kill()
            self._running.communicate()
            self._running = None
