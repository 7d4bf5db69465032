"""Takes blanks from the ends of lines, and sees to it that files end with exactly one line end."""

import os
import re
import sys
from pathlib import Path

BLANKS = re.compile(rb"(?<![ \t])[ \t]++(?=\r?\n|\Z)")
LINE_END = re.compile(rb"\r?\n")
LAST_END = re.compile(rb"\r?\n|\Z")


def size_of_text(content: bytes) -> int:
    """Where the line ends begin that are the end of a file."""
    size = len(content)
    while content.endswith(b"\n", 0, size):
        size -= 2 if content.endswith(b"\r\n", 0, size) else 1
    return size


def cleaned(content: bytes) -> bytes:
    """The content of a file as it should be."""
    content = BLANKS.sub(b"", content)
    size = size_of_text(content)
    if size == 0:
        return b""
    kept = LAST_END.match(content, size)[0]
    if not kept:
        first = LINE_END.search(content)
        kept = first[0] if first else b"\n"
    whole = content[:size] + kept
    # A carriage return at the very end has become a part of a line end.
    return cleaned(whole) if whole != content and content.endswith(b"\r") else whole


def main(paths: list[str]) -> int:
    """Changes files in place, and prints which."""
    code = 0
    for path in paths:
        content = Path(path).read_bytes()
        wanted = cleaned(content)
        if wanted != content:
            Path(path).write_bytes(wanted)
            sys.stdout.buffer.write(os.fsencode(path) + b"\n")
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
