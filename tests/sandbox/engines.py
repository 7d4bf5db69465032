"""Container engines on this machine, and a small image for them, made of this machine's own programs.

Podman is tried as it is set up; and where that cannot run anything, as on a machine without systemd, whose control
groups are of two versions at once, or which cannot mount overlays, with a setup of our own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import cache
from pathlib import Path

from small_image import make_image

from honestly.sandbox import Sandbox

Opener = Callable[..., AbstractAsyncContextManager[Sandbox]]
ENGINES = ("docker", "podman")
IMAGE = "localhost/honestly-test-image"
PROGRAMS = (
    *("sh", "cat", "ls", "mkdir", "rm", "id", "tar", "grep", "chmod", "sleep", "seq", "wc", "head", "stat", "truncate"),
    *("mkfifo", "ln", "printf", "true", "kill", "touch", "setsid", "env"),
)


_CONTAINERS = """
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
runtime = "{runtime}"
cgroup_manager = "cgroupfs"
events_logger = "file"
"""
_STORAGE = """
[storage]
driver = "vfs"
graphroot = "{folder}/root"
runroot = "{folder}/run"
"""


@cache
def silence(engine: str) -> str:
    """Why an engine cannot be used here; empty if it can."""
    if shutil.which(engine) is None:
        return f"there is no {engine} on this machine"
    said = _refusal(engine)
    if said and engine == "podman":
        before, home = dict(os.environ), tempfile.TemporaryDirectory(prefix="podman-", ignore_cleanup_errors=True)
        for runtime in filter(shutil.which, ("crun", "runc")):
            folder = Path(home.name, runtime)
            folder.mkdir()
            _kept.append(home)
            for name, text in (("CONTAINERS_CONF", _CONTAINERS), ("CONTAINERS_STORAGE_CONF", _STORAGE)):
                (folder / name).write_text(text.format(runtime=runtime, folder=folder))
                os.environ[name] = str(folder / name)
            if not _refusal(engine):
                return ""
        os.environ.clear()
        os.environ.update(before)
    return said and f"{engine} runs no container here: {said}"


_kept: list[tempfile.TemporaryDirectory[str]] = []
"""Where the engine set up here keeps its images, until the tests end."""


def _refusal(engine: str) -> str:
    """What an engine says when asked to run a container; empty if it does."""
    said = _said(engine, "info")
    if said:
        return said
    try:
        _load(engine)
    except subprocess.CalledProcessError as error:  # no range of ids for this user, say
        return f"it takes no image in, and ends with {error.returncode}"
    return _said(engine, "run", "--rm", "--pull=never", "--network=none", "--entrypoint=/usr/bin/true", IMAGE)


def _said(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1] if done.returncode else ""


def image(engine: str) -> str:
    """The image, which `silence` has loaded into an engine; it stays there."""
    assert not silence(engine)
    return IMAGE


def _load(engine: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, archive = Path(folder, "root"), Path(folder, "image.tar")
        root.mkdir()
        make_image(root, PROGRAMS, python=True)
        subprocess.run(["tar", "-C", root, "-cf", archive, "."], check=True)
        subprocess.run([engine, "import", archive, IMAGE], check=True, capture_output=True)
