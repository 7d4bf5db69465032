"""What trials cost the registries, as the programs that install said it: requests, bytes, and what was fetched again.

A line of a step's output is one file that was fetched, or taken from a cache; `pip`, `uv`, `cargo` and `go` print one
for each, npm prints none and is counted by its packages. Bytes are those that are printed. A file is a *repeat* if an
earlier trial of the study had fetched it: a cache that all trials share would have spared it. What was printed to
nobody, with `-q`, is not seen.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_FETCHED = re.compile(
    r"^\s*(?:Downloading|Downloaded) (?P<name>[^\s(]+(?: v[\d.]+\S*)?)"
    r"(?: \((?P<size>[\d.]+) ?(?P<unit>[kKMG]?i?B|bytes)\))?"
    r"|^go: downloading (?P<go>\S+ \S+)|^added (?P<npm>\d+) packages?\b",
    re.MULTILINE,
)
_CACHED = re.compile(r"^\s*Using cached \S+", re.MULTILINE)
_UNITS = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}


@dataclass(frozen=True, slots=True)
class RegistryCost:
    """What the trials of a study fetched from registries."""

    requests: int
    """Files that were fetched."""
    bytes: int
    """As far as sizes were printed."""
    cached: int
    """Files that came from a cache."""
    repeats: int
    """Files that an earlier trial had fetched already."""


def registry_cost(outputs: Iterable[tuple[str, str]]) -> RegistryCost:
    """What was fetched, by the outputs of commands, each with its trial."""
    requests = size = cached = repeats = 0
    first: dict[str, str] = {}
    for trial, text in outputs:
        cached += len(_CACHED.findall(text))
        for found in _FETCHED.finditer(text):
            count = int(found["npm"] or 1)
            requests += count
            size += round(float(found["size"] or 0) * _UNITS.get((found["unit"] or "")[:1], 1))
            name = found["name"] or found["go"]
            repeats += count * (name is not None and first.setdefault(name, trial) != trial)
    return RegistryCost(requests, size, cached, repeats)
