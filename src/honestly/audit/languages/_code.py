"""What detectors ask of source code in other languages than Python: functions, handlers, exits, tests, constants.

The same facts for each of nine languages, so that a detector knows none of them. The parsers are an extra
(`pip install 'honestly[languages]'`). They run in a process of their own, with limits of time and memory: their
recovery from errors may take square time, and their input is hostile. Without the extra, for files of more than 128 KiB
and beyond the limits there are no facts; `unread_files` counts such files, so that nobody takes them for read.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Iterable
from functools import lru_cache
from threading import Lock

import msgspec

from honestly.audit.languages._grammars import installed, language_of
from honestly.audit.languages._walk import Facts
from honestly.audit.languages._worker import LENGTH

__all__ = ["facts_of", "unread_files"]

_LARGEST = 1 << 17
_REFUSED = 1000
_refused: set[int] = set()
"""Texts that were beyond the limits, for counting them."""


def facts_of(path: str, text: str) -> Facts | None:
    """The facts of a file; None for Python, for other languages, and where it cannot be read."""
    language = language_of(path)
    return _facts(language, text) if language and len(text) <= _LARGEST else None


def unread_files(files: Iterable[tuple[str, str]]) -> int:
    """How many of these files (path and text) are in one of the languages, and could not be read."""
    return sum(
        len(text) > _LARGEST or not installed(language) or hash((language, text)) in _refused
        for path, text in files
        if (language := language_of(path))
    )


@lru_cache(maxsize=64)
def _facts(language: str, text: str) -> Facts | None:
    if not installed(language):
        return None
    found = _worker.ask(language, text.encode("utf-8", "replace"))
    if found is None:
        if len(_refused) >= _REFUSED:
            _refused.clear()
        _refused.add(hash((language, text)))
    return found


class _Worker:
    """The process that parses: started when it is first needed, and again when a file has killed it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._lock = Lock()

    def ask(self, language: str, data: bytes) -> Facts | None:
        """The facts of a file; None where it is beyond the limits."""
        request = msgspec.msgpack.encode((language, data))
        with self._lock:
            process = self._running()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(LENGTH.pack(len(request)) + request)
                process.stdin.flush()
                head = process.stdout.read(LENGTH.size)
                reply = process.stdout.read(*LENGTH.unpack(head)) if len(head) == LENGTH.size else b""
                return msgspec.msgpack.decode(reply, type=Facts | None)
            except (OSError, msgspec.DecodeError):  # it is dead, or not itself any more
                self.stop()
                return None

    def stop(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            process.kill()
            process.communicate()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._owner != os.getpid():  # a fork must not use its parent's pipes
            self._owner = os.getpid()
            atexit.unregister(self.stop)
            atexit.register(self.stop)
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "honestly.audit.languages._worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PYTHONPATH": os.pathsep.join(sys.path)},
            )
        return self._process


_worker = _Worker()
