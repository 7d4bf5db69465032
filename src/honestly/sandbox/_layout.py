"""The layout of a sandbox: the workspace's place, further directories, and a root file system of its own.

A layout is a wish in terms of paths; `_places.py` checks it against this machine and encodes it, `_guest/_root.py`
builds it.
"""

import enum
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from honestly.sandbox._api import WORKSPACE

PACKAGES = "/opt/packages"
"""Where packages of this machine's interpreter are shown."""

_TAKEN = ("/dev", "/proc", "/sys", "/tmp", "/var/tmp")  # noqa: S108 - inside the sandbox


class Extent(enum.Enum):
    """How much of this machine a sandbox shows, in addition to its layout."""

    MACHINE = "machine"
    """The machine's programs."""
    PYTHON = "python"
    """The interpreter, its standard library and a handful of programs, all of them in the page cache."""
    CELLS = "cells"
    """The interpreter and its library, for series of forks that share nothing (`WarmSandbox.fork_each`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where files are inside a sandbox. All paths inside are absolute, and none lies below another."""

    workspace: str = WORKSPACE
    """Where the tree's files lie; also the home directory, and where commands start."""
    private: tuple[str, ...] = ()
    """Further directories that can be written to, empty at first: `/app`, `/logs`. They share `Limits.disk_mb`."""
    shown: Mapping[str, Path] = field(default_factory=dict)
    """Files and directories of this machine to show, read-only, by their path inside. What other users of this machine
    may not read cannot be read inside either."""
    root: Path | None = None
    """Root directory of an unpacked image, whose files are shown instead of this machine's programs. Nothing changes
    them. What the image has at the places of this layout is hidden."""
    open_root: bool = False
    """Let the image's files be changed inside the sandbox, for as long as it is open: those of the image's owner, and
    below the directories that the image has at its top."""

    user: tuple[int, ...] | None = None
    """Who commands are in an image: user, group and further groups, each below 65,536; (0, 0) is root over the image's
    files, and over nothing else. Without, they are uid 1000 and have no rights."""
    changes: Path | None = None
    """Empty directory of this machine that keeps, below `files`, what the code inside changes of an open root; the
    sandbox's memory does not. Beside the root it needs a user."""

    terminals: bool = False
    """Let programs open terminals (`/dev/ptmx`), as tmux does, and agents that type into a shell."""
    named_streams: bool = False
    """Let programs open their own standard streams by name (`/dev/stdin`, `/dev/stderr`), as a sandbox for Python
    always does. Any other program of the sandbox can then open them, too: not where what is believed comes through
    one."""

    hosts: Mapping[str, str] = field(default_factory=dict)
    """Names of hosts, and the address of each in 127.0.0.0/8."""
    packages: Mapping[str, Path] = field(default_factory=dict)
    """Python packages of this machine to show, read-only, by the names of their files and directories; where they are
    found is in `PYTHONPATH`. See `packages_layout`, which makes them."""

    pythonpath: tuple[str, ...] = ()
    """Folders of the workspace, relative to it, in which Python looks for modules: `src`. They come before packages."""

    def __post_init__(self) -> None:
        for path in self.pythonpath:
            if posixpath.normpath(path) != path or path.startswith(("/", "..")) or set(path) & {":", "\0"}:
                raise ValueError(f"the layout's pythonpath names {path!r}; expected a folder below the workspace")
        for path in self.named_paths:
            if posixpath.normpath(path) != path or not path.startswith("/") or path.startswith("//") or "\0" in path:
                raise ValueError(f"the layout names {path!r}; expected an absolute path without `.` and `..`")
            if path in {"/", "/etc"} or any(paths_overlap(path, taken) for taken in _TAKEN):
                raise ValueError(f"the layout names {path!r}, where every sandbox has something of its own")
        if self.open_root and self.root is None:
            raise ValueError("the layout opens the root file system, which is this machine's; expected an image's root")
        if self.user is not None and (
            self.root is None or len(self.user) < 2 or any(not 0 <= number < 1 << 16 for number in self.user)
        ):
            raise ValueError(f"the layout names the user {self.user!r}; expected ids below 65,536, of an image's root")
        if self.changes is not None and not (self.open_root and self.user is not None):
            raise ValueError(
                "the layout keeps changes of a root that nobody can change; expected open_root, and a user"
            )
        if self.root is not None and self.packages:
            raise ValueError(
                "the layout shows packages of this machine's interpreter to an image's; expected one of both"
            )
        for one, other in combinations(self.named_paths, 2):
            if paths_overlap(one, other):
                raise ValueError(f"the layout names {one!r} and {other!r}; expected places that are apart")

    @property
    def named_paths(self) -> tuple[str, ...]:
        """Every path that the layout names, inside."""
        return self.workspace, *self.private, *self.all_shown

    @property
    def all_shown(self) -> dict[str, Path]:
        """All files and directories to show, packages included, by their path inside."""
        return {**self.shown, **{f"{PACKAGES}/{name}": path for name, path in self.packages.items()}}

    def check(self, others: Iterable[str]) -> None:
        """See that no place of the layout gets in the way of others.

        Raises:
            ValueError: One does.
        """
        for path in self.named_paths:
            for other in others:
                if paths_overlap(path, other):
                    raise ValueError(f"the layout names {path!r}, but a sandbox on this machine needs {other!r}")


def paths_overlap(one: str, other: str) -> bool:
    """Whether two paths are the same, or one lies below the other."""
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


DEFAULT = Layout()
