"""What every kind of sandbox promises: commands, streams, files, snapshots, processes."""

from __future__ import annotations

import math
import os
import signal
import socket

import anyio
import pytest
from engines import Opener

from honestly.errors import SandboxError, SandboxLimitError
from honestly.records import Edit, File, Tree
from honestly.sandbox import Limits, Process, Sandbox

pytestmark = pytest.mark.anyio

EMPTY = Tree()
ECHO = ["python3", "-c", "import sys, shutil; shutil.copyfileobj(sys.stdin.buffer, sys.stdout.buffer)"]


async def line_of(process: Process) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        line += await process.receive()
    return line


async def test_a_command_sees_the_tree_and_its_output_comes_back(opener: Opener) -> None:
    async with opener(Tree.of({"a.txt": "hello\n", "deep/er/b": b"\0\xff"})) as box:
        result = await box.exec("cat a.txt; cat deep/er/b >&2; exit 3")
    assert (result.code, result.stdout, result.stderr) == (3, b"hello\n", b"\0\xff")
    assert not result.timed_out
    assert result.truncated == 0
    assert result.seconds > 0


async def test_cpu_time_is_told_or_not_known(opener: Opener, kind: str) -> None:
    async with opener(EMPTY) as box:
        busy = await box.exec(["sh", "-c", "python3 -c 'import time\nwhile time.process_time() < 0.2: pass'"])
        idle = await box.exec("sleep 0.3")
    if kind == "namespaces":
        assert 0.15 < busy.cpu < 3
        assert idle.cpu < 0.15
    else:
        assert math.isnan(busy.cpu)


async def test_the_kind_is_recorded(opener: Opener, kind: str) -> None:
    async with opener(EMPTY) as box:
        assert box.name == kind


async def test_a_list_is_run_without_a_shell(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        result = await box.exec(["printf", "%s|", "$HOME", "a b", "*"])
    assert result.stdout == b"$HOME|a b|*|"


async def test_stdin_environment_and_working_directory(opener: Opener) -> None:
    async with opener(Tree.of({"sub/x": ""})) as box:
        result = await box.exec(
            "cat; echo $GREETING; ls", stdin=b"in\0put\n", env={"GREETING": "hé"}, cwd="/workspace/sub"
        )
        assert result.stdout == "in\0put\nhé\nx\n".encode()
        assert (await box.exec("ls", cwd="sub")).stdout == b"x\n"


async def test_large_stdin_that_is_not_read_does_no_harm(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        assert (await box.exec("exec true", stdin=b"x" * (4 << 20))).code == 0
        assert (await box.exec("wc -c", stdin=b"x" * (4 << 20))).stdout.strip() == b"4194304"


async def test_failures_are_results(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        assert (await box.exec(["no-such-program"])).code == 127
        assert (await box.exec("kill -TERM $$")).code == -signal.SIGTERM
        lost = await box.exec("true", cwd="nowhere")
        assert lost.code in {126, 127}
        assert b"nowhere" in lost.stderr
        assert (await box.exec("true", stdin=b"")).code == 0


async def test_the_deadline_kills_and_the_sandbox_goes_on(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        result = await box.exec("echo before; trap '' TERM INT HUP; while :; do sleep 1; done", timeout=0.3)
        assert (result.code, result.timed_out, result.stdout) == (None, True, b"before\n")
        assert (await box.exec("echo after")).stdout == b"after\n"


async def test_the_deadline_of_the_limits_holds_by_default(opener: Opener) -> None:
    async with opener(EMPTY, Limits(wall_s=0.2)) as box:
        assert (await box.exec("sleep 60")).timed_out


async def test_output_is_kept_at_both_ends(opener: Opener) -> None:
    async with opener(EMPTY, Limits(output_bytes=1000)) as box:
        result = await box.exec("seq 1 100000; seq 1 3 >&2")
    assert result.stdout.startswith(b"1\n2\n3\n")
    assert result.stdout.endswith(b"99999\n100000\n")
    assert result.truncated == 588895 - 1000
    assert f"[... {result.truncated} bytes dropped ...]".encode() in result.stdout
    assert result.stderr == b"1\n2\n3\n"


async def test_output_up_to_the_limit_is_whole(opener: Opener) -> None:
    async with opener(EMPTY, Limits(output_bytes=1000)) as box:
        result = await box.exec("printf %1000s x")
    assert (len(result.stdout), result.truncated) == (1000, 0)


async def test_read_and_write(opener: Opener) -> None:
    data = bytes(range(256)) * 40_000
    async with opener(EMPTY) as box:
        await box.write("new/directory/ünïcode 名前.bin", data)
        assert await box.read("/workspace/new/directory/ünïcode 名前.bin") == data
        await box.write("run.sh", b"#!/bin/sh\necho ran\n", executable=True)
        assert (await box.exec(["./run.sh"])).stdout == b"ran\n"
        await box.write("run.sh", b"short")
        assert await box.read("run.sh") == b"short"
        assert (await box.exec(["./run.sh"])).code == 126


async def test_reading_what_is_no_file_is_an_error(opener: Opener) -> None:
    async with opener(Tree.of({"d/f": "x"})) as box:
        await box.exec("mkfifo pipe; ln -s loop loop")
        for path in ("missing", "d", "pipe", "loop", "d/f/g"):
            with pytest.raises(SandboxError, match=path.split("/")[0]):
                await box.read(path)
        with pytest.raises(SandboxError):
            await box.write("pipe", b"x")
        with pytest.raises(SandboxError):
            await box.write("d/f/g", b"x")
        assert await box.read("d/f") == b"x"


async def test_reading_too_much_is_an_error(opener: Opener) -> None:
    async with opener(EMPTY, Limits(disk_mb=1)) as box:
        await box.exec("truncate -s 1100000 sparse")
        with pytest.raises(SandboxLimitError, match="sparse is larger"):
            await box.read("sparse")
        with pytest.raises(SandboxLimitError, match="more than"):
            await box.snapshot()


async def test_a_snapshot_is_the_tree_that_was_planted(opener: Opener) -> None:
    tree = Tree(
        files={
            "bin": File(data=bytes(range(256))),
            "empty": File(),
            "tool": File(data=b"#!/bin/sh\n", mode="exec"),
            "ä/ö/link": File(data=b"../../bin", mode="link"),
            "dangling": File(data=b"/etc/shadow", mode="link"),
        }
    )
    async with opener(tree) as box:
        assert (await box.snapshot()).files == tree.files


async def test_a_snapshot_holds_what_commands_did(opener: Opener) -> None:
    async with opener(Tree.of({"a": "1", "b": "2", "c/d": "3"})) as box:
        await box.exec("rm a; echo new > b; mkdir e; ln -s /etc e/f; chmod +x c/d; mkfifo g; mkdir empty")
        await box.exec(
            ["python3", "-c", "open(b'bad\\xff', 'w'); import socket; socket.socket(socket.AF_UNIX).bind('s')"]
        )
        assert (await box.snapshot()).files == {
            "b": File(data=b"new\n"),
            "c/d": File(data=b"3", mode="exec"),
            "e/f": File(data=b"/etc", mode="link"),
        }


async def test_a_snapshot_can_be_gone_on_from_twice(opener: Opener) -> None:
    async with opener(Tree.of({"a": "1", "gone": "x"})) as box:
        await box.exec("echo 2 >> a; rm gone; echo tool > t; chmod +x t")
        state = await box.snapshot()
    ends = []
    for change in ("echo left >> a", "rm t"):
        async with opener(state) as box:
            await box.exec(change)
            ends.append(await box.snapshot())
    assert Edit.between(state, ends[0]) == Edit(write=Tree.of({"a": "12\nleft\n"}))
    assert Edit.between(state, ends[1]) == Edit(delete=("t",))


async def test_hard_and_symbolic_links_in_the_tree_do_not_lead_out(opener: Opener) -> None:
    entangled = Tree(files={"a": File(data=b"/tmp", mode="link"), "a/b": File(data=b"x")})
    with pytest.raises(SandboxError):
        async with opener(entangled):
            pass


async def test_a_deep_workspace_is_refused(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        await box.exec(["python3", "-c", "import os\nfor _ in range(300): os.mkdir('d'); os.chdir('d')"])
        with pytest.raises(SandboxLimitError, match="nested"):
            await box.snapshot()


async def test_a_process_echoes_a_megabyte(opener: Opener) -> None:
    data = os.urandom(1 << 20)
    received = bytearray()
    async with opener(EMPTY) as box:
        process = await box.start(ECHO)

        async def receive() -> None:
            while part := await process.receive():
                received.extend(part)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(receive)
            await process.send(data)
            await process.close_stdin()
        result = await process.wait()
    assert received == data
    assert (result.code, result.stdout) == (0, b"")


async def test_a_process_converses_while_other_commands_run(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        process = await box.start(["python3", "-uc", "while True: print(input() * 2)"])
        for word in (b"ab", b"cd"):
            await process.send(word + b"\n")
            assert (await box.exec("echo hi")).stdout == b"hi\n"
            assert await line_of(process) == word * 2 + b"\n"
        await process.kill()
        assert await process.receive() == b""
        assert (await process.wait()).code == -signal.SIGKILL


async def test_a_process_keeps_its_error_stream(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        process = await box.start(["sh", "-c", "echo oops >&2; exit 4"])
        result = await process.wait()
        assert (result.code, result.stderr) == (4, b"oops\n")
        with pytest.raises(SandboxError, match="standard input"):
            await process.send(b"x" * (1 << 20))


async def test_waiting_for_a_process_may_be_cancelled_repeated_and_shared(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        process = await box.start(["sh", "-c", "read line; exit 7"])
        with anyio.move_on_after(0.05) as scope:
            await process.wait()
        assert scope.cancelled_caught
        codes: list[int | None] = []

        async def wait() -> None:
            codes.append((await process.wait()).code)

        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                for _ in range(3):
                    tasks.start_soon(wait)
                await anyio.wait_all_tasks_blocked()
                await process.send(b"go\n")
        assert codes == [7, 7, 7]
        assert (await process.wait()).code == 7


async def test_a_process_may_have_a_socket_for_its_streams(opener: Opener) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        async with opener(EMPTY) as box:
            with theirs:
                process = await box.start(["sh", "-c", "read line; echo got $line"], stdio=theirs)
            ours.send(b"word\n")
            assert (await process.wait()).code == 0
            assert ours.recv(100) == b"got word\n"
            assert ours.recv(100) == b""


async def test_closing_ends_waiting_tasks(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        process = await box.start(["sleep", "100"])
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(process.receive)
            await anyio.wait_all_tasks_blocked()
            await box.close()
        await box.close()


async def test_commands_run_at_once(opener: Opener) -> None:
    answers: dict[int, bytes] = {}
    async with opener(EMPTY) as box, anyio.create_task_group() as tasks:

        async def run(number: int) -> None:
            answers[number] = (await box.exec(f"read line < gate{number}; echo {number}")).stdout

        await box.exec("mkfifo gate0 gate1 gate2 gate3 gate4")
        for number in range(5):
            tasks.start_soon(run, number)
        for number in reversed(range(5)):
            await box.exec(f"echo go > gate{number}")
    assert answers == {number: f"{number}\n".encode() for number in range(5)}


async def test_many_tasks_share_a_sandbox_and_some_are_cancelled(opener: Opener) -> None:
    done: list[int] = []

    async def run(box: Sandbox, number: int) -> None:
        with anyio.move_on_after(0.05 if number % 3 == 0 else None):
            result = await box.exec(f"sleep {'9' if number % 3 == 0 else '0.0' + str(number % 7)}; echo {number}")
            assert result.stdout == f"{number}\n".encode()
            done.append(number)

    async with opener(EMPTY) as box:
        with anyio.fail_after(30):
            async with anyio.create_task_group() as tasks:
                for number in range(24):
                    tasks.start_soon(run, box, number)
    assert sorted(done) == [number for number in range(24) if number % 3]


@pytest.mark.slow
async def test_a_command_that_ends_while_it_is_killed_takes_no_other_along(opener: Opener) -> None:
    """The kernel gives the number of a namespace that has ended to the next one, and that one is another command's."""

    async def run(box: Sandbox, number: int) -> None:
        with anyio.move_on_after(0.02 if number % 3 == 0 else None):
            result = await box.exec(f"sleep 0.0{number % 5}; echo {number}")
            assert (result.code, result.stdout) == (0, f"{number}\n".encode())

    for _ in range(8):
        async with opener(EMPTY) as box, anyio.create_task_group() as tasks:
            for number in range(30):
                tasks.start_soon(run, box, number)


async def test_cancelling_kills_the_command(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        with anyio.move_on_after(0.2) as scope:
            await box.exec("echo $$ > pid; exec sleep 100")
        assert scope.cancelled_caught
        assert (await box.exec("kill -0 $(cat pid)")).code != 0


async def test_errors_of_the_caller_pass_unchanged(opener: Opener) -> None:
    with pytest.raises(KeyError):
        async with opener(EMPTY):
            raise KeyError("mine")


async def test_an_empty_command_is_refused(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        with pytest.raises(ValueError, match="empty"):
            await box.exec([])
        with pytest.raises(ValueError, match="empty"):
            await box.start([])


async def test_strange_commands_are_results(opener: Opener) -> None:
    async with opener(EMPTY) as box:
        assert (await box.exec("echo a\0b")).code == 126
        assert (await box.exec(["true", "x" * (3 << 20)])).code == 126
        assert (await box.exec(["printf", "\ud83d"])).code == 0


def test_limits_must_be_positive() -> None:
    with pytest.raises(ValueError, match="memory_mb"):
        Limits(memory_mb=0)
    with pytest.raises(ValueError, match="wall_s"):
        Limits(wall_s=float("nan"))
