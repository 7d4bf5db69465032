"""From a claim, an input that is said to crash a program, to a finding: reproduced twice, deduplicated, minimised.

Whoever makes a claim is not believed: the input is run by us, in fresh sandboxes, over fresh builds.
"""

import time
from collections.abc import Awaitable, Callable, Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from honestly.hunt._sanitizers import FILLED, LIMITS, HuntedProject, Report, build_program, program_behaviour, run_once
from honestly.records import Tree
from honestly.sandbox import Sandbox
from honestly.verify import OpenBox

TOOLS = ("asan", "memcheck")
REPRODUCED = 2
"""Fresh builds, each in a fresh sandbox, that have to report the same error."""
LARGEST_INPUT = 1 << 20


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of proving a claim."""

    verdict: str
    """`proved`, `known` (an error that was proved before), or `nothing` (no report, or not each time the same)."""
    report: Report | None = None
    data: bytes = b""
    """The input, as small as it became."""
    reproduced: int = 0


@dataclass
class HuntBuilds:
    """A project's builds, one for each tool, and a box over each that stays open: for looking, not for proving."""

    project: HuntedProject
    open_box: OpenBox
    built: dict[str, Tree] = field(default_factory=dict)
    _boxes: dict[str, Sandbox] = field(default_factory=dict)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def __aenter__(self) -> "HuntBuilds":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def tree(self, tool: str) -> Tree:
        """The build for a tool, made once."""
        if tool not in self.built:
            self.built[tool] = await build_program(self.project, tool, self.open_box)
        return self.built[tool]

    async def tool_box(self, tool: str) -> Sandbox:
        """A box over it."""
        if tool not in self._boxes:
            tree = await self.tree(tool)
            self._boxes[tool] = await self._stack.enter_async_context(self.open_box(tree, limits=LIMITS))
        return self._boxes[tool]

    async def look(self, tool: str, data: bytes) -> Report | None:
        """A tool's report on an input."""
        return await run_once(await self.tool_box(tool), self.project, tool, data)

    async def depends_on_chance(self, data: bytes) -> bool:
        """Whether what the program does depends on what memory held before: a hint that it reads some uninitialised."""
        zeros = await program_behaviour(await self.tool_box("zeros"), self.project, data)
        return zeros != await program_behaviour(await self.tool_box("pattern"), self.project, data, FILLED)


async def prove_claim(
    bench: HuntBuilds, data: bytes, known: Collection[tuple[str, ...]], *, minimise_s: float
) -> Proof:
    """Run what a claim names, make it smaller, and reproduce it twice from the sources on.

    Args:
        bench: The project's.
        data: The input.
        known: Keys of the errors that are proved already.
        minimise_s: Seconds for making the input smaller.
    """
    if len(data) > LARGEST_INPUT:
        return Proof("nothing")
    for tool in TOOLS:
        report = await bench.look(tool, data)
        if report is None:
            continue
        if report.key in known:
            return Proof("known", report)

        async def same(smaller: bytes, tool: str = tool, key: tuple[str, ...] = report.key) -> bool:
            found = await bench.look(tool, smaller)
            return found is not None and found.key == key

        small = await minimised_input(data, same, minimise_s)
        for candidate in dict.fromkeys((small, data)):
            times, again = await _reproduced_report(bench, tool, candidate, report.key)
            if times == REPRODUCED:
                return Proof("proved", again, candidate, times)
    return Proof("nothing")


async def _reproduced_report(
    bench: HuntBuilds, tool: str, data: bytes, key: tuple[str, ...]
) -> tuple[int, Report | None]:
    report = None
    for times in range(REPRODUCED):
        tree = await build_program(bench.project, tool, bench.open_box)
        async with bench.open_box(tree, limits=LIMITS) as box:
            report = await run_once(box, bench.project, tool, data)
        if report is None or report.key != key:
            return times, None
    return REPRODUCED, report


async def minimised_input(data: bytes, same: Callable[[bytes], Awaitable[bool]], seconds: float) -> bytes:
    """A smaller input of which `same` holds: ddmin's complements, until single bytes are tried or time is over."""
    end = time.monotonic() + seconds
    parts = 2
    while len(data) > 1 and time.monotonic() < end:
        size = -(-len(data) // parts)
        for at in range(len(data) - len(data) % size - size * (len(data) % size == 0), -1, -size):
            if time.monotonic() >= end:
                return data
            smaller = data[:at] + data[at + size :]
            if await same(smaller):
                data, parts = smaller, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(parts * 2, len(data))
    return data
