"""Cuts pieces out of logs."""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

LEVELS = ("debug", "info", "warning", "error")
_START = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (debug|info|warning|error) ", re.ASCII)


def main(arguments: Sequence[str], out: TextIO) -> int:
    """Does what the command does with these arguments; gives the exit status."""
    parser = argparse.ArgumentParser(prog="logcut")
    parser.add_argument("--since", default="")
    parser.add_argument("--until", default="")
    parser.add_argument("--level", choices=LEVELS, default="")
    parser.add_argument("--count", action="store_true")
    parser.add_argument("files", nargs="+")
    try:
        options = parser.parse_args(list(arguments))
    except SystemExit as stop:
        return 2 if stop.code else 0
    records = 0
    filtered = bool(options.since or options.until or options.level)
    for file in options.files:
        for line in Path(file).read_text().splitlines(keepends=True):
            start = _START.match(line)
            wanted = _wanted(options, start) if start else not filtered
            records += bool(start and wanted)
            if wanted and not options.count:
                out.write(line)
    if options.count:
        out.write(f"{records}\n")
    return 0 if records else 1


def _wanted(options: argparse.Namespace, start: re.Match[str]) -> bool:
    if options.since and start[1] < options.since:
        return False
    if options.until and start[1] >= options.until:
        return False
    return not options.level or LEVELS.index(start[2]) >= LEVELS.index(options.level)
