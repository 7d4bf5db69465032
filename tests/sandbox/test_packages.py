"""Installed packages that are shown inside, and nothing else of what is installed."""

from __future__ import annotations

import marshal
import socket
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from honestly.errors import SandboxUnavailableError
from honestly.records import Tree
from honestly.sandbox import Layout, WarmSandbox, _spawner, open_sandbox, package_versions, packages_layout

pytestmark = pytest.mark.anyio
USE = "import numpy, os; print(int(numpy.ones((3, 3)).sum()), numpy.__version__, len(os.listdir('/proc/self/task')))"


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of installed packages, of which `outer` requires `inner-part`."""
    files = {
        "outer/__init__.py": "from inner import N\nfrom importlib.metadata import version\n",
        "outer.libs/libx.so.1": "",
        "outer-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: Outer\nVersion: 1.0\n"
        "Requires-Dist: inner.part (>=2)\nRequires-Dist: nothing-like-it; sys_platform == 'win32'\n"
        "Requires-Dist: unasked; extra == 'more'\n",
        "outer-1.0.dist-info/RECORD": "../../bin/outer,,\n__pycache__/x.pyc,,\nouter/__init__.py,,\n"
        "outer.libs/libx.so.1,,\nouter-1.0.dist-info/METADATA,,\n",
        "inner.py": "N = 7\n",
        "inner_part-2.1.dist-info/METADATA": "Metadata-Version: 2.1\nName: inner_part\nVersion: 2.1\nRequires-Dist: outer\n",
        "inner_part-2.1.dist-info/RECORD": "inner.py,,\ninner_part-2.1.dist-info/METADATA,,\n",
        "unasked-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: unasked\nVersion: 1\n",
        "unasked-1.dist-info/RECORD": "__editable__.unasked.pth,,\nunasked-1.dist-info/METADATA,,\n",
        "__editable__.unasked.pth": "/nowhere\n",
    }
    folder = tmp_path / "site"
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    monkeypatch.syspath_prepend(folder)
    return folder


async def test_a_named_package_can_be_used_and_others_cannot(unsafe: bool) -> None:
    async with open_sandbox(Tree(), layout=packages_layout(["numpy"]), unsafe=unsafe) as box:
        assert (await box.exec(["python3", "-c", USE])).stdout.decode() == f"9 {np.__version__} 1\n"
        if not unsafe:
            assert (await box.exec(["python3", "-c", "import hypothesis"])).code == 1


async def test_packages_cannot_be_changed() -> None:
    async with open_sandbox(Tree(), layout=packages_layout(["numpy"])) as box:
        for command in (
            "echo x > $PYTHONPATH/x.py",
            "echo x >> $PYTHONPATH/numpy/__init__.py",
            "rm -r $PYTHONPATH/numpy",
        ):
            assert (await box.exec(command)).code != 0


async def test_without_packages_nothing_is_different() -> None:
    async with open_sandbox(Tree()) as box:
        assert (await box.exec("echo $PYTHONPATH $OPENBLAS_NUM_THREADS; ls /opt")).stdout == b"\nbin\n"
        assert (await box.exec(["python3", "-c", "import numpy"])).code == 1


async def test_what_a_package_requires_comes_along(site: Path) -> None:
    layout = packages_layout(["OUTER"])
    names = {"outer", "outer.libs", "outer-1.0.dist-info", "inner.py", "inner_part-2.1.dist-info"}
    assert dict(layout.packages) == {name: site / name for name in names}
    assert package_versions(["outer"]) == package_versions(["inner-part", "outer"]) == ("inner-part==2.1", "outer==1.0")
    async with open_sandbox(Tree(), layout=layout) as box:
        done = await box.exec(["python3", "-c", "import outer; print(outer.N, outer.version('outer'))"])
        assert done.stdout == b"7 1.0\n", done.stderr


@pytest.mark.usefixtures("site")
def test_what_cannot_be_shown_is_said() -> None:
    for name in ("nothing-like-it", "", "../numpy", "numpy==2", "num py", "a" * 300):
        with pytest.raises(SandboxUnavailableError, match="there is no package"):
            packages_layout([name])
        with pytest.raises(SandboxUnavailableError, match="there is no package"):
            package_versions([name])
    with pytest.raises(SandboxUnavailableError, match="'unasked' is not installed as files"):
        packages_layout(["unasked"])
    assert package_versions(["numpy"]) == (f"numpy=={metadata.version('numpy')}",)


def test_packages_do_not_go_with_an_image(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="to an image's"):
        Layout(root=tmp_path, packages={"a": tmp_path})


async def test_nothing_in_a_box_stands_in_for_where_the_guests_code_is() -> None:
    """The forks' interpreter began with a path on the machine; a box may have other files there."""
    here = str(Path(_spawner.__file__).parent)
    async with open_sandbox(Tree()) as box:
        assert isinstance(box, WarmSandbox)
        source = "import os, sys\ndef forked(wire):\n    os.write(wire, repr(sys.path).encode())\n"
        await box.load(marshal.dumps([("seen", compile(source, "seen", "exec"))]))
        ours, theirs = socket.socketpair()
        with ours, theirs:
            process = await box.fork(theirs)
            await process.wait()
            assert here not in ours.recv(1 << 16).decode()
