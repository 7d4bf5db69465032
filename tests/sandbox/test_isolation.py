"""What code inside cannot see, reach or change, tried from inside by code that wants to."""

from __future__ import annotations

import json
import os
import socket
import stat
from pathlib import Path

import pytest

from honestly.records import Tree
from honestly.sandbox import Limits, Sandbox, open_sandbox
from honestly.sandbox._places import hidden_below

pytestmark = pytest.mark.anyio

REPOSITORY = Path(__file__).parents[2]
EMPTY = Tree()
PREFIX = Path("/proc/self/exe").resolve().parts[1]
SET_UID = [name for name in ("su", "mount", "passwd", "sudo") if Path("/usr/bin", name).exists()]


async def python(box: Sandbox, code: str) -> str:
    """What a script prints that runs inside."""
    result = await box.exec(["python3", "-c", code])
    assert result.code == 0, result.stderr.decode()
    return result.stdout.decode()


async def attempts(box: Sandbox, actions: dict[str, str]) -> dict[str, str]:
    """The error with which each action fails, or what it returns."""
    code = f"""
import ctypes, json, mmap, os, pathlib, resource, signal, socket, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
def call(*arguments):
    ctypes.set_errno(0)
    result = libc.syscall(*arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
outcome = {{}}
for name, action in {actions!r}.items():
    try:
        outcome[name] = repr(eval(action))
    except Exception as error:
        outcome[name] = type(error).__name__
print(json.dumps(outcome))
"""
    outcome: dict[str, str] = json.loads(await python(box, code))
    return outcome


async def test_files_of_this_machine_are_not_there(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("here")
    home = Path.home()
    paths = [
        canary,
        REPOSITORY,
        REPOSITORY / "pyproject.toml",
        home / ".bashrc",
        home / ".ssh",
        "/etc/shadow",
        "/etc/machine-id",
    ]
    paths += [
        "/sys",
        "/run",
        "/boot",
        "/mnt",
        "/srv",
        "/var/log",
        "/dev/mem",
        "/dev/kmsg",
        "/dev/tty",
        "/dev/vda",
        "/.honestly-old",
        "/.honestly-data",
    ]
    async with open_sandbox(EMPTY) as box:
        outcome = await attempts(box, {str(path): f"os.lstat({str(path)!r})" for path in paths})
        assert set(outcome.values()) <= {"FileNotFoundError", "PermissionError"}, outcome
        tops = set((await python(box, "import os; print(*os.listdir('/'))")).split())
        assert tops <= {
            "bin",
            "dev",
            "etc",
            "lib",
            "lib64",
            "opt",
            "proc",
            "sbin",
            "tmp",
            "usr",
            "var",
            "workspace",
            "lib32",
            "libx32",
            PREFIX,
        }
        assert (await python(box, "import os; print(*os.listdir('/tmp'))")).split() == []
        assert (
            await python(
                box,
                "import sys, os; print(*(p for p in sys.path if 'packages' in p and os.listdir(p)))",
            )
        ).split() == []


async def test_nothing_outside_of_the_writable_directories_can_be_changed() -> None:
    actions = {
        path: f"open({path!r}, 'w')"
        for path in (
            *("/x", "/etc/passwd", "/usr/x", "/usr/bin/env", "/bin/x", "/dev/x", "/opt/bin/python3", "/proc/x"),
            *("/proc/self/mem", "/proc/self/uid_map", "/proc/sysrq-trigger"),
            *("/proc/sys/kernel/core_pattern", "/proc/sys/user/max_user_namespaces"),
        )
    }
    actions["mkdir"] = "os.mkdir('/usr/new')"
    actions["unlink"] = "os.unlink('/bin')"
    actions["chmod"] = "os.chmod('/usr/bin/env', 0o777)"
    actions["link"] = "os.link('/usr/bin/env', '/workspace/env')"
    async with open_sandbox(EMPTY) as box:
        outcome = await attempts(box, actions)
        allowed = {"OSError", "PermissionError", "FileNotFoundError", "IsADirectoryError"}
        assert set(outcome.values()) <= allowed, outcome


async def test_symlinks_lead_nowhere_but_inside(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("here")
    async with open_sandbox(EMPTY) as box:
        await box.exec(["ln", "-s", str(canary), "/workspace/absolute"])
        await box.exec(
            f"ln -s {'../' * 40}{str(canary)[1:]} relative; ln -s /proc/1/root up; ln -s /proc/self/root self"
        )
        for path in (
            "absolute",
            "relative",
            f"up{canary}",
            f"self{canary}",
            f"../../..{canary}",
            str(canary),
            "/proc/self/environ",
            "/proc/1/environ",
        ):
            with pytest.raises(Exception, match=r"No such file|Permission|regular"):
                await box.read(path)
        for path in ("/etc/passwd", "/usr/x", "/proc/self/mem", "up/tmp/x", "/dev/null"):
            with pytest.raises(Exception, match=r"No such file|Permission|regular|Read-only|exists"):
                await box.write(path, b"x")
        await box.exec("ln -s /tmp/inside good; ln -s /proc/sys/kernel/hostname bad")
        await box.write("good", b"fine")
        assert await box.read("/tmp/inside") == b"fine"
        with pytest.raises(Exception, match=r"Permission|regular|Read-only"):
            await box.write("bad", b"owned")
        assert all(file.mode == "link" for file in (await box.snapshot()).files.values())
    assert canary.read_text() == "here"


async def test_there_is_no_network() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        port = server.getsockname()[1]
        name = f"\0honestly-test-{os.getpid()}"
        abstract.bind(name)
        abstract.listen()
        async with open_sandbox(EMPTY) as box:
            outcome = await attempts(
                box,
                {
                    "loopback of the machine": f"socket.create_connection(('127.0.0.1', {port}), 2)",
                    "outside": "socket.create_connection(('192.0.2.1', 80), 2)",
                    "outside by IPv6": "socket.create_connection(('2001:db8::1', 80), 2)",
                    "names": "socket.getaddrinfo('example.org', 80)",
                    "abstract": f"socket.socket(socket.AF_UNIX).connect({name!r})",
                    "raw": "socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)",
                    "hypervisor": "socket.socket(40, socket.SOCK_STREAM)",
                    "crypto": "socket.socket(38, socket.SOCK_SEQPACKET)",
                    "packet": "socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)",
                    "interfaces": "[name for _, name in socket.if_nameindex()]",
                },
            )
            assert outcome == {
                "loopback of the machine": "ConnectionRefusedError",
                "outside": "OSError",
                "outside by IPv6": "OSError",
                "names": "gaierror",
                "abstract": "ConnectionRefusedError",
                "raw": "PermissionError",
                "hypervisor": "OSError",
                "crypto": "OSError",
                "packet": "OSError",
                "interfaces": outcome["interfaces"],
            }
            assert "lo" in outcome["interfaces"]
            assert "eth" not in outcome["interfaces"]
            own = "s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname()); print('ok')"
            assert await python(box, "import socket; " + own) == "ok\n"


async def test_other_processes_are_neither_seen_nor_reached() -> None:
    async with open_sandbox(EMPTY) as box:
        seen = (await python(box, "import os; print(*(p for p in os.listdir('/proc') if p.isdigit()))")).split()
        assert len(seen) == 1
        outcome = await attempts(
            box,
            {
                "parent": "os.getppid()",
                "init stays": "os.kill(1, signal.SIGKILL)",
                "init stops": "os.kill(1, signal.SIGSTOP)",
                "init's memory": "open('/proc/1/mem', 'rb')",
                "init's environment": "open('/proc/1/environ', 'rb').read()",
                "trace init": "call(101, 16, 1, 0, 0)",
                "host": f"os.kill({os.getpid()}, 0) or os.getpid() == {os.getpid()}",
                "by another's memory": "call(310, 1, None, 0, None, 0, 0)",
            },
        )
        assert outcome["parent"] == "0"
        assert outcome["init stays"] in {"None", "PermissionError"}
        assert outcome["init's memory"] in {"FileNotFoundError", "PermissionError"}
        assert outcome["init's environment"] in {"FileNotFoundError", "PermissionError"}
        assert outcome["trace init"] == outcome["by another's memory"] == "PermissionError"
        assert outcome["host"] in {"ProcessLookupError", "True"}
        assert (await box.exec("sleep 100 & kill -9 -1; wait; echo alive")).stdout == b"alive\n"


async def test_rights_cannot_be_gained() -> None:
    async with open_sandbox(EMPTY) as box:
        status = await python(box, "print(open('/proc/self/status').read())")
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        assert fields["Uid"].split() == ["1000"] * 4
        assert fields["Gid"].split() == ["1000"] * 4
        assert [int(fields[name], 16) for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")] == [0, 0, 0, 0]
        assert (fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2")
        outcome = await attempts(
            box,
            {
                "setuid": "os.setuid(0)",
                "chroot": "os.chroot('/tmp')",
                "mount": "call(165, b'none', b'/tmp', b'tmpfs', 0, None)",
                "umount": "call(166, b'/workspace', 2)",
                "unshare user": "call(272, 0x10000000)",
                "unshare uts": "call(272, 0x04000000)",
                "clone into namespaces": "call(56, 0x10000011, 0, 0, 0, 0)",
                "become a sibling": "call(56, 0x8011, 0, 0, 0, 0)",
                "clone3": "call(435, None, 0)",
                "setns": "call(308, os.open('/proc/self/ns/uts', 0), 0)",
                "device": "os.mknod('/workspace/sda', 0o60666, os.makedev(8, 0))",
                "bpf": "call(321, 0, None, 0)",
                "keyring": "call(250, 0, -3, 1)",
                "add_key": "call(248, b'user', b'x', b'y', 1, -3)",
                "io_uring": "call(425, 1, None)",
                "userfaultfd": "call(323, 0)",
                "perf": "call(298, None, 0, 0, -1, 0)",
                "memfd": "os.memfd_create('x')",
                "reboot": "call(169, 0xfee1dead, 672274793, 0, None)",
                "hostname": "socket.sethostname('x')",
                "clock": "call(227, 0, None)",
                "niceness": "os.nice(-5)",
                "init's niceness": "os.setpriority(os.PRIO_PROCESS, 1, 19)",
                "everybody's niceness": "os.setpriority(os.PRIO_USER, 1000, 19)",
                "init's scheduling": "os.sched_setscheduler(1, os.SCHED_IDLE, os.sched_param(0))",
                "init's children's scheduling": "os.sched_setscheduler(1, os.SCHED_RESET_ON_FORK, os.sched_param(0))",
                "init's limits": "resource.prlimit(1, resource.RLIMIT_CPU, (1, 1))",
                "more processes": "resource.setrlimit(resource.RLIMIT_NPROC, (10**6, 10**6))",
                "x32": "call(0x40000000 + 39)",
            },
        )
        assert set(outcome.values()) <= {"PermissionError", "OSError", "ValueError"}, outcome


async def test_set_uid_programs_give_nothing() -> None:
    async with open_sandbox(EMPTY) as box:
        modes = await python(box, f"import os; print(*(os.stat('/usr/bin/' + name).st_mode for name in {SET_UID!r}))")
        assert any(int(mode) & stat.S_ISUID for mode in modes.split())
        for program in SET_UID:
            status = (await box.exec(f"{program} < /dev/null & wait; grep CapEff /proc/self/status")).stdout
            assert b"CapEff:\t0000000000000000" in status


async def test_what_the_user_locks_is_still_in_the_snapshot() -> None:
    async with open_sandbox(Tree.of({"d/f": "hidden?"})) as box:
        await box.exec("chmod 000 d/f; chmod 000 d .")
        assert (await box.snapshot()).files["d/f"].data == b"hidden?"


async def test_signals_are_as_a_program_expects_them() -> None:
    async with open_sandbox(EMPTY) as box:
        masks = (await box.exec("grep -E 'Sig(Blk|Ign)' /proc/self/status")).stdout.split()[1::2]
        assert [int(mask, 16) & 0x7FFFFFFF for mask in masks] == [0, 0]  # what is above is the C library's own
        assert (await box.exec("kill -INT $$")).code == -2


async def test_the_environment_and_descriptors_are_clean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "hunter2")
    reader, writer = os.pipe()
    os.set_inheritable(writer, True)
    try:
        async with open_sandbox(EMPTY) as box:
            names = set((await python(box, "import os; print(*os.environ)")).split())
            assert names <= {"PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_CTYPE", "TMPDIR", "PYTHONDONTWRITEBYTECODE"}
            assert b"hunter2" not in (await box.exec("cat /proc/*/environ")).stdout
            listing = (await box.exec(["ls", "-l", "/proc/self/fd"])).stdout.decode().splitlines()
            targets = {line.split()[8]: line.split(" -> ")[1].partition(":")[0] for line in listing if " -> " in line}
            assert {fd: kind for fd, kind in targets.items() if kind != f"/proc/{kind.split('/')[-2:][0]}/fd"} == {
                "0": "/dev/null",
                "1": "pipe",
                "2": "pipe",
            }
    finally:
        os.close(reader)
        os.close(writer)


async def test_boxes_do_not_see_each_other() -> None:
    async with open_sandbox(Tree.of({"a": "1"})) as one, open_sandbox(EMPTY) as other:
        server = await one.start(
            [
                "python3",
                "-uc",
                "import socket; s = socket.create_server(('127.0.0.1', 4000)); print(end='listening'); s.accept()",
            ]
        )
        assert await server.receive() == b"listening"
        await one.exec("echo x > /tmp/x; echo y > /dev/shm/y")
        assert (await other.exec("ls /workspace /tmp /dev/shm | grep '[axy]$'")).stdout == b""
        outcome = await attempts(other, {"connect": "socket.create_connection(('127.0.0.1', 4000), 2)"})
        assert outcome == {"connect": "ConnectionRefusedError"}


async def test_mounts_tell_no_secret_and_none_is_writable() -> None:
    async with open_sandbox(EMPTY, Limits(disk_mb=7)) as box:
        mounts = [line.split() for line in (await box.exec("cat /proc/self/mounts")).stdout.decode().splitlines()]
    writable = {fields[1] for fields in mounts if "rw" in fields[3].split(",")}
    assert {path for path in writable if not path.startswith(("/dev/", "/proc"))} == {"/workspace", "/tmp"}
    assert all("nosuid" in fields[3] for fields in mounts if not fields[1].startswith(("/dev/", "/proc/")))
    assert all("size=7168k" in fields[3] for fields in mounts if fields[1] in {"/workspace", "/tmp", "/dev/shm"})


def test_private_directories_below_shown_ones_are_hidden(tmp_path: Path) -> None:
    usr, project, elsewhere = tmp_path / "usr", tmp_path / "usr/src/app", tmp_path / "home"
    project.mkdir(parents=True)
    elsewhere.mkdir()
    assert hidden_below([usr], [project, elsewhere, tmp_path, usr / "missing"]) == [project]
    assert hidden_below([usr], [project, usr / "src"], needed=[project / "bin"]) == []
    assert hidden_below([usr], [usr], needed=[usr / "bin"]) == []


async def test_the_machines_other_software_is_not_there() -> None:
    names = (
        "*.dist-info",
        "*.egg-info",
        "_vendor",
        "vendor",
        "third_party",
        "node_modules",
        "pip-*.whl",
        "setuptools-*.whl",
    )
    wanted = " -o ".join(f"-name '{name}'" for name in names)
    async with open_sandbox(EMPTY) as box:
        found = await box.exec(
            # An empty folder is one that is covered.
            f"find / \\( -path /proc -o -path '/usr/local/cuda*' -o -path '/usr/*/go-*' \\) -prune -o \\( {wanted} \\) ! -empty -print"
        )
        packages = await box.exec("find / -path /proc -prune -o -path '*-packages/*' -print")
    assert found.stdout.decode().split() == []
    assert packages.stdout.decode().split() == []
