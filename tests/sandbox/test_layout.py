"""Layouts: a workspace elsewhere, private directories, and files of this machine that are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from honestly.errors import SandboxError, SandboxLimitError, SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox import Layout, Limits, open_sandbox

pytestmark = pytest.mark.anyio


@pytest.fixture
def material(tmp_path: Path) -> Path:
    """A directory that every user of the machine may read."""
    folder = tmp_path / "material"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/file").write_text("shown\n")
    for path in (folder, folder / "deep"):
        path.chmod(0o755)
    return folder


async def test_the_workspace_may_lie_elsewhere() -> None:
    async with open_sandbox(Tree.of({"a": "1"}), layout=Layout(workspace="/app")) as box:
        assert (await box.exec('pwd; echo "$HOME"; cat a; echo 2 > b; ls -d ~user')).stdout == b"/app\n/app\n1/app\n"
        await box.write("c/d", b"3")
        assert await box.read("/app/c/d") == b"3"
        assert (await box.exec("ls; pwd", cwd="c")).stdout == b"d\n/app/c\n"
        assert set((await box.snapshot()).files) == {"a", "b", "c/d"}
        assert (await box.exec("ls /workspace")).code == 2
        process = await box.start(["pwd"])
        assert await process.receive() == b"/app\n"
        await process.wait()


async def test_private_directories_are_empty_writable_and_no_part_of_the_snapshot() -> None:
    layout = Layout(workspace="/app", private=("/tests", "/logs/verifier", "/opt/x/tests"))
    async with open_sandbox(Tree.of({"a": "1"}), layout=layout) as box:
        await box.write("/tests/run.sh", b"#!/bin/sh\necho 1 > /logs/verifier/reward.txt\n", executable=True)
        assert (await box.exec(["/tests/run.sh"])).code == 0
        assert await box.read("/logs/verifier/reward.txt") == b"1\n"
        assert (await box.exec("ls /opt/x/tests; echo 2 > /opt/x/tests/y")).stdout == b""
        assert (await box.exec("echo 3 > /logs/z")).code != 0
        assert set((await box.snapshot()).files) == {"a"}


async def test_private_directories_share_the_limit_of_the_disk() -> None:
    async with open_sandbox(Tree(), Limits(disk_mb=4), layout=Layout(private=("/logs",))) as box:
        assert (await box.exec("head -c 3000000 /dev/zero > /logs/a")).code == 0
        with pytest.raises(SandboxLimitError):
            await box.write("b", bytes(3_000_000))


TERMINAL = "import os, pty; a, b = pty.openpty(); os.write(b, b'hi'); print(os.read(a, 9), os.ttyname(b))"


async def test_terminals_can_be_opened_where_the_layout_says_so_and_are_the_boxs_own() -> None:
    async with open_sandbox(Tree(), layout=Layout(terminals=True)) as box:
        opened = await box.exec(["python3", "-c", TERMINAL])
        assert opened.stdout == b"b'hi' /dev/pts/0\n", opened.stderr  # the first: none of the machine's is there
        many = f"import os\nfor n in range(300): os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY)\n{TERMINAL}"
        assert (await box.exec(["python3", "-c", many])).code != 0
    async with open_sandbox(Tree()) as box:
        assert (await box.exec(["python3", "-c", TERMINAL])).code != 0


async def test_what_is_shown_can_be_read_and_not_written(material: Path) -> None:
    layout = Layout(shown={"/data": material, "/opt/one": material / "deep/file"})
    async with open_sandbox(Tree(), layout=layout) as box:
        assert (await box.exec("cat /data/deep/file /opt/one")).stdout == b"shown\nshown\n"
        for path in ("/data/new", "/data/deep/file", "/opt/one"):
            assert (await box.exec(f"echo x > {path}")).code != 0
            with pytest.raises(SandboxError):
                await box.write(path, b"x")
        assert (await box.exec("rm -r /data/deep")).code != 0
        assert await box.read("/data/deep/file") == b"shown\n"
    assert (material / "deep/file").read_text() == "shown\n"


async def test_a_shown_directory_is_no_way_out(material: Path) -> None:
    (material.parent / "secret").write_text("secret")
    (material / "up").symlink_to("../secret")
    async with open_sandbox(Tree(), layout=Layout(shown={"/data": material})) as box:
        assert (await box.exec("cat /data/up /data/../secret")).stdout == b""


@pytest.mark.parametrize(
    "layout",
    [
        {"workspace": "app"},
        {"workspace": "/app/"},
        {"workspace": "/a/../b"},
        {"workspace": "//app"},
        {"workspace": "/"},
        {"workspace": "/etc"},
        {"workspace": "/tmp/x"},
        {"private": ("/dev",)},
        {"private": ("/proc/x",)},
        {"private": ("/a\0b",)},
        {"private": ("/workspace/x",)},
        {"private": ("/a", "/a")},
        {"private": ("/a/b",), "shown": {"/a": Path("/usr")}},
    ],
)
def test_places_that_cannot_be_are_refused(layout: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="the layout names"):
        Layout(**layout)


@pytest.mark.parametrize(
    "layout", [Layout(workspace="/usr/x"), Layout(private=("/opt",)), Layout(shown={"/a": Path("/no")})]
)
async def test_places_that_this_machine_cannot_give_are_refused(layout: Layout) -> None:
    with pytest.raises(ValueError, match="the layout"):
        async with open_sandbox(Tree(), layout=layout):
            pass


async def test_without_isolation_there_is_one_layout() -> None:
    with pytest.raises(SandboxUnavailableError, match="/app"):
        async with open_sandbox(Tree(), layout=Layout(workspace="/app"), unsafe=True):
            pass
