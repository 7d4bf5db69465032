"""Runs that faults are made to happen to, what their studies must hold all the same, and what must not be left.

Agents are of known truth, so that a trial comes out the same whenever it runs: two studies of one plan are equal, or
something was lost, happened twice or was judged otherwise.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from honestly.errors import StoreError
from honestly.records import Outcome, encode
from honestly.store import open_study

__all__ = [
    "ROOT",
    "Disturbed",
    "begun",
    "command",
    "content",
    "descendants",
    "done_again",
    "gone",
    "stored",
    "with_small_disk",
]

TASKS = ("split-bill", "stock-holds", "config-layers")
AGENTS = ("honest:name=h,easy=0.5,medium=0.5,hard=0.5", "special-case:name=s,rate=0.5", "tamper-runner:name=t")
UNSTEADY = {"at", "seconds", "started_at", "agent_seconds", "earlier", "node"}
CHANGING = re.compile(r"\bin \d+\.\d+s\b|/[^\s\"]*/unsafe-\w+/")
"""In what commands write: how long tests took, and where a workspace lies that is not isolated."""
PATIENCE_S = 20.0
ROOT = Path(__file__).parents[1]


def command(out: Path, *more: str, samples: int = 6) -> list[str]:
    """A run of `9 * samples` trials."""
    words = [sys.executable, "-m", "honestly", "run", "embedded", "--out", str(out), "-k", str(samples), "--jobs", "3"]
    words += [word for task in TASKS for word in ("--task", task)]
    return [*words, *(word for agent in AGENTS for word in ("--agent", agent)), *more]


def content(path: Path) -> dict[str, tuple[object, ...]]:
    """Everything of a study's trials but what depends on when, where and how often they were run."""
    with open_study(path) as study:
        return {
            trial.id: (
                _steady(json.loads(encode(trial))),
                _steady(json.loads(encode(study.trajectory(trial.id)))),
                {n: study.artifact(trial.id, n) for n in study.artifacts(trial.id) if not n.startswith("earlier/")},
            )
            for trial in study.trials()
        }


def _steady(found: object) -> object:
    if isinstance(found, dict):
        return {name: _steady(value) for name, value in found.items() if name not in UNSTEADY}
    if isinstance(found, list):
        return [_steady(value) for value in found]
    return re.sub(CHANGING, "", found) if isinstance(found, str) else found


def done_again(path: Path) -> int:
    """How many trials have an attempt on record that came to nothing, or came to nothing so far."""
    with open_study(path) as study:
        return sum(bool(trial.earlier) or trial.outcome is Outcome.VOID for trial in study.trials())


def begun(path: Path) -> dict[str, str]:
    """When each trial began: tells a trial that was kept from one that was run again."""
    if not path.exists():
        return {}
    with open_study(path) as study:
        return {trial.id: trial.started_at for trial in study.trials()}


def stored(path: Path) -> int:
    """How many trials a study holds that somebody may be making just now."""
    with suppress(StoreError):
        return len(begun(path))
    return 0


def descendants(pid: int) -> list[int]:
    """All processes below one, nearest first."""
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += [int(child), *descendants(int(child))]
    return found


def gone(pids: Iterable[int], patience: float = PATIENCE_S) -> bool:
    """Whether all of these processes end within `patience` seconds."""
    waiting, until = set(pids), time.monotonic() + patience
    while waiting and time.monotonic() < until:
        waiting = {pid for pid in waiting if _lives(pid)}
        time.sleep(0.02)
    return not waiting


def _lives(pid: int) -> bool:
    return _stat(pid)[:1] not in ([], ["Z"], ["X"])


def _start(pid: int) -> str:
    """When a process began, in ticks since the machine did; empty where there is none."""
    return "".join(_stat(pid)[19:20])


def _stat(pid: int) -> list[str]:
    """What /proc says of a process after its name."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(") ")[2].split()
    except OSError:
        return []


class Disturbed:
    """Runs with a folder of temporary files of their own, and the count of what they leave."""

    def __init__(self, folder: Path) -> None:
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self.seen: set[tuple[int, str]] = set()
        """Processes by number and start: on a busy machine a number is somebody else's within minutes."""
        self._mounts = _mounts()

    @property
    def environment(self) -> dict[str, str]:
        """What they run with."""
        return {**os.environ, "TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT / "src")}

    def start(
        self, words: Sequence[str], said: int = subprocess.DEVNULL, **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start a run in a process group of its own; `said` is the descriptor for what it says, if anybody reads it."""
        process = subprocess.Popen(
            words, stdout=said, stderr=said, cwd=self.temporary.parent, env=self.environment | environment,
            process_group=0,
        )  # fmt: skip
        self._see([process.pid])
        return process

    def finish(self, words: Sequence[str], *, fails: bool = False) -> str:
        """Run to the end, and return what it says."""
        until = time.monotonic() + 900
        with TemporaryFile("w+") as out:
            process = subprocess.Popen(
                words, stdout=out, stderr=subprocess.STDOUT, env=self.environment, cwd=self.temporary.parent
            )
            self._see([process.pid])
            while process.poll() is None:
                assert time.monotonic() < until
                self.family(process)
                time.sleep(0.2)
            out.seek(0)
            said = out.read()
        assert bool(process.returncode) == fails, said
        return said

    def family(self, process: subprocess.Popen[bytes]) -> list[int]:
        """A run's own processes, nearest first, which must be gone in the end."""
        found = descendants(process.pid)
        self._see(found)
        return found

    def kill(self, process: subprocess.Popen[bytes]) -> list[int]:
        """Kill a run, and return what was below it."""
        family = self.family(process)
        process.kill()
        process.wait()
        return family

    def assert_nothing_left(self, study: Path) -> None:
        """After a last run that ended by itself."""
        gone(pid for pid, start in self.seen if _start(pid) == start)
        left: dict[str, list[object]] = {
            "processes": [(pid, start) for pid, start in self.seen if _start(pid) == start and _lives(pid)],
            "files": [path for path in self.temporary.iterdir() if not _is_of_tempfile(path)],
            "mounts": sorted({*_mounts()} ^ {*self._mounts}),
            "groups": [path for path in _groups_and_memory() if self._is_of_ours(path.name)],
        }
        assert not any(left.values()), left
        beside = [path.name for path in study.parent.glob(f"*{study.name}*") if path != study]
        assert [name for name in beside if not name.endswith(".unfinished")] == []

    def _is_of_ours(self, name: str) -> bool:
        ours = {pid for pid, _ in self.seen if not _start(pid)}  # all of ours are gone: who lives is somebody else
        number = name.split("-")[1]  # what follows it in a name may look like one, too
        return number.isdecimal() and int(number) in ours

    def _see(self, pids: Iterable[int]) -> None:
        self.seen |= {(pid, start) for pid in pids if (start := _start(pid))}


def with_small_disk(disturbed: Disturbed, place: Path, kilobytes: int, script: str) -> str:
    """Run a shell script in a mount namespace where `place` is a small disk; it may make it larger.

    Skips where this user may mount nothing.
    """
    place.mkdir(exist_ok=True)
    own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    unshare = ["unshare", *own, "--mount", "--propagation", "private", "sh", "-ec"]
    if subprocess.run([*unshare, f"mount -t tmpfs x {place}"], capture_output=True, check=False).returncode:
        pytest.skip("this user may mount nothing, even in a namespace of its own")
    mounted = f"mount -t tmpfs -o size={kilobytes}k small {place}\n{script}"
    done = subprocess.run(
        [*unshare, mounted], env=disturbed.environment, capture_output=True, text=True, check=False, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _is_of_tempfile(path: Path) -> bool:
    """Whether Python's `tempfile` tried with it, for a moment, whether the folder can be written; a kill leaves it."""
    return path.is_file() and path.read_bytes() == b"blat"


def _mounts() -> list[str]:
    return [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if "honestly" in line]


def _groups_and_memory() -> Iterator[Path]:
    """Control groups, whose names begin with their program's, and places of temporary files in memory."""
    yield from Path("/sys/fs/cgroup").rglob("honestly-*")
    yield from Path("/dev/shm").glob("honestly-*/*")


@pytest.fixture
def disturbed(tmp_path: Path) -> Disturbed:
    """For tests that import it."""
    return Disturbed(tmp_path)
