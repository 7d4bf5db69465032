"""Container engines on this machine, and a small image for them, made of this machine's own programs."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from small_image import make_image

ENGINES = ("docker", "podman")
IMAGE = "localhost/honestly-test-image"
PROGRAMS = (
    *("sh", "cat", "ls", "mkdir", "rm", "id", "tar", "grep", "chmod", "sleep", "seq", "wc", "head", "stat", "truncate"),
    *("mkfifo", "ln", "printf", "true", "kill", "touch", "setsid", "env"),
)


@cache
def silence(engine: str) -> str:
    """Why an engine cannot be used here; empty if it can."""
    if shutil.which(engine) is None:
        return f"there is no {engine} on this machine"
    done = subprocess.run([engine, "info"], capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{engine} does not answer: {done.stderr.strip().splitlines()[-1]}"


@cache
def image(engine: str) -> str:
    """The image, loaded into an engine; it stays there."""
    with tempfile.TemporaryDirectory() as folder:
        root, archive = Path(folder, "root"), Path(folder, "image.tar")
        root.mkdir()
        make_image(root, PROGRAMS, python=True)
        subprocess.run(["tar", "-C", root, "-cf", archive, "."], check=True)
        subprocess.run([engine, "import", archive, IMAGE], check=True, capture_output=True)
    return IMAGE
