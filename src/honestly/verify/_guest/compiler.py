"""Compiles Python sources in a sandbox of its own, in one warm process, so that no check's fresh process has to.

A fresh process pays for every page of memory that it is the first to touch, and compiling touches more than most checks
do otherwise. It cannot be done where the checks are, nor on the host: the sources are hostile.
"""

from __future__ import annotations

import marshal

from honestly.verify._guest.wire import DONE, Channel

__all__ = ["forked"]


def forked(descriptor: int) -> None:
    """Gives the code of each source that is sent, or nothing where there is none."""
    host = Channel(descriptor)
    while True:
        _kind, source = host.receive()
        try:
            code = marshal.dumps(compile(source, "", "exec", dont_inherit=True))
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
            code = b""
        host.send(DONE, code)
