"""The task that `honestly tasks new` writes is fair, and sound, as it stands."""

import json

import pytest

from forked import honestly
from honestly.errors import TaskError
from honestly.taskgen import new_task


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", "bash"])
def test_a_new_task_passes_its_own_check(tmp_path, language):
    made = honestly("task", "new", tmp_path / "share", "--language", language)
    assert "task.toml" in made.stderr
    proved = json.loads(honestly("task", "check", tmp_path / "share", "--json").stdout)
    assert proved["failed"] == []
    assert len(proved["proofs"][0]["claims"]) >= 5


@pytest.mark.slow
def test_a_new_task_is_certified_as_sound(tmp_path):
    new_task(tmp_path / "share")
    said = json.loads(honestly("task", "certify", tmp_path / "share", "--runs", "2", "--limit", "5", "--json").stdout)
    assert [(each["verdict"], each["reasons"]) for each in said["tasks"]] == [("sound", [])]


def test_nothing_is_written_over_and_bad_names_are_refused(tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(TaskError, match="exists"):
        new_task(tmp_path / "there")
    with pytest.raises(TaskError, match="cannot be a task"):
        new_task(tmp_path / "a b")
    with pytest.raises(TaskError, match="there is one in: python, bash"):
        new_task(tmp_path / "c", "cobol")
