"""Folders in caches, in which something is made: they go with who made them, killed or not, and what was finished stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from honestly.scratch import clear_workshops, start_ticks, temporary_workshop

MAKER = """
import sys
from pathlib import Path
from honestly.scratch import temporary_workshop
with temporary_workshop(Path(sys.argv[1])) as work:
    (work / "deep").mkdir()
    (work / "deep" / "file").write_text("x")
    print(work, flush=True)
    sys.stdin.read()
"""
# Each is killed while it makes what lies in the cache; given a word, it does not die, and what it makes is finished.
CACHES = {
    "packages of tasks": """
from honestly.tasks.preparation._install import _kept_resolution
def install(dependencies, work):
    (work / "packages").mkdir()
    (work / "packages" / "some.py").write_text("x")
    die()
    return ("some==1 sha256:0",)
_kept_resolution(["some"], install)
""",
    "caches of compilers": """
import pathlib
from honestly.languages import _judge
write = pathlib.Path.write_bytes
def write_and_die(path, data):
    write(path, data)
    die()
pathlib.Path.write_bytes = write_and_die
_judge._keep_cache(pathlib.Path(os.environ["XDG_CACHE_HOME"], "honestly", "bench", "languages", "go-1"), {".cache/a": b"x"})
""",
}


def test_a_workshop_is_gone_after_the_block_and_what_was_moved_out_stays(tmp_path: Path) -> None:
    with temporary_workshop(tmp_path / "work") as work:
        assert work.stat().st_mode & 0o777 == 0o700
        (work / "made").write_text("x")
        (work / "rest").write_text("x")
        (work / "made").rename(tmp_path / "made")
    assert list((tmp_path / "work").iterdir()) == []
    assert (tmp_path / "made").read_text() == "x"


def test_the_next_one_removes_what_a_killed_one_left_and_nothing_of_a_living_one(tmp_path: Path) -> None:
    words = [sys.executable, "-c", MAKER, str(tmp_path)]
    makers = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    places = [Path(maker.stdout.readline().strip()) for maker in makers if maker.stdout]
    try:
        makers[0].kill()
        makers[0].wait()
        assert (places[0] / "deep" / "file").exists()
        with temporary_workshop(tmp_path) as mine:
            assert sorted(tmp_path.iterdir()) == sorted([places[1], mine])
        assert clear_workshops(tmp_path) == 0
        assert (places[1] / "deep" / "file").exists()
    finally:
        for maker in makers:
            maker.communicate()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cache", CACHES)
def test_what_is_killed_while_it_fills_a_cache_leaves_nothing_for_long(tmp_path: Path, cache: str) -> None:
    head = "import os, sys\ndef die():\n    if not sys.argv[1:]:\n        os.kill(os.getpid(), 9)\n"
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    environ.pop("HONESTLY_ENVIRONMENTS", None)
    words = [sys.executable, "-c", head + CACHES[cache]]
    assert subprocess.run(words, env=environ, check=False).returncode == -signal.SIGKILL
    assert len(list(tmp_path.rglob("work/*"))) == 1
    subprocess.run([*words, "go on"], env=environ, check=True)
    assert list(tmp_path.rglob("work/*")) == []


def test_npm_ends_with_whoever_asked_it(tmp_path: Path) -> None:
    told = tmp_path / "told"
    npm = tmp_path / "npm"
    npm.write_text(f"#!/bin/sh\necho $$ >{told}.part; mv {told}.part {told}; exec sleep 1000\n")
    npm.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": path}
    environ.pop("HONESTLY_ENVIRONMENTS", None)
    code = "from honestly.tasks.preparation._install import installed_versions; installed_versions(['npm:x@1'])"
    with subprocess.Popen([sys.executable, "-c", code], env=environ) as asking:
        while not told.exists():
            assert asking.poll() is None
            time.sleep(0.02)
        asking.kill()
    pid = int(told.read_text())
    until = time.monotonic() + 20
    while start_ticks(pid) and time.monotonic() < until:
        time.sleep(0.02)
    assert not start_ticks(pid)
