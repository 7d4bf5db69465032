"""How much of each file the tests run, as reports say that lie in a checkout already; nothing is run.

Read are Cobertura's XML (`coverage xml`, c8, nyc), LCOV and Go's profiles. A report may be older than the code.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path

REPORTS = (
    *("coverage.xml", "coverage/cobertura-coverage.xml", "lcov.info", "coverage/lcov.info", "coverage.lcov"),
    *("coverage.out", "cover.out"),
)
_LARGEST, _MOST = 64 << 20, 5_000_000
_COBERTURA = re.compile(
    r"<class\b[^<>]*?\sfilename=\"([^\"]+)\"|<line\b(?=[^<>]*?\shits=\"(\d{1,12})\")[^<>]*?\snumber=\"(\d{1,9})\""
)
_LCOV = re.compile(r"^(?:SF:(.+)|DA:(?P<line>\d{1,9}),(?P<hits>\d{1,12})\b.*)$", re.MULTILINE)
_GO = re.compile(r"^(\S+\.go):(\d{1,9})\.\d+,(\d{1,9})\.\d+ \d+ (\d{1,12})$", re.MULTILINE)


def covered_shares(top: Path, paths: Collection[str]) -> tuple[str, Mapping[str, float]]:
    """The first report in a folder that speaks of some of these files, and of each the share of lines that ran."""
    for name in REPORTS:
        place = top / name
        if place.is_file() and not place.is_symlink() and place.stat().st_size <= _LARGEST:
            ran: dict[str, dict[int, bool]] = {}
            for said, line, hit in islice(_lines(place.read_text("utf-8", "replace")), _MOST):
                lines = ran.setdefault(said, {})
                lines[line] = lines.get(line, False) or hit
            found = {
                path: sum(lines.values()) / len(lines) for said, lines in ran.items() for path in _meant(said, paths)
            }
            if found:
                return name, found
    return "", {}


def _lines(text: str) -> Iterator[tuple[str, int, bool]]:
    path = ""
    for found in _COBERTURA.finditer(text) if "<class" in text else ():
        path = found[1] or path
        if found[3]:
            yield path, int(found[3]), found[2] != "0"
    for found in _LCOV.finditer(text) if "SF:" in text else ():
        path = found[1] or path
        if found["line"]:
            yield path.strip(), int(found["line"]), int(found["hits"]) > 0
    for found in _GO.finditer(text) if text.startswith("mode:") else ():
        for line in range(int(found[2]), min(int(found[3]), int(found[2]) + 10_000) + 1):
            yield found[1], line, found[4] != "0"


def _meant(said: str, paths: Collection[str]) -> Iterator[str]:
    """The file that a report names from another folder, if it can be but one."""
    above = [path for path in paths if path == said] or [path for path in paths if path.endswith(f"/{said}")]
    below = sorted((path for path in paths if said.endswith(f"/{path}")), key=len)[-1:]
    found = above or below
    yield from found if len(found) == 1 else ()
