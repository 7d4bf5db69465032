"""Prints the report of a folder."""

import os
import sys
from itertools import groupby
from typing import BinaryIO
from zlib import crc32

from shiftlog.entries import BadLine, Entry, read_folder, site_names

WIDTH = 72
AUTHOR = b"SHIFTLOG_AUTHOR"


def report(entries: list[Entry], author: str) -> list[str]:
    """The lines of a report."""
    names = site_names()
    placed = sorted(((names.get(entry.site, entry.site), entry) for entry in entries), key=lambda place: (place[0], place[1].time))
    lines = [f"Shift log, {max(entry.time for entry in entries).date()}", f"by {author}"]
    for site, group in groupby(placed, key=lambda place: place[0]):
        own = [entry for _site, entry in group]
        crew = sorted({entry.name for entry in own})
        lines += ["", f"{site} ({crc32(site.encode()) % 8})", *map(entry_line, own), f"  crew: {', '.join(crew)}"]
    return lines


def entry_line(entry: Entry) -> str:
    """An entry as it is reported."""
    line = f"  {entry.time:%Y-%m-%d %H:%M}Z  {entry.name}: {entry.note}".rstrip()
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


def put(stream: BinaryIO, *lines: str) -> None:
    """Writes lines in UTF-8; what was not UTF-8 comes out as it came in."""
    stream.write("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    stream.flush()


def main() -> int:
    """Does what the command does; gives the exit status."""
    if len(sys.argv) != 2:
        put(sys.stderr.buffer, "expected a folder")
        return 2
    try:
        entries = read_folder(sys.argv[1])
    except BadLine as error:
        put(sys.stderr.buffer, str(error))
        return 2
    if not entries:
        return 2
    author = os.environb.get(AUTHOR, b"").decode("utf-8", "surrogateescape") or "unknown"
    put(sys.stdout.buffer, *report(entries, author))
    return 0


if __name__ == "__main__":
    sys.exit(main())
