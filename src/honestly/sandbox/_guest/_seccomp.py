"""A seccomp filter that refuses system calls which code under test has no use for and kernels have bugs in.

The filter is a deny-list in classic BPF, written by hand (no libseccomp): foreign architectures are refused, listed
calls fail with EPERM, `clone` fails if it asks for namespaces or to be its parent's sibling, `unshare` unless it asks
for exactly the UTS namespace (the keeper's tag, see `_commands`), and calls with a harmless fallback fail with ENOSYS.
Sockets are of four families: others are rich in bugs, and some (vsock) know no network namespaces. Calls that make
memory which no other limit counts, or which outlives its process (memfd, System V, message queues), are refused too.
So are those that tell what is in the page cache, which all sandboxes share; those that drop a page from it, or fetch
one, do nothing. Boxes for Python have no shared memory without a name, which a counter of the machine numbers. A cell
(`_cells`) is one process that answers questions: it is refused all that such counters number (pipes, sockets,
processes), and the locks on files of the machine are idle. Waits for a word of memory that others may share are handed
over to a process of ours (`_futex`). The filter is installed once per sandbox and inherited, so a command pays nothing
for it.
"""

from __future__ import annotations

import ctypes
import os
import struct
from errno import EBUSY
from signal import SIGKILL

from ._kernel import CELL_FLAGS, CLONE_NEWUTS, PR_SET_PDEATHSIG, check, libc

_DENIED = {
    # name: (x86_64, aarch64); None where the architecture lacks it
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "cachestat": (451, 451),
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
    "listmount": (458, 458),
    "migrate_pages": (256, 238),
    "mincore": (27, 232),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
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
    "statmount": (457, 457),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "userfaultfd": (323, 282),
    "ustat": (136, None),  # of any file system of the machine, by its number
    "vhangup": (153, 58),
}
_IDLE = {
    # done by doing nothing: what may be cached of files is the same for all
    "fadvise64": (221, 223),
    "readahead": (187, 213),
    # what a box writes is lost with it, and who waits for the disk waits for others
    "sync": (162, 81),
    "syncfs": (306, 267),
}
_PRETENDED = {
    # done by doing nothing where a box has one id for all: what installs programs goes on
    "chown": (92, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "lchown": (94, None),
    "setfsgid": (123, 152),
    "setfsuid": (122, 151),
    "setgid": (106, 144),
    "setgroups": (116, 159),
    "setregid": (114, 143),
    "setresgid": (119, 149),
    "setresuid": (117, 147),
    "setreuid": (113, 145),
    "setuid": (105, 146),
}
_IDLE_ADVICE = (12, 14, 20, 21, 25)  # of madvise: to merge equal pages, small ones to large ones, to let pages go
_MADVISE = (28, 233)
_CLONE3 = {"clone3": (435, 435)}
_ABSENT = {
    # refused with ENOSYS: programs then fall back to older calls, or do without
    "io_setup": (206, 0),  # of which the machine has a number for all
    "futex_requeue": (456, 456),
    "futex_wait": (455, 455),
    "futex_waitv": (449, 449),
    "futex_wake": (454, 454),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "mq_open": (240, 180),
    "preadv2": (327, 286),
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
_DENIED_IN_CELLS = {
    # of sockets there is only the wire, which is of the machine's network namespace: it is read from and written to
    "accept": (43, 202),
    "accept4": (288, 242),
    "bind": (49, 200),
    "connect": (42, 203),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57, None),
    "fstatfs": (138, 44),
    "getsockopt": (55, 209),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "landlock_create_ruleset": (444, 444),
    "listen": (50, 201),
    "pidfd_open": (434, 434),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "sendmmsg": (307, 269),
    "sendmsg": (46, 211),
    "setsockopt": (54, 208),
    "signalfd": (282, None),
    "signalfd4": (289, 74),
    "socket": (41, 198),
    "socketpair": (53, 199),
    "statfs": (137, 43),
    "sysinfo": (99, 179),
    "timerfd_create": (283, 85),
    "vfork": (58, None),
}
_ABSENT_IN_CELLS = {"statx": (332, 291)}
_FLOCK = {"flock": (73, 32)}
WIRE = 3
"""The descriptor of a fork's wire."""
_NOT_THE_WIRE = {
    # calls that tell its number, the only one that a cell's file got outside, or of the machine's network; or that give
    # it another descriptor
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "fstat": (5, 80),
    "ioctl": (16, 29),
    "newfstatat": (262, 79),
}
_FCNTL = (72, 25)
_LOCKS = (5, 6, 7, 36, 37, 38)  # of fcntl: looking for a lock, setting one, waiting for one; of a process, of a file
_WATCHES = (1024, 1026, 1036, 1038)  # a lease, a notice, and hints that the machine keeps with a file
_PRCTL = (157, 167)
_FUTEX = (202, 98)
_SHARED_WAITS = (0, 9, 256, 265)  # of futex, without the flag that it is private: waits that are seen by whoever maps
# the same file
_SHARED_WAKES = (1, 10)
_SHARED_HAND_OVERS = (11, 267)  # waits that end up with a lock
_MMAP = (9, 222)
_SHARED_ANONYMOUS = 0x21
_HUGE_PAGES = 0x40000  # of which the machine has a number for all
_GETSOCKOPT, _SETSOCKOPT = (55, 209), (54, 208)
_OF_SOCKETS, _OF_IPV6 = 1, 41
_NUMBERS = (57, 71, 77)  # cookies of a socket and of a network, which are counted, and a process's descriptor
_PASS_PIDFD = 76
_STAMPS = (29, 35, 37, 63, 64, 65)  # of when packets came: a switch for the whole machine, on while anybody wants them
_FLOW_LABELS = 32  # of which the machine has a few thousand for all
_IOCTL, _STAMP_CALLS = (16, 29), (0x8906, 0x8907, 0x80108906, 0x80108907)
_NETLINK, _SOCK_DIAG = 16, 4
_SYSINFO = (99, 179)
_PIDFD_OPEN, _CLONE_PIDFD = (434, 434), 0x1000
_THREAD = 0x10000
_CLONE = (56, 220)
_SOCKET = (41, 198)
_UNSHARE = (272, 97)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_FORBIDDEN = 0x7E020080 | 0x8000  # every CLONE_NEW*: time, mount, cgroup, uts, ipc, user, pid, net; and CLONE_PARENT
_FAMILIES = (1, 2, 10, 16)  # unix, IPv4, IPv6, netlink
_X32 = 0x40000000

_LOAD, _AND, _EQUAL, _ABOVE, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_ALLOW, _NOTIFY, _ERRNO, _KILL = 0x7FFF0000, 0x7FC00000, 0x00050000, 0x80000000
_EPERM, _EAGAIN, _ENOMEM, _EINVAL, _ENOSYS, _EPROTONOSUPPORT, _EAFNOSUPPORT = 1, 11, 12, 22, 38, 93, 97
_DONE = _ERRNO  # without doing anything
_NUMBER_AT, _ARCH_AT, _ARGUMENTS_AT = 0, 4, 16  # offsets in struct seccomp_data; little-endian low words

_SET_MODE_FILTER = 1
_NEW_LISTENER = 1 << 3
_SECCOMP = {"x86_64": 317, "aarch64": 277}


def is_supported() -> bool:
    """Whether this module knows the machine's system call numbers."""
    return os.uname().machine in _ARCHITECTURES


def install(*, clone3: bool = False, extent: str = "machine") -> int:
    """Put the filter on this process and its descendants; needs no_new_privs.

    Returns:
        A descriptor by which waits for shared memory arrive, and questions for the machine's load, for
        `_futex.serve`; -1 for cells, to which they are refused, and where somebody outside has a filter of that kind
        already: they are then left to the kernel.

    Args:
        clone3: Leave out that call, whose flags no filter sees, until a child calls `refuse_numbers`.
        extent: Refuse also what a box for Python has no use for ("python"), or what no cell may do, its keeper included
            ("cells"); or let calls that would change who somebody is, or whose a file is, do nothing ("pretence").

    Raises:
        OSError: The kernel has no seccomp filters.
    """
    try:
        return _add_filter(_PROGRAMS[clone3, extent], 0 if extent == "cells" else _NEW_LISTENER)
    except OSError as error:
        # A process has at most one filter with a listener, and one from outside is inherited.
        if error.errno != EBUSY:
            raise
        _add_filter(_program_header(_filter_program(*_HERE, clone3=clone3, extent=extent, notify=_ALLOW)))
        return -1


def refuse_numbers() -> None:
    """Add, for a command, what `install` has left to the keeper: clone3, and descriptors of processes.

    The number of such a descriptor says how many processes the machine has started.
    """
    _add_filter(_COMMANDS)


def _add_filter(header: bytes, flags: int = 0) -> int:
    number = _SECCOMP[os.uname().machine]
    return check(libc.syscall(number, _SET_MODE_FILTER, ctypes.c_ulong(flags), header), "seccomp")


def _filter_program(column: int, architecture: int, *, clone3: bool, extent: str, notify: int = _NOTIFY) -> bytes:
    """Assemble the filter: straight tests, each followed by its own verdict, so that all jumps are short."""
    code = [
        _bpf_step(_LOAD, _ARCH_AT),
        _bpf_step(_EQUAL, architecture, yes=1),
        _bpf_step(_RETURN, _KILL),  # calls by another architecture's numbers would slip through
        _bpf_step(_LOAD, _NUMBER_AT),
        _bpf_step(_ABOVE, _X32, no=1),  # a second set of numbers for the same calls, which the tables do not hold
        _bpf_step(_RETURN, _ERRNO | _EPERM),
    ]
    cells = extent == "cells"
    absent = _ABSENT | ({} if clone3 else _CLONE3) | (_ABSENT_IN_CELLS if cells else {})
    denied = _DENIED | (_DENIED_IN_CELLS if cells else {})
    small = extent in {"python", "cells"}
    idle = _IDLE | (_FLOCK if small else {}) | (_PRETENDED if extent == "pretence" else {})
    for table, verdict in ((denied, _ERRNO | _EPERM), (absent, _ERRNO | _ENOSYS), (idle, _DONE)):
        for numbers in table.values():
            number = numbers[column]
            if number is not None:
                code += [_bpf_step(_EQUAL, number, no=1), _bpf_step(_RETURN, verdict)]
    for x86_64, aarch64, argument in _ONLY_ITSELF.values():
        code += _judged_by((x86_64, aarch64)[column], argument, [_bpf_step(_EQUAL, 0, yes=1)])
    code += _refused_if(_MADVISE[column], (2, _IDLE_ADVICE, _DONE))
    huge = [_bpf_step(_ANY_BIT, _HUGE_PAGES, no=1), _bpf_step(_RETURN, _ERRNO | _ENOMEM)]
    if small:
        huge += [
            _bpf_step(_AND, _SHARED_ANONYMOUS),
            _bpf_step(_EQUAL, _SHARED_ANONYMOUS, no=1),
            _bpf_step(_RETURN, _ERRNO | _EPERM),
        ]
    code += [
        _bpf_step(_EQUAL, _MMAP[column], no=2 + len(huge)),
        _bpf_step(_LOAD, _ARGUMENTS_AT + 8 * 3),
        *huge,
        _bpf_step(_RETURN, _ALLOW),
    ]
    if not cells:
        code += [_bpf_step(_EQUAL, _SYSINFO[column], no=1), _bpf_step(_RETURN, notify)]
        code += _options_refused(_GETSOCKOPT[column], {_OF_SOCKETS: _NUMBERS})
        settings = {_OF_SOCKETS: (_PASS_PIDFD, *_STAMPS), _OF_IPV6: (_FLOW_LABELS,)}
        code += _options_refused(_SETSOCKOPT[column], settings)
        code += _refused_if(_IOCTL[column], (1, _STAMP_CALLS, _ERRNO | _EPERM))
    if extent == "python":
        code += _refused_if(_FCNTL[column], (1, _LOCKS, _DONE))
    # To cells "try again", which the C library does: who joins a thread then spins, and nobody can count who waits.
    waits = (1, _SHARED_WAITS, _ERRNO | _EAGAIN) if cells else (1, (*_SHARED_WAITS, *_SHARED_WAKES), notify)
    code += _refused_if(_FUTEX[column], (1, _SHARED_HAND_OVERS, _ERRNO | _ENOSYS), waits)
    code += _only_in_cells(column) if cells else _judged_by(_CLONE[column], 0, [_bpf_step(_ANY_BIT, _FORBIDDEN, no=1)])
    return b"".join([*code, *_by_arguments(column)])


def _judged_by(number: int, argument: int, test: list[bytes]) -> list[bytes]:
    """A call that is allowed if a test of one argument skips one step, and else refused."""
    return [
        _bpf_step(_EQUAL, number, no=3 + len(test)),
        _bpf_step(_LOAD, _ARGUMENTS_AT + 8 * argument),
        *test,
        _bpf_step(_RETURN, _ERRNO | _EPERM),
        _bpf_step(_RETURN, _ALLOW),
    ]


def _refused_if(number: int, *rules: tuple[int, tuple[int, ...], int]) -> list[bytes]:
    """A call that is allowed unless an argument has one of some values: argument, values, verdict."""
    body = []
    for argument, values, verdict in rules:
        body.append(_bpf_step(_LOAD, _ARGUMENTS_AT + 8 * argument))
        for left, value in zip(range(len(values) - 1, -1, -1), values, strict=True):
            body.append(_bpf_step(_EQUAL, value, yes=left, no=0 if left else 1))
        body.append(_bpf_step(_RETURN, verdict))
    body.append(_bpf_step(_RETURN, _ALLOW))
    return [_bpf_step(_EQUAL, number, no=len(body)), *body]


def _options_refused(number: int, refused: dict[int, tuple[int, ...]]) -> list[bytes]:
    """A call about options of a socket, without some options of some levels."""
    body = []
    for level, options in refused.items():
        rule = _refused_if(number, (2, options, _ERRNO | _EPERM))[1:-1]
        body += [_bpf_step(_LOAD, _ARGUMENTS_AT + 8), _bpf_step(_EQUAL, level, no=len(rule)), *rule]
    body.append(_bpf_step(_RETURN, _ALLOW))
    return [_bpf_step(_EQUAL, number, no=len(body)), *body]


def _only_in_cells(column: int) -> list[bytes]:
    """The rules of cells beside the tables; of clones, the keeper makes cells, and a cell threads."""
    refused = _ERRNO | _EPERM
    code = []
    for numbers in _NOT_THE_WIRE.values():
        number = numbers[column]
        if number is not None:
            code += _refused_if(number, (0, (WIRE,), refused))
    code += _refused_if(_FCNTL[column], (0, (WIRE,), refused), (1, _LOCKS, _DONE), (1, _WATCHES, refused))
    cell = [
        _bpf_step(_EQUAL, CELL_FLAGS, yes=3),  # which the kernel refuses to a cell, for want of the right
        _bpf_step(_ANY_BIT, _FORBIDDEN | _CLONE_PIDFD, yes=1),
        _bpf_step(_ANY_BIT, _THREAD, yes=1),
    ]
    # A cell dies with its keeper, and cannot undo that.
    tied = [
        _bpf_step(_EQUAL, PR_SET_PDEATHSIG, no=3),
        _bpf_step(_LOAD, _ARGUMENTS_AT + 8),
        _bpf_step(_EQUAL, SIGKILL, yes=1),
    ]
    return code + _judged_by(_PRCTL[column], 0, tied) + _judged_by(_CLONE[column], 0, cell)


def _by_arguments(column: int) -> list[bytes]:
    """The calls of which some uses are needed and others are not, and at the end: whatever was not named is allowed."""
    return [
        # sched_setscheduler of oneself, or of anybody towards the ordinary policy
        _bpf_step(_EQUAL, _SCHEDULER[column], no=6),
        _bpf_step(_LOAD, _ARGUMENTS_AT),
        _bpf_step(_EQUAL, 0, yes=3),
        _bpf_step(_LOAD, _ARGUMENTS_AT + 8),
        _bpf_step(_EQUAL, _ORDINARY, yes=1),
        _bpf_step(_RETURN, _ERRNO | _EPERM),
        _bpf_step(_RETURN, _ALLOW),
        # unshare: the keeper gives each command a UTS namespace, which is its tag, under this very filter
        *_judged_by(_UNSHARE[column], 0, [_bpf_step(_EQUAL, CLONE_NEWUTS, yes=1)]),
        # netlink of the kind that tells sockets' cookies
        _bpf_step(_EQUAL, _SOCKET[column], no=5),
        _bpf_step(_LOAD, _ARGUMENTS_AT),
        _bpf_step(_EQUAL, _NETLINK, no=3),
        _bpf_step(_LOAD, _ARGUMENTS_AT + 16),
        _bpf_step(_EQUAL, _SOCK_DIAG, no=1),
        _bpf_step(_RETURN, _ERRNO | _EPROTONOSUPPORT),
        _bpf_step(_LOAD, _NUMBER_AT),
        _bpf_step(_EQUAL, _SOCKET[column], no=len(_FAMILIES) + 2),
        _bpf_step(_LOAD, _ARGUMENTS_AT),
        *(_bpf_step(_EQUAL, family, yes=len(_FAMILIES) - index) for index, family in enumerate(_FAMILIES)),
        _bpf_step(_RETURN, _ERRNO | _EAFNOSUPPORT),
        _bpf_step(_RETURN, _ALLOW),
    ]


def _bpf_step(code: int, value: int, *, yes: int = 0, no: int = 0) -> bytes:
    """Encode one BPF instruction: `yes` and `no` are how many instructions to skip."""
    return struct.pack("HBBI", code, yes, no, value)


def _program_header(program: bytes) -> bytes:
    """The kernel's form of the program: the number of instructions, and where they are; they stay there for good."""
    _kept.append(ctypes.create_string_buffer(program))
    return struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(_kept[-1]))


_kept: list[ctypes.Array[ctypes.c_char]] = []
_HERE = _ARCHITECTURES.get(os.uname().machine, (0, 0))
SYSINFO = _SYSINFO[_HERE[0]]
"""The number of that call on this machine."""
_PROGRAMS = {  # assembled once, for all boxes
    (clone3, extent): _program_header(_filter_program(*_HERE, clone3=clone3, extent=extent))
    for clone3 in (False, True)
    for extent in ("machine", "python", "cells", "pretence")
}
_COMMANDS = _program_header(
    b"".join(
        [
            _bpf_step(_LOAD, _NUMBER_AT),
            _bpf_step(_EQUAL, _CLONE3["clone3"][0], yes=1),
            _bpf_step(_EQUAL, _PIDFD_OPEN[_HERE[0]], no=1),
            _bpf_step(_RETURN, _ERRNO | _ENOSYS),
            _bpf_step(_EQUAL, _CLONE[_HERE[0]], no=3),
            _bpf_step(_LOAD, _ARGUMENTS_AT),
            _bpf_step(_ANY_BIT, _CLONE_PIDFD, no=1),
            _bpf_step(_RETURN, _ERRNO | _EINVAL),
            _bpf_step(_RETURN, _ALLOW),
        ]
    )
)
