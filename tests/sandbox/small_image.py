"""A small root file system, put together of this machine's own programs: tests fetch nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from honestly.sandbox._places import base_python

NEVER = shutil.ignore_patterns(
    "site-packages", "test", "tests", "__pycache__", "idlelib", "tkinter", "ensurepip", "*.a"
)


def make_image(root: Path, programs: Iterable[str], *, python: bool = False) -> None:
    """Fill a directory with programs, the libraries that they need, and the links and folders that images have."""
    root.chmod(0o755)
    for folder in ("usr/bin", "etc", "tmp", "var/tmp", "dev", "proc", "sys"):
        (root / folder).mkdir(parents=True)
    (root / "bin").symlink_to("usr/bin")
    for name in programs:
        program = shutil.which(name)
        assert program, name
        _add(root, Path(program).resolve(), root / "usr/bin" / name)
    if python:
        executable, version = base_python(), f"python{sys.version_info.major}.{sys.version_info.minor}"
        _add(root, executable, root / str(executable)[1:])
        library = Path(sys.base_prefix, "lib", version)
        shutil.copytree(library, root / str(library)[1:], symlinks=True, ignore=NEVER, dirs_exist_ok=True)
        for extension in library.glob("lib-dynload/*.so"):
            _add_libraries(root, extension)
        (root / "usr/bin/python3").symlink_to(executable)


def _add(root: Path, program: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(program, target)
    _add_libraries(root, program)


def _add_libraries(root: Path, program: Path) -> None:
    listing = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    for library in re.findall(r"(/\S+) \(0x", listing):
        target = root / library[1:]
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(library, target)
