"""What a trial's directory holds beside its result: logs and panes as artifacts, and the trajectory in its log.

Every regular file in it becomes an artifact under its relative name, byte for byte. `sessions/agent.log` is the
terminal as it was; where the program is one whose log we can read, it is also a trajectory.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from honestly.errors import FormatError
from honestly.formats._files import pieces, read_bytes, scan, shown
from honestly.formats._mini_log import read_mini_log, was_not_found
from honestly.formats._tally import Tally
from honestly.records import Trajectory

Blob = bytes | Iterable[bytes]

_LOG = "sessions/agent.log"
_FILES = 100
"""Artifacts of one trial, at most."""
_WHOLE = 16 << 20
"""A larger artifact is handed on in pieces, bytes."""
_MOST = 1 << 30
"""Of a still larger one only the beginning is kept, bytes."""


class _Pieces:
    """A file as pieces, read when they are asked for."""

    def __init__(self, path: Path) -> None:
        self._open = partial(pieces, path, _MOST)

    def __iter__(self) -> Iterator[bytes]:
        return self._open()


def read_logs(folder: Path, where: str, tally: Tally) -> tuple[Trajectory | None, dict[str, Blob]]:
    """Trajectory, if its log can be read, and artifacts of the trial in this directory."""
    artifacts: dict[str, Blob] = {}
    for name in _names(folder, "", where, tally):
        if len(artifacts) == _FILES:
            tally.add("too many artifacts", where, f"{shown(folder.name)}: only {_FILES} are kept")
            break
        try:
            artifacts[shown(name)] = _blob(folder / name, where, tally)
        except FormatError as error:
            tally.add("unreadable file", where, f"{shown(folder.name)}/{shown(name)} {error}")
    log = artifacts.get(_LOG)
    if log is None:
        return None, artifacts
    trajectory = read_mini_log(log) if isinstance(log, bytes) else None
    if trajectory is None:
        if isinstance(log, bytes) and was_not_found(log):
            tally.add("agent never started", where, "its log says `mini: command not found`; the verdict is kept")
        else:
            tally.add("log without trajectory", where, "in no order that can be relied on; kept as an artifact")
    return trajectory, artifacts


def _names(folder: Path, prefix: str, where: str, tally: Tally, depth: int = 0) -> Iterator[str]:
    try:
        files, folders, others = scan(folder)
    except FormatError as error:
        tally.add("unreadable file", where, f"{shown(folder.name)} {error}")
        return
    if others:
        tally.add("link or special file", where, f"in {shown(folder.name)}, not followed", len(others))
    for name in files:
        if prefix or name != "results.json":
            yield prefix + name
    for name in folders:
        if depth < 4:
            yield from _names(folder / name, f"{prefix}{name}/", where, tally, depth + 1)
        else:
            tally.add("directory too deep", where, f"in {shown(folder.name)}; not read")


def _blob(path: Path, where: str, tally: Tally) -> Blob:
    try:
        size = path.lstat().st_size
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}") from error
    if size <= _WHOLE:
        return read_bytes(path, _WHOLE)
    if size > _MOST:
        tally.add("artifact cut off", where, f"{shown(path.name)}: {size} bytes, the first {_MOST} are kept")
    return _Pieces(path)
