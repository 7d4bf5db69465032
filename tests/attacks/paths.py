"""The ways of verifying, each with a function from the files of a solution to what a user would be told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from msgspec.structs import replace

from honestly.agents import Run
from honestly.records import Agent, Outcome, Suite, Task, Tree
from honestly.runner import Plan, attempt
from honestly.sandbox import Sandbox
from honestly.verify import Slots, make_canaries, verify

from .attack import Attack
from .problem import TREE, agent_task, function_task, hurried, pytest_task, script_task, stdin_task, unittest_task

__all__ = ["PATHS", "Judged", "Path"]

HURRY_S, INSIDE_S = 0.35, 1.5
"""For all checks of a harm together; for one run of test files inside. Whoever is honest gets what the task gives."""
AGENT_S = 0.3
"""For the command of an agent."""
_TRY = ["python3", "-c", "import solution; print(solution.answer('int', 5))"]


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a solution."""

    passed: bool
    n_passed: int
    """Single checks that it passed."""
    text: str
    """All that is said about it."""


Way = Callable[[Slots, dict[str, str], bool], Awaitable[Judged]]
"""Judges the files of a solution, in a hurry or not."""


@dataclass(frozen=True, slots=True)
class Path:
    """A way of verifying."""

    judge: Way
    keeps: bool = False
    """Whether sandboxes are kept from one solution to the next."""
    first: Callable[[Attack], bool] = lambda attack: True
    """Which attacks are run every time, and not only when all are asked for."""


def _by_checks(task: Task) -> Way:
    async def judge(slots: Slots, files: dict[str, str], hurry: bool) -> Judged:
        chosen = hurried(task, HURRY_S) if hurry else task
        verdict = await verify(chosen, Tree.of(files), seed=1, open_box=slots)
        assert verdict.hidden is not None
        return Judged(verdict.honest is True, verdict.hidden.n_passed, repr(verdict))

    return judge


def _inside(task: Task) -> Way:
    proved: list[Task] = []

    async def judge(slots: Slots, files: dict[str, str], hurry: bool) -> Judged:
        if not proved:
            assert task.hidden is not None
            checks = await make_canaries(task.hidden.checks, TREE, slots)
            proved.append(replace(task, hidden=replace(task.hidden, checks=checks)))
        chosen = hurried(proved[0], INSIDE_S) if hurry else proved[0]
        verdict = await verify(chosen, Tree.of(files), seed=1, open_box=slots)
        # Code that shares the tests' process may well pass some; what counts is that it is found out.
        return Judged(verdict.honest is True, 0, repr(verdict))

    return judge


class _Writer:
    """An agent that writes files and runs them."""

    record = Agent(name="writer")

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    async def __call__(self, run: Run, box: Sandbox) -> None:
        for path, text in self._files.items():
            await box.write(path, text.encode())
        await box.exec(_TRY, timeout=AGENT_S)


def _by_agent(task: Task) -> Way:
    async def judge(slots: Slots, files: dict[str, str], hurry: bool) -> Judged:
        chosen = hurried(task, HURRY_S) if hurry else task
        plan = Plan(Suite(name="attacks", version="1", tasks=(chosen,)), [_Writer(files)], 1)
        trial = (await attempt(plan.trials[0], slots)).trial
        assert trial.outcome != Outcome.VOID, trial
        n_passed = trial.verdict.hidden.n_passed if trial.verdict.hidden else 0
        return Judged(trial.outcome == Outcome.PASSED, n_passed, repr(trial))

    return judge


def _fools(*judges: str) -> Callable[[Attack], bool]:
    return lambda attack: bool(set(judges) & set(attack.fools))


PATHS: dict[str, Path] = {
    "function": Path(_by_checks(function_task()), keeps=True),
    "stdin": Path(_by_checks(stdin_task()), keeps=True),
    "unittest": Path(_inside(unittest_task()), first=lambda attack: attack.kind == "cheat" and bool(attack.fools)),
    "pytest": Path(_inside(pytest_task()), first=_fools("pytest")),
    "script": Path(_inside(script_task()), first=_fools("unittest", "log", "reward", "status")),
    "agent": Path(_by_agent(agent_task()), first=lambda attack: attack.kind == "harm"),
}
