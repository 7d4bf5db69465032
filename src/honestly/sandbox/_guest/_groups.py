"""Control groups: limits that the kernel holds over a whole box, what it keeps for sockets, pipes and files included.

A zygote that may make groups beside its own keeps a pool of them: one directory (with version 1, one per controller)
for the program, and below it a group for each box that is open at once. A box returns its group when it ends, and the
next one takes the longest unused; making and removing groups for each box would leave thousands behind in the kernel,
which frees them late. Only commands are members. The keeper stays out, so that nothing in the box can starve it.

With version 1, each command joins by itself between fork and exec. With version 2, where joining takes the kernel many
milliseconds, it is born in the group (`clone3`). The keeper may do so because both lie in the program's directory, it
in a group for keepers.

A group can be frozen, so that nothing in it runs until it is thawed: with version 2 always, with version 1 where there
is a freezer.

The program's directory is locked while any of its processes lives. It is removed at the program's end; what a killed
program leaves has no lock any more, and the next one removes it. Only empty groups can be removed.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections import deque
from contextlib import suppress

from . import _kernel, _seccomp

_PREFIX = "honestly-"
_KEEPERS = "keepers"
_SPARE = 8  # groups to make before one is used again: the kernel frees the files of an ended box a little later
_TCP_SHARE = 8
_TRIES = 3  # another program may take a new directory for a left one, before it is locked
_FREEZING_S, _GLANCE_S = 5.0, 0.001
_REQUIRED = {"memory.limit_in_bytes", "memory.max"}


class Pool:
    """The groups of one program: where they are, and which of them are free."""

    def __init__(self, version: int, homes: dict[str, str]) -> None:
        """Take over directories.

        Args:
            version: Of the control groups.
            homes: The directory that holds the groups, by controller; with version 2, the same for all.
        """
        self.version = version
        self.homes = homes
        self._locks = [_locked_folder(path) for path in set(homes.values())]
        self._returns, self._return = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._free: deque[int] = deque()
        self._made = 0
        self._keepers = -1
        if version == 2:
            (home,) = set(homes.values())
            os.mkdir(f"{home}/{_KEEPERS}")
            self._keepers = _opened_folder(f"{home}/{_KEEPERS}")
            _let_keepers_fork_into(home)

    def fork(self) -> int:
        """`os.fork`, for a keeper."""
        return _kernel.fork_into(self._keepers) if self.version == 2 else os.fork()

    def unused_group(self) -> Group:
        """A group that no box uses."""
        with suppress(BlockingIOError):
            self._free.extend(map(int, os.read(self._returns, 1 << 16).split()))
        if len(self._free) < _SPARE:
            self._free.append(self._made)
            self._made += 1
        return Group(self, self._free.popleft())

    def put_back(self, number: int) -> None:
        """Free a group; called by the keeper, in another process than `unused_group`."""
        with suppress(BlockingIOError):
            os.write(self._return, b"%d " % number)

    def remove(self) -> None:
        """Remove every group that is empty, and then the directories."""
        for path in set(self.homes.values()):
            _remove_groups(path)


class Group:
    """The control group of one box; without a pool, where there are no groups, it does nothing."""

    def __init__(self, pool: Pool | None = None, number: int = 0) -> None:
        self._pool = pool
        self._version = pool.version if pool else 0
        self._number = number
        self._joins: list[int] = []
        self._folder = self._events = self._count = self._freezer = self._state = -1
        self.forks_inside = pool is not None and pool.version == 2
        """Whether `fork` needs the call clone3."""

    def limit(self, memory: int, processes: int) -> None:
        """Make the group if it is new, and set its limits; the machine's files must still be in sight.

        Args:
            memory: Bytes of everything that the box holds in memory.
            processes: Processes and threads alive at once.

        Raises:
            OSError: The kernel refused; `filename` holds the file.
        """
        if self._pool is None:
            return
        version = self._pool.version
        places = {name: f"{home}/{self._number}" for name, home in self._pool.homes.items()}
        for path in set(places.values()):
            with suppress(FileExistsError):
                os.mkdir(path)
        limit = b"%d" % memory
        settings = [("memory.max", limit), ("memory.swap.max", b"0")]
        if version == 1:
            settings = [
                # Memory and swap together may not be below memory alone: raised first, the order is always right.
                ("memory.memsw.limit_in_bytes", b"-1"),
                ("memory.limit_in_bytes", limit),
                ("memory.memsw.limit_in_bytes", limit),
                ("memory.kmem.tcp.limit_in_bytes", b"%d" % (memory // _TCP_SHARE)),
            ]
        for name, value in settings:
            _set(f"{places['memory']}/{name}", value, optional=name not in _REQUIRED)
        if "pids" in places:
            _set(f"{places['pids']}/pids.max", b"%d" % processes)
            self._count = os.open(f"{places['pids']}/pids.current", os.O_RDONLY | os.O_CLOEXEC)
        if version == 1:
            # By the file for single threads: a process that moves just itself need not stop others' forks.
            self._joins = [os.open(f"{path}/tasks", os.O_WRONLY | os.O_CLOEXEC) for path in set(places.values())]
        else:
            self._folder = _opened_folder(places["memory"])
            _let_keepers_fork_into(places["memory"])
        if version == 2 or "freezer" in places:
            place = places["freezer" if version == 1 else "memory"]
            order, state = ("freezer.state",) * 2 if version == 1 else ("cgroup.freeze", "cgroup.events")
            self._freezer = os.open(f"{place}/{order}", os.O_WRONLY | os.O_CLOEXEC)
            self._state = os.open(f"{place}/{state}", os.O_RDONLY | os.O_CLOEXEC)
            self.thaw_members()
        events = "memory.oom_control" if version == 1 else "memory.events"
        self._events = os.open(f"{places['memory']}/{events}", os.O_RDONLY | os.O_CLOEXEC)

    def fork(self) -> int:
        """`os.fork`, for a process that shall be a member; it must go on with `join`."""
        return _kernel.fork_into(self._folder) if self.forks_inside else os.fork()

    def fork_cell(self) -> int:
        """The same for the first process of a new pid namespace, of which the parent gets a descriptor."""
        return _kernel.fork_cell(self._folder if self.forks_inside else -1)

    def join(self, *, cell: bool = False) -> None:
        """Become a member, and give up the calls that only a keeper needs; a cell has most often none of them."""
        for fd in self._joins:
            os.write(fd, b"0")
        if (self.forks_inside or not cell) and _seccomp.is_supported():  # each call by ctypes costs a fork many pages
            _seccomp.refuse_numbers()

    def is_empty(self) -> bool:
        """Whether no member is alive; False too where nobody counts them."""
        return self._count >= 0 and os.pread(self._count, 32, 0) == b"0\n"

    def oom_kills(self) -> int:
        """How many processes the kernel has killed because the box held too much memory."""
        if self._events < 0:
            return 0
        fields = os.pread(self._events, 1 << 12, 0).split()
        return int(fields[fields.index(b"oom_kill") + 1]) if b"oom_kill" in fields else 0

    def freeze(self) -> bool:
        """Let no member run, and wait until none does; returns False where there is no freezer.

        Raises:
            OSError: One went on running.
        """
        if self._freezer < 0:
            return False
        os.write(self._freezer, b"FROZEN" if self._version == 1 else b"1")
        due = time.monotonic() + _FREEZING_S
        while (b"FROZEN" if self._version == 1 else b"frozen 1") not in os.pread(self._state, 1 << 10, 0):
            if time.monotonic() > due:
                self.thaw_members()
                raise OSError(errno.ETIMEDOUT, "processes in the sandbox could not be frozen")
            time.sleep(_GLANCE_S)
        return True

    def thaw_members(self) -> None:
        """Let members run."""
        if self._freezer >= 0:
            os.write(self._freezer, b"THAWED" if self._version == 1 else b"0")

    def release(self) -> None:
        """Give the group back, now that everything inside is dead."""
        if self._pool:
            self._pool.put_back(self._number)


def open_pool() -> Pool | None:
    """Make the directory for this program's groups, and remove what ended programs have left; None if we may not."""
    for version, bases in (base for base in _group_bases() for _ in range(_TRIES)):
        name = f"{_PREFIX}{os.getpid()}-{os.urandom(4).hex()}"
        homes = {controller: f"{base}/{name}" for controller, base in bases.items()}
        pool = None
        try:
            for base in set(bases.values()):
                _sweep(base)
            for home in set(homes.values()):
                os.mkdir(home)
            if version == 2:
                _set(f"{homes['memory']}/cgroup.subtree_control", " ".join(f"+{name}" for name in homes).encode())
            pool = Pool(version, homes)
            # See that a process can join a group.
            group = pool.unused_group()
            group.limit(1 << 30, 1 << 10)
            answer, child_answer = os.pipe()
            if group.fork() == 0:
                try:
                    if not group.forks_inside:
                        group.join()
                    os.write(child_answer, b"y")
                finally:
                    os._exit(0)
            os.close(child_answer)
            joined = os.read(answer, 1)
            os.close(answer)
            group.release()
            if not joined:
                raise OSError(1, "a process cannot join a new group")
            return pool
        except OSError:
            for home in set(homes.values()):
                _remove_groups(home)
    return None


def _group_bases() -> list[tuple[int, dict[str, str]]]:
    """Where groups could be made, the best place first: the version, and a directory by controller."""
    own: dict[str, str] = {}
    for line in _file_text("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        own |= dict.fromkeys(controllers.split(","), path)
    found: list[tuple[int, dict[str, str]]] = []
    first: dict[str, str] = {}
    for line in _file_text("/proc/self/mountinfo").splitlines():
        before, _, after = line.partition(" - ")
        root, point = before.split()[3:5]
        kind, _, options = after.split()
        if kind == "cgroup2":
            found += [(2, base) for base in _groups_above(point, _path_below_mount(own.get("", "/"), root))]
        elif kind == "cgroup":
            first |= {
                name: point + _path_below_mount(own[name], root)
                for name in options.split(",")
                if name in {"memory", "pids", "freezer"}
            }
    bare = {name: base for name, base in first.items() if name != "freezer"}
    return found + ([(1, first), (1, bare)] if "memory" in first else [])


def _path_below_mount(path: str, root: str) -> str:
    """The path of a group below a mount point that shows the groups below `root`."""
    return path.removeprefix(root.rstrip("/")).rstrip("/")


def _groups_above(point: str, own: str) -> list[dict[str, str]]:
    """This process's group and those above, nearest first, as far as others below them may have a limit of memory.

    A limit that holds for this process ends the list: boxes must not get around it.
    """
    found = []
    with suppress(OSError):
        while True:
            offered = {"memory", "pids"} & set(_file_text(f"{point}{own}/cgroup.subtree_control").split())
            if "memory" in offered:
                found.append(dict.fromkeys(sorted(offered), point + own))
            if not own or _file_text(f"{point}{own}/memory.max").strip() != "max":
                break
            own = own.rpartition("/")[0]
    return found


def _sweep(base: str) -> None:
    """Remove the directories of programs that have ended without doing so."""
    for name in os.listdir(base):
        if name.startswith(_PREFIX):
            with suppress(OSError):  # it is in use, or just being removed
                lock = _locked_folder(f"{base}/{name}")
                _remove_groups(f"{base}/{name}")
                os.close(lock)


def _locked_folder(path: str) -> int:
    """Open and lock a directory; BlockingIOError where a process that has it locked is alive."""
    fd = _opened_folder(path)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise
    return fd


def _opened_folder(path: str) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def _let_keepers_fork_into(path: str) -> None:
    """Allow it to every user: only who is below the program's directory could, which is us."""
    os.chmod(f"{path}/cgroup.procs", 0o666)  # noqa: S103


def _remove_groups(path: str) -> None:
    """Remove a directory of groups, as far as they are empty."""
    with suppress(OSError):
        for entry in os.scandir(path):
            if entry.is_dir(follow_symlinks=False):
                with suppress(OSError):  # of a keeper that was killed: what is frozen here cannot even die
                    _set(f"{entry.path}/freezer.state", b"THAWED", optional=True)
                with suppress(OSError):
                    os.rmdir(entry.path)
        os.rmdir(path)


def _set(path: str, value: bytes, *, optional: bool = False) -> None:
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        if optional:
            return
        raise
    try:
        os.write(fd, value)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None
    finally:
        os.close(fd)


def _file_text(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()
