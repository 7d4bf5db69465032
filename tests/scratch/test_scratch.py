"""Temporary folders: they go with their owner, whoever dies, and nothing of anybody else's goes with them."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from honestly.scratch import (
    OWNER_VARIABLE,
    _groups,
    _owner,
    delete_scratch_folder,
    is_dead_owner,
    left_behind,
    make_scratch_folder,
    reap_dead_owners,
    scratch_folder,
    short_scratch_folder,
    start_ticks,
)

OWNER = """
import sys, time, tempfile
tempfile.tempdir = sys.argv[1]
from honestly.scratch import make_scratch_folder, owner_mark
folder = make_scratch_folder("test")
(folder / "a").mkdir()
(folder / "a" / "file").write_text("x")
print(folder, owner_mark(), flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def own_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(_owner, "_MEMORY", tmp_path / "no-memory")
    monkeypatch.setattr(_groups, "_ROOT", tmp_path / "no-groups")  # the machine's are those of other tests
    return tmp_path


@contextmanager
def owner(tmp: Path) -> Iterator[tuple[subprocess.Popen[str], Path, str]]:
    """Another program with a folder; it goes on until its input ends."""
    words = [sys.executable, "-c", OWNER, str(tmp)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        folder, mark = process.stdout.readline().split()
        try:
            yield process, Path(folder), mark
        finally:
            process.kill()


def killed(tmp: Path) -> Path:
    """The folder of a program that was killed."""
    with owner(tmp) as (_, folder, _):
        pass
    assert (folder / "a" / "file").exists()
    return folder


def test_a_folder_is_the_users_alone_and_gone_after_the_block(tmp_path: Path) -> None:
    with scratch_folder("test") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert folder.is_relative_to(tmp_path / f"honestly-{os.geteuid()}")
        (folder / "deep").mkdir()
    assert not folder.exists()


def test_a_program_that_ends_leaves_nothing(tmp_path: Path) -> None:
    with owner(tmp_path) as (process, folder, _):
        process.communicate()
        assert process.returncode == 0
    assert not folder.exists()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_program_leaves_the_next_one_removes(tmp_path: Path) -> None:
    folder = killed(tmp_path)
    (left,) = left_behind()
    assert (left.state, left.folders) == ("dead", (folder.name,))
    assert folder.exists(), "looking changes nothing"
    with scratch_folder("mine") as mine:
        assert not folder.parent.exists()
        assert mine.exists()


def test_a_folder_with_a_short_name_goes_with_its_owner_too(tmp_path: Path) -> None:
    code = OWNER.replace("print(", "held = short_scratch_folder('ray')\nprint(held.__enter__(), ")
    words = [sys.executable, "-c", code.replace("owner_mark\n", "owner_mark, short_scratch_folder\n"), str(tmp_path)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        beside, folder, _ = map(Path, process.stdout.readline().split())
        process.kill()
    assert beside.parent == tmp_path
    assert beside.stat().st_mode & 0o777 == 0o700
    outside = precious(tmp_path)
    for name in ("outside", "../outside", "ray-0123456g", "ray-01234567"):
        (folder.parent / f"beside-{name.replace('/', '')}").mkdir()
    (tmp_path / "ray-01234567").symlink_to(outside)
    assert reap_dead_owners().places == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["outside", "ray-01234567"]
    assert (outside / "precious").read_text() == "mine"
    with short_scratch_folder("ray") as mine:
        assert mine.is_dir()
    assert not mine.exists()


def test_what_a_living_program_holds_stays(tmp_path: Path) -> None:
    with owner(tmp_path) as (process, folder, _):
        os.kill(process.pid, signal.SIGSTOP)
        assert [left.state for left in left_behind()] == ["alive"]
        assert reap_dead_owners().places == 0
        assert (folder / "a" / "file").exists()


def test_neither_age_nor_a_free_lock_makes_an_orphan_of_a_living_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a file system whose locks hold nobody off."""
    with owner(tmp_path) as (_, folder, _):
        os.utime(folder.parent, (0, 0))
        monkeypatch.setattr(fcntl, "flock", lambda *_: None)
        assert reap_dead_owners().places == 0
        assert folder.exists()


def test_groups_of_a_living_program_stay_even_where_locks_hold_nobody_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    living, left = (tmp_path / "no-groups" / f"honestly-{pid}-0123abcd" for pid in (os.getpid(), dead.pid))
    for path in (living / "0", left / "0"):
        path.mkdir(parents=True)
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)
    assert reap_dead_owners().groups == 1
    assert (living / "0").exists()
    assert not left.exists()


def test_another_process_with_the_same_id_keeps_nothing(tmp_path: Path) -> None:
    """The place of a dead program whose id has come to somebody else: to this test."""
    folder = killed(tmp_path)
    head, _, start, mark = folder.parent.name.split("-")
    folder.parent.rename(folder.parent.with_name(f"{head}-{os.getpid()}-{start}-{mark}"))
    assert reap_dead_owners().places == 1
    assert not folder.parent.parent.exists() or not list(folder.parent.parent.iterdir())


def test_what_was_left_before_the_machine_was_started_anew_goes_whoever_has_its_id_now(tmp_path: Path) -> None:
    """A living process has the id, and began at the same tick of another boot."""
    folder = killed(tmp_path)
    head, _, _, mark = folder.parent.name.split("-")
    boot = "f" * 6 if head[6:] != "f" * 6 else "0" * 6
    place = folder.parent.rename(folder.parent.with_name(f"{head[:6]}{boot}-{os.getpid()}-{start_ticks()}-{mark}"))
    assert reap_dead_owners().places == 1
    assert not place.exists()


def test_a_reaper_that_was_killed_leaves_nothing_to_the_next_one(tmp_path: Path) -> None:
    """It gives a place another name for a moment, to see that nothing is mounted there."""
    folder = killed(tmp_path)
    halves = [folder.parent.with_name(f".moved-{n}") for n in range(2)]
    folder.parent.rename(halves[0])
    halves[1].mkdir()
    held = os.open(halves[1], os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    reap_dead_owners()
    assert [half.exists() for half in halves] == [False, True], "somebody is at the second one"
    os.close(held)
    reap_dead_owners()
    assert list(tmp_path.iterdir()) == []


def test_a_place_of_another_machine_is_left_alone(tmp_path: Path) -> None:
    folder = killed(tmp_path)
    name = folder.parent.name
    elsewhere = folder.parent.rename(folder.parent.with_name(("f" if name[0] != "f" else "0") + name[1:]))
    assert [left.state for left in left_behind()] == ["elsewhere"]
    assert reap_dead_owners().places == 0
    assert elsewhere.exists()


def test_marked_processes_of_a_dead_owner_are_killed_even_if_stopped(tmp_path: Path) -> None:
    with owner(tmp_path) as (_, _, mark):
        marked = subprocess.Popen(["sleep", "1000"], env={OWNER_VARIABLE: mark}, start_new_session=True)
        other = subprocess.Popen(["sleep", "1000"], env={OWNER_VARIABLE: mark + "0"}, start_new_session=True)
        os.kill(marked.pid, signal.SIGSTOP)
        assert reap_dead_owners().processes == 0
    try:
        assert left_behind()[0].processes == (marked.pid,)
        assert reap_dead_owners().processes == 1
        assert marked.wait(10) == -signal.SIGKILL
        assert other.poll() is None
    finally:
        marked.kill()
        other.kill()
        marked.wait()
        other.wait()


def test_a_made_up_name_does_not_turn_a_living_owners_mark_against_it(tmp_path: Path) -> None:
    with owner(tmp_path) as (_, folder, mark):
        marked = subprocess.Popen(["sleep", "1000"], env={OWNER_VARIABLE: mark}, start_new_session=True)
        head = folder.parent.name.split("-")[0]
        folder.parent.with_name(f"{head}-1-1-{mark}").mkdir()
        try:
            assert (reap_dead_owners().places, marked.poll()) == (1, None)
        finally:
            marked.kill()
            marked.wait()


def test_an_owner_is_known_to_be_dead_on_its_own_machine_only(tmp_path: Path) -> None:
    code = "from honestly.scratch import is_dead_owner, owner_name; print(owner_name(), is_dead_owner(owner_name()))"
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    said = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True)
    name, dead = said.stdout.split()
    assert dead == "False"
    assert is_dead_owner(name)
    start, host = name[:6], name[-6:]
    assert not is_dead_owner(name.replace(start, "ffffff" if start != "ffffff" else "000000"))
    boot = name[6:12]
    assert not is_dead_owner(name.replace(boot, "ffffff" if boot != "ffffff" else "000000"))
    assert not is_dead_owner(name.removesuffix(host) + ("ffffff" if host != "ffffff" else "000000"))
    assert not is_dead_owner("")


def hostile(folder: Path, outside: Path, depth: int = 5) -> None:
    """What code might leave so that it stays, or so that something else goes."""
    (folder / "link").symlink_to(outside)
    (folder / "up").symlink_to("..")
    (folder / "dangling").symlink_to("/nowhere")
    os.mkfifo(folder / "pipe")
    os.link(outside / "precious", folder / "hard")
    (folder / "shut" / "in").mkdir(parents=True)
    (folder / "shut" / "in" / "file").write_text("x")
    (folder / "shut" / "in" / "link").symlink_to(outside)
    (folder / "shut" / "in").chmod(0)
    (folder / "shut").chmod(0)
    at = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)


def precious(tmp_path: Path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("mine")
    return outside


@pytest.mark.slow
def test_hostile_files_are_deleted_and_nothing_else(tmp_path: Path) -> None:
    outside = precious(tmp_path)
    folder = make_scratch_folder("test")
    hostile(folder, outside, depth=1100)  # deeper than Python calls itself
    delete_scratch_folder(folder)
    assert not folder.exists()
    assert [path.name for path in outside.iterdir()] == ["precious"]
    assert (outside / "precious").read_text() == "mine"


def test_what_is_planted_to_look_like_an_orphan_leads_nowhere(tmp_path: Path) -> None:
    """A folder and a link with names of dead owners, in the very place where such lie."""
    outside = precious(tmp_path)
    place = killed(tmp_path).parent
    head, pid, start, mark = place.name.split("-")
    fake = place.with_name(f"{head}-{pid}-{start}-{mark[::-1]}")
    fake.mkdir()
    hostile(fake, outside)
    place.with_name(f"{head}-1-1-{'0' * 12}").symlink_to(outside)
    place.with_name("something").mkdir()
    os.mkfifo(place.with_name(f"{head}-1-1-{'1' * 12}"))
    assert reap_dead_owners().places == 2
    assert (outside / "precious").read_text() == "mine"
    assert not fake.exists()
    assert place.with_name("something").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts something")
def test_what_is_mounted_there_is_not_entered(tmp_path: Path) -> None:
    outside, folder = precious(tmp_path), make_scratch_folder("test")
    for name in ("mounted", "deep/mounted"):
        (folder / name).mkdir(parents=True)
    code = """
import subprocess, sys
from pathlib import Path
from honestly.scratch import delete_scratch_folder
folder, outside = map(Path, sys.argv[1:])
for name in ("mounted", "deep/mounted"):
    subprocess.run(["mount", "--bind", outside, folder / name], check=True)
delete_scratch_folder(folder)
assert (outside / "precious").read_text() == "mine"
"""
    words = ["unshare", "--mount", "--propagation", "private", sys.executable, "-c", code, str(folder), str(outside)]
    subprocess.run(words, check=True)
    assert (outside / "precious").read_text() == "mine"
    delete_scratch_folder(folder)


def test_somebody_elses_folder_is_not_trusted(tmp_path: Path) -> None:
    outside = precious(tmp_path)
    base = tmp_path / f"honestly-{os.geteuid()}"
    base.symlink_to(outside)
    folder = make_scratch_folder("test")
    assert folder.parent == tmp_path
    delete_scratch_folder(folder)
    base.unlink()
    base.mkdir()
    base.chmod(0o777)
    assert make_scratch_folder("test").parent == tmp_path
    assert left_behind() == []
    assert reap_dead_owners().places == 0


def test_a_fork_has_a_place_of_its_own_and_leaves_its_parents(tmp_path: Path) -> None:
    code = """
import os, sys, tempfile
tempfile.tempdir = sys.argv[1]
from honestly.scratch import make_scratch_folder
parents = make_scratch_folder("test")
if os.fork() == 0:
    assert make_scratch_folder("test").parent != parents.parent
    sys.exit(0)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
assert parents.exists()
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_several_that_start_at_once_clear_up_once_and_keep_their_own(tmp_path: Path) -> None:
    with owner(tmp_path) as (_, one, _), owner(tmp_path) as (_, other, _):
        for number in range(400):
            ((one, other)[number % 2] / f"d{number}").mkdir()
    words = [sys.executable, "-c", OWNER, str(tmp_path)]
    starting = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    try:
        folders = [Path(process.stdout.readline().split()[0]) for process in starting if process.stdout]
        assert all((folder / "a" / "file").exists() for folder in folders)
        assert sorted(left_place.path for left_place in left_behind()) == sorted(folder.parent for folder in folders)
    finally:
        for process in starting:
            process.communicate()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_doctor_lists_what_lies_about_and_clears_it_away_when_told(tmp_path: Path) -> None:
    folder = killed(tmp_path)

    def doctor(*words: str) -> str:
        command = [sys.executable, "-m", "honestly", "doctor", "--no-channels", *words]
        done = subprocess.run(command, env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True)
        assert done.returncode in {0, 3}
        return done.stdout

    assert f"1 folder, 0 processes ({folder.parent})" in doctor()
    folder = killed(tmp_path)  # the sandboxes that it tried have removed the first one
    said = json.loads(doctor("--json", "--reap"))
    assert said["reaped"]["places"] >= 1
    assert [left for left in said["left"] if left["path"].startswith(str(tmp_path))] == []
    assert not folder.exists()
    assert "Cleared away" in doctor("--reap")
