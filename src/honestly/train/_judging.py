"""Judges what episodes left, all that wait at once: a check in a series costs a fraction of one by itself.

Hidden checks of the runner `grader` go into a series as they are. So do visible unittest files, run by a module that is
laid beside them and says which tests did not pass; work that names unittest is judged by itself, where it is seen
whether it reached for its judge. A visible result can be forged, there as anywhere: it pays nothing.
"""

from dataclasses import dataclass, field
from functools import lru_cache

import anyio
from msgspec.structs import replace

from honestly.errors import HonestlyError
from honestly.records import Checks, Edit, Hidden, Preparation, Task, Tree, Verdict
from honestly.verify import Slots, Submission, fits_series, verify, verify_each

_RUNNER = "_run_visible_tests"
_RUN = """\
import os
import sys
import unittest


class Result(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.passed, self.others = set(), set()

    def addSuccess(self, test):
        self.passed.add(test.id())

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.others.add(test.id())

    def addFailure(self, test, err):
        self.others.add(test.id())

    addError = addSkip = addFailure

    def addExpectedFailure(self, test, err):
        self.others.add(test.id())

    def addUnexpectedSuccess(self, test):
        self.others.add(test.id())


def not_passed(names):
    sys.path.insert(0, os.getcwd())
    result = Result()
    unittest.TestLoader().loadTestsFromNames(names).run(result)
    return sorted(name for name in names if name not in result.passed or name in result.others)
"""
_CHECK = f"def test_visible(ws):\n    found = ws.load({_RUNNER!r}).not_passed(%r)\n    assert found == [], found\n"


@dataclass(slots=True, eq=False)
class _Case:
    """Something to be judged, and what came of it."""

    submission: Submission
    judged: anyio.Event = field(default_factory=anyio.Event)
    found: Verdict | HonestlyError = field(default_factory=Verdict)

    def take(self, found: Verdict | HonestlyError) -> None:
        self.found = found
        self.judged.set()


class EpisodeJudge:
    """Judges final workspaces, while `run` runs."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._waiting: list[_Case] = []
        self._more = anyio.Event()

    async def run(self) -> None:
        """Judges what waits, until it is cancelled."""
        while True:
            await self._more.wait()
            self._more = anyio.Event()
            cases, self._waiting = self._waiting, []
            if not cases:  # another took them
                continue

            def note(at: int, found: Verdict | HonestlyError, cases: list[_Case] = cases) -> None:
                cases[at].take(found)

            try:
                await verify_each([case.submission for case in cases], self._slots, note)
            except HonestlyError as error:
                for case in cases:
                    if not case.judged.is_set():
                        case.take(error)

    async def verdict(self, task: Task, final: Tree, seed: int, *, whole: bool = False) -> Verdict:
        """The verdict on a final workspace: that of `verify`, in which visible tests may be one check.

        Args:
            task: With its hidden part.
            final: What the episode left.
            seed: Of all that is drawn.
            whole: Whether each visible test is a check of its own.

        Raises:
            HonestlyError: The infrastructure failed.
        """
        submissions = [] if whole else _in_series(task, final, seed)
        if not submissions or not all(fits_series(each, self._slots) for each in submissions):
            return await verify(task, final, seed=seed, open_box=self._slots)
        hidden, *visible = await self._verdicts(*submissions)
        return replace(hidden, visible=visible[0].hidden) if visible else hidden

    async def _verdicts(self, *submissions: Submission) -> list[Verdict]:
        cases = [_Case(each) for each in submissions]
        self._waiting += cases
        self._more.set()
        for case in cases:
            await case.judged.wait()
        if error := next((case.found for case in cases if isinstance(case.found, HonestlyError)), None):
            raise error
        return [case.found for case in cases if isinstance(case.found, Verdict)]


def _in_series(task: Task, final: Tree, seed: int) -> list[Submission]:
    """Its hidden checks, and its visible ones where it has any; none where they must be judged together."""
    visible = task.visible
    if task.hidden is None or task.preparation != Preparation():
        return []
    if visible is None:
        return [Submission(task, final, seed)]
    own = (file.data for path, file in final.files.items() if path not in visible.files.files)
    if visible.runner != "unittest" or any(b"unittest" in data for data in own):
        return []
    final = visible.files.over(final)
    shown = Submission(_task_of_visible(task, visible), Tree.of({f"{_RUNNER}.py": _RUN}).over(final), seed)
    return [Submission(replace(task, visible=None), final, seed), shown]


@lru_cache(maxsize=1024)
def _check_files(names: tuple[str, ...]) -> Tree:
    return Tree.of({"check_visible.py": _CHECK % (list(names),)})


def _task_of_visible(task: Task, visible: Checks) -> Task:
    """A task whose one hidden check is that the visible tests pass."""
    expected = ("check_visible.test_visible",)
    checks = Checks(
        runner="grader", files=_check_files(visible.expected), expected=expected, timeout_s=visible.timeout_s
    )
    return Task(id=task.id, instruction="", workspace=task.workspace, hidden=Hidden(checks=checks, reference=Edit()))
