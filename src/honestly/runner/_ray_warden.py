"""A process beside a Ray of our own: when whoever began it has ended, in whatever way, nothing of that Ray is left.

Ray's processes notice by themselves that their parents are gone, some after a minute, and some never where these were
adopted by another process than the first one (as below `systemd --user`). This one ends what writes its output below
Ray's folder, and deletes the folder. It is run as a program; its standard input ends with us.
"""

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

_PATIENCE_S = 30.0


def _of(folder: str) -> list[int]:
    """Processes whose standard output is a file below a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/fd/1"):
        with suppress(OSError):
            if path.readlink().is_relative_to(folder):
                found.append(int(path.parts[2]))
    return found


def _end(folder: str) -> None:
    until = time.monotonic() + _PATIENCE_S
    while (left := _of(folder)) and time.monotonic() < until:
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.stdin.read()
    _end(sys.argv[1])
