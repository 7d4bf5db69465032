"""Any task written as a folder is the same task when it is loaded again; and nothing leaves the folder."""

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from foreign_suites import EXERCISM, HARBOR, QUIXBUGS, SWEBENCH, write

from honestly.errors import TaskError
from honestly.records import Checks, Decoy, Edit, File, Hidden, Preparation, Tags, Task, Tree, WrongSolution
from honestly.tasks import load_suite, write_task

HIDDEN = Hidden(
    checks=Checks(
        runner="grader", files=Tree.of({"check_a.py": "def test_a(ws): pass\n"}), expected=("check_a.test_a",)
    ),
    reference=Edit(write=Tree.of({"a.py": "A = 1\n"}), delete=("old.py",)),
    wrong=(WrongSolution(name="late", edit=Edit(delete=("a.py",))),),
    decoys=(Decoy(kind="file", path="x.json", token="c0ffee"),),
)
ODD = Task(
    id="odd",
    version='1.0"+\\',
    instruction='Say "\x7f" \N{SNOWMAN}\r\n',
    workspace=Tree(files={"run": File(data=b"#!/bin/sh\n", mode="exec"), "to": File(data=b"run", mode="link"), "old.py": File()}),
    hidden=HIDDEN,
    tags=Tags(category='cat"egory', language="c\n", variant="impossible", twin="even"),
    timeout_s=12.5,
    preparation=Preparation(memory_mb=1024),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["embedded", "exercism", "harbor", "quixbugs", "swebench"])
def test_tasks_of_every_layout_come_back_as_they_were(layout, tmp_path):
    files = {"exercism": EXERCISM, "harbor": HARBOR, "quixbugs": QUIXBUGS, "swebench": SWEBENCH}
    source = "embedded" if layout == "embedded" else write(tmp_path / "source", files[layout])
    suite = load_suite(source)
    for task in suite.tasks:
        write_task(tmp_path / "out" / task.id, task)
    again = load_suite(tmp_path / "out")
    assert {task.id: task for task in again.tasks} == {task.id: task for task in suite.tasks}


def test_odd_names_modes_and_texts_come_back(tmp_path):
    write_task(tmp_path / "odd", ODD)
    (again,) = load_suite(tmp_path).tasks
    assert again == ODD
    assert "\nmemory_mb = 1024\n" in (tmp_path / "odd" / "task.toml").read_text()


def test_a_task_is_never_written_over_another_one_nor_through_a_link(tmp_path):
    write_task(tmp_path / "odd", ODD)
    with pytest.raises(TaskError, match="cannot write"):
        write_task(tmp_path / "odd", ODD)
    outside = tmp_path / "outside"
    outside.mkdir()
    both = {"a": File(data=str(outside).encode(), mode="link"), "a/b": File(data=b"x")}
    with pytest.raises(TaskError, match="a link and a folder"):
        write_task(tmp_path / "two", Task(id="two", instruction="", workspace=Tree(files=both)))
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("honestly.json", "{}"),
        ("honestly.json", '{"id": "../x", "version": "1", "timeout_s": 1}'),
        ("honestly.json", '{"id": "x", "version": "1", "timeout_s": 1, "hidden": {"runner": "sh", "expected": [], "files": {}}}'),
        ("honestly.json", '{"id": "x", "version": "1", "timeout_s": 1, "visible": {"runner": "pytest", "expected": [], "files": {}}, "shown": ["../../etc/passwd"]}'),
        ("honestly.json", "[" * 100_000),
        ("instruction.md", b"\xff"),
    ],
    ids=["empty", "id", "runner", "shown", "deep", "text"],
)  # fmt: skip
def test_what_is_malformed_is_said_with_its_place(path, text, tmp_path):
    write_task(tmp_path / "odd", ODD)
    (tmp_path / "odd" / path).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(TaskError, match="odd"):
        load_suite(tmp_path)


def test_a_part_that_is_a_link_is_refused(tmp_path):
    write_task(tmp_path / "odd", ODD)
    (tmp_path / "odd" / "tests" / "check_a.py").unlink()
    (tmp_path / "odd" / "tests").rmdir()
    (tmp_path / "odd" / "tests").symlink_to("/etc")
    with pytest.raises(TaskError, match="is a link"):
        load_suite(tmp_path)


def archived(folder, add):
    """A task whose workspace is an archive that `add` fills."""
    write_task(folder, ODD)
    shutil.rmtree(folder / "environment" / "workspace")
    (folder / "environment").mkdir(exist_ok=True)
    with tarfile.open(folder / "environment" / "workspace.tar.xz", "w:xz") as archive:
        add(archive)


def test_a_workspace_may_be_an_archive(tmp_path):
    path = Path(__file__).parents[2] / "suites" / "pack.py"
    write_task(tmp_path / "odd", ODD)
    subprocess.run([sys.executable, path, "--workspace", tmp_path / "odd"], check=True)
    assert not (tmp_path / "odd" / "environment" / "workspace").exists()
    (again,) = load_suite(tmp_path).tasks
    assert again == ODD


@pytest.mark.parametrize("name", ["../out", "/out", "device", pytest.param("bomb", marks=pytest.mark.slow)])
def test_an_archive_that_leads_elsewhere_or_holds_too_much_is_refused(name, tmp_path):
    def add(archive):
        entry = tarfile.TarInfo(name)
        entry.type = tarfile.CHRTYPE if name == "device" else tarfile.REGTYPE
        if name == "bomb":
            entry.size = 257 << 20
            archive.addfile(entry, ZEROS())
        else:
            archive.addfile(entry)

    archived(tmp_path / "odd", add)
    with pytest.raises(TaskError):
        load_suite(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["odd"]


class ZEROS:
    """A file of zeros without an end."""

    def read(self, size):
        return bytes(size)
