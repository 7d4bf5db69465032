"""What the tests of the sandbox share: event loops, all kinds of sandbox, and a check that nothing is left behind."""

from __future__ import annotations

import importlib.util
import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from box_processes import command_line, descendants, ended, zygotes
from engines import ENGINES, Opener, image, silence

from honestly.audit.languages import _code
from honestly.sandbox import Container, open_sandbox
from honestly.scratch import _owner, reap_dead_owners

BACKENDS = ["asyncio", *(["trio"] if importlib.util.find_spec("trio") else [])]


@pytest.fixture(autouse=True, scope="module")
def no_parsers() -> None:
    """These tests count processes: the parsers' sandbox, which lives as long as its process does, gives way."""
    for box in _code._boxes.values():
        box.close()


@pytest.fixture(params=BACKENDS)
def anyio_backend(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=[False, True], ids=["namespaces", "none"])
def unsafe(request: pytest.FixtureRequest) -> bool:
    return request.param


@pytest.fixture(params=["namespaces", "none", *(pytest.param(engine, marks=pytest.mark.slow) for engine in ENGINES)])
def kind(request: pytest.FixtureRequest) -> str:
    """Every kind of sandbox that can be had here, by the name that a study records."""
    if request.param in ENGINES and (reason := silence(request.param)):
        pytest.skip(reason)
    return request.param


@pytest.fixture
def opener(kind: str) -> Opener:
    """`open_sandbox` for a kind of sandbox."""
    if kind in ENGINES:
        return partial(open_sandbox, container=Container(image(kind), kind))
    return partial(open_sandbox, unsafe=kind == "none")


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """After every test: no process but the zygote, no mount, no temporary directory, no descriptor more than before."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mounts = mounted()
    opened = descriptors() if zygotes() else None
    others = set(descendants(os.getpid()))  # of other files' tests in the same process
    yield
    left = [pid for pid in set(descendants(os.getpid())) - set(zygotes()) - others if not ended(pid, within_s=5)]
    assert not left, [command_line(pid) for pid in left]
    assert mounted() == mounts
    assert not list(tmp_path.glob("honestly-*/*/*"))
    for key in [key for key in _owner._places if key[1].is_relative_to(tmp_path)]:
        _owner._places.pop(key).remove()  # as at the end of the program
    reap_dead_owners()  # as the next program does: a fork that ended without ado has left its place
    assert not list(tmp_path.glob("honestly-*"))
    deadline = time.monotonic() + 5  # a thread of a test before this one may be about to close its own
    while opened is not None and descriptors().total() > opened.total():
        assert time.monotonic() < deadline, descriptors() - opened
        time.sleep(0.05)


def descriptors() -> Counter[str]:
    """What is open in this process, by name; one that is closed meanwhile has none."""
    found = Counter[str]()
    for each in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found[str(each.readlink())] += 1
    return found


def mounted() -> list[str]:
    """What is mounted, but for what Podman mounts where it keeps images, for another process's tests perhaps."""
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [line for line in lines if "/containers/storage/" not in line and "/podman-" not in line]
