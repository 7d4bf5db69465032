"""Takes blanks off the ends of lines, and sees to it that a file ends with one line end."""

import re
import sys
from pathlib import Path


def cleaned(data: bytes) -> bytes:
    """What a file should be."""
    found = re.search(rb"\r?\n", data)
    end = found[0] if found else b"\n"
    short = re.sub(rb"[ \t]+(?=\r?\n|\Z)", b"", data)
    body = re.sub(rb"(\r?\n)+\Z", b"", short)
    if not body:
        return b""
    return body + (re.match(rb"\r?\n", short[len(body) :]) or [end])[0]


def main() -> int:
    changed = False
    for name in sys.argv[1:]:
        data = Path(name).read_bytes()
        wanted = cleaned(data)
        if wanted != data:
            Path(name).write_bytes(wanted)
            print(name)
            changed = True
    return int(changed)


if __name__ == "__main__":
    sys.exit(main())
