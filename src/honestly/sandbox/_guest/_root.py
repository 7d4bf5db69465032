"""The file system of a box: the machine's programs read-only, or an image's, a few writable directories, nothing else.

Built in a fresh mount namespace: a small tmpfs becomes the root, the host's root is moved aside, places are made,
programs are mounted on them, and at the end the host's root is detached, which leaves no way back, and the new one
is made read-only. What the host's `/etc` holds is not shown, except the linker's cache and the links of alternatives,
without which programs don't start. With an image, the places are made in the upper layer of an overlay over it, which
then becomes the root (`_image`).

No inode of the machine is in sight, as far as the kernel lets us: what is shown of it lies in overlays of the box's
own, without an upper layer, and devices are made anew. So locks, leases, notices, times of reading and free room on the
disk are the box's own, and none of another's. What can't be had so (no overlays, devices for an ordinary user) is
bind-mounted.
"""

from __future__ import annotations

import os
import re
import stat

from . import _image, _kernel, _proc, _wire
from ._ids import Identity

OLD = "/.honestly-old"
_DATA = "/.honestly-data"
_SHARED = ("/tmp", "/dev/shm")
_EMPTY = "/var/empty"
_DEVICES = ("null", "zero", "full", "random", "urandom")
_INODES = 200_000
_ROOT_SIZE = "256m"
_CHUNK = 1 << 26
_FIXED = {"dev", "proc", "sys"}
_OCTAL = re.compile(rb"\\(\d{3})")  # a codec would be imported by each box anew
_TERMINALS = "ptmxmode=0666,mode=620,max=256"


class Plan:
    """The parts of the machine that a box shows, and those that can be written to."""

    def __init__(self, packed: bytes) -> None:
        """Take apart what `_places.py` has encoded."""
        binds, links, hidden, writable, etc, image, options, copies = (
            [os.fsdecode(path) for path in _wire.unpack(part)] for part in _wire.unpack(packed)
        )
        self.binds = list(zip(binds[::2], binds[1::2], strict=True))
        """Directories and files of the machine: where they are (links resolved), and where they appear."""
        self.copies = list(zip(copies[::2], copies[1::2], strict=True))
        """Files of the machine to copy."""
        self.links = list(zip(links[::2], links[1::2], strict=True))
        """Symbolic links to make: where, and to what."""
        self.hidden = hidden
        """Directories to show empty."""
        self.etc = dict(zip(etc[::2], etc[1::2], strict=True))
        """Files in `/etc`: name, and text."""
        self.image, writing, self.changes = image or ("", "", "")
        """Directory whose files are the root's, if not the machine's are; and what keeps the box's changes of them."""
        self.open_root = writing == "writable"
        """Whether the box may change them."""
        self.writable = (*writable, *(_SHARED[1:] if self.changes else _SHARED))
        """Directories that can be written to, the workspace first."""
        self.named_streams = "named_streams" in options
        """Whether programs may open their standard streams by name."""
        self.terminals = "terminals" in options
        """Whether programs may open terminals."""
        self.extent = options[0]
        """What is shown: "machine"; "python", where /proc shows processes and nothing of the machine's counters; or
        "cells", where what can be written to is renewed again and again (`renew_writable`)."""

    def changeable_folders(self) -> list[str]:
        """All directories below which files may be changed, once the root is finished."""
        tops = [f"/{name}" for name in os.listdir("/") if name not in _FIXED] if self.open_root else []
        return [*self.writable, *filter(os.path.isdir, tops)]


def build(plan: Plan, disk: int, identity: Identity) -> None:
    """Make the new root, in a mount namespace of this process's own; the old one stays at `OLD` until `finish`.

    Args:
        plan: What to show, and what shall be writable.
        disk: Bytes of the writable directories together.
        identity: Who owns the writable directories, and what rights this process has on the machine.
    """
    owner = identity.user
    # Or the machine would see what is mounted here.
    _kernel.mount_filesystem("", "/", "", _kernel.MS_REC | _kernel.MS_PRIVATE)
    points = _mount_points()
    options = f"size={_ROOT_SIZE if plan.copies else '4m'},nr_inodes=4096,mode=755"
    _kernel.mount_filesystem("tmpfs", "/tmp", "tmpfs", _kernel.MS_NOSUID | _kernel.MS_NODEV, options)
    os.mkdir("/tmp" + OLD)
    _kernel.pivot_root("/tmp", "/tmp" + OLD)  # not chroot: from there is a way back
    os.chdir("/")
    os.umask(0o022)
    os.mkdir(_DATA)
    cells = plan.extent == "cells"
    options = f"size={'4k' if cells else disk},nr_inodes={_INODES},mode=755"
    _kernel.mount_filesystem("tmpfs", _DATA, "tmpfs", _kernel.MS_NOSUID | _kernel.MS_NODEV, options)
    if plan.image:
        upper = _DATA + "/upper"
        for path in (OLD, _DATA):
            os.makedirs(upper + path)
        _make_places(plan, upper)
        changes = OLD + plan.changes if plan.changes else ""
        _image.enter_image(
            OLD + plan.image,
            _DATA,
            (OLD, _DATA),
            changes,
            identity if plan.open_root else None,
            capable=identity.privileged,
        )
    else:
        _make_places(plan, "")
    _fill_dev(plan)
    _mount_shown(plan, points, capable=identity.privileged)
    if cells:
        _fill_cell(plan, disk, owner)
    else:
        # Behind all writable directories is one tmpfs, and one limit for their sum.
        for number, target in enumerate(plan.writable):
            source = f"{_DATA}/{number}"
            os.mkdir(source)
            os.chown(source, *owner)
            os.chmod(source, mode_of(target))
            _kernel.bind(source, target)
    _kernel.detach_mount(_DATA)  # what is bound from it stays mounted
    os.rmdir(_DATA)


def renew_writable(plan: Plan, disk: int, owner: tuple[int, int]) -> None:
    """Give a cell's writable directories a new file system, empty and unused, in place of the one that they have."""
    _kernel.detach_mount("/tmp")
    _fill_cell(plan, disk, owner)


def _fill_cell(plan: Plan, disk: int, owner: tuple[int, int]) -> None:
    """Mount what a cell can write to: a single file system at one place, since each to be unmounted costs as much."""
    options = f"size={disk},nr_inodes={_INODES},mode=1777"
    _kernel.mount_filesystem("tmpfs", "/tmp", "tmpfs", _kernel.MS_NOSUID | _kernel.MS_NODEV, options)
    for path in plan.writable[: -len(_SHARED)]:
        os.mkdir(_in_cell(path))
        os.chown(_in_cell(path), *owner)


def _in_cell(path: str) -> str:
    """Where a writable directory of a cell lies, to which its own path is a link."""
    return "/tmp/" + path[1:].replace("/", "-")


def _make_places(plan: Plan, root: str) -> None:
    """Make what the box needs below a directory: mount points, files, links."""
    cells = plan.extent == "cells"
    for path in (*(("/tmp",) if cells else plan.writable), "/proc", "/dev", "/etc"):
        if path != _SHARED[1]:
            os.makedirs(root + path, exist_ok=True)
    for path in plan.writable[: -len(_SHARED)] if cells else ():
        os.symlink(_in_cell(path), path)
    if plan.changes:
        os.makedirs(root + "/tmp", exist_ok=True)
        os.chmod(root + "/tmp", mode_of("/tmp"))
    else:
        os.makedirs(root + _EMPTY)
        os.symlink("/tmp", root + "/var/tmp")
    for name, text in plan.etc.items():
        _write_text(f"{root}/etc/{name}", text)
    for source, target in plan.binds:
        if os.path.isdir(OLD + source):
            os.makedirs(root + target, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(root + target), exist_ok=True)
            _write_text(root + target, "")
    for path, goal in plan.links:
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        os.symlink(goal, root + path)
    _copy_files(plan, root)


def _copy_files(plan: Plan, root: str) -> None:
    folder = ""
    for source, target in plan.copies:
        if folder != (folder := os.path.dirname(target)):
            os.makedirs(root + folder, exist_ok=True)
        out = os.open(root + target, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
        read = os.open(OLD + source, os.O_RDONLY | os.O_CLOEXEC)
        while os.sendfile(out, read, None, _CHUNK):
            pass
        os.close(read)
        os.close(out)


def _fill_dev(plan: Plan) -> None:
    """Make devices, and what else programs look for beside them."""
    _kernel.mount_filesystem(
        "tmpfs", "/dev", "tmpfs", _kernel.MS_NOSUID | _kernel.MS_NOEXEC, "size=4k,nr_inodes=64,mode=755"
    )
    # These hold no secret and do no harm; but `zero` is also memory that is shared and numbered.
    for name in _DEVICES if plan.extent == "machine" else (name for name in _DEVICES if name != "zero"):
        if not os.path.exists(f"{OLD}/dev/{name}"):
            continue
        try:
            os.mknod(f"/dev/{name}", stat.S_IFCHR | 0o666, os.stat(f"{OLD}/dev/{name}").st_rdev)
            os.chmod(f"/dev/{name}", 0o666)  # noqa: S103 - past the mask
        except PermissionError:  # an ordinary user gets those of the machine
            _write_text(f"/dev/{name}", "")
            _kernel.bind(f"{OLD}/dev/{name}", f"/dev/{name}")
    for name, goal in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink("/proc/self/fd" + goal, f"/dev/{name}")
    if plan.extent == "cells":
        os.symlink("/tmp", _SHARED[1])
    else:
        os.mkdir(_SHARED[1])
    if plan.terminals:
        os.mkdir("/dev/pts")
        os.symlink("pts/ptmx", "/dev/ptmx")
    _kernel.make_read_only("/dev", devices=True)  # devices can be written to nevertheless; but not their times
    if plan.terminals:
        _kernel.mount_filesystem("devpts", "/dev/pts", "devpts", _kernel.MS_NOSUID | _kernel.MS_NOEXEC, _TERMINALS)


def _mount_points() -> list[str]:
    """Where something is mounted on the machine."""
    with open("/proc/self/mountinfo", "rb") as file:
        points = [line.split(b" ", 5)[4] for line in file]
    return [os.fsdecode(_OCTAL.sub(lambda code: bytes([int(code[1], 8)]), point)) for point in points]


def _mount_shown(plan: Plan, points: list[str], *, capable: bool) -> None:
    """Mount what is shown of the machine, with inodes of the box's own, and cover what is hidden."""
    # An overlay shows nothing of what is mounted below its directory: that is mounted one by one.
    shown = [
        (point, target + point[len(source) :])
        for source, target in plan.binds
        for point in (source, *(point for point in points if point.startswith(f"{source}/")))
    ]
    os.mkdir(_DATA + "/empty")
    os.mkdir(_DATA + "/own")
    layers: dict[str, str] = {}
    for source, target in shown:
        folder, name = os.path.split(source)
        if (folder == "/" or source in points) and os.path.isdir(OLD + source):
            folder, name = source, "."
        if folder not in layers:
            layers[folder] = _owned_layer(folder, len(layers), capable=capable)
        if layers[folder] and not (name != "." and source in points):
            _kernel.bind(f"{layers[folder]}/{name}", target)
        else:
            _kernel.bind(OLD + source, target)
            _kernel.make_read_only(target)
    os.chdir("/")
    for path in plan.hidden:
        if os.path.isdir(path):
            _kernel.bind(_EMPTY, path)
            _kernel.make_read_only(path)


def _owned_layer(folder: str, number: int, *, capable: bool) -> str:
    """Where a directory of the machine lies with inodes of the box's own; empty if the kernel cannot do it."""
    place = f"{_DATA}/own/{number}"
    os.mkdir(place)
    os.chdir(OLD + folder)  # so that neither its name nor odd characters in it appear among the options
    # The empty directory comes first, since the first one's room on the disk is what `statfs` tells.
    options = f"lowerdir={_DATA}/empty:.{'' if capable else ',userxattr'}"
    flags = _kernel.MS_RDONLY | _kernel.MS_NOSUID | _kernel.MS_NODEV
    try:
        _kernel.mount_filesystem("overlay", place, "overlay", flags, options)
    except OSError:
        return ""
    return place


def _write_text(path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    os.write(fd, text.encode(errors="surrogateescape"))
    os.close(fd)


def mode_of(target: str) -> int:
    """Permissions of a writable directory, as long as nobody in the box has changed them."""
    return 0o1777 if target in _SHARED else 0o755


def finish(plan: Plan) -> None:
    """Cover what `/proc` tells of the machine, let go of the old root, and make the new one read-only unless open."""
    if plan.extent == "machine":
        _proc.cover_proc()
    if plan.extent != "cells":
        _proc.hide_network()
    _kernel.detach_mount(OLD)
    os.rmdir(OLD)
    if not plan.open_root:
        read_only = _kernel.MS_REMOUNT | _kernel.MS_BIND | _kernel.MS_RDONLY | _kernel.MS_NOSUID | _kernel.MS_NODEV
        _kernel.mount_filesystem("", "/", "", read_only)


def mount_proc(plan: Plan) -> None:
    """Show the processes of this pid namespace, to each user its own."""
    options = "hidepid=2" + (",subset=pid" if plan.extent == "python" else "")
    _kernel.mount_filesystem("proc", "/proc", "proc", _kernel.MS_NOSUID | _kernel.MS_NODEV | _kernel.MS_NOEXEC, options)
