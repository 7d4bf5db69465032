"""The init of a box: the bytes that it consists of are what the comments say, and it does what its box needs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from box_processes import command_line, descendants, ended, zygotes

from honestly.records import Tree
from honestly.sandbox import open_sandbox
from honestly.sandbox._guest import _init

KILL = b"\x09"
HERE = os.uname().machine
READS = {"x86_64": ["-m", "i386:x86-64", "-M", "intel"], "aarch64": ["-m", "aarch64"]}
UNSHARE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
TOLD = "import sys; sys.path.insert(0, {!r}); from honestly.sandbox._guest import _init; _init.set_up({!r}); _init.become()"


def tool(machine: str, name: str) -> str:
    """A program that handles a machine's files: this one's, or one of those that Debian has for another."""
    found = shutil.which(f"{machine}-linux-gnu-{name}") or (shutil.which(name) if machine == HERE else None)
    if found is None:
        pytest.skip(f"there is no {name} for {machine} here (Debian: binutils-{machine.replace('_', '-')}-linux-gnu)")
    return found


def instructions(machine: str) -> list[tuple[bytes, str]]:
    lines = [line for line in _init.MACHINES[machine][1].split("\n") if line]
    return [(bytes.fromhex(line[:16]), line[17:].partition("# ")[0].strip()) for line in lines]


@pytest.mark.parametrize("machine", sorted(_init.MACHINES))
def test_the_bytes_are_what_stands_beside_them(machine: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(b"".join(code for code, _ in instructions(machine)))
    command = [tool(machine, "objdump"), "-D", "-b", "binary", *READS[machine], str(program)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    read = [" ".join(line.split("\t")[2:]) for line in said.splitlines() if re.match(r" +[0-9a-f]+:\t", line)]
    assert [re.sub(r"\s*//.*", "", re.sub(r"\s+", " ", line)).strip() for line in read] == [
        text for _, text in instructions(machine)
    ]


def alone(command: list[str]) -> subprocess.Popen[bytes]:
    """The command as the first process of a new pid namespace, with a bystander for a child."""
    shell = ["sh", "-c", 'sleep 1000 <&- >&- & echo; exec "$@"', "sh", *command]
    probe = subprocess.run([*UNSHARE, "true"], capture_output=True)
    if probe.returncode:
        pytest.skip(f"no pid namespace can be had: {probe.stderr.decode()}")
    return subprocess.Popen([*UNSHARE, *shell], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def kills_and_ends(process: subprocess.Popen[bytes]) -> bytes:
    """Has it do all that it is for; its command line, as it was when it answered."""
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.read(1) == b"\n"
        bystanders = [pid for pid in descendants(process.pid) if number_inside(pid) != 1]
        process.stdin.write(KILL)
        process.stdin.flush()
        assert process.stdout.read(1) == KILL
        assert [ended(pid, within_s=5) for pid in bystanders] == [True]
        name = command_line(next(pid for pid in descendants(process.pid) if number_inside(pid) == 1))
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait(10) == 0
        return name


def executes_nothing_from_memory() -> bool:
    setting = Path("/proc/sys/vm/memfd_noexec")
    return setting.exists() and setting.read_text() != "0\n"


def pages(pid: int) -> int:
    """What a process could touch of memory."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[0])


def number_inside(pid: int) -> int:
    """Of a process, in its own pid namespace."""
    return int(re.findall(r"NSpid:.*\t(\d+)\n", Path(f"/proc/{pid}/status").read_text())[0])


@pytest.mark.parametrize("machine", [HERE, "one that nobody knows"])
def test_it_kills_all_others_at_a_word_and_ends_with_its_keeper(machine: str) -> None:
    source = str(Path(_init.__file__).parents[3])
    small = machine in _init.MACHINES and not executes_nothing_from_memory()
    name = kills_and_ends(alone([sys.executable, "-c", TOLD.format(source, machine)]))
    assert (name == b"init\0") is small


@pytest.mark.parametrize("machine", sorted(_init.MACHINES))
def test_so_it_does_on_other_machines(machine: str, tmp_path: Path) -> None:
    emulator = [] if machine == HERE else [shutil.which(f"qemu-{machine}")]
    if None in emulator:
        pytest.skip(f"nothing here runs programs for {machine} (Debian: qemu-user)")
    file = tmp_path / "init"
    file.write_bytes(_init.executable(machine))
    file.chmod(0o755)
    kills_and_ends(alone([*map(str, emulator), str(file)]))


@pytest.mark.anyio
async def test_in_a_box_it_holds_next_to_nothing_and_nobody_looks_into_it() -> None:
    if HERE not in _init.MACHINES or executes_nothing_from_memory():
        pytest.skip(f"this machine ({HERE}) keeps the fork")
    look = "cat /proc/1/mem; cat /proc/1/maps; cat /proc/1/environ; ls /proc/1/fd; kill -9 1; kill -STOP 1; true"
    async with open_sandbox(Tree()) as box:
        sizes = [pages(pid) for pid in descendants(zygotes()[0]) if number_inside(pid) == 1]
        assert sizes
        assert max(sizes) < 64
        done = await box.exec(["sh", "-c", look])
        assert (done.code, done.stdout) == (0, b"")
        assert (await box.exec(["true"])).code == 0
