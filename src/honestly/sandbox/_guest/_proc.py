"""The view of the machine in `/proc`: nothing that moves.

Beside the processes of the box, `/proc` counts what all boxes do: forks, interrupts, pages, open files, load. Whoever
forks says something to whoever reads. So what is there beside processes is covered, unless it is known to stand still:
files that programs look for by a text that is made once for all boxes of a program, others by nothing. What is true of
the machine and does not move (processors, memory in all, limits) is in those texts.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache

from . import _kernel

_PLACE = "/.honestly-data"
_OWN = {"self", "thread-self", "mounts", "net", "sysvipc"}
"""What a process, or its namespace, has of its own."""
_STILL = frozenset(
    "cmdline config.gz consoles devices dma execdomains filesystems iomem ioports misc mtrr version".split()  # noqa: SIM905
)
"""What the kernel never changes while it runs."""
_OF_NETWORK = frozenset(
    "anycast6 arp dev dev_mcast fib_trie fib_triestat if_inet6 igmp igmp6 ipv6_route netstat raw raw6 route "  # noqa: SIM905
    "rt6_stats snmp snmp6 tcp tcp6 udp udp6 unix".split()
)
"""What counts and names in `/proc/net` is of one network namespace; the others also tell of all (`sockstat`)."""
_FRESH = "sys/kernel/random/uuid"
"""Drawn for each reader, and so left as it is."""
_KERNEL = (
    "cap_last_cap core_pattern core_uses_pid msgmax msgmnb msgmni ngroups_max osrelease ostype overflowgid overflowuid "
    "pid_max random/boot_id random/entropy_avail random/poolsize randomize_va_space seccomp/actions_avail sem shmall "
    "shmmax shmmni threads-max version"
)
_VM = "max_map_count min_free_kbytes mmap_min_addr overcommit_kbytes overcommit_memory overcommit_ratio swappiness"
_FS = (
    "aio-max-nr epoll/max_user_watches file-max inotify/max_queued_events inotify/max_user_instances "
    "inotify/max_user_watches nr_open overflowgid overflowuid pipe-max-size"
)
_NET = "core/somaxconn ipv4/ip_local_port_range ipv4/tcp_rmem ipv4/tcp_wmem ipv6/bindv6only"
_SETTINGS = [
    f"sys/{folder}/{name}"
    for folder, names in (("kernel", _KERNEL), ("vm", _VM), ("fs", _FS), ("net", _NET))
    for name in names.split()
]


@cache
def proc_texts() -> dict[str, str]:
    """The texts of files below `/proc`, by their names; found once, by the process from which all boxes are forked."""
    found = {name: text for name in _SETTINGS if (text := _read_or_empty(name))}
    found |= {"sys/kernel/hostname": "box\n", "sys/kernel/domainname": "(none)\n"}
    found["cpuinfo"] = re.sub(r"(?m)^((?:cpu MHz|bogomips)\s*: ).*$", r"\g<1>2000.000", _read_or_empty("cpuinfo"))
    total = re.search(r"MemTotal:\s*(\d+)", _read_or_empty("meminfo"))
    room = int(total[1]) if total else 1 << 20
    amounts = {"MemTotal": room, "MemFree": room // 2, "MemAvailable": room // 2, "Buffers": 0, "Cached": room // 4}
    lines = {name: amounts.get(name, 0) for name in re.findall(r"(?m)^(\S+?):.* kB$", _read_or_empty("meminfo"))}
    found["meminfo"] = "".join(f"{name + ':':<15} {amount:>8} kB\n" for name, amount in lines.items())
    began = re.search(r"(?m)^btime .*$", _read_or_empty("stat"))
    processors = ["cpu ", *re.findall(r"(?m)^cpu\d+", _read_or_empty("stat"))]
    found["stat"] = "".join(f"{name} 1000 0 1000 100000 0 0 0 0 0 0\n" for name in processors)
    found["stat"] += f"intr 0\nctxt 0\n{began[0] if began else 'btime 0'}\n"
    found["stat"] += "processes 1\nprocs_running 1\nprocs_blocked 0\nsoftirq 0 0 0 0 0 0 0 0 0 0 0\n"
    found["vmstat"] = re.sub(r"(?m) \d+$", " 0", _read_or_empty("vmstat"))
    found["loadavg"], found["uptime"] = "0.00 0.00 0.00 1/1 1\n", "1000.00 1000.00\n"
    found["swaps"] = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
    return found


@cache
def prepare() -> tuple[list[str], list[tuple[str, bytes]]]:
    """The files and directories that `cover` makes in each box: directories, parents first, and files;
    found once, for all boxes.
    """
    files = {**proc_texts(), "none": "", _FRESH: ""}
    folders = {name[:at] for name in files for at, letter in enumerate(name) if letter == "/"}
    return ["empty", *sorted(folders)], [(name, text.encode(errors="surrogateescape")) for name, text in files.items()]


def cover_proc() -> None:
    """Cover everything in `/proc` that is of the whole machine; the root directory must still be open to writing."""
    os.mkdir(_PLACE)
    options = "size=1m,nr_inodes=256,mode=755"
    flags = _kernel.MS_NOSUID | _kernel.MS_NODEV | _kernel.MS_NOEXEC
    _kernel.mount_filesystem("tmpfs", _PLACE, "tmpfs", flags, options)
    os.chdir(_PLACE)
    folders, files = prepare()
    for name in folders:
        os.mkdir(name)
    for name, text in files:
        fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o444)
        os.write(fd, text)
        os.close(fd)
    # Before anything is shown of it, since all of that is then read-only, too.
    _kernel.mount_filesystem("", _PLACE, "", _kernel.MS_REMOUNT | _kernel.MS_RDONLY | flags)
    with suppress(OSError):
        _kernel.bind(f"/proc/{_FRESH}", _FRESH)
    with os.scandir("/proc") as entries:
        all_entries = [(entry.name, entry.is_dir()) for entry in entries if not entry.name.isdigit()]
    for name, folder in all_entries:
        if name in _OWN | _STILL:
            continue
        known = "sys" if name == "sys" else name if name in proc_texts() else "empty" if folder else "none"
        _kernel.bind(known, f"/proc/{name}")
    os.chdir("/")
    _kernel.detach_mount(_PLACE)
    os.rmdir(_PLACE)


def hide_network() -> None:
    """Let nobody read what `/proc/net` tells of the machine, as far as this process may say so: a capable root's."""
    for name in set(os.listdir("/proc/self/net")) - _OF_NETWORK:
        with suppress(OSError):
            os.chmod(f"/proc/self/net/{name}", 0)


def _read_or_empty(name: str) -> str:
    """A file's text; empty if this process may not read it, or it is not there."""
    with suppress(OSError), open(f"/proc/{name}", encoding="utf-8", errors="surrogateescape") as file:
        return file.read()
    return ""
