"""Code inside that takes too much: processes, memory, disk, output, time."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from box_processes import descendants, ended, zygotes

from honestly.errors import SandboxError, SandboxLimitError
from honestly.records import Tree
from honestly.sandbox import Limits, Sandbox, open_sandbox

pytestmark = pytest.mark.anyio

EMPTY = Tree()


async def down_to(box: Sandbox, number: int) -> int:
    """Wait until so many processes are left, beside the init and the one that counts: the killed ones take a moment."""
    code = "import os; print(len({name for name in os.listdir('/proc') if name.isdigit()} - {'1', str(os.getpid())}))"
    with anyio.fail_after(20):
        while (count := int((await box.exec(["python3", "-c", code])).stdout)) > number:
            await anyio.lowlevel.checkpoint()
    return count


async def test_a_fork_bomb_is_bounded_and_dies_at_the_deadline() -> None:
    bomb = "import os\nwhile True:\n try: os.fork()\n except OSError: pass"
    async with open_sandbox(EMPTY, Limits(processes=30)) as box:
        with anyio.fail_after(20):
            result = await box.exec(["python3", "-c", bomb], timeout=0.5)
        assert result.timed_out
        assert await down_to(box, 0) == 0


async def test_forks_beyond_the_limit_fail() -> None:
    code = (
        "import os, time\nn = 0\n"
        "try:\n while True:\n  if not os.fork(): time.sleep(100)\n  n += 1\n"
        "except OSError: print(n)"
    )
    async with open_sandbox(EMPTY, Limits(processes=14)) as box:
        result = await box.exec(["python3", "-c", code])
        assert result.stdout == b"13\n"


async def test_a_tree_that_hides_from_its_parent_dies_at_the_deadline() -> None:
    hide = (
        "import os, time\n"
        "for _ in range(3):\n"
        " if os.fork() == 0:\n"
        "  os.setsid()\n"
        "  if os.fork(): os._exit(0)\n"
        "  while True: time.sleep(0.01)\n"
        "time.sleep(100)\n"
    )
    async with open_sandbox(EMPTY) as box:
        server = await box.start(["sleep", "1000"])
        assert (await box.exec("sleep 1000 & echo $! > kept")).code == 0
        assert (await box.exec(["python3", "-c", hide], timeout=0.3)).timed_out
        assert await down_to(box, 2) == 2, "only what other commands had started lives on"
        assert (await box.exec("kill $(cat kept)")).code == 0
        await server.kill()


async def test_a_tree_that_keeps_forking_away_dies_at_the_deadline() -> None:
    """Each of its processes lives for a moment only: whoever looks for them one by one comes too late."""
    hop = (
        "import os, time\n"
        "trace = os.open('trace', os.O_WRONLY | os.O_CREAT | os.O_APPEND)\n"
        "if all([os.fork() for _ in range(4)]): time.sleep(100)\n"
        "while True:\n"
        " os.write(trace, b'.')\n"
        " if os.fork(): os._exit(0)\n"
        " os.setsid()\n"
    )
    async with open_sandbox(EMPTY) as box:
        other = await box.start(["sh", "-c", "while :; do /bin/true; done"])
        await box.exec("for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 1000 & done")
        for _ in range(3):
            assert (await box.exec(["python3", "-c", hop], timeout=0.2)).timed_out
            hops = len(await box.read("trace"))
            assert hops > 0
            await box.exec("i=0; while [ $i -lt 20 ]; do /bin/true; i=$((i+1)); done")
            assert len(await box.read("trace")) == hops
        await other.kill()
        assert (await other.wait()).code == -9
        assert await down_to(box, 20) == 20


async def test_a_background_process_lives_on_and_may_go_on_writing() -> None:
    script = "(while :; do echo noise; done) & (while [ ! -e stop ]; do sleep 0.01; done; echo seen > answer) &"
    async with open_sandbox(EMPTY) as box:
        with anyio.fail_after(20):
            assert (await box.exec(script)).code == 0
            await box.write("stop", b"")
            while (await box.exec("cat answer")).stdout != b"seen\n":
                await anyio.lowlevel.checkpoint()
        assert await down_to(box, 1) == 1


async def test_one_process_cannot_take_three_gigabytes() -> None:
    async with open_sandbox(EMPTY) as box:
        result = await box.exec(["python3", "-c", "bytearray(3 << 30)"])
        assert result.code == 1
        assert b"MemoryError" in result.stderr


@pytest.mark.parametrize(
    "code",
    [
        "import mmap\nm = mmap.mmap(-1, 3 << 30)\nfor i in range(0, 3 << 30, 4096): m[i] = 1",
        "import os, time\nfor _ in range(4): os.fork()\nx = bytearray(60 << 20)\ntime.sleep(100)",
    ],
    ids=["shared mapping", "many processes"],
)
async def test_all_processes_together_cannot_take_more_than_the_limit(code: str) -> None:
    async with open_sandbox(EMPTY, Limits(memory_mb=100)) as box:
        with anyio.fail_after(60):
            result = await box.exec(["python3", "-c", code])
        assert (result.code, result.out_of_memory, result.timed_out) == (None, True, False)
        assert (await box.exec("echo fine")).stdout == b"fine\n"


async def test_memory_that_no_limit_counts_cannot_be_made() -> None:
    code = "import ctypes, os\nl = ctypes.CDLL(None)\nprint(l.shmget(0, 1 << 30, 0o1600), l.msgget(0, 0o1600))"
    async with open_sandbox(EMPTY) as box:
        assert (await box.exec(["python3", "-c", code])).stdout == b"-1 -1\n"


@pytest.mark.slow
async def test_the_disk_is_one_and_full_at_its_limit() -> None:
    async with open_sandbox(EMPTY, Limits(disk_mb=8)) as box:
        result = await box.exec("head -c 5000000 /dev/zero > a; head -c 5000000 /dev/zero > /tmp/b; ls -l a /tmp/b")
        assert b"No space left" in result.stderr
        with pytest.raises(SandboxLimitError, match="No space left"):
            await box.write("c", b"x" * 5_000_000)
        await box.exec("rm a /tmp/b c")
        await box.write("c", b"x" * 5_000_000)
        many = await box.exec(["python3", "-c", "import os\nfor i in range(300_000): os.symlink('x', f'l{i}')"])
        assert b"No space left" in many.stderr


async def test_one_file_has_a_limit() -> None:
    async with open_sandbox(EMPTY, Limits(file_mb=1)) as box:
        assert (await box.exec("head -c 2000000 /dev/zero > a")).code != 0
        assert (await box.exec("stat -c %s a")).stdout == b"1048576\n"


async def test_endless_output_costs_no_memory() -> None:
    async with open_sandbox(EMPTY, Limits(output_bytes=10_000)) as box:
        result = await box.exec("yes & yes >&2", timeout=0.5)
        assert result.timed_out
        assert len(result.stdout) + len(result.stderr) < 25_000
        assert result.truncated > 1_000_000
        assert (await box.exec("true")).code == 0


async def test_cpu_time_of_a_process_is_limited() -> None:
    async with open_sandbox(EMPTY, Limits(cpu_s=1)) as box:
        result = await box.exec("while :; do :; done", timeout=30)
        assert result.code == -9
        assert not result.timed_out


async def test_descriptors_are_limited() -> None:
    code = "import os\nfds = []\ntry:\n while True: fds.append(os.dup(1))\nexcept OSError: print(len(fds))"
    async with open_sandbox(EMPTY, Limits(open_files=50)) as box:
        assert int((await box.exec(["python3", "-c", code])).stdout) < 50


async def test_a_tree_that_does_not_fit_is_refused() -> None:
    with pytest.raises(SandboxLimitError):
        async with open_sandbox(Tree.of({"a": b"x" * (3 << 20)}), Limits(disk_mb=2)):
            pass


async def test_a_large_tree_comes_in_and_goes_out() -> None:
    tree = Tree.of({f"d{number % 50}/f{number}": os.urandom(20_000) for number in range(2000)})
    async with open_sandbox(tree) as box:
        assert (await box.snapshot()).files == tree.files


@pytest.mark.slow
async def test_fifty_boxes_at_once() -> None:
    answers: list[bytes] = []

    async def visit(number: int) -> None:
        async with open_sandbox(Tree.of({"number": str(number)})) as box:
            answers.append((await box.exec("cat number; sleep 0.05")).stdout)

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            for number in range(50):
                tasks.start_soon(visit, number)
    assert sorted(map(int, answers)) == list(range(50))


@pytest.mark.slow
async def test_many_commands_leave_no_descriptor_or_process_in_the_keeper() -> None:
    async with open_sandbox(EMPTY) as box:
        await box.exec("true")
        keeper, init = descendants(zygotes()[0])
        before = _descriptors(keeper)
        for _ in range(100):
            await box.exec("true", stdin=b"x")
            await box.write("f", b"x")
            await box.read("f")
            await box.snapshot()
        await box.exec("sleep 9", timeout=0.01)
        with anyio.fail_after(10):
            while _descriptors(keeper) != before:  # pipes of the killed are given up when their last holder is dead
                await anyio.lowlevel.checkpoint()
        assert all(ended(pid, within_s=10) for pid in descendants(keeper) if pid != init)


async def test_a_machine_without_room_for_another_process_is_an_error() -> None:
    async with open_sandbox(EMPTY) as box:
        keeper = descendants(zygotes()[0])[0]
        before = _descriptors(keeper)
        own = os.geteuid()
        os.seteuid(_user(keeper))  # the owner of its namespace, with all rights over it
        try:
            resource.prlimit(keeper, resource.RLIMIT_NPROC, (0, resource.prlimit(keeper, resource.RLIMIT_NPROC)[1]))
        finally:
            os.seteuid(own)
        for _ in range(3):
            with pytest.raises(SandboxError, match="temporarily unavailable"):
                await box.exec("true", stdin=b"x")
        assert _descriptors(keeper) == before
        await box.write("still", b"served")


def _user(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text().split()
    return int(status[status.index("Uid:") + 1])


def _descriptors(pid: int) -> list[str]:
    if os.geteuid() != 0:
        return []  # a keeper hides its descriptors from its own user
    return sorted(entry.name for entry in Path(f"/proc/{pid}/fd").iterdir())
