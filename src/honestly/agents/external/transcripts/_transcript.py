"""The record that a program keeps of its own, to be compared with the proxy's; and what its readers share.

Each program has a reader in this folder: of what the program printed, and of the files that it left, by path below its
home. A reader takes hostile bytes, and skips what it cannot read; where neither holds a record, it gives None.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from honestly._loose import inside, objects_of
from honestly.records import Usage

_MOST_LINES = 200_000
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_UNKNOWN = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnCall:
    """A tool call in the program's own record."""

    id: str
    """Given by the model; empty where the program does not keep it."""
    name: str
    result: str | None = None
    """None where the record has none."""
    code: int | None = None
    """Exit status, where the record says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRecord:
    """What the program itself says that it did."""

    calls: tuple[OwnCall, ...] = ()
    usage: Usage = _UNKNOWN
    """What it does not say stays unknown."""
    helpers: bool = True
    """Whether the tokens are those of the whole run, not of the agent's own conversation alone."""
    session: str = ""
    stop: str = ""
    """How it ended, in its own words."""
    failed: bool = False
    """Whether it says that it broke off in an error; some end with status 0 all the same."""


def nothing(_stdout: bytes, _files: Mapping[str, bytes]) -> OwnRecord | None:
    """The reader of a program that keeps no record."""
    return None


def json_object(data: bytes) -> dict[str, Any] | None:
    """The JSON object in these bytes; None where they hold none.

    Halves of surrogate pairs, which JavaScript leaves when it shortens a text, become question marks.
    """
    try:
        found = json.loads(data)
        if _HALF.search(data):
            found = json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def json_lines(data: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects among the lines; others are skipped."""
    for line in data.split(b"\n")[:_MOST_LINES]:
        found = json_object(line) if line.startswith(b"{") else None
        if found is not None:
            yield found


def text_of(content: object) -> str:
    """The text in a message's content: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    parts = [part.get("text") for part in objects_of(content)]
    return "\n".join(part for part in parts if isinstance(part, str))


def first(lines: Iterable[Mapping[str, Any]], key: str) -> str:
    """What the first line that has this key says there; empty where none has."""
    return next((str(line[key]) for line in lines if key in line), "")


def counted(found: object, *, read: str, written: str, cached: str = "") -> Usage:
    """The tokens that an object counts under these names: all input, all output, and the input that a cache held."""
    known = {key: value for key, value in inside(found).items() if isinstance(value, int)}
    return Usage(input_tokens=known.get(read), output_tokens=known.get(written), cached_tokens=known.get(cached))


def added(each: Sequence[Usage]) -> Usage:
    """The sum of several; a number that one of them does not have is unknown."""

    def total(name: str) -> int | None:
        known = [number for one in each if (number := getattr(one, name)) is not None]
        return sum(known) if known and len(known) == len(each) else None

    return Usage(**{name: total(name) for name in ("input_tokens", "output_tokens", "cached_tokens")})
