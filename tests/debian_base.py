"""A base image of Debian, made by debootstrap: what tests build on where no registry of images can be reached.

It is made once for a machine, and kept in the user's cache (`HONESTLY_TEST_BASE` names another directory).
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

RELEASE = "bookworm"
_DONE = "etc/debian_version"
_MOST_S = 900


def debian_base() -> Path:
    """The image's root directory; the test is skipped where it cannot be made."""
    root, reason = _made()
    if reason:
        pytest.skip(f"no base image: {reason}")
    return root


@cache
def _made() -> tuple[Path, str]:
    """Where the base is, and why it is not."""
    cache_home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    root = Path(os.environ.get("HONESTLY_TEST_BASE") or cache_home / "honestly-tests" / f"debian-{RELEASE}")
    if (root / _DONE).exists():
        return root, ""
    if os.geteuid() != 0:
        return root, "debootstrap needs root"
    program = shutil.which("debootstrap", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        return root, "there is no debootstrap on this machine"
    root.parent.mkdir(parents=True, exist_ok=True)
    half = root.with_name(f"{root.name}-{secrets.token_hex(4)}")
    words = [program, "--variant=minbase", RELEASE, str(half)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=_MOST_S)
        if done.returncode:
            return root, f"debootstrap failed: {(done.stdout.strip().splitlines() or ['it did not say why'])[-1]}"
        shutil.rmtree(half / "var/cache/apt/archives", ignore_errors=True)
        half.rename(root)
    except subprocess.TimeoutExpired:
        return root, f"debootstrap took more than {_MOST_S} s"
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return root, ""
