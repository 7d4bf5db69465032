"""A program that stands still for a while with all that it has started: stopped by signals, or frozen by its control group."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from disturbed import ROOT, descendants

_FREEZER = Path("/sys/fs/cgroup/freezer")
_UNIFIED = Path("/sys/fs/cgroup")


def stop(pid: int) -> list[int]:
    """Stop a process and all below it; returns them."""
    stopped: list[int] = []
    while new := [each for each in [pid, *descendants(pid)] if each not in stopped]:
        for each in new:
            with suppress(ProcessLookupError):
                os.kill(each, signal.SIGSTOP)
        stopped += new
    return stopped


def go_on(pids: list[int]) -> None:
    """Let stopped processes go on."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def freezing_group(name: str) -> Iterator[Path | None]:
    """A control group that can be frozen; None where none can be made."""
    base = _FREEZER if _FREEZER.is_dir() else _UNIFIED
    group = base / f"honest-frozen-{name}-{os.getpid()}"
    try:
        group.mkdir()
    except OSError:
        yield None
        return
    try:
        yield group if any((group / each).exists() for each in ("freezer.state", "cgroup.freeze")) else None
    finally:
        set_frozen(group, frozen=False)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            for path in sorted(group.rglob("*/"), reverse=True):
                with suppress(OSError):
                    path.rmdir()
            with suppress(OSError):
                group.rmdir()
                break
            time.sleep(0.1)


def set_frozen(group: Path, *, frozen: bool) -> None:
    """Freeze a group, or thaw it."""
    state, freeze = group / "freezer.state", group / "cgroup.freeze"
    if state.exists():
        state.write_text("FROZEN" if frozen else "THAWED")
    elif freeze.exists():
        freeze.write_text("1" if frozen else "0")


def said_with_a_standstill(script: str, seconds: float, after: float = 0.3) -> list[str]:
    """The lines that a Python program says, which is stopped with all below it a moment after it has said `go`."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "tests"), *sys.path])}
    program = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=env)
    assert program.stdout is not None
    try:
        while (line := program.stdout.readline()) != "go\n":
            assert line, "it ended before it began"
        time.sleep(after)
        stopped = stop(program.pid)
        time.sleep(seconds)
        go_on(stopped)
        said = program.stdout.read().splitlines()
        assert program.wait(120) == 0
        return said
    finally:
        program.kill()
        program.wait()
        program.stdout.close()
