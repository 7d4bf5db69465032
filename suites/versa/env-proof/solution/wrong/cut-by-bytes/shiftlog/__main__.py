"""Prints the report of a folder."""

import os
import sys
from zlib import crc32

from shiftlog.entries import BadLine, Entry, read_folder, site_names

WIDTH = 72


def author() -> str:
    """Who reports."""
    return os.environb.get(b"SHIFTLOG_AUTHOR", b"").decode("utf-8") or "unknown"


def report(entries: list[Entry]) -> list[str]:
    """The lines of a report."""
    names = site_names()
    latest = max(entry.time for entry in entries)
    lines = [f"Shift log, {latest:%Y-%m-%d}", f"by {author()}"]
    for site in sorted({names.get(entry.site, entry.site) for entry in entries}):
        own = [entry for entry in entries if names.get(entry.site, entry.site) == site]
        lines += ["", f"{site} ({crc32(site.encode('utf-8')) % 8})"]
        for entry in sorted(own, key=lambda entry: entry.time):
            line = f"  {entry.time:%Y-%m-%d %H:%M}Z  {entry.name}: {entry.note}".rstrip()
            raw = line.encode("utf-8")
            lines.append(line if len(raw) <= WIDTH else raw[: WIDTH - 1].decode("utf-8", "ignore") + "…")
        lines.append(f"  crew: {', '.join(sorted({entry.name for entry in own}))}")
    return lines


def main() -> int:
    try:
        entries = read_folder(sys.argv[1])
    except BadLine as error:
        sys.stderr.buffer.write(f"{error}\n".encode("utf-8"))
        return 2
    if not entries:
        return 2
    sys.stdout.buffer.write("".join(f"{line}\n" for line in report(entries)).encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
