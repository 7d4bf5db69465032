"""The answer is found wherever it lies and however it is packed, and clean workspaces are not called leaky."""

import base64
import bz2
import codecs
import difflib
import gzip
import html
import io
import json
import lzma
import pickle
import random
import re
import sqlite3
import tarfile
import zipfile
import zlib
from contextlib import closing
from urllib.parse import quote

import pytest

from honestly.records import Checks, Edit, File, Hidden, Task, Tree
from honestly.taskgen._needles import needles_of
from honestly.taskgen._outside import leaks_in
from honestly.taskgen._views import Views

BEFORE = '''"""Intervals."""


class Interval:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def contains(self, value):
        return self.low <= value <= self.high

    def width(self):
        return self.high - self.low
'''
LARGE = (
    BEFORE.replace(
        "        return self.low <= value <= self.high\n",
        "        if isinstance(value, Interval):\n            return self.contains(value.low) and self.contains(value.high)\n"
        "        if value is None:\n            raise TypeError('nothing is in no interval')\n"
        "        return self.low <= value <= self.high\n",
    )
    + "\n    def __and__(self, other):\n        lowest, highest = max(self.low, other.low), min(self.high, other.high)\n        return Interval(lowest, highest) if lowest <= highest else None\n"
)
SMALL = BEFORE.replace("self.low <= value <= self.high", "self.low <= value < self.high")
BLANK = BEFORE.replace("Intervals.", "Inter vals.")


def task(after, more=None):
    files = {
        "interval.py": BEFORE,
        "shapes.py": BEFORE.replace("Interval", "Shape").replace("contains", "holds"),
        **(more or {}),
    }
    test = "from interval import Interval\n\n\ndef test_it():\n    assert not Interval(1, 2).contains(2)\n"
    hidden = Checks(runner="pytest", files=Tree.of({"test_interval.py": test}), expected=("test_interval.py::test_it",))
    return Task(
        id="it", instruction="Mend intervals.", workspace=Tree.of(files),
        hidden=Hidden(checks=hidden, reference=Edit(write=Tree.of({"interval.py": after}))),
    )  # fmt: skip


def patch(after):
    lines = difflib.unified_diff(BEFORE.splitlines(True), after.splitlines(True), "a/interval.py", "b/interval.py")
    return "".join(lines).encode()


def zipped(name, data):
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(name, data)
    return into.getvalue()


def tarred(name, data):
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz") as tar:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))
    return into.getvalue()


def notebook(text):
    cell = {"cell_type": "code", "source": text.splitlines(keepends=True), "outputs": [], "metadata": {}}
    return json.dumps({"cells": [cell], "nbformat": 4}).encode()


def marked(text, mark):
    """A text in which each word is marked, as highlighters do."""
    return re.sub(r"[^\W\d]+|[^\w\s]", lambda word: mark.format(html.escape(word[0])), text).encode()


def database(data):
    with sqlite3.connect(":memory:") as made:
        made.execute("CREATE TABLE cache (name, data)")
        made.execute("INSERT INTO cache VALUES ('a', ?)", (data,))
        made.commit()
        return made.serialize()


def document(text):
    shown = "\n".join("(" + re.sub(r"([()])", r"\\\1", line) + ") Tj T*" for line in text.splitlines())
    return (
        b"%PDF-1.4\n1 0 obj\n<</Filter/FlateDecode>>\nstream\n" + zlib.compress(shown.encode()) + b"\nendstream\n%%EOF"
    )


def debian(data):
    heads = [f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(each):<10}`\n".encode() + each
             for name, each in (("debian-binary", b"2.0\n"), ("data.tar.gz", data))]  # fmt: skip
    return b"!<arch>\n" + b"".join(heads)


WAYS = {
    "notes/fix.patch": patch,
    "fix.diff.gz": lambda after: gzip.compress(patch(after)),
    "fix.bz2": lambda after: bz2.compress(after.encode()),
    "fix.xz": lambda after: lzma.compress(after.encode()),
    "cache/0f3a": lambda after: zlib.compress(after.encode()),
    "backup.bin": lambda after: zipped("x/y.txt", after.encode()),
    "old.tgz": lambda after: tarred("interval.py", after.encode()),
    "inner.zip": lambda after: zipped("a.tar.gz", tarred("b", gzip.compress(after.encode()))),
    "mail.txt": lambda after: b"Please apply:\n\n" + base64.encodebytes(patch(after)),
    "config.json": lambda after: json.dumps({"data": base64.b64encode(gzip.compress(after.encode())).decode()}).encode(),
    "session.ipynb": notebook,
    "run.log": lambda after: b"\n".join(json.dumps({"step": at, "output": line}).encode() for at, line in enumerate(after.splitlines())),
    "trajectory.json": lambda after: json.dumps({"messages": [{"role": "tool", "content": patch(after).decode()}]}).encode(),
    "notes.txt": lambda after: after.encode("utf-16"),
    "notes-be.txt": lambda after: after.encode("utf-16-be"),
    "state.pickle": lambda after: pickle.dumps({"source": after}),
    "state0.pickle": lambda after: pickle.dumps({"source": after}, protocol=0),
    ".git/COMMIT_EDITMSG": lambda after: b"Mend\n\n" + patch(after),
    ".git/rebase-apply/0001": patch,
    ".git/objects/tmp_obj_x": lambda after: zlib.compress(b"blob 900\0" + after.encode()),
    "page.html": lambda after: b"<pre>" + html.escape(after).encode() + b"</pre>",
    "url.txt": lambda after: quote(after).encode(),
    "dump.hex": lambda after: after.encode().hex().encode(),
    "b85.txt": lambda after: base64.a85encode(after.encode()),
    "reply.md": lambda after: ("```python\n" + "\n".join("> " + line for line in after.splitlines()) + "\n```").encode(),
    "htmlcov/interval.html": lambda after: marked(after, '<span class="k">{}</span>'),
    "term.log": lambda after: marked(after, "\x1b[1;34m{}\x1b[0m"),
    "old.deb": lambda after: debian(tarred("usr/interval.py", after.encode())),
    "report.pdf": document,
    "buffer.json": lambda after: json.dumps({"type": "Buffer", "data": list(after.encode())}).encode(),
    "cache.db": lambda after: database(zlib.compress(after.encode())),
    "install.sh": lambda after: b"#!/bin/sh\ntail -n +3 $0 | gunzip\n" + gzip.compress(after.encode()),
    "b32.txt": lambda after: base64.b32encode(after.encode()),
    "turned.txt": lambda after: codecs.encode(after, "rot13").encode(),
    "lines.npy": lambda after: b"\x93NUMPY\1\0" + b" " * 60 + after.encode("utf-32-le"),
    "one-line.txt": lambda after: " ".join(after.split()).encode(),
}  # fmt: skip


def found(given, path, data):
    return list(leaks_in(path, data, needles_of(given), Views(), strict=False))


@pytest.mark.parametrize("after", [LARGE, SMALL, BLANK], ids=["large", "small", "blank"])
@pytest.mark.parametrize("path", WAYS)
def test_the_answer_is_found_however_it_is_kept(path, after):
    assert found(task(after), path, WAYS[path](after)), path


@pytest.mark.parametrize("after", [LARGE, SMALL, BLANK], ids=["large", "small", "blank"])
@pytest.mark.parametrize("path", WAYS)
def test_what_was_there_before_is_no_leak_however_it_is_kept(path, after):
    earlier = BEFORE.replace("def width", "def breadth")
    if path not in (
        "notes/fix.patch",
        "fix.diff.gz",
        "mail.txt",
        "trajectory.json",
        ".git/COMMIT_EDITMSG",
        ".git/rebase-apply/0001",
    ):
        assert not found(task(after), path, WAYS[path](earlier)), path


@pytest.mark.parametrize("path", ["notes/fix.patch", "fix.xz", "session.ipynb", "run.log", "cache.db"])
def test_an_answer_that_only_indents_a_line_is_found(path):
    after = BEFORE.replace("        return self.high - self.low", "    return self.high - self.low")
    assert found(task(after), path, WAYS[path](after))
    assert not found(task(after), "x.py", b"    return self.high - self.low\n")


@pytest.mark.parametrize("write_ahead", [False, True])
def test_a_value_longer_than_a_page_of_a_database_is_read(tmp_path, write_ahead):
    noise = random.Random(1).randbytes(40_000).hex()
    with closing(sqlite3.connect(tmp_path / "a.db")) as made:
        made.execute(f"PRAGMA journal_mode = {'WAL' if write_ahead else 'DELETE'}")
        made.execute('CREATE TABLE "a ""b" (name, data)')
        made.execute('INSERT INTO "a ""b" VALUES (1, ?)', (zlib.compress((noise + SMALL + noise).encode()),))
        made.execute("CREATE VIEW broken AS SELECT * FROM nowhere")
        made.commit()
    data = (tmp_path / "a.db").read_bytes()
    assert [leak.path for leak in found(task(SMALL), "a.db", data)] == ['a.db!a "b (inflated)']
    views = Views()
    list(leaks_in("a.db", data[:4096] + bytes(4096), needles_of(task(SMALL)), views, strict=False))
    assert "its rows were not read" in views.unread[0]


def test_names_that_are_new_to_the_workspace_show_a_rewritten_answer():
    after = (
        BEFORE
        + "\n    def overlap_ratio(self, other_interval):\n        shared_width = min(self.high, other_interval.high)\n        return shared_width / other_interval.width()\n"
    )
    told = b"const overlap_ratio = (a, other_interval) => { let shared_width = 1; return shared_width }"
    assert found(task(after), "draft.txt", told)
    assert not found(
        task(
            after,
            {"a.py": "overlap_ratio = other_interval = shared_width = 1\n"}
            | {"b.py": "shared_width = overlap_ratio = 2\n"},
        ),
        "draft.txt",
        told,
    )


def test_hidden_tests_are_found_too():
    lines = "".join(
        f"def test_{word}():\n    assert Interval(1, {at}).contains({at * 7})\n"
        for at, word in enumerate(("low", "high", "inner", "outer"))
    )
    given = task(SMALL)
    checks = Checks(runner="pytest", files=Tree.of({"test_more.py": lines}), expected=("test_more.py::test_low",))
    given = Task(
        id="it",
        instruction="",
        workspace=given.workspace,
        hidden=Hidden(checks=checks, reference=given.hidden.reference),
    )
    kinds = {leak.kind for leak in found(given, "old.log", gzip.compress(lines.encode()))}
    assert kinds == {"tests"}


def test_more_than_is_read_is_not_called_clean():
    views = Views(left=1000)
    assert list(leaks_in("big.gz", gzip.compress(b"x" * 100_000), needles_of(task(SMALL)), views, strict=False)) == []
    assert views.unread == ["big.gz: it contains more than is read"]
    deep = b"x" * 100
    for _ in range(8):
        deep = gzip.compress(deep)
    views = Views()
    list(leaks_in("deep.gz", deep, needles_of(task(SMALL)), views, strict=False))
    assert "packed more than" in views.unread[0]
    assert File(data=deep)
