"""Hostile files: no crash, no hang, no more memory than a line takes; an error that names the place."""

import base64
import builtins
import gzip
import json
import os
import pickle
import subprocess
import sys
import zlib

import pytest
from hypothesis import given, strategies as st
from problem_files import refusal

from honestly.errors import FormatError
from honestly.formats import problem_name, problem_rows
from honestly.formats._rows import MAX_LINE
from honestly.formats.problems._livecodebench import pickled_text
from honestly.formats.problems._make_task import task_id


def read(path, data):
    path.write_bytes(data)
    return list(problem_rows(path))


def test_lines_blank_lines_bom_and_compression(tmp_path):
    path = tmp_path / "f"
    wanted = [(f"{path}:1", {"a": 1}), (f"{path}:4", {"b": float("inf")})]
    data = b'\xef\xbb\xbf{"a": 1}\n\n  \r\n{"b": Infinity}'
    assert read(path, data) == wanted
    assert read(path, gzip.compress(data)) == wanted
    assert read(path, gzip.compress(data[:5]) + gzip.compress(data[5:])) == wanted
    assert read(path, b'\n [{"a": 1},\n {"b": 2}]\n') == [(f"{path}, item 0", {"a": 1}), (f"{path}, item 1", {"b": 2})]
    assert read(path, b'{\n  "a": 1\n}\n') == [(f"{path}:1", {"a": 1})]
    assert read(path, b"") == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{"a": 1}\n{"a": \n', ":2: not JSON"),
        (b'{"a": 1}\n\xff\n', ":2: not UTF-8"),
        (b'{"a": 1}\n[]\n', ":2: expected a JSON object, found list"),
        (b"[1, 2]\n", ", item 0: expected a JSON object, found int"),
        (b'{"a": ' + b"[" * 200_000 + b"\n", ":1: not JSON: nested too deeply"),
        (b'{"a": ' + b"1" * 10_000 + b"}\n", ":1: not JSON"),
        (gzip.compress(b'{"a": 1}\n' * 100, mtime=0)[:-10], " cannot be read"),
        (gzip.compress(b'{"a": 1}\n', mtime=0) + b"junk", " cannot be read"),
        (b"\x1f\x8b" + b"\0" * 50, " cannot be read"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(data, words, tmp_path):
    with pytest.raises(FormatError) as caught:
        read(tmp_path / "f", data)
    assert str(caught.value).startswith(str(tmp_path / "f"))
    assert words in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize("start", [b"", b"[\n"])
def test_a_gzip_bomb_is_stopped_at_a_line_not_at_the_end_of_memory(start, tmp_path):
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(start)
        for _ in range(3 * MAX_LINE >> 20):
            file.write(b" " * (1 << 20))
    code = (
        "import sys\nfrom pathlib import Path\nfrom honestly.errors import FormatError\n"
        "from honestly.formats._rows import problem_rows\n"
        "try:\n    list(problem_rows(Path(sys.argv[1])))\nexcept FormatError as error:\n    print(error)\n"
        "print(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])"  # its own, unlike ru_maxrss
    )
    out = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True).stdout
    assert "longer than 64 MiB" in out
    assert int(out.split()[-1]) < 350 << 10


def test_only_files_are_read_and_nothing_waits(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    for name, words in (
        ("pipe", "is not a regular file"),
        (".", "is not a regular file"),
        ("none", "No such file"),
        ("link", "No such"),
    ):
        with pytest.raises(FormatError, match=words):
            list(problem_rows(tmp_path / name))
    (tmp_path / "target").write_text('{"a": 1}\n')
    assert [row for _, row in problem_rows(tmp_path / "link")] == [{"a": 1}]


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_a_format_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("any") / "f"
    for content in (data, gzip.compress(data), gzip.compress(b'{"a": 1}\n', mtime=0)[:10] + data):
        said = refusal(read, path, content)
        assert said is None or said.startswith(str(path))


def packed(data):
    return base64.b64encode(zlib.compress(data)).decode()


@given(st.text(), st.integers(0, pickle.HIGHEST_PROTOCOL))
def test_a_pickled_text_comes_back_from_every_protocol(text, protocol):
    assert pickled_text(packed(pickle.dumps(text, protocol)), 1 << 20) == text


class _Run:
    def __reduce__(self):
        return (exec, ("import builtins; builtins.was_unpickled = True",))


@pytest.mark.parametrize(
    "data",
    [
        pickle.dumps(_Run()),
        pickle.dumps(["x"]),
        pickle.dumps(("x", "y")),
        pickle.dumps(b"x"),
        pickle.dumps(None),
        b"\x80\x02]r\xff\xff\xff\xff.",  # a memo of 2**32 entries
        b"X\xff\xff\xff\x7fabc.",  # a text that claims 2 GiB
        b"\x8d\xff\xff\xff\xff\xff\xff\xff\x7fabc.",
        pickle.dumps("x")[:-1],
        b"." + pickle.dumps("x"),
        b"",
        b"(" * 1_000_000,
    ],
    ids=range(12),
)
def test_any_other_pickle_is_refused_and_none_is_run(data):
    with pytest.raises(FormatError, match="pickle"):
        pickled_text(packed(data), 1 << 24)
    assert not hasattr(builtins, "was_unpickled")


def test_a_zip_bomb_in_base64_is_refused():
    with pytest.raises(FormatError, match="larger than 1 MiB after decompression"):
        pickled_text(packed(b"\0" * (100 << 20)), 1 << 20)
    for junk in ("\u00e9", "===", "QUJD", "A", "", packed(b"x")[:-8]):
        with pytest.raises(FormatError, match="neither JSON nor base64"):
            pickled_text(junk, 1 << 20)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_text_or_a_format_error(data):
    for content in (data, pickle.dumps("hello")[: len(data)] + data):
        assert refusal(pickled_text, packed(content), 1 << 16) != ""


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200))
def test_names_of_problems_survive_being_ids(name):
    made = task_id(name)
    assert all(char.isascii() and (char.isalnum() or char in "._-") for char in made)
    assert problem_name(made) == name


def test_usual_names_stay_readable():
    assert [task_id(name) for name in ("HumanEval/0", "Mbpp/2", "1873_A", "a-b.c", "é")] == [
        "HumanEval.0",
        "Mbpp.2",
        "1873_A",
        "a--b-2Ec",
        "-C3-A9",
    ]
    assert json.dumps(problem_name("HumanEval.0")) == '"HumanEval/0"'
