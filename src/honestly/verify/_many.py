"""Verdicts on many workspaces at once: the verdicts that each would get alone, at a lower cost."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

import msgspec

from honestly.errors import HonestlyError, SandboxError, SandboxUnavailableError, VerifierError
from honestly.records import Check, CheckRun, Task, Tree, Verdict, digest
from honestly.verify._phases import phases_of
from honestly.verify._verify import verdict_of
from honestly.verify.wire._broker import in_order
from honestly.verify.wire._series import LARGEST, Unit, run_series
from honestly.verify.wire._slots import Slots

_LARGEST_CHECKS = 1 << 20
_WANTS_MORE = re.compile(
    rb"(?:import|from)\s+(?:[\w.]+(?:\s+as\s+\w+)?\s*,\s*)*(?:asyncio|concurrent|http|locale|mmap|multiprocessing|pty|select|selectors|signal|socket|sqlite3"
    rb"|subprocess|urllib|zoneinfo)\b|\bos\.(?:exec|fork|pipe|popen|posix_spawn|spawn|system)|/proc/|__import__|import_module"
)
"""What a cell lacks, as texts name it. Who names it is judged by itself at once: after a failure in a cell, that would
be a second chance, for who guesses, too."""


class Submission(msgspec.Struct, frozen=True):
    """A final workspace to be judged; see `verify`."""

    task: Task
    final: Tree
    """The files that the agent left."""
    seed: int
    """Of the order of checks and of all else that is drawn."""


async def compile_ahead(cases: Sequence[Submission], slots: Slots) -> None:
    """Compiles the next cases of `verify_each` in advance, because batches cost less.

    Raises:
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    try:
        async with phases_of(slots) as phases, phases.judging():
            await slots.compiler.compile_ahead(case.final for case in cases if fits_series(case, slots))
    except SandboxUnavailableError:
        raise
    except (SandboxError, VerifierError):
        pass  # if it is more than an accident, it happens again where it is known to whom


async def verify_each(
    cases: Sequence[Submission], slots: Slots, note: Callable[[int, Verdict | HonestlyError], None]
) -> None:
    """Judges workspaces in any order, one at a time, while no agent is at work on this machine; see `Phases`.

    Notes each verdict, or the error in its place, as soon as it is known.

    Raises:
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    async with phases_of(slots) as phases, phases.judging(*{case.task.id for case in cases}):
        series = _InSeries(slots, note)
        try:
            await series.run({at: case for at, case in enumerate(cases) if fits_series(case, slots)})
        except SandboxUnavailableError:
            raise
        except (SandboxError, VerifierError):
            pass  # if it is more than an accident, it happens again below, where it is known to whom
        for at, case in enumerate(cases):
            if at not in series.judged:
                try:
                    note(at, await verdict_of(case.task, case.final, seed=case.seed, open_box=slots))
                except SandboxUnavailableError:
                    raise
                except HonestlyError as error:
                    note(at, error)


def fits_series(case: Submission, slots: Slots) -> bool:
    """Whether `verify_each` runs the checks of a case in a series with others', which costs a fraction."""
    task = case.task
    return (
        task.visible is None
        and task.hidden is not None
        and task.hidden.checks.runner == "grader"
        and task.hidden.checks.files.hash not in slots.alone
        and not any(_names_more(file.data) for path, file in case.final.files.items() if path.endswith(".py"))
        and _tree_size(case.final) <= LARGEST // 2  # cached code comes on top
        and _tree_size(task.hidden.checks.files) <= _LARGEST_CHECKS
    )


def _tree_size(tree: Tree) -> int:
    return sum(len(path) + len(file.data) for path, file in tree.files.items())


@lru_cache(maxsize=256)  # asked when it is compiled and when it is judged
def _names_more(code: bytes) -> bool:
    return _WANTS_MORE.search(code) is not None


class _InSeries:
    """Cases whose checks are run in series, and what is known of them."""

    def __init__(self, slots: Slots, note: Callable[[int, Verdict | HonestlyError], None]) -> None:
        self.judged: set[int] = set()
        self._slots, self._note = slots, note
        self._units: list[tuple[int, Unit]] = []
        self._expected: dict[int, tuple[str, ...]] = {}
        self._found: dict[int, dict[str, Check]] = {}

    async def run(self, cases: dict[int, Submission]) -> None:
        """Runs all checks of cases; those of which one must be run by itself are not among the judged."""
        await self._slots.compiler.compile_ahead(case.final for case in cases.values())
        for at, case in cases.items():
            assert case.task.hidden is not None
            checks, final = case.task.hidden.checks, await self._slots.compiler.compiled_tree(case.final)
            if _tree_size(final) > LARGEST:
                continue
            self._expected[at], self._found[at] = checks.expected, {}
            for name in in_order(checks, case.seed):
                seed = int(digest(case.seed, name), 16)
                unit = Unit(name, checks.files, checks.files.hash, final, seed, checks.timeout_s)
                self._units.append((at, unit))
        await run_series([unit for _, unit in self._units], self._slots, self._take_result)

    def _take_result(self, number: int, check: Check | None) -> None:
        at = self._units[number][0]
        found, expected = self._found[at], self._expected[at]
        if check is not None:
            found[check.id] = check
        if len(found) == len(expected):
            self.judged.add(at)
            self._note(at, Verdict(hidden=CheckRun(checks=tuple(found[name] for name in expected))))
