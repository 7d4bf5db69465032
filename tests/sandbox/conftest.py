"""What the tests of the sandbox share: event loops, both kinds of sandbox, and a check that nothing is left behind."""

from __future__ import annotations

import importlib.util
import os
import select
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

BACKENDS = ["asyncio", *(["trio"] if importlib.util.find_spec("trio") else [])]


@pytest.fixture(params=BACKENDS)
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=[False, True], ids=["namespaces", "none"])
def unsafe(request: pytest.FixtureRequest) -> bool:
    return request.param


def descendants(pid: int) -> list[int]:
    """All processes below one, nearest first."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):
            for child in (task / "children").read_text().split():
                found += [int(child), *descendants(int(child))]
    return found


def command_line(pid: int) -> bytes:
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def zygotes() -> list[int]:
    """The one helper process that may outlive a test: it ends with this program."""
    return [pid for pid in descendants(os.getpid()) if b"_zygote" in command_line(pid)][:1]


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After every test: no process but the zygote, no mount, no temporary directory, no descriptor more than before."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mounts = Path("/proc/self/mountinfo").read_text()
    descriptors = len(list(Path("/proc/self/fd").iterdir())) if zygotes() else None
    yield
    left = [pid for pid in set(descendants(os.getpid())) - set(zygotes()) if not ended(pid, within_s=5)]
    assert not left, [command_line(pid) for pid in left]
    assert Path("/proc/self/mountinfo").read_text() == mounts
    assert not list(tmp_path.glob("honestly-*"))
    assert descriptors is None or len(list(Path("/proc/self/fd").iterdir())) == descriptors


def ended(pid: int, within_s: float) -> bool:
    """Wait for the end of a process; a keeper says goodbye just before it ends."""
    try:
        fd = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([fd], [], [], within_s)[0])
    finally:
        os.close(fd)


def end_zygote() -> None:
    for pid in zygotes():
        os.kill(pid, signal.SIGKILL)
