"""Other people's tools, really run: each in an environment of its own, made on demand from a constraints file.

`HONESTLY_PEERS` names the directory of the environments; by default it is `honestly/peers` in the user's cache. An
environment lasts until its constraints change. Making one takes a minute and some hundred megabytes, so
tests that use one are marked slow.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

__all__ = ["peer", "released", "run_peer"]

ROOT = Path(__file__).parents[1]
PATIENCE_S = 900


@cache
def peer(name: str, minimum: tuple[int, int] = (3, 11)) -> Path:
    """The Python of the environment that `constraints/peer-NAME.txt` describes.

    Skips the test where there is no interpreter of at least `minimum`, or where the registry refuses.
    """
    wanted = (ROOT / "constraints" / f"peer-{name}.txt").read_bytes()
    return _made(name, minimum, wanted, "--no-deps", "--require-hashes", "-r", "/dev/stdin")


@cache
def released(*wanted: str) -> Path:
    """The Python of an environment with these releases (`name==version`), what they need, and what our core needs.

    Skips the test where there is no interpreter for it, or where the registry refuses.
    """
    core = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    return _made(wanted[0], (3, 11), " ".join(wanted).encode(), *wanted, *core)


def _made(name: str, minimum: tuple[int, int], wanted: bytes, *words: str) -> Path:
    python, version = interpreter(minimum)
    folder = _home() / f"{name}-{version}-{hashlib.sha256(wanted).hexdigest()[:12]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "whole").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _do(python, "-m", "venv", str(folder))
            _do(str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", *words, words=wanted)
            (folder / "whole").touch()
    return folder / "bin" / "python"


def run_peer(python: Path, program: str, *words: object, timeout: float = 300) -> str:
    """What a program prints that runs under a peer's Python; fails the test with its messages where it fails.

    Our own package can be imported there too, from its source.
    """
    command = [python, "-c", program, *map(str, words)]
    environ = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, env=environ)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def interpreter(minimum: tuple[int, int]) -> tuple[str, str]:
    """The path and the version ("3.12") of the oldest Python here that will do; skips the test where there is none."""
    if sys.version_info >= minimum:
        return sys.executable, "{}.{}".format(*sys.version_info)
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(minimum[1], 15):
        version = f"3.{minor}"
        found = sorted(pyenv.glob(f"{version}.*/bin/python{version}"))
        if python := str(found[-1]) if found else shutil.which(f"python{version}"):
            return python, version
    pytest.skip("needs Python {}.{} or newer, which is not installed here".format(*minimum))


def _home() -> Path:
    told = os.environ.get("HONESTLY_PEERS")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(told) if told else Path(base) / "honestly" / "peers"


def _do(*command: str, words: bytes = b"") -> None:
    # Of packages that are found by PYTHONPATH, pip would install none.
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, input=words, capture_output=True, timeout=PATIENCE_S, check=False, env=environ)
    if done.returncode:
        pytest.skip(f"the registry refuses: {done.stderr.decode(errors='replace')[-500:]}")
