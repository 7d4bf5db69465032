"""A real kernel in a real sandbox: what it shows, what it keeps, and what hostile code can do to it."""

from __future__ import annotations

import struct
import sys
import zlib
from collections.abc import AsyncIterator
from importlib.util import find_spec
from typing import Literal

import anyio
import pytest

from honestly.errors import ToolError
from honestly.records import Tree
from honestly.sandbox import Limits, Process, Sandbox, open_sandbox, packages_layout
from honestly.tools import KERNEL_PACKAGES, PythonTool
from honestly.tools._guests import Guest, GuestGone, Reply
from honestly.tools._pictures import picture_in

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="needs the sandbox of namespaces"),
    pytest.mark.skipif(find_spec("ipykernel") is None, reason="needs the extra kernel"),
]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def box() -> AsyncIterator[Sandbox]:
    limits = Limits(memory_mb=1024, wall_s=600)
    async with open_sandbox(Tree.of({"data.txt": "7\n"}), limits, layout=packages_layout(KERNEL_PACKAGES)) as box:
        yield box


@pytest.fixture(scope="module")
async def tool() -> AsyncIterator[PythonTool]:
    tool = PythonTool()
    yield tool
    await tool.close()


def png(width: int = 2, height: int = 2) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\xff\0\0" * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


@pytest.mark.slow
async def test_the_state_stays_and_the_last_expression_shows(box: Sandbox, tool: PythonTool) -> None:
    assert (await tool(box, {"code": "x = int(open('data.txt').read())"})).text == "(no output)"
    assert (await tool(box, {"code": "print('six')\nx * 6"})).text == "six\n42"


@pytest.mark.slow
async def test_errors_are_short_and_without_colours(box: Sandbox, tool: PythonTool) -> None:
    text = (await tool(box, {"code": "def f():\n    return 1 / 0\nf()"})).text
    assert text.startswith("Traceback (most recent call last):")
    assert text.endswith("ZeroDivisionError: division by zero")
    assert "return 1 / 0" in text
    assert "\x1b" not in text
    assert len(text) < 300


async def test_commands_input_and_control_characters(box: Sandbox, tool: PythonTool) -> None:
    assert (await tool(box, {"code": "!echo $((6 * 7))"})).text == "42"
    assert "StdinNotImplementedError" in (await tool(box, {"code": "input('name? ')"})).text
    bar = "print('10%\\r20%\\r30%')\nprint('\\x1b]0;title\\x07\\x1b[31mred\\x1b[0m\\x08')"
    assert (await tool(box, {"code": bar})).text == "30%\nre"


async def test_images_come_along_bounded(box: Sandbox, tool: PythonTool) -> None:
    code = f"from IPython.display import Image, display\nfor _ in range(9): display(Image(data={png()!r}))\nImage(data={png()[:-2]!r})"
    out = await tool(box, {"code": code})
    assert [image.data for image in out.images] == [png()] * 8
    assert out.text.splitlines() == [
        *(f"[image {n}]" for n in range(1, 9)),
        "[2 images are not shown: too many, too large, or not in order.]",
    ]


async def test_slow_code_is_interrupted_and_the_state_stays(box: Sandbox, tool: PythonTool) -> None:
    await tool(box, {"code": "kept = 'still here'"})
    out = await tool(box, {"code": "import time\nprint('begun')\ntime.sleep(600)", "timeout": 0.5})
    assert out.text.startswith("begun\nTraceback")
    assert "[Interrupted after 0.5 s" in out.text
    assert (await tool(box, {"code": "kept"})).text == "'still here'"


async def test_a_cancelled_call_interrupts_the_code_and_the_state_stays(box: Sandbox, tool: PythonTool) -> None:
    await tool(box, {"code": "count = 0"})
    with anyio.move_on_after(0.5):
        await tool(box, {"code": "import time\ncount += 1\ntime.sleep(600)\ncount += 1"})
    assert (await tool(box, {"code": "count"})).text.splitlines()[-1] == "1"


@pytest.mark.slow
async def test_endless_output_keeps_its_two_ends(box: Sandbox, tool: PythonTool) -> None:
    out = await tool(box, {"code": "for n in range(1000): print(n, 'x' * 100_000, flush=True)"})
    assert 10_000_000 < out.dropped < 101_000_000  # what comes too fast is lost on the way
    assert len(out.text) < 20_200
    assert out.text.startswith("0 xxx")
    assert f"[... {out.dropped:,} bytes left out ...]" in out.text
    assert (await tool(box, {"code": "n"})).text == "999"


async def test_nothing_is_left_in_the_workspace(box: Sandbox, tool: PythonTool) -> None:
    await tool(box, {"code": "import os; os.getcwd()"})
    assert set((await box.snapshot()).files) == {"data.txt"}


@pytest.mark.slow
async def test_the_death_of_the_kernel_is_told_and_the_next_is_fresh(box: Sandbox, tool: PythonTool) -> None:
    await tool(box, {"code": "import os, subprocess\nchild = subprocess.Popen(['sleep', '600'])\nx = 1"})
    out = await tool(box, {"code": "print('last words', flush=True)\nimport time; time.sleep(0.5); os._exit(3)"})
    assert out.text.startswith("last words\n[The kernel died.")
    assert "NameError" in (await tool(box, {"code": "x"})).text
    assert b"sleep" not in (await box.exec("cat /proc/[0-9]*/cmdline 2>/dev/null")).stdout.replace(b"cat", b"")


@pytest.mark.slow
async def test_code_that_kills_its_surroundings_or_does_not_stop(box: Sandbox, tool: PythonTool) -> None:
    killed = await tool(box, {"code": "import os; os.kill(os.getppid(), 9)"})
    assert killed.text.startswith("[The kernel is gone: it ended")
    bomb = "import os, time\nwhile True:\n    try: os.fork(); time.sleep(0.1)\n    except BaseException: pass"
    stuck = await tool(box, {"code": bomb, "timeout": 0.5})
    assert "next call starts a new one" in stuck.text or "the kernel lives" in stuck.text
    said = (await tool(box, {"code": "6_000_006 * 7"})).text
    if "the kernel lives" in stuck.text:  # so do its forks, and write before and after this of being interrupted
        assert "42000042" in said
    else:
        assert said == "42000042"
    await tool(box, {"code": "y = 1"})
    assert "NameError" in (await tool(box, {"code": "y", "restart": True})).text


async def test_it_says_what_is_missing() -> None:
    async with open_sandbox(Tree.of({}), Limits()) as bare:
        with pytest.raises(ToolError, match=r"shows no ipykernel and jupyter_client.*honestly\[kernel\]"):
            await PythonTool()(bare, {"code": "1"})
        with pytest.raises(ToolError, match="expected code"):
            await PythonTool()(bare, {"cod": "1"})


class _Answer(Reply, frozen=True, kw_only=True):
    how: Literal["ok"]


FORGERIES = {
    "no frame": b"hello, world",
    "endless": b"\xff\xff\xff\xff" + b"x" * 1000,
    "no JSON": (3).to_bytes(4, "big") + b"[[[",
    "deep JSON": (100_000).to_bytes(4, "big") + b"[" * 100_000,
    "another type": (22).to_bytes(4, "big") + b'{"id": 1, "how": "no"}',
    "another request": (22).to_bytes(4, "big") + b'{"id": 7, "how": "ok"}',
    "nothing": b"",
}


@pytest.mark.parametrize("name", FORGERIES)
async def test_forged_replies_end_the_guest(box: Sandbox, name: str) -> None:
    code = f"import os, sys; os.write(1, {FORGERIES[name][:200]!r} + b'[' * {max(0, len(FORGERIES[name]) - 200)})"
    process: Process = await box.start(["python3", "-c", code])
    guest = Guest(box, process, _Answer)
    with pytest.raises(GuestGone):
        await guest.ask_guest({}, 20)
    assert guest.gone


async def test_a_guest_that_only_talks_is_cut_off(box: Sandbox) -> None:
    stale = (22).to_bytes(4, "big") + b'{"id": 7, "how": "ok"}'
    process = await box.start(["python3", "-c", f"import os\nwhile True: os.write(1, {stale!r})"])
    with pytest.raises(GuestGone, match="what was not asked"):
        await Guest(box, process, _Answer).ask_guest({}, 60)


def test_images_are_what_they_say() -> None:
    good = png()
    assert picture_in(good) is not None
    for broken in (good[:-1], good[:40] + b"!" + good[41:], b"", good[:8], png(9000, 1), b"\xff\xd8\xff\xd9"):
        assert picture_in(broken) is None
