"""The end of sandboxes: of the program that opened them, of the zygote, of the keeper, in any order."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from box_processes import command_line, descendants, ended, zygotes

from honestly.errors import SandboxError
from honestly.records import Tree
from honestly.sandbox import Sandbox, open_sandbox
from honestly.sandbox._spawner import guest_command

pytestmark = pytest.mark.anyio

EMPTY = Tree()
OWNER = """
import anyio
from honestly.records import Tree
from honestly.sandbox import open_sandbox

async def main():
    async with open_sandbox(Tree()) as one, open_sandbox(Tree()) as two:
        await one.exec("setsid sleep 1000 & sleep 1000 & python3 -c 'import os; os.fork() or os.setsid()' &")
        process = await two.start(["sleep", "1000"])
        print("ready", flush=True)
        await one.exec("trap '' TERM; while :; do sleep 1000; done")

anyio.run(main)
"""

NEXT = """
import anyio
from honestly.records import Tree
from honestly.sandbox import open_sandbox

async def main():
    async with open_sandbox(Tree()):
        pass

anyio.run(main)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_everything_dies_with_its_owner(number: signal.Signals) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert owner.stdout
    assert owner.stdout.readline() == b"ready\n"
    family = descendants(owner.pid)
    assert len(family) >= 8
    owner.send_signal(number)
    owner.wait(timeout=30)
    owner.stdout.close()
    assert [pid for pid in family if not ended(pid, within_s=10)] == []


@pytest.mark.slow
@pytest.mark.parametrize("stopped", ["keepers", "zygote", "all"])
def test_what_somebody_has_stopped_dies_too(stopped: str, tmp_path: Path) -> None:
    """Killed with the owner's death or, where the zygote itself is stopped, by the next program."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER], stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert owner.stdout
    assert owner.stdout.readline() == b"ready\n"
    family = descendants(owner.pid)
    zygote, *rest = family
    keepers = [pid for pid in rest if b"_zygote" in command_line(pid)]
    assert len(keepers) >= 2
    for pid in {"keepers": keepers, "zygote": [zygote], "all": family}[stopped]:
        os.kill(pid, signal.SIGSTOP)
    owner.kill()
    owner.wait()
    owner.stdout.close()
    if stopped != "keepers":
        subprocess.run([sys.executable, "-c", NEXT], check=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert [pid for pid in family if not ended(pid, within_s=30)] == []
    subprocess.run([sys.executable, "-c", NEXT], check=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert list(tmp_path.iterdir()) == []


async def test_a_box_outlives_the_zygote_and_the_next_gets_a_new_one() -> None:
    async with open_sandbox(EMPTY) as box:
        (old,) = zygotes()
        os.kill(old, signal.SIGKILL)
        assert ended(old, within_s=10)
        assert (await box.exec("echo still")).stdout == b"still\n"
        async with open_sandbox(EMPTY) as other:
            assert (await other.exec("echo new")).stdout == b"new\n"
        (new,) = zygotes()
        assert new != old


async def test_the_death_of_a_keeper_is_an_error_and_kills_its_box() -> None:
    async with open_sandbox(EMPTY) as box:
        process = await box.start(["sleep", "1000"])
        family = descendants(zygotes()[0])
        keeper = family[0]
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_expect_gone, box)
            await anyio.wait_all_tasks_blocked()
            os.kill(keeper, signal.SIGKILL)
        with pytest.raises(SandboxError, match="gone"):
            await process.wait()
        with pytest.raises(SandboxError, match="gone"):
            await box.read("x")
        assert [pid for pid in family if not ended(pid, within_s=10)] == []


async def _expect_gone(box: Sandbox) -> None:
    with pytest.raises(SandboxError, match=r"gone|closed"):
        await box.exec("sleep 1000")


async def test_closing_is_final_and_may_be_repeated() -> None:
    async with open_sandbox(EMPTY) as box:
        await box.close()
        await box.close()
        for call in (box.exec("true"), box.read("x"), box.write("x", b""), box.snapshot(), box.start(["true"])):
            with pytest.raises(SandboxError, match="closed"):
                await call


async def test_closing_waits_until_everything_inside_is_dead() -> None:
    async with open_sandbox(EMPTY) as box:
        await box.exec("for i in 1 2 3; do setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done' & done")
        await box.start(["sh", "-c", "trap '' TERM; while :; do sleep 1; done"])
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_expect_gone, box)
            await anyio.wait_all_tasks_blocked()
            inside = descendants(zygotes()[0])[1:]
            with anyio.fail_after(10):
                await box.close()
        assert not [pid for pid in inside if not ended(pid, within_s=0)]


async def test_every_thread_may_open_boxes() -> None:
    def visit() -> bytes:
        async def inner() -> bytes:
            async with open_sandbox(EMPTY) as box:
                return (await box.exec("echo $PPID")).stdout

        return anyio.run(inner)

    answers: list[bytes] = []
    threads = [threading.Thread(target=lambda: answers.append(visit())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        await anyio.to_thread.run_sync(thread.join)
    assert answers == [b"0\n"] * 4
    assert len(zygotes()) == 1


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
async def test_a_fork_of_the_program_opens_its_own_boxes() -> None:
    async with open_sandbox(EMPTY) as box:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                code = 0 if _in_child() == b"child\n" else 2
            finally:
                os._exit(code)
        status = await anyio.to_thread.run_sync(os.waitpid, pid, 0)
        assert os.waitstatus_to_exitcode(status[1]) == 0
        assert (await box.exec("echo parent")).stdout == b"parent\n"


def _in_child() -> bytes:
    answer = b""

    def run() -> None:
        nonlocal answer

        async def inner() -> bytes:
            async with open_sandbox(EMPTY) as box:
                return (await box.exec("echo child")).stdout

        answer = anyio.run(inner)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    return answer


def test_a_zygote_whose_program_was_killed_at_once_ends_without_a_word() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    command = guest_command(f"from _guest._zygote import main; main({gone.pid})")
    ours, theirs = socket.socketpair()
    with ours, theirs:
        done = subprocess.run(command, stdin=theirs, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
