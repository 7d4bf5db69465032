"""Canaries of long suites are kept for later programs; a file that others could have written is not believed."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from honestly.records import Checks, Edit, Hidden, Task, Tree
from honestly.verify.inside._cache import keep_canaries, kept_canaries


def _task(tests: int) -> Task:
    text = "".join(f"def test_{number}():\n    assert {number} == {number}\n" for number in range(tests))
    expected = tuple(f"test_it.py::test_{number}" for number in range(tests))
    checks = Checks(runner="pytest", files=Tree.of({"test_it.py": text}), expected=expected)
    return Task(id="one", instruction="", hidden=Hidden(checks=checks, reference=Edit()))


def _made(task: Task) -> Checks:
    assert task.hidden is not None
    return replace(task.hidden.checks, canaries=Tree.of({"test_it.py": "def test_0():\n    assert 0 == 1\n"}))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def test_what_was_made_is_found_again_for_the_same_task_only():
    task = _task(60)
    assert kept_canaries(task) is None
    keep_canaries(task, _made(task))
    assert kept_canaries(task) == _made(task)
    assert kept_canaries(_task(61)) is None


def test_few_tests_are_not_kept(tmp_path: Path):
    keep_canaries(_task(3), _made(_task(3)))
    assert not list(tmp_path.rglob("*.json"))


@pytest.mark.parametrize("how", ["writable", "cut", "linked"])
def test_a_file_that_is_not_whole_or_not_only_ones_own_is_not_believed(tmp_path: Path, how: str):
    task = _task(60)
    keep_canaries(task, _made(task))
    (path,) = tmp_path.rglob("*.json")
    if how == "writable":
        path.chmod(0o666)
    elif how == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    else:
        other = path.rename(tmp_path / "elsewhere")
        path.symlink_to(other)
    assert kept_canaries(task) is None


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    keep_canaries(_task(60), _made(_task(60)))
    assert kept_canaries(_task(60)) is None
