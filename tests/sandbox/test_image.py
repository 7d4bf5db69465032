"""Sandboxes whose root file system is an unpacked image: made here of a few of this machine's programs."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from small_image import make_image

from honestly.records import Tree
from honestly.sandbox import Layout, Limits, open_sandbox

pytestmark = pytest.mark.anyio

PROGRAMS = ("sh", "cat", "ls", "mkdir", "rm", "id", "mv")


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a small system: programs with their libraries, and links as real images have them."""
    root = tmp_path_factory.mktemp("image")
    make_image(root, PROGRAMS)
    (root / "app/src").mkdir(parents=True)
    (root / "etc/os-release").write_text("NAME=tiny\n")
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\nservice:x:7:7::/:/bin/false")
    (root / "app/src/code").write_text("of the image\n")
    return root


def contents(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file() and not path.is_symlink()}


async def test_the_programs_are_the_images(image: Path) -> None:
    layout = Layout(root=image, workspace="/work", private=("/logs/verifier",))
    async with open_sandbox(Tree.of({"a": "1"}), layout=layout) as box:
        listing = await box.exec(["ls", "/usr/bin"])
        assert listing.stdout.decode().split() == sorted(PROGRAMS)
        assert (await box.exec(["python3"])).code == 127
        assert (await box.exec("cat /etc/os-release a /app/src/code")).stdout == b"NAME=tiny\n1of the image\n"
        assert (
            await box.exec("echo 1 > /logs/verifier/reward; echo 2 > b; echo 3 > /tmp/c; cat /var/tmp/c")
        ).stdout == b"3\n"
        assert set((await box.snapshot()).files) == {"a", "b"}


async def test_users_are_the_images_and_the_sandboxs(image: Path) -> None:
    async with open_sandbox(Tree(), layout=Layout(root=image)) as box:
        assert (await box.exec("id -un; id -gn; id -u service")).stdout == b"user\nuser\n7\n"
        assert b"localhost" in await box.read("/etc/hosts")


async def test_nothing_in_a_closed_root_can_be_changed(image: Path) -> None:
    before = contents(image)
    async with open_sandbox(Tree(), layout=Layout(root=image)) as box:
        for path in ("/app/src/code", "/new", "/etc/passwd", "/usr/bin/new", "/dev/new", "/app/new", "/proc/x"):
            assert (await box.exec(f"echo x > {path}")).code != 0, path
        assert (await box.exec("rm -rf /app /usr/bin/ls")).code != 0
        assert (await box.exec("ls /app")).stdout == b"src\n"
    assert contents(image) == before


async def test_an_open_root_can_be_changed_inside_and_stays_as_it_is_outside(image: Path) -> None:
    before = contents(image)
    layout = Layout(root=image, open_root=True)
    async with open_sandbox(Tree(), layout=layout) as box, open_sandbox(Tree(), layout=layout) as other:
        script = "set -e; echo x > /app/src/code; echo y > /app/new; rm /etc/os-release; mkdir /app/x; mv /app/src /app/dst; cat /app/dst/code"
        result = await box.exec(script)
        assert (result.code, result.stdout, result.stderr) == (0, b"x\n", b"")
        await box.write("/etc/more/config", b"z")
        assert (await box.exec("cat /etc/more/config; ls /app")).stdout == b"zdst\nnew\nx\n"
        for path in ("/dev/x", "/proc/x", "/proc/sys/kernel/hostname"):
            assert (await box.exec(f"echo x > {path}")).code != 0, path
        assert (await other.exec("cat /app/src/code; ls /app")).stdout == b"of the image\nsrc\n"
        assert set((await box.snapshot()).files) == set()
    assert contents(image) == before


async def test_what_is_written_to_an_open_root_counts_for_the_disk(image: Path) -> None:
    async with open_sandbox(Tree(), Limits(disk_mb=2), layout=Layout(root=image, open_root=True)) as box:
        result = await box.exec("cat /dev/zero > /app/full")
        assert b"No space left" in result.stderr


async def test_of_this_machine_only_the_image_is_there(image: Path) -> None:
    async with open_sandbox(Tree(), layout=Layout(root=image)) as box:
        tops = set((await box.exec(["ls", "-A", "/"])).stdout.decode().split())
        assert tops <= {"app", "bin", "dev", "etc", "lib", "lib64", "proc", "sys", "tmp", "usr", "var", "workspace"}
        mounts = (await box.exec(["cat", "/proc/self/mounts"])).stdout.decode()
        assert str(image) not in mounts
        assert "honestly" not in "".join(line.split()[1] for line in mounts.splitlines())


async def test_links_in_an_image_lead_nowhere(image: Path, tmp_path: Path) -> None:
    """Places are made with the rights of the sandbox's builder: an image must not choose where that is."""
    copy = tmp_path / "hostile"
    shutil.copytree(image, copy, symlinks=True)
    copy.chmod(0o755)
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o777)
    for name in ("workspace", "logs", "tmp", "dev", "proc", "var"):
        shutil.rmtree(copy / name, ignore_errors=True)
        (copy / name).symlink_to(f"/.honestly-old{outside}")
    for name in ("hosts", "hostname", "resolv.conf"):
        (copy / "etc" / name).symlink_to(f"/.honestly-old{outside}/{name}")
    layout = Layout(root=copy, private=("/logs/x",), shown={"/data": image / "app"})
    async with open_sandbox(Tree.of({"a": "1"}), layout=layout) as box:
        assert (
            await box.exec("cat a /etc/hostname /data/src/code; echo 2 > /logs/x/y")
        ).stdout == b"1box\nof the image\n"
    assert list(outside.iterdir()) == []


async def test_devices_and_set_uid_programs_in_an_image_are_of_no_use(image: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make an image with a device in it")
    disk, tool = image / "disk", image / "usr/bin/tool"
    os.mknod(disk, 0o60666, os.makedev(8, 0))
    shutil.copy(image / "usr/bin/cat", tool)
    tool.chmod(0o4755)
    try:
        async with open_sandbox(Tree(), layout=Layout(root=image, open_root=True)) as box:
            assert b"Permission denied" in (await box.exec(["cat", "/disk"])).stderr
            status = (await box.exec(["tool", "/proc/self/status"])).stdout.decode()
            assert re.search(r"Uid:\s+1000\s+1000\s+1000\s+1000", status)
    finally:
        disk.unlink()
        tool.unlink()


@pytest.mark.parametrize("make", ["nothing", "etc is a link", "passwd is a link", "passwd is a pipe"])
async def test_what_is_no_image_is_refused(make: str, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    if make == "nothing":
        (tmp_path / "bin").rmdir()
    elif make == "etc is a link":
        (tmp_path / "etc").symlink_to("/etc")
    else:
        (tmp_path / "etc").mkdir()
        if "link" in make:
            (tmp_path / "etc/passwd").symlink_to("/etc/shadow")
        else:
            os.mkfifo(tmp_path / "etc/passwd")
    with pytest.raises(ValueError, match="image"):
        async with open_sandbox(Tree(), layout=Layout(root=tmp_path)):
            pass


def test_this_machines_own_root_is_never_open() -> None:
    with pytest.raises(ValueError, match="image"):
        Layout(open_root=True)
