"""Task folders by somebody else: whatever they hold, they load or are refused with the reason, and read nothing else."""

import shutil
from pathlib import Path

import pytest

from honestly.errors import TaskError
from honestly.tasks import load_suite

GOOD = Path(__file__).parents[2] / "suites" / "embedded" / "split-bill"


@pytest.fixture
def folder(tmp_path):
    return Path(shutil.copytree(GOOD, tmp_path / "suite" / "split-bill"))


def refused(folder, why):
    with pytest.raises(TaskError, match=why):
        load_suite(folder.parent)


@pytest.mark.parametrize("file", ["instruction.md", "tests/check_x.py", "environment/workspace/tests/test_ledger.py"])
def test_what_is_no_text_is_refused(folder, file):
    (folder / file).write_bytes(b"# \xff\n")
    refused(folder, "utf-8")


def test_a_name_that_is_no_text_is_refused(folder):
    (folder / "environment" / "workspace" / "n\udcff").touch()
    refused(folder, "not UTF-8")


@pytest.mark.parametrize("name", ["x\x1b[31m", "two\nlines", "a b", "n\udcff"])
def test_the_name_of_a_task_is_plain(folder, name):
    refused(folder.rename(folder.parent / name), "cannot be a task")


@pytest.mark.parametrize("part", ["instruction.md", "task.toml", "environment", "environment/workspace", "impossible"])
def test_no_link_shows_what_lies_elsewhere(folder, part):
    elsewhere = folder.parent.parent / "elsewhere"
    (folder / part).rename(elsewhere)
    (folder / part).symlink_to(elsewhere)
    refused(folder, "is a link|is not a regular file")


def test_a_folder_in_place_of_a_file_is_refused(folder):
    (folder / "task.toml").unlink()
    (folder / "task.toml").mkdir()
    refused(folder, "not a regular file")


@pytest.mark.parametrize("seconds", ["nan", "inf", "-5", "0"])
@pytest.mark.parametrize("written", ["timeout_sec = 600", "timeout_sec = 60\n"])
def test_a_time_limit_is_a_number_of_seconds(folder, written, seconds):
    path = folder / "task.toml"
    old = path.read_text()
    path.write_text(old.replace(written, f"timeout_sec = {seconds}\n"))
    assert path.read_text() != old
    refused(folder, "timeout_sec")
