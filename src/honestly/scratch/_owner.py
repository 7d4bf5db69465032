"""The place of a program's temporary folders, and what became of the places of programs that have ended.

All places of a user lie in `honestly-UID`, a folder of the user's alone among the machine's temporary files. The name
of each says whose it is: machine, its boot, process id, when that process began, and a mark, which processes of its
sandboxes carry in their environment. The owner holds its place locked (flock) from the first moment on, so that
its death, however it comes, unlocks it. A place is an orphan if it is of this machine, nobody holds the lock, and no
process lives that began then with that id. Age says nothing, so that a program may take weeks.

Making a place and removing it may meet: who makes one goes on only if it has the lock and the place is still there, who
removes one holds the lock while it does. A lock that the file system does not know keeps everything where it is.
"""

import atexit
import fcntl
import os
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from honestly.scratch._delete import MOVED, delete_folder, entered_folder, lock_folder, names_in
from honestly.scratch._groups import remove_groups
from honestly.scratch._processes import OWNER_VARIABLE, boot_id, kill_marked, marked_processes, start_ticks

_NAME = re.compile(r"([0-9a-f]{6})([0-9a-f]{6})-(\d{1,10})-(\d{0,20})-([0-9a-f]{12})")  # short, as sockets lie below it
BESIDE = "beside-"
"""How an entry of a place begins that names a folder which lies beside all places."""
_BESIDE = re.compile(rf"{BESIDE}([a-z]+-[0-9a-f]{{8}})")
_MACHINE_ID = Path("/etc/machine-id")
_MEMORY = Path("/dev/shm")  # noqa: S108 - in a folder of the user's own
_TRIES = 100


class LeftOver(NamedTuple):
    """The place of an owner."""

    path: Path
    owner: int
    """The process id."""
    state: str
    """`alive`, `dead`, or `elsewhere` for one of another machine."""
    folders: tuple[str, ...]
    """What lies in it."""
    processes: tuple[int, ...]
    """What carries its mark."""


class ReapedPlaces(NamedTuple):
    """The result of clearing away."""

    places: int
    processes: int
    groups: int
    """Control groups, counted by program and controller."""
    stuck: tuple[Path, ...]
    """What could not be."""


class Place:
    """The place of this program."""

    def __init__(self, base: Path, name: str, lock: int) -> None:
        self.base, self.path, self.mark = base, base / name, name.rpartition("-")[2]
        self._lock, self._process = lock, os.getpid()

    def remove(self) -> None:
        """Delete it with all that lies in it; in a fork of the owner, nothing."""
        if self._process == os.getpid() and self._lock >= 0:
            with suppress(OSError), _opened_base(self.base) as within:
                delete_folder(self.path.name, within)
                self.base.rmdir()
            os.close(self._lock)
            self._lock = -1


_places: dict[tuple[int, Path], Place] = {}
_guard = threading.Lock()


def own_place(*, in_memory: bool = False) -> Place:
    """The place of this program, made when it is first asked for; before that, orphans are removed.

    Args:
        in_memory: The one in the machine's memory, where there is such a thing.

    Raises:
        OSError: No place can be made: the disk is full or read-only, or the folder is somebody else's.
    """
    base = _place_bases()[-1 if in_memory else 0]
    key = os.getpid(), base
    with _guard:
        if key not in _places or not _places[key].path.is_dir():
            _reap_places([base])
            _places[key] = _make_place(base)
            atexit.register(_places[key].remove)
        return _places[key]


def owner_mark() -> str:
    """The mark of this program's sandboxes, in `OWNER_VARIABLE`; empty where no place can be made."""
    try:
        return own_place().mark
    except OSError:
        return ""


def owner_name() -> str:
    """This program's name for what is kept elsewhere; `is_dead_owner` tells on this machine whether it still runs."""
    return f"{_new_name()}-{_host_id()}"


def is_dead_owner(name: str) -> bool:
    """Whether a name is that of a program of this machine that has ended since the machine was started.

    Of another machine's, nobody knows here; one that was made from the same image may differ by its boot alone.
    """
    own, _, host = name.rpartition("-")
    match = _NAME.fullmatch(own)
    here = match is not None and (match[1], match[2], host) == (_machine_id(), _short_hash(boot_id()), _host_id())
    return here and match is not None and not _owner_runs(match)


def left_behind() -> list[LeftOver]:
    """The places of all owners of this user, this program's left out; looking changes nothing."""
    own = [place.path for place in _places.values()]
    return [left for base in _place_bases() for left in _left_in(base) if left.path not in own]


def _left_in(base: Path) -> Iterator[LeftOver]:
    with suppress(OSError), _opened_base(base) as within:
        for match in filter(None, map(_NAME.fullmatch, sorted(names_in(within)))):
            with suppress(OSError), entered_folder(match[0], within) as folder:
                state = "elsewhere" if match[1] != _machine_id() else "dead" if _is_orphaned(match, folder) else "alive"
                inside = tuple(sorted(names_in(folder)))
                yield LeftOver(base / match[0], int(match[3]), state, inside, tuple(marked_processes([match[5]])))


def reap_dead_owners() -> ReapedPlaces:
    """Kill and remove what dead runs of this user left behind."""
    return _reap_places(_place_bases(), groups=True)


def _place_bases() -> list[Path]:
    """Where places lie: among the temporary files, and in memory where the machine has room for files there."""
    above = [Path(tempfile.gettempdir()).absolute(), *([_MEMORY] if os.access(_MEMORY, os.W_OK) else [])]
    return [path / f"honestly-{os.geteuid()}" for path in above]


def _reap_places(bases: list[Path], *, groups: bool = False) -> ReapedPlaces:
    done: list[Path] = []
    stuck: list[Path] = []
    killed = 0
    for base in bases:
        with suppress(OSError), _opened_base(base) as within:
            found = [match for match in map(_NAME.fullmatch, names_in(within)) if match]
            dead = [match for match in found if _is_dead(match, within)]
            # A name that somebody has made up may bear the mark of a program that lives.
            living = {match[5] for match in found if match not in dead}
            killed += kill_marked({match[5] for match in dead} - living)
            for match in dead:
                with suppress(OSError), entered_folder(match[0], within) as folder:
                    if _is_orphaned(match, folder):  # locked from here on: nobody else is at it
                        _delete_beside(names_in(folder), base.parent)
                        (done if delete_folder(match[0], within) else stuck).append(base / match[0])
            for name in names_in(within):
                if name.startswith(MOVED):  # whoever deleted it was killed in between
                    with suppress(OSError), entered_folder(name, within) as folder:
                        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        delete_folder(name, within)
            base.rmdir()  # refused where there is something in it; whoever looks for it now makes it again
    return ReapedPlaces(len(done), killed, remove_groups() if groups or done else 0, tuple(stuck))


def _delete_beside(notes: list[str], place: Path) -> None:
    """Delete the folders with short names of an owner, as far as they are this user's."""
    with suppress(OSError), entered_folder(place) as within:
        for match in filter(None, map(_BESIDE.fullmatch, notes)):
            with suppress(OSError):
                if os.lstat(match[1], dir_fd=within).st_uid == os.geteuid():
                    delete_folder(match[1], within)


def _is_dead(match: re.Match[str], within: int) -> bool:
    """Whether a place is an orphan, and none that this program itself was left in."""
    if match[1] != _machine_id() or match[5] == os.environ.get(OWNER_VARIABLE):
        return False
    with suppress(OSError), entered_folder(match[0], within) as folder:
        return os.fstat(folder).st_uid == os.geteuid() and _is_orphaned(match, folder)
    return False


def _is_orphaned(match: re.Match[str], folder: int) -> bool:
    """Whether nobody owns a place; if so, it is locked as long as the descriptor is open."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return not _owner_runs(match)


def _owner_runs(match: re.Match[str]) -> bool:
    """Whether a process lives that has the id, and began then, that a name says."""
    return match[2] == _short_hash(boot_id()) and bool(match[4]) and start_ticks(match[3]) == match[4]


def _make_place(base: Path) -> Place:
    """Make a place and lock it."""
    for _ in range(_TRIES):
        name = _new_name()
        with suppress(FileExistsError):
            base.mkdir(mode=0o700)
        with suppress(FileNotFoundError, BlockingIOError), _opened_base(base) as within:  # somebody removed it at once
            os.mkdir(name, 0o700, dir_fd=within)
            try:
                return Place(base, name, lock_folder(name, within))
            except OSError:
                with suppress(OSError):
                    os.rmdir(name, dir_fd=within)
                raise
    raise OSError(f"{base} vanishes as fast as it is made")


def _new_name() -> str:
    return f"{_machine_id()}{_short_hash(boot_id())}-{os.getpid()}-{start_ticks()}-{os.urandom(6).hex()}"


@contextmanager
def _opened_base(base: Path) -> Iterator[int]:
    """The folder of a user's places, if it is the user's alone.

    Raises:
        OSError: It is not there, is a link, or belongs to somebody else or is open to others.
    """
    with entered_folder(base) as folder:
        found = os.fstat(folder)
        if found.st_uid != os.geteuid() or found.st_mode & 0o022:
            raise PermissionError(f"{base} is not this user's alone; remove it, or set TMPDIR to another folder")
        yield folder


def _machine_id() -> str:
    with suppress(OSError):
        if found := _MACHINE_ID.read_text("ascii").strip():
            return _short_hash(found)
    return _short_hash(os.uname().nodename)


def _host_id() -> str:
    """The id that tells containers apart that were made of one image, with one machine's id in it: none
    sees another's ids.
    """
    try:
        numbers = Path("/proc/self/ns/pid").readlink()
    except OSError:
        numbers = Path()
    return _short_hash(f"{os.uname().nodename} {numbers}")


def _short_hash(text: str) -> str:
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:6]
