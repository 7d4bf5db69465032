"""Results that are no study, opened like one: imported once, again when they change, and never at a reviewer's cost."""

import os
import subprocess
import sys

import pytest

from honestly.errors import FormatError, StoreError, StudyDamagedError
from honestly.records import Review
from honestly.store import create_study, open_study
from honestly.studies import study_of
from honestly.work import WriterLock

ROWS = "agent,task,outcome\na,one,passed\nb,one,failed\n"


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "my results.csv"
    path.write_text(ROWS)
    return path


def change(results):
    results.write_text(ROWS + "c,one,passed\n")


def agents(study):
    with open_study(study) as opened:
        return [agent.name for agent in opened.agents()]


def test_a_study_is_itself(tmp_path, results):
    path = tmp_path / "x"
    create_study(path).close()
    assert study_of(path) == path
    assert not (tmp_path / "cache").exists()


def test_what_has_not_changed_is_not_read_again(results):
    said, read = [], []
    study = study_of(results, said.append, lambda *at: read.append(at))
    assert (study.stem, agents(study)) == ("my results.csv", ["a", "b"])
    assert len(said) == 1
    before = study.stat()
    assert study_of(results, said.append, lambda *at: read.append(at)) == study
    assert study.stat().st_mtime_ns == before.st_mtime_ns
    assert len(said) == 1


def test_what_has_changed_is_read_again_and_takes_the_others_place(results):
    old = study_of(results)
    change(results)
    new = study_of(results)
    assert agents(new) == ["a", "b", "c"]
    assert not old.parent.exists()


def test_a_change_deep_down_is_a_change(tmp_path, results):
    folder = tmp_path / "runs"
    deep = folder / "a" / "b"
    deep.mkdir(parents=True)
    step = '{"step_id": 1, "source": "user", "message": "x"}'
    head = '"schema_version": "ATIF-v1.7", "session_id": "s", "agent": {"name": "a", "version": "1"}'
    (deep / "t.json").write_text(f'{{{head}, "steps": [{step}]}}')
    first = study_of(folder)
    (deep / "more.json").write_text("{}")
    assert study_of(folder) != first


def test_reviews_outlive_a_change(results):
    old = study_of(results)
    with open_study(old, "write") as opened:
        trial = min(opened.trial_ids())
        opened.add([Review(trial=trial, reviewer="me", at="2026-01-01T00:00:00Z", label="hack")])
    change(results)
    said = []
    assert study_of(results, said.append) != old
    assert str(old) in said[-1]
    with open_study(old) as opened:
        assert len(list(opened.reviews())) == 1


def test_what_nobody_recognises_is_said_clearly(tmp_path, results):
    (tmp_path / "x.bin").write_bytes(os.urandom(2000))
    (tmp_path / "empty").mkdir()
    for name in ("x.bin", "empty", "nothing"):
        with pytest.raises(FormatError, match="neither a study nor results to import"):
            study_of(tmp_path / name)
    assert not (tmp_path / "cache").exists()


def test_a_damaged_study_is_not_taken_for_something_else(tmp_path, results):
    path = tmp_path / "x.honestly"
    create_study(path).close()
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    with pytest.raises(StudyDamagedError):
        study_of(path)


def test_a_cache_that_cannot_be_written_is_said_clearly(results, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    with pytest.raises(StoreError, match="XDG_CACHE_HOME"):
        study_of(results)


def test_of_two_at_once_one_imports_and_the_other_waits(results):
    code = f"from pathlib import Path; from honestly.studies import study_of; print(study_of(Path({str(results)!r}), print))"
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = [process.communicate()[0].splitlines() for process in running]
    assert len({lines[-1] for lines in said}) == 1
    assert sum("imported as" in line for lines in said for line in lines) == 1


def test_what_a_killed_import_left_is_in_nobodys_way(results):
    study = study_of(results)
    study.rename(study.with_name(study.name + ".part"))
    assert agents(study_of(results)) == ["a", "b"]
    assert [path.name for path in study.parent.iterdir()] == [study.name]


def test_an_import_that_is_under_way_is_not_taken_away(results):
    study = study_of(results)
    study.unlink()
    change(results)
    lock = WriterLock(study)
    try:
        study_of(results)
        assert study.parent.is_dir()
    finally:
        lock.release()
