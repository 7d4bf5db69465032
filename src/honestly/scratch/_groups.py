"""Control groups that ended programs have left, wherever in the hierarchy they lie.

A sandbox's zygote makes them (`sandbox/_guest/_groups.py`), and holds their directory locked as long as any of its
processes lives. It removes what others have left beside its own; here the whole hierarchy is looked through, and what
carries the id of a living process stays, whatever the lock says.
"""

import fcntl
import os
import re
import time
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from honestly.scratch._delete import entered_folder, names_in
from honestly.scratch._processes import start_ticks

_ROOT = Path("/sys/fs/cgroup")
_NAME = re.compile(r"honestly-(\d+)-[0-9a-f]{8}")


def free_groups() -> list[Path]:
    """Directories of unused control groups."""
    return [path for path, pid in _group_folders() if not start_ticks(pid) and _is_free(path)]


def remove_groups() -> int:
    """Remove the groups that nobody holds, as far as they are empty and we may; how many programs' are gone."""
    return sum(_is_free(path, remove=True) for path in free_groups())


def remove_groups_of(pids: Collection[int], patience_s: float) -> None:
    """Remove the groups that killed processes of this program have left, once those below them have let go."""
    until = time.monotonic() + patience_s
    while (left := [path for path, pid in _group_folders() if int(pid) in pids]) and time.monotonic() < until:
        for path in left:
            _is_free(path, remove=True)
        time.sleep(0.02)


def _group_folders() -> Iterator[tuple[Path, str]]:
    """The directories of groups that programs have made, each with the id of the process in its name."""
    for at, names, _ in os.walk(_ROOT):
        ours = {match[0]: match[1] for match in map(_NAME.fullmatch, names) if match}
        names[:] = [name for name in names if name not in ours]
        yield from ((Path(at, name), pid) for name, pid in ours.items())


def _is_free(path: Path, *, remove: bool = False) -> bool:
    with suppress(OSError), entered_folder(path) as folder:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for name in names_in(folder) if remove else ():
            with suppress(OSError):  # a file of the kernel's
                os.rmdir(name, dir_fd=folder)
        if remove:
            path.rmdir()
        return True
    return False
