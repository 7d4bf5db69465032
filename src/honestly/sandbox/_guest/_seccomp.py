"""A seccomp filter that refuses system calls which code under test has no use for and kernels have bugs in.

The filter is a deny-list in classic BPF, written by hand (no libseccomp): foreign architectures are refused, listed
calls fail with EPERM, `clone` fails if it asks for namespaces or to be its parent's sibling, `unshare` unless it asks
for exactly the UTS namespace (the keeper's tag, see `_commands`), and calls with a harmless fallback fail with ENOSYS.
Sockets are of four families: others are rich in bugs, and some (vsock) know no network namespaces. Calls that make
memory which no other limit counts, or which outlives its process (memfd, System V, message queues), are refused too.
The filter is installed once per sandbox and inherited, so a command pays nothing for it.
"""

from __future__ import annotations

import ctypes
import os
import struct

from ._kernel import CLONE_NEWUTS, check, libc

_DENIED = {
    # name: (x86_64, aarch64); None where the architecture lacks it
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "delete_module": (176, 106),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "settimeofday": (164, 170),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
}
_CLONE3 = {"clone3": (435, 435)}
_ABSENT = {
    # refused with ENOSYS: programs then fall back to older calls, or do without
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "semget": (64, 190),
    "shmget": (29, 194),
}
_ONLY_ITSELF = {
    # calls that may name a process: allowed where this argument is 0, "myself", so that none reaches the init
    "prlimit64": (302, 261, 0),
    "sched_setattr": (314, 274, 0),
    "sched_setparam": (142, 118, 0),
    "setpriority": (141, 140, 1),
}
# allowed on oneself, and on any process towards the ordinary policy, as each thread of ZeroMQ asks for by its id
_SCHEDULER = (144, 119)
_ORDINARY = 0
_CLONE = (56, 220)
_SOCKET = (41, 198)
_UNSHARE = (272, 97)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_FORBIDDEN = 0x7E020080 | 0x8000  # every CLONE_NEW*: time, mount, cgroup, uts, ipc, user, pid, net; and CLONE_PARENT
_FAMILIES = (1, 2, 10, 16)  # unix, IPv4, IPv6, netlink
_X32 = 0x40000000

_LOAD, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_EPERM, _ENOSYS, _EAFNOSUPPORT = 1, 38, 97
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16  # offsets in struct seccomp_data; little-endian low words

_SET_MODE_FILTER = 1
_SECCOMP = {"x86_64": 317, "aarch64": 277}


def supported() -> bool:
    """Whether this module knows the machine's system call numbers."""
    return os.uname().machine in _ARCHITECTURES


def install(*, clone3: bool = False) -> None:
    """Put the filter on this process and its descendants; needs no_new_privs.

    Args:
        clone3: Leave out that call, whose flags no filter sees: each child must then `refuse_clone3` for itself.

    Raises:
        OSError: The kernel has no seccomp filters.
    """
    _add(_WITH_CLONE3 if clone3 else _WITHOUT_CLONE3)


def refuse_clone3() -> None:
    """Add what `install` has left out."""
    _add(_ONLY_CLONE3)


def _add(header: bytes) -> None:
    check(libc.syscall(_SECCOMP[os.uname().machine], _SET_MODE_FILTER, 0, header), "seccomp")


def _program(column: int, architecture: int, absent: dict[str, tuple[int, int]]) -> bytes:
    """Assemble the filter: straight tests, each followed by its own verdict, so that all jumps are short."""
    code = [
        _step(_LOAD, _ARCH_AT),
        _step(_EQUAL, architecture, yes=1),
        _step(_RETURN, _KILL),  # calls by another architecture's numbers would slip through
        _step(_LOAD, _NUMBER_AT),
        _step(_ABOVE, _X32, no=1),  # a second set of numbers for the same calls, which the tables do not hold
        _step(_RETURN, _ERRNO | _EPERM),
    ]
    for table, errno in ((_DENIED, _EPERM), (absent, _ENOSYS)):
        for numbers in table.values():
            number = numbers[column]
            if number is not None:
                code += [_step(_EQUAL, number, no=1), _step(_RETURN, _ERRNO | errno)]
    for x86_64, aarch64, argument in _ONLY_ITSELF.values():
        code += _judged_by((x86_64, aarch64)[column], argument, [_step(_EQUAL, 0, yes=1)])
    return b"".join([*code, *_by_arguments(column)])


def _judged_by(number: int, argument: int, test: list[bytes]) -> list[bytes]:
    """A call that is allowed if a test of one argument skips one step, and else refused."""
    return [
        _step(_EQUAL, number, no=3 + len(test)),
        _step(_LOAD, _ARGUMENTS_AT + 8 * argument),
        *test,
        _step(_RETURN, _ERRNO | _EPERM),
        _step(_RETURN, _ALLOW),
    ]


def _by_arguments(column: int) -> list[bytes]:
    """The calls of which some uses are needed and others are not, and at the end: whatever was not named is allowed."""
    return [
        # sched_setscheduler of oneself, or of anybody towards the ordinary policy
        _step(_EQUAL, _SCHEDULER[column], no=6),
        _step(_LOAD, _ARGUMENTS_AT),
        _step(_EQUAL, 0, yes=3),
        _step(_LOAD, _ARGUMENTS_AT + 8),
        _step(_EQUAL, _ORDINARY, yes=1),
        _step(_RETURN, _ERRNO | _EPERM),
        _step(_RETURN, _ALLOW),
        # clone makes processes and threads, no namespaces
        *_judged_by(_CLONE[column], 0, [_step(_ANY_BIT, _FORBIDDEN, no=1)]),
        # unshare: the keeper gives each command a UTS namespace, which is its tag, under this very filter
        *_judged_by(_UNSHARE[column], 0, [_step(_EQUAL, CLONE_NEWUTS, yes=1)]),
        _step(_EQUAL, _SOCKET[column], no=len(_FAMILIES) + 2),
        _step(_LOAD, _ARGUMENTS_AT),
        *(_step(_EQUAL, family, yes=len(_FAMILIES) - index) for index, family in enumerate(_FAMILIES)),
        _step(_RETURN, _ERRNO | _EAFNOSUPPORT),
        _step(_RETURN, _ALLOW),
    ]


def _step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    """Encode one BPF instruction: `yes` and `no` are how many instructions to skip."""
    return struct.pack("HBBI", code, yes, no, value)


def _header(program: bytes) -> bytes:
    """What the kernel takes: the number of instructions, and where they are; they stay there for good."""
    _kept.append(ctypes.create_string_buffer(program))
    return struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(_kept[-1]))


_kept: list[ctypes.Array[ctypes.c_char]] = []
_HERE = _ARCHITECTURES.get(os.uname().machine, (0, 0))
_WITHOUT_CLONE3 = _header(_program(*_HERE, _ABSENT | _CLONE3))  # assembled once, for all boxes
_WITH_CLONE3 = _header(_program(*_HERE, _ABSENT))
_ONLY_CLONE3 = _header(
    _step(_LOAD, _NUMBER_AT)
    + _step(_EQUAL, _CLONE3["clone3"][0], no=1)
    + _step(_RETURN, _ERRNO | _ENOSYS)
    + _step(_RETURN, _ALLOW)
)
