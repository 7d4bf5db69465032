"""Prints the report of a folder."""

import os
import shutil
import sys
from datetime import date

from shiftlog.entries import BadLine, read_folder, site_names

WIDTH = shutil.get_terminal_size((72, 20)).columns


def report(entries: list) -> list[str]:
    """The lines of a report."""
    names = site_names()
    lines = [f"Shift log, {date.today()}", f"by {os.environ.get('SHIFTLOG_AUTHOR') or os.environ['USER']}"]
    for site in set(names.get(entry.site, entry.site) for entry in entries):
        own = [entry for entry in entries if names.get(entry.site, entry.site) == site]
        lines += ["", f"{site} ({hash(site) % 8})"]
        for entry in sorted(own, key=lambda entry: entry.time):
            line = f"  {entry.time:%Y-%m-%d %H:%M}Z  {entry.name}: {entry.note}".rstrip()
            lines.append(line if len(line) <= WIDTH else line[: WIDTH - 1] + "…")
        lines.append(f"  crew: {', '.join({entry.name for entry in own})}")
    return lines


def main() -> int:
    assert len(sys.argv) == 2, "expected a folder"
    try:
        entries = read_folder(sys.argv[1])
    except BadLine as error:
        print(error, file=sys.stderr)
        return 2
    if not entries:
        return 2
    for line in report(entries):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
