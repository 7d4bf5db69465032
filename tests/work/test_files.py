"""A file is written whole or not at all, and what the system refuses is a line that says what to do."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from honestly.errors import FormatError, StoreError
from honestly.work import file_error_text, file_errors, open_regular, write_file

LIMITED = """
import resource, sys
from pathlib import Path
from honestly.work import write_file
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
write_file(Path(sys.argv[1]), b"x" * 2000)
"""


def test_a_full_disk_leaves_what_was_there(tmp_path):
    path = tmp_path / "page.html"
    write_file(path, "old ü")
    done = subprocess.run([sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=False)
    assert f"StoreError: cannot write {path}: File too large; " in done.stderr
    assert path.read_text("utf-8") == "old ü"
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_links_stay_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "real", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to("real")
    write_file(link, b"new")
    assert (link.is_symlink(), path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (True, b"new", 0o640)


def test_a_pipe_is_written_to(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, b"data")
    reader.join()
    assert got == [b"data"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("missing/file", "No such file or directory; expected a folder that exists"),
        ("x" * 300, "File name too long; choose a shorter name"),
        (".", "Is a directory; that is a folder; name a file"),
        ("a-file/below", "Not a directory; a part of that path is a file"),
    ],
)
def test_an_impossible_path_is_said(tmp_path, place, said):
    (tmp_path / "a-file").touch()
    with pytest.raises(FormatError) as caught:
        write_file(tmp_path / place, b"data", FormatError)
    assert str(caught.value).startswith(f"cannot write {tmp_path / place}: {said}")
    assert [each.name for each in tmp_path.iterdir()] == ["a-file"]


def test_a_folder_in_which_no_file_can_be_made_is_not_called_absent():
    error = FileNotFoundError(2, "No such file or directory")
    assert file_error_text(error, "/proc/x").endswith("no file can be made in that folder; choose another place")
    assert file_error_text(error, "/proc/absent/x").endswith(
        "expected a folder that exists; make it, or check the spelling"
    )


def test_every_word_of_the_system_has_advice(tmp_path):
    text = file_error_text(OSError(28, "No space left on device", b"/disk/file"))
    assert text == "cannot write /disk/file: No space left on device; free some space there"
    assert file_error_text(OSError(28, "No space left on device")).startswith("cannot write: No space left")
    with pytest.raises(StoreError, match="cannot write here: odd; choose another place"), file_errors("here"):
        raise OSError("odd")


def test_only_a_regular_file_is_opened_and_no_descriptor_stays(tmp_path):
    (tmp_path / "file").write_bytes(b"data")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    before = sorted(Path("/proc/self/fd").iterdir())
    with open_regular(tmp_path / "file") as file:
        assert file.read() == b"data"
    for name in ("folder", "link", "pipe", "nothing"):
        with pytest.raises(OSError, match=name):
            open_regular(tmp_path / name)
    assert sorted(Path("/proc/self/fd").iterdir()) == before
