"""Studies as files: whatever is open, in the way, damaged or killed, one is moved as a whole or not at all."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from honestly.errors import StoreError, StudyBusyError
from honestly.store import (
    archive_study,
    create_study,
    drop_study,
    empty_dropped,
    list_studies,
    open_study,
    rename_study,
    restore_study,
    undo_move,
)

READER = (
    "import sys; from honestly.store import open_study; s = open_study(sys.argv[1]); print('.', flush=True); input()"
)


@pytest.fixture
def path(tmp_path: Path, make) -> Path:
    """A study of three trials."""
    with create_study(tmp_path / "s.honestly") as study:
        study.add([*make.agents, *make.tasks, *((make.trial(sample=n), None, {}) for n in range(3))])
    return tmp_path / "s.honestly"


def files(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}


def test_a_folder_is_listed(path, tmp_path):
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "other.db").write_bytes(b"SQLite format 3\0" + bytes(200))
    (tmp_path / "link").symlink_to(path)
    archive_study(drop_study(rename_study(path, "old")[1])[1])
    create_study(path).close()
    before = files(tmp_path)
    found = list_studies(tmp_path)
    assert [(str(each.path.relative_to(tmp_path)), each.place, each.trials) for each in found] == [
        ("s.honestly", "here", 0), ("archived/old", "archived", 3),
    ]  # fmt: skip
    assert found[0].size == path.stat().st_size
    assert files(tmp_path) == before
    with pytest.raises(StoreError, match="expected a folder"):
        list_studies(path)


def test_every_move_can_be_taken_back(path, tmp_path):
    with open_study(path) as study:
        content = study.trial_ids()
    for move in (archive_study, drop_study, lambda each: rename_study(each, "é t.honestly")):
        moved = move(path)
        assert files(tmp_path) == {str(moved.now.relative_to(tmp_path))}
        with open_study(moved.now) as study:
            assert study.trial_ids() == content
        undo_move(moved)
        assert files(tmp_path) == {"s.honestly"}
        assert list(tmp_path.iterdir()) == [path]
    first = drop_study(path)
    create_study(path).close()
    last = drop_study(path)
    assert first.now != last.now
    assert restore_study(path).was == last.now
    with pytest.raises(StoreError, match=r"s.honestly exists; nothing was moved"):
        restore_study(path)
    with pytest.raises(StoreError, match="exists"):
        undo_move(first)
    archive_study(path)
    assert restore_study(first.now).now == path
    assert [each.place for each in list_studies(tmp_path)] == ["here", "archived"]
    with pytest.raises(StoreError, match="exists"):
        archive_study(path)
    with pytest.raises(StoreError, match="exists"):
        restore_study(path)


def test_what_is_dropped_is_deleted_when_that_is_asked_for(path, tmp_path):
    drop_study(path)
    create_study(path).close()
    assert [each.trials for each in empty_dropped(tmp_path)] == [3]
    assert list(tmp_path.iterdir()) == [path]
    assert empty_dropped(tmp_path) == []
    with pytest.raises(StoreError, match="is archived or deleted"):
        restore_study(path)


def test_nothing_moves_while_somebody_has_it_open(path, tmp_path):
    with open_study(path, "write"), pytest.raises(StudyBusyError, match="open for writing in this process"):
        drop_study(path)
    with open_study(path), pytest.raises(StudyBusyError, match="open in another place"):
        rename_study(path, "t")
    with subprocess.Popen([sys.executable, "-c", READER, path], stdin=-1, stdout=-1, text=True) as reader:
        assert reader.stdout.readline() == ".\n"
        with pytest.raises(StudyBusyError, match="open in another place"):
            archive_study(path)
        reader.communicate("\n")
    drop_study(path)
    with pytest.raises(StoreError, match="there is no study"):
        empty_dropped(tmp_path), drop_study(path)
    assert files(tmp_path) == set()


def test_the_log_of_a_killed_writer_comes_along(tmp_path):
    path = tmp_path / "s"
    writer = subprocess.Popen([sys.executable, Path(__file__).with_name("writer_process.py"), path], stdout=-1)
    seen = b""
    while seen.count(b"\n") < 2:
        seen += writer.stdout.read1()
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    done = {line.lstrip(".") for line in seen.decode().split("\n")[:-1] if line.strip(".")}
    (tmp_path / "s-shm").unlink()
    assert (tmp_path / "s-wal").stat().st_size
    assert list_studies(tmp_path)[0].trials is None
    archive_study(path)
    assert files(tmp_path) == {"archived/s"}
    with open_study(tmp_path / "archived" / "s") as study:
        assert study.trial_ids() >= done


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "../t", ".t", "-t", "t\n", "t\x1b[2J", "\u202et", "t-wal", "s-lock", "archived", " t",
             "é" * 101, "t\0", "a\\b", "\udcff"],
)  # fmt: skip
def test_names_that_do_harm_are_refused(path, tmp_path, name):
    with pytest.raises(StoreError, match="is not a name for a study"):
        rename_study(path, name)
    assert files(tmp_path) == {"s.honestly"}


def test_only_studies_move_and_never_onto_something(path, tmp_path):
    (tmp_path / "t").write_text("somebody's")
    (tmp_path / "link").symlink_to(path)
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    before = files(tmp_path)
    for name in ("t", "link", "gone"):
        with pytest.raises(StoreError, match="exists; nothing was moved"):
            rename_study(path, name)
        with pytest.raises(StoreError, match="is not a study"):
            drop_study(tmp_path / name)
    with pytest.raises(StoreError, match="already exists"):
        rename_study(path, "s.honestly")
    (tmp_path / "archived").write_text("no folder")
    with pytest.raises(StoreError, match="cannot move"):
        archive_study(path)
    assert files(tmp_path) == before | {"archived"}


def test_a_damaged_study_can_be_dropped(path, tmp_path):
    data = bytearray(path.read_bytes())
    data[4096:8192] = bytes(4096)
    path.write_bytes(data)
    moved = drop_study(path)
    assert moved.now.stat().st_size == len(data)
    assert restore_study(path).now == path
