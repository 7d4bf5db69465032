"""What a sandbox shows of this machine, and what to tell a user whose machine refuses to build one."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from honestly.sandbox._api import WORKSPACE, Limits
from honestly.sandbox._guest import _wire

__all__ = ["NAMESPACE_ADVICE", "argv_of", "base_environment", "base_python", "explain", "numbers", "places"]

_TOP = ("bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr")
_ETC = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
_OWN_BIN = "/opt/bin"
_PATH = f"{_OWN_BIN}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
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


def base_environment() -> dict[str, str]:
    """The variables that every command gets."""
    return {
        "PATH": _PATH,
        "HOME": WORKSPACE,
        "USER": "user",
        "LOGNAME": "user",
        "LANG": "C.UTF-8",
        "TMPDIR": "/tmp",  # noqa: S108 - inside the sandbox
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def base_python() -> str:
    """The interpreter that this program runs on, outside of any virtual environment."""
    return str(getattr(sys, "_base_executable", "") or sys.executable)


def numbers(limits: Limits) -> bytes:
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
    )
    return _wire.pack(*(b"%d" % value for value in values))


@cache
def places() -> bytes:
    """Encode what a sandbox shows: directories and files, links, directories that look empty; see `_guest/_root.py`."""
    binds: list[tuple[str, str]] = []
    links: list[tuple[str, str]] = []
    for name in _TOP:
        top = Path("/", name)
        if top.is_symlink():
            links.append((str(top), str(top.readlink())))
        elif top.is_dir():
            binds.append((str(top), str(top)))
    binds += [(str(Path(path).resolve()), path) for path in _ETC if Path(path).exists()]
    prefix, python = Path(sys.base_prefix), Path(base_python())
    if not prefix.is_relative_to("/usr"):
        binds += [(str(part.resolve()), str(part)) for part in _parts(prefix, python)]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    links += [(f"{_OWN_BIN}/{name}", str(python)) for name in ("python", "python3", version)]
    hidden = [f"{prefix}/lib/{version}/site-packages"]
    hidden += ["/usr/lib/python3/dist-packages", f"/usr/local/lib/{version}/dist-packages"]
    return _wire.pack(_pairs(binds), _pairs(links), _wire.pack(*map(os.fsencode, hidden)))


def _parts(prefix: Path, python: Path) -> list[Path]:
    """The directories of an interpreter's prefix that it needs to run; the rest may be somebody's home."""
    parts = [prefix / name for name in ("bin", "lib", "lib64") if (prefix / name).is_dir()]
    if not any(python.is_relative_to(part) for part in parts):
        parts.append(python)
    return parts


def _pairs(pairs: list[tuple[str, str]]) -> bytes:
    return _wire.pack(*(os.fsencode(text) for pair in pairs for text in pair))


def explain(refusal: str, number: int) -> str:
    """Say what a user can do about a system call that the kernel refused."""
    advice = "Run `honestly doctor` to see which layers this machine gives."
    if number in {errno.EPERM, errno.EACCES, errno.ENOSPC, errno.EUSERS}:
        advice = NAMESPACE_ADVICE
    elif number in {errno.ENOSYS, errno.EINVAL}:
        advice = "Linux 5.12 or newer is needed, with user, mount, pid and network namespaces compiled in."
    return (
        f"this machine does not let us build a sandbox: the kernel refused {refusal}. {advice} "
        "To run without any isolation, at your own risk, pass --unsafe-no-sandbox; the study will say so."
    )
