"""The interface of drivers: how somebody else's agent is started without a person, and how its own record is read.

A driver is data and two functions. `launch` says how to start the program: arguments, variables, files of its home. It
gets the address and the token of the proxy, never a key. `read` reads the record that the program itself keeps, its
stream or its session file, to be compared with the proxy's. It takes hostile bytes, and skips what it cannot read. What
readers share is here too; `drivers/` has a file for each program.
"""

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from honestly._loose import nested_dict, objects_of
from honestly.agents.external._kit import INSIDE
from honestly.permissions import Rule, ToolPolicy
from honestly.records import ToolServer, Usage
from honestly.sandbox import Limits, Result, Sandbox

HOME = f"{INSIDE}/home"
"""The program's home inside: a private directory, no part of the workspace."""

_LIMITS = Limits(memory_mb=8192, processes=512, disk_mb=2048, file_mb=512, open_files=8192, cpu_s=7200, wall_s=7200.0)
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
    """The program's own account of its work."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The settings that a program is started with."""

    instruction: str
    program: tuple[str, ...]
    """How the program is called inside."""
    url: str
    """Of the proxy, without a path."""
    token: str
    model: str
    """The name that the program shall ask for."""
    shell: str = ""
    """A bash that lies beside the image, where that has none."""
    flags: tuple[str, ...] = ()
    """Further words of the command line."""
    effort: str = ""
    servers: Mapping[str, ToolServer] = field(default_factory=dict)
    """Tool servers, by name."""
    subscribed: bool = False
    """Whether the program is to believe that it has a subscription, and no key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a program is started: arguments, variables, files of its home."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts to write before, by absolute path below `HOME`."""
    stdin: str = ""


Converse = Callable[[Sandbox, Launch, Callable[[str, bytes], None]], Awaitable[Result]]
"""Starts a program in a sandbox and speaks with it to its end; what is to be kept of that goes to the last argument."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """How one program of others is started and read."""

    name: str
    """What `--agent` takes."""
    program: str
    """The command's name."""
    launch: Callable[[Start], Launch]
    read: Callable[[bytes, Mapping[str, bytes]], OwnRecord | None]
    """Reads the program's standard output, and the files that it left by path below `HOME`; None where neither holds a
    record."""
    distribution: str = ""
    """The Python distribution whose version counts; of node programs, the package that holds the command."""
    kept: tuple[str, ...] = ()
    """Which files of its home are kept, as patterns of `find -path` below `HOME`."""
    guarded: Callable[[Launch, ToolPolicy], Launch] | None = None
    """Starts the program with a policy between it and its tools; None where it has no place for one."""
    takes_rule: Callable[[Rule], bool] | None = None
    """Which rules that place can hold; None for all."""
    lasting_shell: bool = False
    """Whether a command finds the folder that an earlier one left, perhaps its variables, too."""
    converse: Converse | None = None
    """For a program that is spoken with; others are started, and end by themselves."""
    asks: bool = True
    """Whether it has failed if it never asked its model, whatever its exit status."""
    limits: Limits = _LIMITS
    takes: frozenset[str] = frozenset()
    """What of it can be varied beside flags and variables: `skill`, `mcp`, `effort`, `login`."""
    skills: str = ""
    """Where the folders of skills lie, below `HOME`."""
    vendor: str = ""
    """Whose log-in it has."""


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


def first_value(lines: Iterable[Mapping[str, Any]], key: str) -> str:
    """The value of this key in the first line that has it; empty if none has."""
    return next((str(line[key]) for line in lines if key in line), "")


def counted_usage(found: object, *, read: str, written: str, cached: str = "") -> Usage:
    """The tokens that an object counts under these names: all input, all output, and the input that a cache held."""
    known = {key: value for key, value in nested_dict(found).items() if isinstance(value, int)}
    return Usage(input_tokens=known.get(read), output_tokens=known.get(written), cached_tokens=known.get(cached))


def summed_usage(each: Sequence[Usage]) -> Usage:
    """The sum of several usages; a number that one of them lacks is unknown."""

    def known_total(name: str) -> int | None:
        known = [number for one in each if (number := getattr(one, name)) is not None]
        return sum(known) if known and len(known) == len(each) else None

    return Usage(**{name: known_total(name) for name in ("input_tokens", "output_tokens", "cached_tokens")})
