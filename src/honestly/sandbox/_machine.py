"""The arguments, environment and limits of a command, and what to tell a user whose machine refuses sandboxes."""

import errno
import os
from collections.abc import Sequence

from honestly.sandbox._api import WORKSPACE, Limits
from honestly.sandbox._guest import _wire
from honestly.sandbox._places import OWN_BIN
from honestly.work import open_files_advice

_PATH = f"{OWN_BIN}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
NAMESPACE_ADVICE = (
    "On the machine itself, allow user namespaces: `sysctl kernel.unprivileged_userns_clone=1` (Debian), "
    "`sysctl kernel.apparmor_restrict_unprivileged_userns=0` (Ubuntu), `sysctl user.max_user_namespaces=15000` "
    "(Red Hat). In a container, start it with `--security-opt seccomp=unconfined --security-opt "
    "apparmor=unconfined --security-opt systempaths=unconfined`, or with `--privileged`."
)
"""What to do when the kernel refuses namespaces."""


def argv_of(command: str | Sequence[str]) -> list[str]:
    """Program and arguments of a command; a string is the shell's.

    Raises:
        ValueError: There is no program.
    """
    argv = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
    if not argv:
        raise ValueError("the command is empty; expected a program and its arguments")
    return argv


def deadline_s(timeout: float | None, limits: Limits) -> float:
    """Seconds until a command's deadline.

    Raises:
        ValueError: They are negative, or no number.
    """
    seconds = limits.wall_s if timeout is None else timeout
    if not seconds >= 0:
        raise ValueError(f"the timeout is {timeout!r}; expected seconds, at least 0")
    return seconds


def base_environment(home: str = WORKSPACE) -> dict[str, str]:
    """The variables that every command gets."""
    return {
        "PATH": _PATH,
        "HOME": home,
        "USER": "user",
        "LOGNAME": "user",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",  # noqa: S108 - inside the sandbox
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def encoded_limits(limits: Limits) -> bytes:
    """Encode what a sandbox allows, as `_guest/_keeper.py` reads it."""
    mib = 1 << 20
    values = (
        limits.cpu_s,
        limits.memory_mb * mib,
        limits.processes,
        limits.file_mb * mib,
        limits.disk_mb * mib,
        limits.output_bytes,
        limits.open_files,
        limits.data_mb * mib,
    )
    return _wire.pack(*(b"%d" % value for value in values))


def refusal_advice(refusal: str, number: int) -> str:
    """Say what a user can do about a system call that the kernel refused."""
    advice = "Run `honestly doctor` to see which layers this machine gives."
    if os.strerror(errno.EMFILE) in refusal:
        return f"sandboxes need more open files; {open_files_advice()}"
    if "idmap" in refusal:
        advice = (
            "An open root needs Linux 5.19 or newer and an image on a file system such as ext4, XFS or Btrfs; leave it "
            "closed, or run as the ordinary user who owns the image."
        )
    elif "overlay" in refusal:
        advice = "A root file system from an image needs overlayfs; `modprobe overlay` may help."
    elif number in {errno.EPERM, errno.EACCES, errno.ENOSPC, errno.EUSERS}:
        advice = NAMESPACE_ADVICE
    elif number in {errno.ENOSYS, errno.EINVAL}:
        advice = "Linux 5.12 or newer is needed, with user, mount, pid and network namespaces compiled in."
    return (
        f"this machine does not let us build a sandbox: the kernel refused {refusal}. {advice} "
        "Commands that offer --unsafe-no-sandbox run without any isolation, at your own risk; the study says so."
    )
