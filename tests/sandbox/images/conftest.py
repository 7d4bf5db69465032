"""What the tests of images share: a store of their own, and a small root file system in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_image import make_image

from honestly.sandbox.images import RootImage, add_image

PROGRAMS = ("sh", "cat", "ls", "mkdir", "rm", "id", "mv", "chown", "chmod", "touch", "stat", "env", "ln", "sleep")
PROGRAMS += ("mknod", "mount", "head", "wc", "dd")


@pytest.fixture(scope="session")
def small_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root directory of a small system."""
    root = tmp_path_factory.mktemp("root") / "small"
    root.mkdir()
    make_image(root, PROGRAMS, python=False)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\njoe:x:1000:1001::/home/joe:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\njoe:x:1001:\nstaff:x:50:joe\n")
    (root / "etc/release").write_text("small\n")
    return root


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty store."""
    home = tmp_path / "store"
    monkeypatch.setenv("HONESTLY_IMAGES", str(home))
    return home


@pytest.fixture
def base(store: Path, small_root: Path) -> RootImage:
    """The small system as an image."""
    return add_image(small_root, "small")
