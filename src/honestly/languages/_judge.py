"""Does a program solve its puzzle? It is compiled and run in a sandbox without network; answers are compared outside.

A bench is a sandbox for one language, in which one program after the other is judged; between two of them every process
is killed and every file deleted. The program can see inputs, and never an answer. Its time is the CPU time of all its
processes together, so that a busy machine judges as an idle one; a deadline of the clock stands behind it.

A right answer with another exit status than 0 is a program that broke.

Not covered: what a program writes to standard error beside a right answer, which counts for nothing; and the time of
processes that nobody waits for, which the deadline alone bounds.
"""

import hashlib
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
from honestly.scratch import temporary_workshop

CPU_S = 10
"""Seconds of CPU time that one answer may take."""
_COMPILE_CPU_S, _COMPILE_S = 60, 600.0
"""Of CPU time and of the clock, for a compiler."""
_WALL = 2
"""How many times its CPU time an answer may take by the clock, less what it waited for processors."""
_LIMITS = Limits(memory_mb=4096, processes=256, disk_mb=1024, file_mb=512, wall_s=_COMPILE_S, output_bytes=1 << 16)
_KILLED = (9, 24, -9, -24)
"""SIGKILL and SIGXCPU, which end what has used up its time."""


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """How far a program got, from which its kind of failure is decided."""

    stage: str
    """`passed`, or where it ended: `compile`, `run`, `answer`, `time`, `memory`."""
    output: str = ""
    """What the compiler or the program wrote to standard error; for a wrong answer, what it answered."""
    case: int = -1
    """The case at which it ended, from 0."""
    seconds: float = 0.0


class LanguageBench:
    """A sandbox for programs of one language; made by `open_bench`."""

    def __init__(self, found: FoundToolchain, box: Sandbox, cpu_s: int) -> None:
        self.found, self._box, self._cpu_s = found, box, cpu_s
        self.spent = False
        """Whether the next program needs another bench."""

    async def judge_program(self, puzzle: Puzzle, code: str) -> ProgramRun:
        """Judge a program: compile it once, then run it with each input, until one is answered wrongly.

        Raises:
            SandboxError: The sandbox broke.
        """
        own = self.found.toolchain
        await self._box.write(own.file, code.encode("utf-8", "replace"))
        seconds = 0.0
        try:
            if own.compile:
                built = await self._run_limited(f"ulimit -t {_COMPILE_CPU_S}; {own.compile}", _COMPILE_S)
                seconds += built.seconds
                if built.code != 0:
                    late = built.timed_out or built.code in _KILLED
                    stage = "time" if late else "memory" if built.out_of_memory else "compile"
                    return ProgramRun(stage, _stream_text(built.stdout, built.stderr), seconds=seconds)
            return await self._run_puzzle(puzzle, seconds)
        finally:
            # Nothing is left for the next program; where that takes too long, there will be none.
            try:
                if not isinstance(self._box, WarmSandbox):
                    self.spent = True
                else:
                    await self._box.clear()
            except SandboxLimitError:
                self.spent = True

    async def _run_puzzle(self, puzzle: Puzzle, seconds: float) -> ProgramRun:
        """Run a program that is there with one input after the other, until one is answered wrongly."""
        own = self.found.toolchain
        script = f"ulimit -t {self._cpu_s}\n{own.run}"
        for case, (given, answer) in enumerate(puzzle.cases):
            done = await self._run_limited(script, self._cpu_s * _WALL, stdin=f"{given}\n".encode())
            seconds += done.seconds
            ended = _ended(done, answer, self._cpu_s)
            if ended.stage != "passed":
                return replace(ended, case=case, seconds=seconds)
        return ProgramRun("passed", seconds=seconds)

    async def _run_limited(self, command: str, wall_s: float, stdin: bytes = b"") -> Result:
        env, words = self.found.toolchain.env, ["/bin/sh", "-c", self.found.filled_command(command)]
        return await self._box.exec(words, timeout=wall_s, env=env, stdin=stdin)


def _ended(done: Result, answer: str, cpu_s: int) -> ProgramRun:
    """How far a program came with one input; what all its processes together used counts, not what each did."""
    if done.out_of_memory:
        return ProgramRun("memory")
    code = done.code or 0
    if done.timed_out or done.cpu > cpu_s or code in _KILLED or code - 128 in _KILLED:
        return ProgramRun("time")
    if code:
        return ProgramRun("run", _stream_text(b"", done.stderr) or f"ended with {code}")
    said = done.stdout.decode("utf-8", "replace").split()
    return ProgramRun("passed") if said == answer.split() else ProgramRun("answer", _both_ends(" ".join(said)))


def _stream_text(*streams: bytes) -> str:
    return _both_ends("\n".join(stream.decode("utf-8", "replace") for stream in streams if stream.strip()).strip())


def _both_ends(text: str) -> str:
    """At most 8,000 characters, from both ends."""
    return text if len(text) <= 8000 else f"{text[:5000]}\n...\n{text[-2900:]}"


@asynccontextmanager
async def open_bench(found: FoundToolchain, *, cpu_s: int = CPU_S) -> AsyncIterator[LanguageBench]:
    """A sandbox in which programs of one language are judged, one after the other.

    Args:
        found: The language's toolchain.
        cpu_s: Seconds of CPU time that one answer may take.

    Raises:
        SandboxUnavailableError: This machine does not let us build a sandbox.
    """
    shown = dict(found.shown)
    if found.toolchain.warm:
        shown[WARM] = await _warmed_cache(found)
    async with open_sandbox(Tree(files={}), _LIMITS, layout=Layout(shown=shown, named_streams=True)) as box:
        yield LanguageBench(found, box, cpu_s)


async def _warmed_cache(found: FoundToolchain) -> Path:
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
    command = found.filled_command(own.compile).replace(f"cp -r {WARM} .cache && ", "")
    tree = Tree(files={own.file: File(data=own.warm.encode())})
    async with open_sandbox(tree, _LIMITS, layout=Layout(shown=found.shown)) as box:
        done = await box.exec(["/bin/sh", "-c", command], timeout=_COMPILE_S, env=own.env)
        if done.code != 0:
            said = _stream_text(done.stdout, done.stderr)[:500]
            raise SandboxError(f"{own.title} cannot compile our own program, which fills its cache: {said}")
        files = (await box.snapshot()).files
    await anyio.to_thread.run_sync(_keep_cache, place, {path: file.data for path, file in files.items()})
    return place


def _keep_cache(place: Path, files: dict[str, bytes]) -> None:
    """Write what lies in `.cache` to its place, at once or not at all."""
    with temporary_workshop(place.parent / "work") as work:
        made = work / "made"
        made.mkdir()
        for path, data in files.items():
            if path.startswith(".cache/"):
                target = made / path.removeprefix(".cache/")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        with suppress(OSError):  # somebody else was faster
            made.rename(place)
