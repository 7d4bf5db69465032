"""Compiles Python sources in one process for many, so that no check's fresh process has to.

A fresh process pays for every page of memory that it is the first to touch, and compiling touches more than most checks
do otherwise. The sources are hostile: it is done where they will run, before any of them does, and not on the host.
"""

from __future__ import annotations

import marshal

from honestly.verify._guest.wire import DONE, Channel


def compile_each(host: Channel, source: bytes) -> None:
    """Sends back the code of a source, and of each that follows; nothing for a source that does not compile."""
    while True:
        try:
            code = marshal.dumps(compile(source, "", "exec", dont_inherit=True))
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
            code = b""
        host.send(DONE, code)
        _kind, source = host.receive()
