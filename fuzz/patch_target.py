"""Diffs: any text is a patch that fits or does not, or none."""

from __future__ import annotations

from contextlib import suppress

from honestly.errors import HonestlyError
from honestly.formats import read_patch
from honestly.records import Tree

TREE = Tree.of({"f": "one\ntwo\nthree\n", "g/h": "no end", "empty": ""})
SEEDS = (
    b"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
    b"diff --git a/f b/x\nsimilarity index 90%\nrename from f\nrename to x\n",
    b"diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n\\ No newline\n",
    b'diff --git "a/\\303\\251" "b/\\303\\251"\ndeleted file mode 100644\n',
    b"--- a/g/h\n+++ b/g/h\n@@ -1 +1 @@\n-no end\n\\ No newline at end of file\n+end\n",
)
TOKENS = (
    b"diff --git a/",
    b"--- a/f\n",
    b"+++ b/f\n",
    b"@@ -0,0 +1,3 @@\n",
    b"/dev/null",
    b"\n+",
    b"\n-",
    b"\\ No newline at end of file\n",
    b"new file mode 100644\n",
    b"deleted file mode ",
    b"copy from ",
    b"rename to ",
    b"999999999",
)


def one(data: bytes) -> None:
    """Reads the data as a diff, and applies it."""
    with suppress(HonestlyError):
        read_patch(data.decode("utf-8", "surrogateescape")).apply(TREE)
