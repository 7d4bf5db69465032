"""The diff reader: what git writes is put back exactly, what does not fit is refused, and nothing else happens."""

import difflib
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from honestly.errors import FormatError, HonestlyError
from honestly.formats import read_patch
from honestly.records import File, Tree

lines = st.lists(st.sampled_from(["a", "b", "", "-- x", "++ y", "@@ -1 +1 @@", "\\ z", "c\r", "é"]), max_size=12)
texts = st.builds(lambda rows, ended: "\n".join(rows) + "\n" * ended, lines, st.booleans())


def diff(old, new, context, name="f.txt"):
    """A unified diff as git writes it."""
    out = [f"diff --git a/{name} b/{name}\n"]
    for line in difflib.unified_diff(keep(old), keep(new), f"a/{name}", f"b/{name}", n=context):
        out += [line] if line.endswith("\n") else [line, "\n\\ No newline at end of file\n"]
    return "".join(out) if len(out) > 1 else ""


def keep(text):
    """Lines that end with a line feed and nothing else."""
    *ended, rest = text.split("\n")
    return [line + "\n" for line in ended] + [rest] * bool(rest)


def applied(patch, files):
    return {path: file.data.decode() for path, file in read_patch(patch).apply(Tree.of(files)).files.items()}


@settings(max_examples=150)
@given(texts, texts, st.integers(0, 3))
def test_what_a_diff_describes_comes_out(old, new, context):
    assert applied(diff(old, new, context), {"f.txt": old}) == {"f.txt": new}


@settings(max_examples=60)
@given(texts, lines.filter(bool))
def test_hunks_are_found_where_lines_came_before(text, before):
    old, new = "one\n" + text + "\ntwo\nthree\n", "one\n" + text + "\ntwo\n3\n"
    moved = "".join(f"x{row}\n" for row in before)
    assert applied(diff(old, new, 1), {"f.txt": moved + old}) == {"f.txt": moved + new}


def test_of_several_places_the_nearest_is_taken():
    patch = "--- a/f\n+++ b/f\n@@ -5,2 +5,2 @@\n k\n-1\n+2\n"
    assert applied(patch, {"f": "k\n1\n.\n.\n.\nk\n1\n"}) == {"f": "k\n1\n.\n.\n.\nk\n2\n"}
    assert applied(patch, {"f": "k\n1\n"}) == {"f": "k\n2\n"}
    twice = patch.replace("5", "3") + "@@ -7,2 +7,2 @@\n k\n-1\n+3\n"
    assert applied(twice, {"f": ".\nk\n1\n.\n.\nk\n1\n.\n"}) == {"f": ".\nk\n2\n.\n.\nk\n3\n.\n"}


def test_files_come_go_move_and_change_their_modes():
    patch = """\
From somebody
---
 one.py | 2 +-

diff --git a/new.sh b/new.sh
new file mode 100755
index 0000000..1111111
--- /dev/null
+++ b/new.sh
@@ -0,0 +1 @@
+echo
diff --git a/empty b/empty
new file mode 100644
index 0000000..e69de29
diff --git a/gone b/gone
deleted file mode 100644
index 1..0
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old name b/new name
similarity index 90%
rename from old name
rename to new name
--- a/old name
+++ b/new name
@@ -1 +1 @@
-x
+y
diff --git a/mode b/mode
old mode 100644
new mode 100755
diff --git "a/\\303\\251" "b/\\303\\251"
--- "a/\\303\\251"
+++ "b/\\303\\251"
@@ -1 +1 @@
-x
+z
--
2.40.0
"""
    found = read_patch(patch)
    after = found.apply(Tree.of({"gone": "x\n", "old name": "x\n", "mode": "m", "é": "x\n", "kept": "k"}))
    assert after == Tree(
        files={
            "new.sh": File(data=b"echo\n", mode="exec"),
            "empty": File(),
            "new name": File(data=b"y\n"),
            "mode": File(data=b"m", mode="exec"),
            "é": File(data=b"z\n"),
            "kept": File(data=b"k"),
        }
    )
    assert found.changed_paths == ("new.sh", "empty", "new name", "mode", "é")
    assert found.deleted_paths == ("gone", "old name")


BODY = "@@ -1 +1 @@\n-x\n+y\n"


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        (BODY, "belongs to no file"),
        (f"--- a/f\n+++ b/f\n{BODY}{BODY}", "does not fit"),
        ("--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-x\n", "ends before it contains"),
        ("--- a/f\n+++ b/f\n@@ -1 +1,2 @@\n x\n-x\n+y\n", "more lines than"),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n*x\n", "not a line of a hunk"),
        ("--- a/f\n+++ b/f\n@@ x @@\n", "not the header"),
        ("--- a/f\n+++ b/f\n", "expected a hunk"),
        ("--- a/f\n+++ b/f\n@@ -0 +1 @@\n-x\n+y\n", "before the first line"),
        (f"--- a/../f\n+++ b/../f\n{BODY}", "stay below its root"),
        (f"--- a//etc/f\n+++ b//etc/f\n{BODY}", "stay below its root"),
        (f"--- f\n+++ f\n{BODY}", "stay below its root"),
        (f"--- /dev/null\n+++ /dev/null\n{BODY}", "before or after"),
        ('diff --git "a/f b/f\nold mode 100644\nnew mode 100755\n', "not closed"),
        (f'--- "a/\\xf"\n+++ "b/f"\n{BODY}', "escape"),
        ("diff --git a/f b/f\nBinary files a/f and b/f differ\n", "binary"),
        ("diff --git a/f b/f\nnew file mode 160000\n", "mode"),
        ("diff --git a/f b/g\nold mode 100644\n", "which file"),
        (f"--- a/f\n+++ b/f\n{BODY}--- a/f\n+++ b/f\n{BODY}", "more than once"),
        (f"--- a/g\n+++ b/g\n{BODY}", "no such file"),
        (f"--- /dev/null\n+++ b/f\n{BODY.replace('-1', '-0,0').replace('-x', '+x').replace('+1', '+1,2')}", "already exists"),
        ("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "not all that is in it"),
        ("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-z\n+y\n", "f: hunk 1 does not fit"),
        ("--- a/f\n+++ b/f\n@@ -2 +2 @@\n-more\n\\ No newline at end of file\n+y\n", "hunk 1 does not fit"),
        ("--- a/f\n+++ b/f\n@@ -9,0 +9 @@\n+y\n", "hunk 1 does not fit"),
        ("x\ud800", "surrogate"),
        ("x" * (16 << 20) + "x", "longer than"),
    ],
)  # fmt: skip
def test_what_is_no_patch_or_does_not_fit_is_refused(patch, said):
    with pytest.raises(FormatError, match=said):
        read_patch(patch).apply(Tree.of({"f": "x\nmore\n"}))


def test_a_file_of_one_line_repeated_is_searched_in_time():
    hunk = "@@ -900000,2 +900000,2 @@\n a\n-b\n+c\n"
    with pytest.raises(FormatError, match="does not fit"):
        read_patch("--- a/f\n+++ b/f\n" + hunk * 3000).apply(Tree.of({"f": "a\n" * 1_000_000}))


@pytest.mark.skipif(shutil.which("git") is None, reason="compares with git, which is not installed")
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(st.sampled_from(["a", "b/c", "b/d e", "é"]), texts.filter(bool)),
    st.dictionaries(st.sampled_from(["a", "b/c", "b/d e", "é", "g"]), texts.filter(bool)),
)
def test_what_git_writes_is_what_is_read(tmp_path_factory, old, new):
    root = tmp_path_factory.mktemp("git")

    def git(*words):
        return subprocess.run(
            ["git", "-c", "core.autocrlf=false", *words], cwd=root, capture_output=True, check=True
        ).stdout

    git("init", "-q")
    for files in (old, new):
        for path in root.glob("[!.]*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path, text in files.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_bytes(text.encode())
        git("add", "-A")
        tree = git("write-tree").decode().strip()
        if files is old:
            before = tree
    patch = git("diff", "--find-renames", before, tree).decode()
    assert applied(patch, old) == new


pieces = st.sampled_from(
    [
        "diff --git a/f b/f", "--- a/f", "+++ b/f", "--- /dev/null", "+++ /dev/null", "@@ -1,2 +1,2 @@", "@@ -0,0 +1 @@",
        "@@ -1 +0,0 @@", " x", "-x", "+y", "\\ No newline at end of file", "new file mode 100644", "deleted file mode 100644",
        "rename from f", "rename to g", "index 1..2", "", "@@ -999999999,999999999 +1 @@", '--- "a/\\303"', "x",
    ]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(pieces, max_size=25).map("\n".join)), texts)
@example("diff --git ", "")
@example("--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n" + " " * 1000, "")
def test_any_text_is_a_patch_or_refused(text, content):
    try:
        read_patch(text).apply(Tree.of({"f": content}))
    except HonestlyError:
        pass
