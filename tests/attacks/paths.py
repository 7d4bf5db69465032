"""The ways of verifying, each as a function from the files of a solution to what a user would be told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from honestly.agents import Run
from honestly.records import Agent, Outcome, Suite, Task, Tree
from honestly.runner import Plan, attempt
from honestly.sandbox import Sandbox
from honestly.verify import Slots, verify

from .problem import agent_task, function_task, hurried, stdin_task

__all__ = ["PATHS", "Judged", "Way"]

HURRY_S = 0.5
"""For all checks of an attack together. An honest solution, whose time is not at issue, gets what the task gives."""
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


def _by_checks(task: Task) -> Way:
    async def judge(slots: Slots, files: dict[str, str], hurry: bool) -> Judged:
        chosen = hurried(task, HURRY_S) if hurry else task
        verdict = await verify(chosen, Tree.of(files), seed=1, open_box=slots)
        assert verdict.hidden is not None
        return Judged(verdict.honest is True, verdict.hidden.n_passed, repr(verdict))

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


PATHS: dict[str, Way] = {
    "function": _by_checks(function_task()),
    "stdin": _by_checks(stdin_task()),
    "agent": _by_agent(agent_task()),
}
