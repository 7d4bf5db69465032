"""The process that parses: the parsers are C code, the source is hostile, and one step of theirs may take any time.

Requests and replies go over standard input and output, each with its length before it. A request that takes more
processor time or memory than it may kills this process, and nothing else.
"""

from __future__ import annotations

import contextlib
import struct
import sys

import msgspec

from honestly.audit.languages._grammars import parser_of
from honestly.audit.languages._walk import Facts, TooMuchError, walk

__all__ = ["LENGTH", "main"]

LENGTH = struct.Struct("<I")
"""Of a message, bytes."""
_SECONDS, _MEMORY = 2.0, 1 << 30


def main() -> None:
    """Answers until nobody asks any more."""
    import resource
    import signal

    with contextlib.suppress(ValueError, OSError):  # some systems know no such limit
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    while head := sys.stdin.buffer.read(LENGTH.size):
        language, data = msgspec.msgpack.decode(sys.stdin.buffer.read(*LENGTH.unpack(head)), type=tuple[str, bytes])
        signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)  # its signal ends the process
        reply = msgspec.msgpack.encode(_facts(language, data))
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        sys.stdout.buffer.write(LENGTH.pack(len(reply)) + reply)
        sys.stdout.buffer.flush()


def _facts(language: str, data: bytes) -> Facts | None:
    try:
        return walk(language, data, parser_of(language).parse(data).root_node)
    except TooMuchError:
        return None


if __name__ == "__main__":
    main()
