"""Does a program solve its puzzle? It is compiled and run in a sandbox without network; answers are compared outside.

A bench is a sandbox for one language, in which one program after the other is judged; between two of them every process
is killed and every file deleted. The program can see inputs, and never an answer. Its time is CPU time, so that a busy
machine judges as an idle one; a deadline of the clock stands behind it.

A right answer with another exit status than 0 is a program that broke.

Not covered: what a program writes to standard error beside a right answer, which counts for nothing.
"""

import hashlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
import anyio.to_thread

from honestly.errors import SandboxError, SandboxLimitError
from honestly.languages._find import FoundToolchain, cache_folder
from honestly.languages._puzzles import Puzzle
from honestly.languages._toolchains import WARM
from honestly.records import File, Tree
from honestly.sandbox import Layout, Limits, Result, Sandbox, WarmSandbox, open_sandbox
from honestly.scratch import workshop

CPU_S = 10
"""Seconds of CPU time that one answer may take."""
_COMPILE_CPU_S, _COMPILE_S = 60, 600.0
"""Of CPU time and of the clock, for a compiler."""
_WALL = 12
"""How many times its CPU time an answer may take by the clock."""
_LIMITS = Limits(memory_mb=4096, processes=256, disk_mb=1024, file_mb=512, wall_s=_COMPILE_S, output_bytes=1 << 16)
_KILLED = (9, 24, -9, -24)
"""SIGKILL and SIGXCPU, which end what has used up its time."""
_MARK = "honestly:ended"
_RUNS = """\
ulimit -t {cpu_s}
for given; do
  printf '%s\\n' "$given" > /tmp/given
  {run} < /tmp/given
  code=$?
  printf '\\n{mark} %s\\n' $code
  [ $code = 0 ] || exit 0
done
"""
"""Inputs are its arguments. A program that writes marks gains nothing: what stands between them must be right."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How far a program came: what the taxonomy decides from."""

    stage: str
    """`passed`, or where it ended: `compile`, `run`, `answer`, `time`, `memory`."""
    output: str = ""
    """What the compiler or the program wrote to standard error; for a wrong answer, what it answered."""
    case: int = -1
    """The case at which it ended, from 0."""
    seconds: float = 0.0


class Bench:
    """A sandbox for programs of one language; made by `open_bench`."""

    def __init__(self, found: FoundToolchain, box: Sandbox, cpu_s: int) -> None:
        self.found, self._box, self._cpu_s = found, box, cpu_s
        self.spent = False
        """Whether the next program needs another bench."""

    async def judge(self, puzzle: Puzzle, code: str) -> Ran:
        """Judge a program: compile it once, then run it with each input, until one is answered wrongly.

        Raises:
            SandboxError: The sandbox broke.
        """
        own = self.found.toolchain
        await self._box.write(own.file, code.encode("utf-8", "replace"))
        seconds = 0.0
        try:
            if own.compile:
                built = await self._sh(f"ulimit -t {_COMPILE_CPU_S}; {own.compile}", _COMPILE_S)
                seconds += built.seconds
                if built.code != 0:
                    late = built.timed_out or built.code in _KILLED
                    stage = "time" if late else "memory" if built.out_of_memory else "compile"
                    return Ran(stage, _text(built.stdout, built.stderr), seconds=seconds)
            return await self._run(puzzle, seconds)
        finally:
            await self._clear()

    async def _run(self, puzzle: Puzzle, seconds: float) -> Ran:
        """Run a program that is there with one input after the other, in one shell, which costs least."""
        script = _RUNS.format(cpu_s=self._cpu_s, mark=_MARK, run=self.found.command(self.found.toolchain.run))
        given = [given for given, _ in puzzle.cases]
        patience = float(self._cpu_s * (_WALL + len(given)))
        env = self.found.toolchain.env
        done = await self._box.exec(["/bin/sh", "-c", script, "sh", *given], timeout=patience, env=env)
        return replace(_ended(done, puzzle), seconds=seconds + done.seconds)

    async def _clear(self) -> None:
        """Leave nothing for the next program; where that takes too long, there will be none."""
        try:
            if not isinstance(self._box, WarmSandbox):
                self.spent = True
            else:
                await self._box.clear()
        except SandboxLimitError:
            self.spent = True

    async def _sh(self, command: str, wall_s: float) -> Result:
        env = self.found.toolchain.env
        return await self._box.exec(["/bin/sh", "-c", self.found.command(command)], timeout=wall_s, env=env)


def _ended(done: Result, puzzle: Puzzle) -> Ran:
    """How far a program came: its answers stand between marks, each of which has an exit status."""
    *parts, rest = re.split(rf"\n{_MARK} ([0-9]{{1,3}})\n", done.stdout.decode("utf-8", "replace"))
    for case, (said, code) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        if case == len(puzzle.cases):
            break
        if int(code) - 128 in _KILLED:
            return Ran("time", case=case)
        if int(code):
            return Ran("run", _text(b"", done.stderr) or f"ended with {code}", case)
        if said.split() != puzzle.cases[case][1].split():
            return Ran("answer", _short(" ".join(said.split())), case)
    answered = len(parts) // 2
    if answered >= len(puzzle.cases):
        return Ran("passed")
    if done.timed_out or done.out_of_memory:
        return Ran("time" if done.timed_out else "memory", case=answered)
    if done.truncated:  # more than is kept, and marks were lost in it
        return Ran("answer", _short(" ".join(rest.split())), answered)
    return Ran("run", _text(b"", done.stderr) or f"ended with {done.code}", answered)


def _text(*streams: bytes) -> str:
    return _short("\n".join(stream.decode("utf-8", "replace") for stream in streams if stream.strip()).strip())


def _short(text: str) -> str:
    """At most 8,000 characters, from both ends."""
    return text if len(text) <= 8000 else f"{text[:5000]}\n...\n{text[-2900:]}"


@asynccontextmanager
async def open_bench(found: FoundToolchain, *, cpu_s: int = CPU_S) -> AsyncIterator[Bench]:
    """A sandbox in which programs of one language are judged, one after the other.

    Args:
        found: The language's toolchain.
        cpu_s: Seconds of CPU time that one answer may take.

    Raises:
        SandboxUnavailableError: This machine does not let us build a sandbox.
    """
    shown = dict(found.shown)
    if found.toolchain.warm:
        shown[WARM] = await _warmed(found)
    async with open_sandbox(Tree(files={}), _LIMITS, layout=Layout(shown=shown)) as box:
        yield Bench(found, box, cpu_s)


async def _warmed(found: FoundToolchain) -> Path:
    """The cache of a compiler that has compiled our own program, in a sandbox of its own; made once.

    Its place is a hash of what it was made from. Samples get copies, and no sandbox can write to it.

    Raises:
        SandboxError: Our own program could not be compiled.
    """
    own = found.toolchain
    key = hashlib.sha256(f"{found.key}{own.warm}".encode()).hexdigest()[:24]
    place = cache_folder() / f"{own.language}-{key}"
    if await anyio.Path(place).is_dir():
        return place
    command = found.command(own.compile).replace(f"cp -r {WARM} .cache && ", "")
    tree = Tree(files={own.file: File(data=own.warm.encode())})
    async with open_sandbox(tree, _LIMITS, layout=Layout(shown=found.shown)) as box:
        done = await box.exec(["/bin/sh", "-c", command], timeout=_COMPILE_S, env=own.env)
        if done.code != 0:
            said = _text(done.stdout, done.stderr)[:500]
            raise SandboxError(f"{own.title} cannot compile our own program, which fills its cache: {said}")
        files = (await box.snapshot()).files
    await anyio.to_thread.run_sync(_keep, place, {path: file.data for path, file in files.items()})
    return place


def _keep(place: Path, files: dict[str, bytes]) -> None:
    """Write what lies in `.cache` to its place, at once or not at all."""
    with workshop(place.parent / "work") as work:
        made = work / "made"
        made.mkdir()
        for path, data in files.items():
            if path.startswith(".cache/"):
                target = made / path.removeprefix(".cache/")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        with suppress(OSError):  # somebody else was faster
            made.rename(place)
