"""Looks at the form of a commit's message."""

import re
import sys
from pathlib import Path

FIRST = re.compile(r"[A-Z]{2,5}-(0|[1-9][0-9]*): (?! )(.{0,59}[^ .])")


def is_right(text: str) -> bool:
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    while lines and not lines[0].strip():
        lines.pop(0)
    if not lines:
        return False
    if len(lines) > 1 and lines[1].strip():
        return False
    return lines[0].startswith(("Merge ", 'Revert "')) or FIRST.fullmatch(lines[0]) is not None


if __name__ == "__main__":
    if not is_right(Path(sys.argv[1]).read_text("utf-8")):
        print("expected KEY-1: words, and a blank line after them")
        sys.exit(1)
