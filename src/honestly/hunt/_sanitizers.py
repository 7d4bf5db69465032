"""Building a C project with sanitizers, running it on an input, and reading what the sanitizer reports.

Builds and runs happen in sandboxes; a program runs in another one than it was built in. What the program prints is
never read: AddressSanitizer and UBSan write to a file whose random name exists only once there is a report, and end the
program with a random exit status; both are taken out of the environment before `main` begins (`_guest/hunt.c`).
Memcheck writes to a descriptor that programs under it cannot use. A report counts where file and status agree.

Not covered: a program made to deceive, which can search its own memory or call the sanitizer's functions; leaks; races;
overflows from one member of a struct into the next; errors that only valgrind sees, but for uninitialised reads.
"""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from honestly.errors import TaskError
from honestly.records import File, Tree
from honestly.sandbox import WORKSPACE, Limits, Result, Sandbox
from honestly.verify import OpenBox

LIMITS = Limits(memory_mb=1024, reserved_mb=1 << 25, wall_s=60, output_bytes=1 << 18, file_mb=64)
"""AddressSanitizer reserves 20 TiB of addresses, and holds little of it: what the program may hold stays limited."""

OWN = ".hunt"
"""Folder of the workspace for what is ours."""

_UNDEFINED = "signed-integer-overflow,integer-divide-by-zero,shift-exponent,vla-bound"
# As a library of its own UBSan reads its options at its first report only, and writes to standard error.
_SANITIZED = f"-fsanitize=address,{_UNDEFINED} -fno-sanitize-recover=all -static-libasan -static-libubsan"
FLAGS = {
    "asan": f"-O0 -g -fno-omit-frame-pointer {_SANITIZED}",
    "memcheck": "-O0 -g",
    # Twins: they differ in what memory holds before it is written. Where outputs do, memcheck looks first.
    "zeros": "-O0 -g -ftrivial-auto-var-init=zero",
    "pattern": "-O0 -g -ftrivial-auto-var-init=pattern",
    "fuzz": f"-O0 -g {_SANITIZED} -fsanitize-coverage=trace-pc,trace-cmp",
}
"""How gcc compiles for each tool."""

NO_ENV: Mapping[str, str] = {}
FILLED: Mapping[str, str] = {"MALLOC_PERTURB_": "165"}
"""Has glibc fill fresh memory with bytes that are not 0."""

_INPUT = "/tmp/hunt.input"  # noqa: S108 - inside the sandbox
_RUN_S = 10.0
_TOP_FRAMES = 3
_DEBIAN = "apt-get install --no-install-recommends"
_PLAIN = 'set -- *.c; cc -o program "$@" -lm'
_ASAN = re.compile(r"^==\d+==ERROR: AddressSanitizer: (?:attempting )?([a-zA-Z-]+)", re.MULTILINE)
_UBSAN = re.compile(r"^\S+:\d+:\d+: runtime error: (.+)", re.MULTILINE)
_MEMCHECK = re.compile(r"^==\d+== .*\buninitialised\b", re.MULTILINE)
_ASAN_FRAME = re.compile(rf"^ +#\d+ 0x[0-9a-f]+ in (\S+) (?:{WORKSPACE}/)?(\S+?):(\d+)")
_MEMCHECK_FRAME = re.compile(rf"^==\d+== +(?:at|by) 0x[0-9A-F]+: (\S+) \((?:{WORKSPACE}/)?(\S+?):(\d+)\)")
_NO_ERROR = {"out-of-memory", "allocation-size-too-big", "rss-limit-exceeded", "ABRT"}
_UB_KINDS = {"signed integer overflow": "signed-integer-overflow", "division": "integer-divide-by-zero"}


@dataclass(frozen=True, slots=True)
class HuntedProject:
    """A program in C, and how it is run."""

    name: str
    tree: Tree
    argv: tuple[str, ...] = ("./program",)
    """Its command; `@@` stands for the file that holds the input, which comes by standard input otherwise."""
    tests: str = ""
    """A command for `/bin/sh` that succeeds where the program does what it should; empty where there is none."""

    @property
    def makes_itself(self) -> bool:
        """Whether a Makefile builds it."""
        return bool({"Makefile", "makefile", "GNUmakefile"} & self.tree.files.keys())


@dataclass(frozen=True, slots=True)
class Report:
    """One error that a sanitizer has reported."""

    kind: str
    stack: tuple[str, ...]
    """Frames in the project's own sources, innermost first: `function file:line`."""

    @property
    def key(self) -> tuple[str, ...]:
        """The key of an error: its kind, and the functions on top of its stack."""
        return self.kind, *(frame.split(" ")[0] for frame in self.stack[:_TOP_FRAMES])


async def build_program(project: HuntedProject, tool: str, open_box: OpenBox) -> Tree:
    """The workspace with the program in it, as it comes out of a sandbox of its own.

    Raises:
        TaskError: It does not build, or the machine lacks a program.
    """
    wrapper = f'#!/bin/sh\nexec /usr/bin/gcc "$@" {FLAGS[tool]} {WORKSPACE}/{OWN}/hunt.o\n'
    ours = {f"bin/{name}": File(data=wrapper.encode(), mode="exec") for name in ("cc", "gcc")}
    ours["hunt.c"] = File(data=files("honestly.hunt").joinpath("_guest/hunt.c").read_bytes())
    tree = Tree(files=ours).under(OWN).over(project.tree)
    make = "make CC=cc" if project.makes_itself else _PLAIN
    runtime = f"/usr/bin/gcc -O2 -w {'-DHUNT ' * (tool == 'fuzz')}-c -o {OWN}/hunt.o {OWN}/hunt.c"
    paths = f"PATH={WORKSPACE}/{OWN}/bin:$PATH"
    # A program that runs while it is built (a generator) must not fail for its leaks.
    options = "ASAN_OPTIONS=detect_leaks=0"
    async with open_box(tree, limits=LIMITS) as box:
        result = await box.exec(f"{runtime} && {paths} {options} sh -c '{make}'")
        if result.code != 0:
            said = result.stderr.decode("utf-8", "replace").strip()[-800:]
            raise TaskError(
                f"{project.name} does not build ({make}); gcc, make and valgrind are needed "
                f"({_DEBIAN} gcc libc6-dev make valgrind): {said}"
            )
        return await box.snapshot()


async def run_once(box: Sandbox, project: HuntedProject, tool: str, data: bytes) -> Report | None:
    """Run the program that lies in `box`, built for `tool`, on an input; what the sanitizer reports."""
    name, status = f"/tmp/{secrets.token_hex(12)}", secrets.choice(range(64, 124))  # noqa: S108 - inside
    if tool == "memcheck":
        options = f"-q --log-fd=9 --error-exitcode={status} --leak-check=no --fullpath-after="
        result = await _run_program(box, project, data, ("valgrind", *options.split()), {})
        log = result.stdout if result.code == status else b""
        return _memcheck_report(log.decode("utf-8", "replace"), project)
    common = f"log_path={name}:exitcode={status}:abort_on_error=0"
    asan = f"{common}:detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=1"
    env = {"ASAN_OPTIONS": asan, "UBSAN_OPTIONS": f"{common}:print_stacktrace=1"}
    result = await _run_program(box, project, data, (), env)
    if result.code != status:
        return None
    log = (await box.exec(f"cat {name}.*; rm -f {name}.*")).stdout
    return _asan_report(log.decode("utf-8", "replace"), project)


async def program_behaviour(
    box: Sandbox, project: HuntedProject, data: bytes, env: Mapping[str, str] = NO_ENV
) -> tuple[int | None, bytes]:
    """How a program ends on an input, and what it prints."""
    argv = [_INPUT if word == "@@" else word for word in project.argv]
    await box.write(_INPUT, data)
    result = await box.exec(argv, stdin=data, timeout=_RUN_S, env=env)
    return result.code, result.stdout


async def _run_program(
    box: Sandbox, project: HuntedProject, data: bytes, under: Sequence[str], env: dict[str, str]
) -> Result:
    """Runs it with its own output thrown away: what comes out is what memcheck writes to descriptor 9."""
    argv = [_INPUT if word == "@@" else word for word in project.argv]
    await box.write(_INPUT, data)
    quiet = ("/bin/sh", "-c", 'exec "$@" 9>&1 >/dev/null 2>&1', "sh")
    return await box.exec([*quiet, *under, *argv], stdin=data, timeout=_RUN_S, env=env)


def _asan_report(log: str, project: HuntedProject) -> Report | None:
    stack = _project_frames(log, _ASAN_FRAME, project)
    if found := _ASAN.search(log):
        kind = "bad-free" if found[1] == "free" else found[1]
        return Report(kind, stack) if kind not in _NO_ERROR and stack else None
    if found := _UBSAN.search(log):
        kind = next((kind for words, kind in _UB_KINDS.items() if found[1].startswith(words)), "undefined-behaviour")
        return Report(kind, stack) if stack else None
    return None


def _memcheck_report(log: str, project: HuntedProject) -> Report | None:
    """The first uninitialised read; other errors that memcheck sees are AddressSanitizer's to report."""
    for found in _MEMCHECK.finditer(log):
        if stack := _project_frames(log[found.start() :], _MEMCHECK_FRAME, project):
            return Report("uninitialised-read", stack)
    return None


def _project_frames(log: str, pattern: re.Pattern[str], project: HuntedProject) -> tuple[str, ...]:
    """The frames of the first stack that lie in the project's sources."""
    frames: list[str] = []
    begun = False
    for line in log.splitlines():
        is_frame = " 0x" in line and re.search(r"#\d+ 0x|(?:at|by) 0x", line) is not None
        if begun and not is_frame:
            break
        begun = begun or is_frame
        found = pattern.match(line)
        if found and found[2].removeprefix("./") in project.tree.files:
            frames.append(f"{found[1]} {found[2].removeprefix('./')}:{found[3]}")
    return tuple(frames)
