"""Takes blanks off the ends of lines, and sees to it that a file ends with one line end."""

import sys
from pathlib import Path


def main() -> int:
    changed = False
    for name in sys.argv[1:]:
        text = Path(name).read_bytes().decode("utf-8", "surrogateescape")
        lines = [line.rstrip() for line in text.splitlines()]
        while lines and not lines[-1]:
            lines.pop()
        wanted = "".join(f"{line}\n" for line in lines)
        if wanted != text:
            Path(name).write_bytes(wanted.encode("utf-8", "surrogateescape"))
            print(name)
            changed = True
    return int(changed)


if __name__ == "__main__":
    sys.exit(main())
