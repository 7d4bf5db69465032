"""The first process of a box's pid namespace: one that nobody in there can stop, and that does three things at a word.

It waits for the keeper's end, and at the keeper's word stops all other processes at once, lets them go on, or kills
them. It stays as long as its box, so it had best be small: a fork of the keeper holds 0.9 MB of its own, whatever it
does. So it goes on as a program of one page, which comes to this:

    prctl(PR_SET_DUMPABLE, 0);
    while (read(0, &order, 1) == 1) {
        kill(-1, order);
        write(1, &order, 1);
    }
    exit(0);

That is all an executable file needs to hold, for each kind of machine that we know; it exists in memory only. Where it
cannot be had (another machine, a kernel that executes nothing from memory) the fork stays and does the same in Python.
"""

from __future__ import annotations

import os
import struct
from contextlib import suppress

__all__ = ["MACHINES", "become", "executable", "set_up"]

_X86_64 = """
bf 04 00 00 00   mov edi,0x4            # prctl(PR_SET_DUMPABLE, 0)
31 f6            xor esi,esi
b8 9d 00 00 00   mov eax,0x9d
0f 05            syscall
31 ff            xor edi,edi            # read(0, sp, 1)
48 89 e6         mov rsi,rsp
ba 01 00 00 00   mov edx,0x1
31 c0            xor eax,eax
0f 05            syscall
83 f8 01         cmp eax,0x1
75 21            jne 0x42
bf ff ff ff ff   mov edi,0xffffffff     # kill(-1, order)
0f b6 34 24      movzx esi,BYTE PTR [rsp]
b8 3e 00 00 00   mov eax,0x3e
0f 05            syscall
bf 01 00 00 00   mov edi,0x1            # write(1, sp, 1)
48 89 e6         mov rsi,rsp
b8 01 00 00 00   mov eax,0x1
0f 05            syscall
eb cc            jmp 0xe
31 ff            xor edi,edi            # exit(0)
b8 3c 00 00 00   mov eax,0x3c
0f 05            syscall
"""
_AARCH64 = """
80 00 80 d2      mov x0, #0x4           # prctl(PR_SET_DUMPABLE, 0)
01 00 80 d2      mov x1, #0x0
e8 14 80 d2      mov x8, #0xa7
01 00 00 d4      svc #0x0
00 00 80 d2      mov x0, #0x0           # read(0, sp, 1)
e1 03 00 91      mov x1, sp
22 00 80 d2      mov x2, #0x1
e8 07 80 d2      mov x8, #0x3f
01 00 00 d4      svc #0x0
1f 04 00 f1      cmp x0, #0x1
41 01 00 54      b.ne 0x50
00 00 80 92      mov x0, #0xffffffffffffffff
e1 03 40 39      ldrb w1, [sp]          # kill(-1, order)
28 10 80 d2      mov x8, #0x81
01 00 00 d4      svc #0x0
20 00 80 d2      mov x0, #0x1           # write(1, sp, 1)
e1 03 00 91      mov x1, sp
08 08 80 d2      mov x8, #0x40
01 00 00 d4      svc #0x0
f1 ff ff 17      b 0x10
00 00 80 d2      mov x0, #0x0           # exit(0)
a8 0b 80 d2      mov x8, #0x5d
01 00 00 d4      svc #0x0
"""
MACHINES = {"x86_64": (62, _X86_64), "aarch64": (183, _AARCH64)}
"""By the name of the machine: its number in an executable file, and the program, with what its bytes mean beside."""

_BASE = 0x400000
_file: list[int] = []


def set_up(machine: str) -> None:
    """Make the program for a machine, once for all boxes; where that cannot be done, there is none."""
    if machine not in MACHINES:
        return
    with suppress(OSError):
        fd = os.memfd_create("init", os.MFD_CLOEXEC)
        try:
            os.write(fd, executable(machine))
            os.fchmod(fd, 0o111)  # who cannot read it cannot look into its process either
            _file.append(os.open(f"/proc/self/fd/{fd}", os.O_PATH | os.O_CLOEXEC))  # one that is open to write is busy
        finally:
            os.close(fd)


def become() -> None:
    """Be the init, with orders on descriptor 0, numbers of signals, and answers, the same, on 1; never returns."""
    for fd in _file:
        os.dup2(fd, 2, inheritable=False)
    os.closerange(2 + len(_file), 1 << 16)
    if _file:
        with suppress(OSError):
            os.execve(2, ["init"], {})
    while order := os.read(0, 1):
        with suppress(ProcessLookupError):
            os.kill(-1, order[0])
        os.write(1, order)
    os._exit(0)


def executable(machine: str) -> bytes:
    """An ELF file with one segment: the headers and the program."""
    number, text = MACHINES[machine]
    code = b"".join(bytes.fromhex(line[:16]) for line in text.split("\n"))
    head = struct.pack("<4s5B7x", b"\x7fELF", 2, 1, 1, 0, 0)  # 64 bits, little-endian
    head += struct.pack("<HHIQQQIHHHHHH", 2, number, 1, _BASE + 120, 64, 0, 0, 64, 56, 1, 0, 0, 0)
    size = 120 + len(code)
    return head + struct.pack("<IIQQQQQQ", 1, 5, 0, _BASE, _BASE, size, size, 1 << 16) + code
