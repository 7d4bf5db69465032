"""The editor of an agent: exact changes, refusals that help, and files that keep what they were."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from honestly.errors import ToolError
from honestly.records import File, Tree
from honestly.sandbox import Limits, Sandbox, open_sandbox
from honestly.tools import EditTool

pytestmark = pytest.mark.anyio

PROGRAM = "def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x + 1\n"
FILES = {
    "a.py": File(data=PROGRAM.encode(), mode="exec"),
    "crlf.txt": File(data=b"one\r\ntwo\r\nthree\r\n"),
    "bom.txt": File(data=b"\xef\xbb\xbfone\ntwo\n"),
    "open.txt": File(data=b"a\nb"),
    "empty": File(data=b""),
    "binary": File(data=b"\0\1\2"),
    "latin": File(data=b"caf\xe9"),
    "escape": File(data=b"\x1b[31mred\x07"),
    "d/e/f": File(data=b"x\n"),
    "link": File(data=b"a.py", mode="link"),
}


@pytest.fixture(params=["namespaces", "none"])
async def box(request: pytest.FixtureRequest, anyio_backend: str) -> AsyncIterator[Sandbox]:
    async with open_sandbox(Tree(files=FILES), unsafe=request.param == "none") as opened:
        yield opened


class Editor:
    def __init__(self, box: Sandbox) -> None:
        self.box, self.tool = box, EditTool(keep=2000)

    async def __call__(self, action: str, path: str, **given: Any) -> str:
        return (await self.tool(self.box, {"action": action, "path": path, **given})).text


@pytest.fixture
def edit(box: Sandbox) -> Editor:
    return Editor(box)


async def test_views(edit: Editor, box: Sandbox) -> None:
    assert await edit("view", "a.py", start=4, end=5) == "     4\t\n     5\tdef g(x):"
    assert await edit("view", "/workspace/a.py") == await edit("view", "d/../a.py")
    assert await edit("view", "empty") == "[the file is empty]"
    assert await edit("view", "escape") == "     1\t\\x1b[31mred\\x07"
    assert await edit("view", "crlf.txt", start=2, end=2) == "     2\ttwo"
    listed = (await edit("view", ".")).splitlines()
    assert listed[:3] == ["a.py", "binary", "bom.txt"]
    assert {"d/", "d/e/", "link"} <= set(listed)
    await box.write("long", b"".join(b"line %d\n" % number for number in range(1000)))
    assert "view them with start=" in (await edit("view", "long")).splitlines()[-1]
    await box.write("wide", b"x" * 10_000)
    assert "8000 characters more" in await edit("view", "wide")


async def test_a_replacement_fits_one_place_and_keeps_the_mode(edit: Editor, box: Sandbox) -> None:
    await box.exec("chmod 750 a.py")
    shown = await edit("replace", "a.py", old="def g(x):\n    return x + 1\n", new="def g(x):\n    return x + 2\n")
    assert "     6\t    return x + 2" in shown
    assert (await box.exec("stat -c %a a.py")).stdout == b"750\n"
    await edit("replace", "link", old="return x", new="return y", everywhere=True)
    found = await box.snapshot()
    assert found.files["a.py"].data.decode() == "def f(x):\n    return y + 1\n\n\ndef g(x):\n    return y + 2\n"
    assert found.files["link"].mode == "link"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"old": "return x + 1"}, "occurs 2 times in a.py, at lines 2, 6;"),
        ({"old": "def f(x):\n  return x + 1"}, "but for white space it fits these lines:\n     1\tdef f"),
        ({"old": "def g(y):\n    return y + 1"}, "these lines come closest:\n     5\tdef g"),
        ({"old": "something else entirely"}, "view the file, and copy"),
        ({"old": ""}, "use insert"),
        ({"old": "def f(x):", "new": "def f(x):"}, "are the same"),
    ],
)
async def test_a_replacement_that_does_not_fit_is_refused_with_what_helps(
    edit: Editor, box: Sandbox, given: dict[str, str], said: str
) -> None:
    with pytest.raises(ToolError) as caught:
        await edit("replace", "a.py", **{"new": "new", **given})
    assert said in str(caught.value)
    assert await box.read("a.py") == PROGRAM.encode()


@pytest.mark.parametrize(
    ("path", "calls", "after"),
    [
        ("crlf.txt", [("replace", {"old": "one\ntwo", "new": "1\n2"})], b"1\r\n2\r\nthree\r\n"),
        ("crlf.txt", [("insert", {"line": 3, "text": "a\nb"})], b"one\r\ntwo\r\nthree\r\na\r\nb\r\n"),
        ("bom.txt", [("replace", {"old": "one", "new": "1"})], b"\xef\xbb\xbf1\ntwo\n"),
        ("open.txt", [("insert", {"line": 2, "text": "c\n"})], b"a\nb\nc"),
        ("open.txt", [("insert", {"line": 0, "text": "z"})], b"z\na\nb"),
        ("empty", [("insert", {"line": 0, "text": "z"})], b"z\n"),
        ("new/deep/x", [("create", {"text": "a\n"}), ("replace", {"old": "a", "new": "b"})], b"b\n"),
        ("-n", [("create", {"text": "a\n"}), ("replace", {"old": "a", "new": "b"})], b"b\n"),
        ("open.txt", [("create", {"text": ""})], b""),
    ],
)
async def test_changes_and_their_undoing(
    edit: Editor, box: Sandbox, path: str, calls: list[tuple[str, dict[str, Any]]], after: bytes
) -> None:
    before = (await box.snapshot()).files
    for action, given in calls:
        await edit(action, path, **given)
    assert (await box.snapshot()).files[path].data == after
    for _ in calls:
        await edit("undo", path)
    assert (await box.snapshot()).files == before
    with pytest.raises(ToolError, match="no change"):
        await edit("undo", path)


@pytest.mark.parametrize("action", ["view", "replace", "insert"])
@pytest.mark.parametrize(
    ("path", "said"), [("binary", "binary file"), ("latin", "not UTF-8 text"), ("nothing", "cannot"), ("../..", "")]
)
async def test_what_is_no_text_file_is_refused(edit: Editor, action: str, path: str, said: str) -> None:
    if (action, path) == ("view", "../.."):
        path = "d/nothing"
    with pytest.raises(ToolError) as caught:
        await edit(
            action,
            path,
            **{"view": {}, "replace": {"old": "a", "new": "b"}, "insert": {"line": 0, "text": "x"}}[action],
        )
    assert said in str(caught.value)


@pytest.mark.parametrize("path", ["", "a\0b", "\ud800", "x" * 5000, "d", "fifo"])
async def test_a_path_that_cannot_be_written_is_refused(edit: Editor, box: Sandbox, path: str) -> None:
    await box.exec("mkfifo fifo")
    with pytest.raises(ToolError):
        await edit("create", path, text="x")


async def test_an_undo_never_loses_what_others_wrote(edit: Editor, box: Sandbox) -> None:
    await edit("create", "notes", text="mine\n")
    await box.exec("echo theirs >>notes")
    with pytest.raises(ToolError, match="something else"):
        await edit("undo", "notes")
    assert await box.read("notes") == b"mine\ntheirs\n"


async def test_without_walls_no_link_leads_out_of_the_workspace(tmp_path: Path, anyio_backend: str) -> None:
    (tmp_path / "secret").write_text("secret\n")
    links = {
        name: File(data=str(target).encode(), mode="link")
        for name, target in {"file": tmp_path / "secret", "folder": tmp_path, "new": tmp_path / "new"}.items()
    }
    loop = {"loop": File(data=b"loop", mode="link")}
    async with open_sandbox(Tree(files={**links, **loop}), unsafe=True) as box:
        edit = Editor(box)
        for path in ("file", "folder", "folder/secret", "new", "loop", str(tmp_path / "secret"), "../../x"):
            for action, given in (("view", {}), ("create", {"text": "x"}), ("replace", {"old": "secret", "new": "x"})):
                with pytest.raises(ToolError):
                    await edit(action, path, **given)
    assert Tree.read(tmp_path) == Tree.of({"secret": "secret\n"})


async def test_a_full_disk_leaves_the_file_as_it_was(anyio_backend: str) -> None:
    async with open_sandbox(Tree.of({"a": "old\n" * 1000}), Limits(disk_mb=2, file_mb=2)) as box:
        edit = Editor(box)
        await box.exec("head -c 3000000 /dev/zero >fill; head -c 3000000 /dev/zero >fill2")
        with pytest.raises(ToolError, match="cannot write a"):
            await edit("create", "a", text="new\n" * 100_000)
        assert await box.read("a") == b"old\n" * 1000
