"""Runs of a task by commands alone, with skills at hand: what admits a skill, or refuses it.

Everything runs in fresh sandboxes of the kind that the task's agents get, without network. Each command has a shell of
its own. What the run left is judged as a trial is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import anyio

from honestly.memory._told import SKILLS_AT
from honestly.records import Preparation, Task, Tree
from honestly.sandbox import Sandbox
from honestly.verify import OpenBox, at_work, furnished_opener, in_environment, verify

_COMMAND_S, _RUN_S, _MOST_SHOWN, _MOST_DIGITS = 60.0, 180.0, 200, 6
_AWAY = "raise SystemExit(97)\n"
_TEST = "_own_test"  # no name of a skill


@dataclass(frozen=True, slots=True)
class LeftWorkspace:
    """The workspace that a run left."""

    final: Tree
    trouble: str
    """Of the first command with a skill in it that failed; empty where all worked."""
    marks: frozenset[int] = frozenset()
    """Which parts of an instrumented skill were executed."""


@dataclass(frozen=True)
class SkillBench:
    """Where runs of one task take place."""

    task: Task
    open_box: OpenBox
    seed: int
    """Of the hidden checks."""
    hidden: bool
    """Whether hidden checks say what passes; else the visible ones do."""

    async def run_commands(
        self, commands: Sequence[str], skills: Mapping[str, str], begun: Tree | None = None, marks: str = ""
    ) -> LeftWorkspace:
        """Does the commands, with these skills at hand.

        Args:
            commands: each for a shell of its own, in the workspace.
            skills: code by name.
            begun: the workspace, where it is another than the task's.
            marks: where an instrumented skill says what was executed.
        """
        opened = in_environment(self.task, self.open_box, "agent")
        if self.task.preparation != Preparation():
            opened = furnished_opener(self.task.preparation, opened)
        async with at_work(self.open_box, opened(begun if begun is not None else self.task.workspace)) as box:
            await _lay_out(box, skills)
            trouble, until = "", anyio.current_time() + _RUN_S
            for command in commands:
                left = min(_COMMAND_S, until - anyio.current_time())
                if left <= 0:
                    trouble = f"the rewritten run takes longer than {_RUN_S:g} seconds"
                    break
                result = await box.exec(command, timeout=left)
                if result.code != 0 and not trouble and any(name in command for name in skills):
                    said = (result.stderr or result.stdout).decode("utf-8", "replace").strip()[-_MOST_SHOWN:]
                    trouble = f"{command[:_MOST_SHOWN]!r} ended with {result.code}: {said}"
            seen = await box.exec(["cat", marks]) if marks else None
            lines = seen.stdout.decode("ascii", "replace").split() if seen else []
            final = await box.snapshot()
        return LeftWorkspace(
            final, trouble, frozenset(int(line) for line in lines if line.isdigit() and len(line) < _MOST_DIGITS)
        )

    async def skill_problem(self, name: str, code: str, test: str) -> str:
        """The problem with a skill by its own test, in an empty workspace; empty where nothing is."""
        async with at_work(self.open_box, self.open_box(Tree())) as box:
            await _lay_out(box, {name: code, _TEST: test})
            command = ["python3", f"{SKILLS_AT}/{_TEST}.py"]
            result = await box.exec(command, timeout=_COMMAND_S, env={"PYTHONPATH": SKILLS_AT})
            if result.code == 0:
                await _lay_out(box, {name: _AWAY})
                again = await box.exec(command, timeout=_COMMAND_S, env={"PYTHONPATH": SKILLS_AT})
                return "its test passes without it" if again.code == 0 else ""
        said = (result.stderr or result.stdout).decode("utf-8", "replace").strip()[-_MOST_SHOWN:]
        return f"its own test fails: {said}"

    async def passes(self, final: Tree) -> bool:
        """Whether what a run left would be a success."""
        verdict = await verify(self.task, final, seed=self.seed, open_box=self.open_box)
        if self.hidden:
            return bool(verdict.honest)
        return verdict.visible is not None and verdict.visible.passed and not verdict.tampered

    async def needed(self, commands: Sequence[str], skills: Mapping[str, str], name: str) -> str:
        """Why a rewritten run does not speak for a skill; empty where it passes with it, and not without it."""
        ran = await self.run_commands(commands, skills)
        if ran.trouble:
            return ran.trouble
        if not await self.passes(ran.final):
            return "the rewritten run does not pass"
        without = await self.run_commands(commands, {**skills, name: _AWAY})
        return "the rewritten run passes without it, too" if await self.passes(without.final) else ""


async def _lay_out(box: Sandbox, skills: Mapping[str, str]) -> None:
    for name, code in skills.items():
        await box.write(f"{SKILLS_AT}/{name}.py", code.encode())
