"""A plug-in of pytest's that has a project's own build system compile its extensions before tests are loaded.

A wheel is built of a copy of the workspace, and of what it holds the compiled modules are put where the project has
them. As long as nothing that is compiled has changed, those that were built before will do. Where nothing can be built,
no test runs. Standard library only.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

_OWN = "honestly_build."
_HERE = Path(__file__).resolve().parent
_COPY, _WHEEL = Path("/tmp/honestly-build"), Path("/tmp/built")
_QUICK = {"CFLAGS": "-O0 -g0 -w", "CXXFLAGS": "-O0 -g0 -w"}
"""Tests ask what code does, not how fast: to optimise it takes several times as long."""


def build_state(files: Iterable[tuple[str, bytes]], modules: Iterable[str]) -> str:
    """What stands for all files that a build may read, and for what it made: modules of Python below the top are not
    compiled.
    """
    found, made = hashlib.sha256(), set(modules)
    for path, data in sorted(files):
        parts = path.split("/")
        if path in made or not (path.startswith((".git/", _OWN)) or "__pycache__" in parts or _is_plain(parts)):
            found.update(f"{path} {hashlib.sha256(data).hexdigest()}\n".encode())
    return found.hexdigest()


def _is_plain(parts: list[str]) -> bool:
    return (len(parts) > 1 and parts[-1].endswith((".py", ".pyi"))) or parts[0].startswith(".pytest_cache")


def _held_files() -> Iterator[tuple[str, bytes]]:
    for folder, folders, names in os.walk(_HERE):
        folders[:] = [name for name in folders if name not in (".git", "__pycache__")]
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path.relative_to(_HERE).as_posix(), path.read_bytes()


def build_extensions() -> None:
    """Builds, and puts what was compiled where the orders say."""
    orders = json.loads((_HERE / "honestly_build.json").read_text("utf-8"))
    if build_state(_held_files(), orders["modules"]) == orders["state"]:
        return
    shutil.rmtree(_COPY, ignore_errors=True)
    shutil.copytree(_HERE, _COPY, symlinks=True, ignore=shutil.ignore_patterns(".git", f"{_OWN}*"))
    done = subprocess.run(
        [sys.executable, "-c", orders["build"], orders["backend"], *orders["folders"]],
        cwd=_COPY,
        env={**os.environ, **_QUICK, **dict.fromkeys(orders["versions"], orders["version"])},
        capture_output=True,
        check=False,
    )
    try:
        said = json.loads(done.stdout.decode("utf-8", "replace").strip().splitlines()[-1])
        packed = zipfile.ZipFile(io.BytesIO(Path(said["wheel"]).read_bytes()))
    except (ValueError, KeyError, IndexError, OSError):
        words = (done.stderr or done.stdout).decode("utf-8", "replace").splitlines()
        faults = [line for line in words if "error" in line.lower()]
        raise SystemExit(f"its extensions cannot be built: {' '.join(faults[:3]) or words[-1:]}") from None
    for path in orders["modules"]:
        for name in packed.namelist():
            if f"/{path}".endswith(f"/{name}"):
                place = _HERE / path
                place.unlink(missing_ok=True)
                place.write_bytes(packed.read(name))
    shutil.rmtree(_COPY, ignore_errors=True)
    shutil.rmtree(_WHEEL, ignore_errors=True)


if __name__ == "honestly_build":
    build_extensions()
