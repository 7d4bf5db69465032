"""What a driver is: how somebody else's agent is started without a person, and where it keeps its own record.

A driver is data and two functions. `launch` says how to start the program: arguments, variables, files of its home. It
gets the address and the token of the proxy, never a key. `read` reads the record that the program itself keeps, its
stream or its session file (`transcripts/`).
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from honestly.agents.external.transcripts._transcript import OwnRecord
from honestly.sandbox import Limits, Result, Sandbox

HOME = "/agent"
"""The program's home inside: a private directory, no part of the workspace."""

_LIMITS = Limits(memory_mb=8192, processes=512, disk_mb=2048, file_mb=512, open_files=8192, cpu_s=7200, wall_s=7200.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """What a program is started with."""

    instruction: str
    program: tuple[str, ...]
    """How the program is called inside."""
    url: str
    """Of the proxy, without a path."""
    token: str
    model: str
    """The name that the program shall ask for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How to start it."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts to write before, by absolute path below `HOME`."""
    stdin: str = ""


Converse = Callable[[Sandbox, Launch, Callable[[str, bytes], None]], Awaitable[Result]]
"""Starts a program in a sandbox and speaks with it to its end; what is to be kept of that goes to the last argument."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """One program."""

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
    converse: Converse | None = None
    """For a program that is spoken with; others are started, and end by themselves."""
    asks: bool = True
    """Whether it has failed if it never asked its model, whatever its exit status."""
    limits: Limits = _LIMITS
