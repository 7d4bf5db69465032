"""Control groups: what a whole box may hold, whose groups they are, and that none is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from uuid import uuid4

import anyio
import pytest
from box_processes import command_line, descendants, ended, zygotes

from honestly.records import Tree
from honestly.sandbox import Limits, Sandbox, isolation_layers, open_sandbox

MIB = 1 << 20
EMPTY = Tree()
MISSING = [layer for layer in isolation_layers().layers if layer.name == "control groups" and not layer.present]
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(bool(MISSING), reason="; ".join(f"{layer.detail}. {layer.advice}" for layer in MISSING)),
]

OWNER = """
import anyio
from honestly.records import Tree
from honestly.sandbox import open_sandbox

async def main():
    async with open_sandbox(Tree()) as box:
        process = await box.start(["sh", "-c", "echo up; read line", "member"])
        await process.receive()
        print("ready", flush=True)
        await process.wait()

anyio.run(main)
"""
SOCKETS = """
import os, socket, time
def fill():
    kept = []
    try:
        while True:
            kept.append(socket.socketpair())
            kept[-1][0].setblocking(False)
            try:
                while True: kept[-1][0].send(bytes(65536))
            except BlockingIOError: pass
    except OSError: time.sleep(100)
for _ in range(40):
    if os.fork() == 0: fill()
time.sleep(100)
"""


def group_of(pid: int, controller: str = "memory") -> Path:
    """The directory of a process's control group."""
    found = {}
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        found |= dict.fromkeys(controllers.split(","), path)
    if controller in found:
        return Path(f"/sys/fs/cgroup/{controller}{found[controller]}")
    return Path(f"/sys/fs/cgroup{found['']}")


def number(group: Path, first: str, second: str) -> int:
    """A number about a group, by its name of version 1 or 2."""
    return int(next(path for path in (group / first, group / second) if path.exists()).read_text())


async def watch(group: Path, names: tuple[str, str], seen: list[int]) -> None:
    """Read a number about a group, again and again."""
    while True:
        seen.append(number(group, *names))
        await anyio.sleep(0.005)


def member(program: int, name: str) -> int:
    """The process of a command that was started with a name."""
    (pid,) = [pid for pid in descendants(program) if name.encode() in command_line(pid)]
    return pid


async def group_of_box(box: Sandbox, controller: str = "memory") -> Path:
    """The group of a process that lives on in a box."""
    name = f"member-{uuid4()}"
    process = await box.start(["sh", "-c", "echo up; read line", name])
    await process.receive()
    return group_of(member(os.getpid(), name), controller)


async def test_commands_are_in_a_group_of_the_box_and_its_keeper_is_not() -> None:
    async with open_sandbox(EMPTY) as one, open_sandbox(EMPTY) as other:
        groups = [await group_of_box(one), await group_of_box(other)]
        assert await group_of_box(one) == groups[0] != groups[1]
        assert groups[0].parent == groups[1].parent
        outside = [pid for pid in descendants(zygotes()[0]) if group_of(pid) not in groups]
        assert len(outside) >= 4, "two keepers and two inits"


async def test_limits_are_set_for_every_box_anew() -> None:
    for memory, disk, processes in ((100, 50, 20), (30, 10, 7), (300, 200, 50)):
        async with open_sandbox(EMPTY, Limits(memory_mb=memory, disk_mb=disk, processes=processes)) as box:
            limit = number(await group_of_box(box), "memory.limit_in_bytes", "memory.max")
            assert memory + disk < limit / MIB <= memory + disk + 64
            assert number(await group_of_box(box, "pids"), "pids.max", "pids.max") == processes


async def test_what_the_kernel_holds_for_sockets_is_limited() -> None:
    async with open_sandbox(EMPTY, Limits(memory_mb=64, disk_mb=8)) as box, open_sandbox(EMPTY) as other:
        result = await box.exec(["python3", "-c", SOCKETS])
        assert (result.code, result.out_of_memory, result.timed_out) == (None, True, False)
        assert (await box.exec("echo fine")).stdout == b"fine\n"
        assert not (await other.exec("kill -9 $$")).out_of_memory
        assert not (await box.exec("kill -9 $$")).out_of_memory, "the kill of another command is not this one's"


async def test_many_processes_together_stay_below_the_ceiling() -> None:
    bomb = "import os, time\nfor _ in range(40):\n if os.fork() == 0: x = bytearray(60 << 20); time.sleep(100)\ntime.sleep(100)"
    async with open_sandbox(EMPTY, Limits(memory_mb=100, disk_mb=8)) as box:
        group = await group_of_box(box)
        held = [0]
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch, group, ("memory.usage_in_bytes", "memory.current"), held)
            result = await box.exec(["python3", "-c", bomb])
            tasks.cancel_scope.cancel()
        assert (result.code, result.out_of_memory) == (None, True)
        assert 50 < max(held) / MIB <= 100 + 8 + 64


async def test_files_count() -> None:
    async with open_sandbox(EMPTY, Limits(disk_mb=64)) as box:
        group = await group_of_box(box)
        before = number(group, "memory.usage_in_bytes", "memory.current")
        await box.exec("head -c 40000000 /dev/zero > x; head -c 20000000 /dev/zero > /dev/shm/y")
        assert number(group, "memory.usage_in_bytes", "memory.current") - before > 59_000_000


@pytest.mark.slow
async def test_a_fork_bomb_stays_below_the_ceiling() -> None:
    bomb = "import os\nwhile True:\n try: os.fork()\n except OSError: pass"
    async with open_sandbox(EMPTY, Limits(processes=30)) as box:
        group = await group_of_box(box, "pids")
        alive = [0]
        with anyio.fail_after(60):  # who crowds himself out on a busy machine is given time
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(watch, group, ("pids.current", "pids.current"), alive)
                assert (await box.exec(["python3", "-c", bomb], timeout=1)).timed_out
                tasks.cancel_scope.cancel()
        assert 5 < max(alive) <= 30


@pytest.mark.slow
async def test_groups_are_used_again() -> None:
    async with open_sandbox(EMPTY) as box:
        home = (await group_of_box(box)).parent
    before = folders(home)  # other tests' boxes had groups too
    for _ in range(30):
        async with open_sandbox(EMPTY) as box:
            await box.exec("true")
    async with AsyncExitStack() as stack:
        boxes = [await stack.enter_async_context(open_sandbox(EMPTY)) for _ in range(12)]
        assert len({await group_of_box(box) for box in boxes}) == 12
    assert folders(home) <= before + 25


def folders(home: Path) -> int:
    return len([path for path in home.iterdir() if path.is_dir()])


def family(owner: subprocess.Popen[bytes]) -> tuple[list[int], Path]:
    """The processes below a program that has a box open, and where its groups are."""
    assert owner.stdout
    assert owner.stdout.readline() == b"ready\n"
    pids = descendants(owner.pid)
    return pids, group_of(member(owner.pid, "member")).parent


def program() -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def end(owner: subprocess.Popen[bytes], pids: list[int], also: list[int]) -> None:
    """Kill a program and some of its helpers, and wait until all are gone."""
    assert owner.stdout
    for pid in (*also, owner.pid):
        os.kill(pid, signal.SIGKILL)
    owner.wait(timeout=30)
    owner.stdout.close()
    assert [pid for pid in pids if not ended(pid, within_s=10)] == []


def test_the_groups_of_a_program_end_with_it() -> None:
    owner = program()
    pids, home = family(owner)
    assert home.name.startswith("honestly-")
    end(owner, pids, [])
    assert not home.exists()


@pytest.mark.slow
def test_what_a_killed_program_leaves_is_removed_by_the_next() -> None:
    owner = program()
    pids, left = family(owner)
    end(owner, pids, pids[:1])
    assert left.is_dir(), "its zygote was killed first"
    stranger = left.parent / "honestly"
    stranger.mkdir()
    next_owner = program()
    third = program()
    try:
        _, home = family(next_owner)
        assert not left.exists()
        assert home.exists()
        _, third_home = family(third)
        assert home.exists(), "the groups of a living program stay"
        assert third_home.exists()
        assert stranger.exists()
    finally:
        stranger.rmdir()
        for each in (next_owner, third):
            end(each, descendants(each.pid), [])
