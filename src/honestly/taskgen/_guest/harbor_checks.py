"""Runs a task's hidden checks where Harbor runs them: in the container of the work, over /app; then says the reward.

Each check has a process of its own, which forks the solution's before it has read any check, over a fresh copy of the
work. Where this runs as root, the solution runs as nobody, and cannot read the checks. Standard library only.

    python3 harbor_checks.py                  all checks of checks.json, with ctrf.json and reward.txt in /logs/verifier
    python3 harbor_checks.py NAME PATIENCE    one check; prints its status and what there is to say, as JSON
"""

from __future__ import annotations

import json
import marshal
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from socket import socketpair
from typing import Any

HERE = Path(__file__).resolve().parent
APP, LOGS = Path("/app"), Path("/logs/verifier")
NOBODY, TOOLS = 65534, 65533
"""Users, where this runs as root: the work, and the judge's tools, which it can then not disturb."""
_FRAME, _SPARE_S, _BEGIN_S = 8 << 20, 5.0, 30.0
_PATIENCE = ("1", "4")
"""How much longer limits are at each try; a check that was too slow has another."""


def main() -> None:
    """Runs all checks, and writes what came of them."""
    orders = json.loads((HERE / "checks.json").read_text("utf-8"))
    if os.geteuid() == 0:
        HERE.chmod(0o700)
    tests = []
    for name in orders["expected"]:
        status, message = "error", "not run"
        for patience in _PATIENCE:
            status, message = _in_process(name, patience, orders["timeout_s"])
            if status != "timeout":
                break
        print(f"{name}: {status} {message}".rstrip(), flush=True)
        tests.append(
            {"name": name, "status": "passed" if status == "passed" else "failed", "duration": 0, "message": message}
        )
    passed = sum(test["status"] == "passed" for test in tests)
    summary = {"tests": len(tests), "passed": passed, "failed": len(tests) - passed}
    summary |= {"skipped": 0, "pending": 0, "other": 0, "start": 0, "stop": 0}
    LOGS.mkdir(parents=True, exist_ok=True)
    report = {"results": {"tool": {"name": "honestly"}, "summary": summary, "tests": tests}}
    (LOGS / "ctrf.json").write_text(json.dumps(report), "utf-8")
    (LOGS / "reward.txt").write_text(f"{int(passed == len(tests) > 0)}\n", "utf-8")


def _in_process(name: str, patience: str, limit: float) -> tuple[str, str]:
    command = [sys.executable, "-I", str(HERE / "harbor_checks.py"), name, patience]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, timeout=limit * float(patience), check=False)
        status, message = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return "timeout", f"no end within {limit:g} s"
    except (ValueError, TypeError):
        return "error", "the check's process ended before it said anything"
    return str(status), str(message)


def one(name: str, patience: float) -> None:
    """Runs one check over a fresh copy of the work."""
    sys.path.insert(0, str(HERE))
    from honestly.verify._guest import asking, candidate, grader, wire

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as parent:
        os.chmod(parent, 0o711)  # noqa: PTH101, S103
        folder = Path(parent) / "work"
        folder.mkdir()
        near, far = socketpair()
        child = os.fork()
        if child == 0:
            try:
                os.setsid()
                kept = os.dup2(far.detach(), 3)
                os.closerange(4, 1 << 12)
                silent = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(silent, stream)
                _become(folder)
                candidate.forked(kept)
            finally:
                os._exit(1)
        far.close()
        channel = wire.Channel(near.detach())
        try:
            if os.geteuid() == 0:
                os.chown(folder, NOBODY, NOBODY)
            channel.limit(_BEGIN_S)
            data = marshal.dumps(_wire_files(APP))
            for start in range(0, len(data), _FRAME):
                last = start + _FRAME >= len(data)
                channel.send(wire.FILES if last else wire.MORE, data[start : start + _FRAME])
            here = _here(asking.Wire)(channel, patience, folder)
            sys.modules["grader"] = grader
            sys.path.insert(0, str(HERE / "checks"))
            status, message, _ = grader.run_check(here, name, secrets.randbits(64))
        finally:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
        print(json.dumps([status, message[:1000]]))


def _become(folder: Path) -> None:
    """Goes to the folder, as nobody where that can be."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    os.chdir(folder)
    os.environ |= {"HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def _wire_files(root: Path) -> list[tuple[str, str, bytes]]:
    """The work, as a process of the wire takes it: links last."""
    found: list[tuple[str, str, bytes]] = []
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if "__pycache__" in path.parts or ".git" in path.parts:
            continue
        if path.is_symlink():
            found.append(("link", name, os.fsencode(os.readlink(path))))  # noqa: PTH115
        elif path.is_file():
            found.append(("exec" if os.access(path, os.X_OK) else "file", name, path.read_bytes()))
    return sorted(found, key=lambda each: each[0] == "link")


def _here(wire: type) -> type:
    """A wire whose host is this process: files and commands in the copy of the work."""

    class Here(wire):  # type: ignore[misc]
        def __init__(self, channel: object, patience: float, folder: Path) -> None:
            super().__init__(None, channel, patience)
            self._folder = folder

        def ask_host(self, name: str, *arguments: Any) -> object:  # noqa: ANN401 - plain data
            """Does what the grader asks about files and commands."""
            self._await()
            if name == "run":
                arguments = (*arguments[:-1], arguments[-1] * self.patience)
            return _HOST[name](self._folder, *arguments)

    return Here


def _run(folder: Path, command: list[str], stdin: str, env: dict[str, str], seconds: float) -> list[object]:
    return _ended(folder, command, stdin, {**os.environ, "HOME": str(folder), **env}, seconds, NOBODY)


def _run_tool(
    _work: Path, command: list[str], files: list[list[Any]], stdin: str, env: dict[str, str], seconds: float
) -> list[object]:
    """A judge's tool on some files, with a home and variables of its own; see `Workspace.tool`."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        folder = Path(home) / "of-the-work"
        folder.mkdir()
        for path, data in files:
            place = _inside(folder, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        if os.geteuid() == 0:
            os.chown(home, TOOLS, TOOLS)
        own = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8"}
        own |= {"PYTHONSAFEPATH": "1", "PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        own |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        return _ended(folder, command, stdin, own | env, seconds, TOOLS)


def _ended(
    folder: Path, command: list[str], stdin: str, env: dict[str, str], seconds: float, user: int
) -> list[object]:
    who = user if os.geteuid() == 0 else None
    process = subprocess.Popen(
        command, cwd=folder, env=env, start_new_session=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        user=who, group=who, extra_groups=None if who is None else [],
    )  # fmt: skip
    out, err, late = b"", b"", False
    try:
        out, err = process.communicate(stdin.encode(), timeout=seconds)
    except subprocess.TimeoutExpired:
        late = True
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    if late:
        out, err = process.communicate()
    return [None if late else process.returncode, out, err, late]


def _inside(folder: Path, path: str) -> Path:
    """A place in the workspace, which no link leads out of."""
    place = Path(os.path.normpath(folder / path))
    if not place.is_relative_to(folder) or not place.parent.resolve().is_relative_to(folder.resolve()):
        raise OSError(f"{path} is not in the workspace")
    return place


def _read_bytes(folder: Path, path: str) -> bytes:
    place = _inside(folder, path)
    if not place.resolve().is_relative_to(folder.resolve()):
        raise OSError(f"{path} leads out of the workspace")
    return place.read_bytes()


def _write(folder: Path, path: str, data: bytes) -> None:
    place = _inside(folder, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.write_bytes(data)
    if os.geteuid() == 0:
        shutil.chown(place, NOBODY, NOBODY)


def _delete(folder: Path, path: str) -> None:
    _inside(folder, path).unlink(missing_ok=True)


def _listed_paths(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sorted(name for path in found if "__pycache__/" not in (name := path.relative_to(folder).as_posix()))


_HOST: dict[str, Callable[..., object]] = {
    "run": _run, "tool": _run_tool, "read": _read_bytes, "write": _write, "delete": _delete, "files": _listed_paths,
}  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) > 1:
        one(sys.argv[1], float(sys.argv[2]))
    else:
        main()
