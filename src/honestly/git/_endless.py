"""Pipes and devices where git expects a file: it would wait for them for ever, and say nothing."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from honestly.errors import GitError

_NULL = os.makedev(1, 3)
_MOST_ALTERNATES = 1 << 16


def refuse_endless_files(*repositories: Path, checkout: Path | None = None, top: Path | None = None) -> None:
    """Refuse repositories and a checkout in which git would open a pipe or a device.

    Args:
        repositories: folders such as `.git`, of which all counts, and the objects elsewhere that they name.
        checkout: a folder of which `.gitignore` and its like count, and the repositories in it.
        top: the top of the checkout; what git reads between it and the folder is looked at, too.

    Raises:
        GitError: there is one; the message names it.
    """
    seen: set[tuple[int, int]] = set()
    pending = list(repositories)
    while pending:
        folder = pending.pop()
        for path in _files_of_git(str(folder), seen, whole=True):
            _refuse_endless(path)
        objects = folder if folder.name == "objects" else folder / "objects"
        named = objects / "info" / "alternates"
        if named.is_file() and named.stat().st_size <= _MOST_ALTERNATES:
            more = [objects / os.fsdecode(line) for line in named.read_bytes().splitlines() if line[:1] not in b"#"]
            pending += [each for each in more if each.is_dir() and _identity(str(each)) not in seen]
    if checkout is not None:
        for path in _files_of_git(str(checkout), seen, whole=False):
            _refuse_endless(path)
        for each in checkout.parents:
            if top is not None and each.is_relative_to(top):
                for found in each.glob(".git[a-z]*"):
                    _refuse_endless(str(found))


def _files_of_git(folder: str, seen: set[tuple[int, int]], *, whole: bool) -> Iterator[str]:
    """What lies below a folder, may be opened by git and is no plain file."""
    pending = [(folder, whole)]
    while pending:
        at, own = pending.pop()
        try:
            if own:  # links in a repository are followed, and may lead round
                if _identity(at) in seen:
                    continue
                seen.add(_identity(at))
            entries = os.scandir(at)
        except OSError:
            continue
        with entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False) or (own and entry.is_dir()):
                    pending.append((entry.path, own or entry.name == ".git"))
                elif (own or entry.name.startswith(".git")) and not entry.is_file(follow_symlinks=False):
                    yield entry.path


def _identity(path: str) -> tuple[int, int]:
    found = Path(path).stat()
    return found.st_dev, found.st_ino


def _refuse_endless(path: str) -> None:
    try:
        found = Path(path).stat()
    except OSError:
        return
    device = stat.S_ISBLK(found.st_mode) or (stat.S_ISCHR(found.st_mode) and found.st_rdev != _NULL)
    if stat.S_ISFIFO(found.st_mode) or device:  # a socket cannot be opened, and git goes on
        kind = "a device" if device else "a pipe"
        raise GitError(f"{path} is {kind}, on which git would wait forever; expected a file: remove it to continue")
