"""Canaries of long suites, kept from one program to the next: to prove them takes many runs of the tests.

They lie in the user's cache, by the hash of the task, the version of Python, and the code that made them. Sandboxes
show no home, so no work reads or writes them; a file that somebody else owns, or could have written, is not believed.
"""

import os
import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from secrets import token_hex

from honestly.errors import FormatError
from honestly.records import Checks, Task, decode, encode
from honestly.work import open_regular, user_folder

LONG = 50
"""Expected tests from which on a suite is long: canaries of fewer are made in less time than a user notices."""
_MAX_BYTES = 64 << 20


def kept_canaries(task: Task) -> Checks | None:
    """The checks of a task with the canaries that an earlier program made; None where there are none."""
    if (path := _cache_path(task)) is None:
        return None
    try:
        with open_regular(path) as file:
            found = os.fstat(file.fileno())
            # Whoever can write one decides what is taken for tampering.
            mine = found.st_uid == os.geteuid() and not found.st_mode & 0o022
            return decode(file.read(), Checks) if mine and found.st_size <= _MAX_BYTES else None
    except (OSError, FormatError):
        return None


def keep_canaries(task: Task, made: Checks) -> None:
    """Keeps checks with canaries for later programs; where that cannot be done, they will be made again."""
    if (path := _cache_path(task)) is None:
        return
    part = path.with_name(f"{path.name}.{token_hex(8)}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(encode(made))
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink()


def _cache_path(task: Task) -> Path | None:
    """Where the canaries of a task are kept; None for those of few tests, and where there is no home."""
    if task.hidden is None or len(task.hidden.checks.expected) < LONG:
        return None
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    try:
        return user_folder("cache") / "canaries" / f"{task.hash}-{version}-{_maker()}.json"
    except RuntimeError:
        return None


@cache
def _maker() -> str:
    """Hash of the code that makes canaries and runs them."""
    hashed = blake2b(digest_size=8)
    for folder in (Path(__file__).parent, Path(__file__).parents[1] / "_guest"):
        for path in sorted(folder.glob("*.py")):
            hashed.update(path.read_bytes())
    return hashed.hexdigest()
