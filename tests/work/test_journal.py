"""The journal: a kill, a full disk, two at once and a foreign file; lines that are there stay, and none is half there."""

import json
import os
import random
import subprocess
import sys
import time

import pytest
from hypothesis import given, strategies as st

from honestly.errors import FormatError, StoreError, StudyBusyError, StudyTooNewError
from honestly.work import Journal, read_journal

WRITER = """
import json, sys
from pathlib import Path
from honestly.work import Journal
path, first, count, shared = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "shared"
with Journal(path, shared=shared) as journal:
    rows = [] if shared else [row["n"] for row in journal.rows(json.loads)]
    assert rows == list(range(len(rows))), rows
    print("open", flush=True)
    for n in range(max(first, len(rows)), first + count):
        journal.append(b'{"n": %d}' % n + b" " * (n % 5000))
"""
LIMITED = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n{WRITER}"


def writer(path, first=0, count=1_000_000, how="alone", script=WRITER):
    words = [sys.executable, "-c", script, str(path), str(first), str(count), how]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def rows(path):
    return list(read_journal(path, json.loads))


def numbers(path):
    return [row["n"] for row in rows(path)]


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_whole_lines_and_the_next_writer_goes_on(tmp_path):
    path, rng, before = tmp_path / "new" / "j.jsonl", random.Random(1), 0
    for _ in range(6):
        process = writer(path)
        assert process.stdout.readline() == "open\n", process.stderr.read()
        time.sleep(rng.uniform(0.0, 0.02))
        process.kill()
        process.communicate()
        found = numbers(path)
        assert found == list(range(len(found)))
        assert len(found) >= before
        before = len(found)
    assert before > 0
    with Journal(path) as journal:
        journal.append(b'"end"')
    assert len(rows(path)) == before + 1
    assert path.read_bytes().endswith(b'"end"\n')


def test_a_full_disk_adds_nothing_and_is_said_in_a_line(tmp_path):
    path = tmp_path / "j.jsonl"
    process = writer(path, script=LIMITED)
    said = process.communicate()[1]
    assert process.returncode
    assert f"cannot write {path}: File too large; " in said
    assert said.rstrip().endswith("what was done is kept; run the same command again to continue")
    found = numbers(path)
    assert found == list(range(len(found)))
    assert path.read_bytes().endswith(b"\n")
    process = writer(path, count=len(found) + 5)
    process.communicate()
    assert numbers(path) == list(range(len(found) + 5))


def test_a_second_writer_is_told_who_is_at_work(tmp_path):
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        second = writer(path)
        assert f"another process (pid {os.getpid()}) is writing {path}" in second.communicate()[1]
        with pytest.raises(StudyBusyError, match="this process"):
            Journal(path)
        journal.append(b'{"n": 0}')
        assert numbers(path) == [0]
    assert writer(path, count=2).communicate()[1] == ""
    assert numbers(path) == [0, 1]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["j.jsonl"]


def test_lines_of_a_shared_journal_do_not_mix(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_bytes(b'{"torn')
    writers = [writer(path, 1000 * n, 300, "shared") for n in range(3)]
    assert [process.communicate()[1] for process in writers] == ["", "", ""]
    assert sorted(numbers(path)) == sorted(1000 * n + m for n in range(3) for m in range(300))


@pytest.mark.parametrize(
    ("tail", "kept"),
    [(b"", []), (b'{"a": 1', []), (b'{"a": 1}', [{"a": 1}]), (b"\0\0\0", []), (b'{"a": "' + b"x" * 200_000, [])],
)
def test_what_stands_at_the_end_without_an_end(tmp_path, tail, kept):
    path = tmp_path / "j.jsonl"
    path.write_bytes(b"0\n" + tail)
    assert rows(path) == [0, *kept]
    with Journal(path) as journal:
        assert list(journal.rows(json.loads)) == [0, *kept]
        assert path.read_bytes() == b"0\n" + tail, "to open it changes nothing"
        journal.append(b"1", b"2")
    assert rows(path) == [0, *kept, 1, 2]


@given(st.binary(max_size=40))
def test_a_journal_that_is_cut_anywhere_keeps_the_lines_before(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("cut") / "j.jsonl"
    line = json.dumps({"text": text.hex()}).encode()
    for cut in {0, len(line) // 2, len(line), len(line) + 1}:
        path.write_bytes((line + b"\n" + line + b"\n")[: len(line) + 1 + cut])
        with Journal(path) as journal:
            journal.append(b"7")
        assert rows(path) == [json.loads(line)] * (1 + (cut >= len(line))) + [7]


def test_somebody_elses_file_is_left_as_it_is(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(b"remember the milk")
    with Journal(path) as journal, pytest.raises(StoreError, match="ends in what is not a line of a journal"):
        journal.append(b"1")
    path.write_bytes(b"1\nnot JSON\n2\n")
    with pytest.raises(FormatError, match=r"notes.txt, line 2 is damaged or not a number: .*name another file"):
        list(read_journal(path, json.loads, "a number", error=FormatError))
    assert path.read_bytes() == b"1\nnot JSON\n2\n"
    for wrong in (tmp_path, tmp_path / "notes.txt" / "j.jsonl", tmp_path / ("x" * 300)):
        with pytest.raises(StoreError, match=r"cannot write .*; "):
            Journal(wrong)


def test_a_kind_and_its_version_are_said_once_and_old_journals_have_none(tmp_path):
    path, old = tmp_path / "j.jsonl", tmp_path / "old.jsonl"
    for n in range(2):
        with Journal(path, kind="tries", version=2) as journal:
            assert list(journal.rows(json.loads)) == list(range(n))
            journal.append(b"%d" % n)
    assert path.read_bytes() == b'{"journal": "tries", "version": 2}\n0\n1\n'
    with pytest.raises(StudyTooNewError, match="version 2, and this honestly knows up to 1"):
        list(read_journal(path, json.loads, kind="tries"))
    with pytest.raises(StoreError, match="a journal of tries, not of tasks"):
        list(read_journal(path, json.loads, kind="tasks"))
    old.write_bytes(b"0\n")
    with Journal(old, kind="tries") as journal:
        assert list(journal.rows(json.loads)) == [0]
        journal.append(b"1")
    assert old.read_bytes() == b"0\n1\n"


def test_nothing_is_where_there_is_no_file(tmp_path):
    assert rows(tmp_path / "none.jsonl") == []
    with pytest.raises(StoreError, match="cannot read"):
        rows(tmp_path)
