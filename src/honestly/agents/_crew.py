"""Conversations that one agent holds in one trial, each in a thread of its own: helpers, members of a team, iterations.

All have the same model, sandbox, permissions and limits, and what they do stands in one trajectory in the order in
which it happened. Whoever has a role is told it in the place of what only the agent itself is told.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from honestly.agents._agent import Work
from honestly.agents._finish import Ending
from honestly.agents._project import Project
from honestly.agents._prompt import system_prompt
from honestly.agents._run import Run
from honestly.agents._talk import Guidance
from honestly.errors import BudgetError
from honestly.sandbox import Sandbox
from honestly.tools import Tool


class StoppedByPerson(Exception):  # noqa: N818 - nothing is wrong
    """Ends a loop whose person has asked for it."""


class Member:
    """One conversation, which stays open: what is said next is said in it."""

    def __init__(self, by: Guidance, run: Run, work: Work, prompt: str) -> None:
        self._by, self._run, self._work, self._prompt = by, run, work, prompt

    async def say(self, told: str) -> Ending | None:
        """Let it work on this until it ends; None where it did not say how.

        Raises:
            BudgetError: A limit has ended it, and so everybody.
        """
        run = self._run
        prompt, self._prompt = self._prompt, ""
        ending = await (self._work.do(prompt, told) if prompt else self._work.go_on(told))
        run.claimed = None
        if run.limit:
            raise BudgetError(run.stop.removeprefix("limit: "))
        if self._by.person.stopping():
            raise StoppedByPerson
        return ending


@dataclass(frozen=True)
class Crew:
    """Who may be hired for a trial."""

    by: Guidance
    run: Run
    box: Sandbox
    tools: Sequence[Tool]
    """Without the one that hands work to a helper."""
    project: Project
    own: str = ""
    """A prompt of the agent's own."""
    interfaces: str = ""
    """What it is told of interfaces."""

    def new_worker(self, thread: str, role: str, may_use: Callable[[str], bool]) -> tuple[Work, str]:
        """A conversation of somebody who has a role, and its system prompt. The time for it is the agent's."""
        tools = [tool for tool in self.tools if may_use(tool.spec.name)] or list(self.tools)
        rules = self.project.told(alone=True)
        prompt = system_prompt([tool.spec.name for tool in tools], rules, role, self.own) + self.interfaces
        return Work(self.without_time_limit, self.run, self.box, tools, thread), prompt

    @property
    def without_time_limit(self) -> Guidance:
        """Guidance for a conversation whose time somebody else keeps."""
        return replace(self.by, limits=replace(self.by.limits, seconds=None))


@dataclass(frozen=True)
class Hire:
    """Starts another conversation of the agent, with or without a role."""

    crew: Crew
    tools: Sequence[Tool]
    """All of the agent's."""
    prompt: str
    """What the agent itself is told."""

    def __call__(self, thread: str = "", role: str = "") -> Member:
        """A new conversation.

        Args:
            thread: Under which name it stands on record; the agent's own where empty.
            role: What it is told of its part; the agent itself, with all of its tools, where empty.
        """
        crew = self.crew
        if role:
            work, prompt = crew.new_worker(thread, role, lambda _: True)
        else:
            work, prompt = Work(crew.without_time_limit, crew.run, crew.box, self.tools, thread), self.prompt
        return Member(crew.by, crew.run, work, prompt)
