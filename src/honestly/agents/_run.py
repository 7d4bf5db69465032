"""The seam between an agent and the rest: what it is given, what it leaves, and hands that record what they do.

An agent is anything that can be called with a run and a sandbox, and that has a record to be known by. It appends its
steps to the run as it goes, so that whatever ends it, its trajectory up to there is kept.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote
from typing import Protocol, TypeVar, runtime_checkable

import anyio
from msgspec.structs import replace

from honestly.agents._artifacts import OVERLAY
from honestly.records import (
    Agent,
    Edit,
    File,
    Finding,
    Observation,
    Step,
    Task,
    ToolCall,
    ToolServer,
    Trajectory,
    Tree,
    Truth,
    Usage,
    encode,
)
from honestly.sandbox import Layout, Limits, Result, Sandbox
from honestly.sandbox.images import changes_without
from honestly.tools import Api

N = TypeVar("N", int, float)

_KEPT = 20_000


def tool_server_lines(servers: Iterable[ToolServer]) -> str:
    """What an instruction adds for an agent that has no MCP client; empty where there is no server."""
    lines = [f"- {each.name}: {each.url or ' '.join(each.command)}" for each in servers]
    return "\n".join(["", "", "MCP servers that you can use:", *lines, ""]) if lines else ""


_NO_HEAD = Trajectory()


@dataclass(frozen=True, slots=True)
class OnSite:
    """The web site that a task plays on, as its agent meets it."""

    url: str
    """Where it is found inside the sandbox."""
    apis: Mapping[str, Api]
    """Its HTTP interface, with documentation of each quality: `good`, `poor`."""
    mcp: str = ""
    """Where its MCP server is found outside of the sandbox; empty where it has none."""


@dataclass
class Run:
    """One attempt of an agent at a task, in progress.

    The task is its public part: what is hidden never gets this far.
    """

    task: Task
    seed: int
    """What the agent's own randomness must derive from."""
    steps: list[Step] = field(default_factory=list)
    stop: str = ""
    """Why the agent stopped, in its own words or the runner's."""
    crash: str = ""
    """How its program ended in error after it had worked, which is its own doing; empty where it did not."""
    claimed: bool | None = None
    """Whether it said at the end that it had succeeded."""
    limit: str = ""
    """Which of its limits ended it (`turns`, `tokens`, `usd`, `seconds`); empty where none did."""
    unanswered: bool = False
    """Whether its model was asked and has not answered even once: time that ran out then was not the agent's."""
    truth: Truth | None = None
    """Only known-truth agents fill this."""
    artifacts: dict[str, bytes] = field(default_factory=dict)
    """What else is kept of it, by name: a cassette, pictures."""
    findings: list[Finding] = field(default_factory=list)
    """What was noticed while it ran; the runner fills in the trial."""
    head: Trajectory = _NO_HEAD
    """What the trajectory says beside its steps and its end: session, tools."""
    site: OnSite | None = None
    """Where the task plays, if on a web site."""
    kept: Tree | None = None
    """The workspace that is judged, where that is not the last one: how it was when the agent last ended by itself."""
    turns: Sequence[Tree] = ()
    """The workspace at the end of each turn of a session with a user; judged after the last one is."""
    notes: tuple[str, ...] = ()
    """Names of files that it writes for itself only: they are no part of what it leaves."""
    overlay: Tree = field(default_factory=Tree)
    """Files that were laid over the workspace: they are no part of what it leaves either."""
    secrets: tuple[str, ...] = ()
    """What stands nowhere in what is kept of it."""

    def judged_files(self, found: Tree) -> Tree:
        """The part of a workspace that is judged: not what the agent wrote for itself, nor an overlay.

        What became of an overlay's files is kept as the artifact `OVERLAY`, if anything did.
        """
        given = self.task.workspace
        own = {path for path in found.files if path.rpartition("/")[2] in self.notes} - set(given.files)
        if own:
            found = found.without(own)
        if self.overlay.files:
            edit = Edit.between(self.overlay, found.only(self.overlay.files))
            if edit != Edit():
                self.artifacts[OVERLAY] = encode(edit)
            if self.task.environment is not None:
                return changes_without(found, self.overlay.files.keys())
            laid = self.overlay.over(given)
            hidden = Tree(files={path: file for path, file in given.files.items() if laid.files.get(path) != file})
            found = hidden.over(found.without(self.overlay.files))
        return found

    def trajectory(self) -> Trajectory:
        """The trajectory so far."""
        return replace(self.head, steps=tuple(self.steps), stop=self.stop)

    @property
    def usage(self) -> Usage:
        """The sum of the model calls' usage, as far as they reported it."""
        return Usage(
            **{name: _sum(getattr(step.usage, name) for step in self.steps) for name in Usage.__struct_fields__}
        )


class Actor(Protocol):
    """An agent: anything that has a record and can be called with a run and a sandbox."""

    @property
    def record(self) -> Agent:
        """The configuration that identifies it."""
        ...

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Works on `run.task` in `box`, appending to `run.steps`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What an agent needs of its sandbox beyond the usual one."""

    layout: Layout = field(default_factory=Layout)
    limits: Limits = field(default_factory=Limits)
    allow: tuple[str, ...] = ()
    """Hosts that it may reach, as `Egress.allow` spells them; each request is kept with the trial."""
    pages_only: bool = False
    """Whether its sandbox reaches of a task's site what people see, and no interface for programs."""
    overlay: Tree = field(default_factory=Tree)
    """Files that lie in the workspace before it starts, and are no part of what it leaves."""
    in_image: Callable[[], Layout] | None = None
    """Gives the layout where a task has an image of its own, in which nothing of this machine is; None for `layout`."""


@runtime_checkable
class NeedsSandbox(Actor, Protocol):
    """An agent that needs a sandbox of its own kind."""

    @property
    def needs(self) -> Needs:
        """The sandbox that the agent needs."""
        ...


@runtime_checkable
class SelfChecking(Actor, Protocol):
    """An agent that can say in advance what would prevent it from working."""

    async def preflight(self, box: Sandbox) -> Sequence[str]:
        """The obstacles to running it, each in words, found for cents in seconds.

        Each says what was found, what was expected, what to do.

        Args:
            box: A sandbox of the kind that the agent needs.
        """
        ...


async def preflight_of(actor: Actor, box: Sandbox) -> Sequence[str]:
    """What would prevent an agent from working, as it says itself; empty if it cannot say."""
    return await actor.preflight(box) if isinstance(actor, SelfChecking) else ()


class AgentAround:
    """What agents around another agent share: unless they say otherwise, it needs and does what that one does."""

    actor: Actor

    @property
    def needs(self) -> Needs:
        """The sandbox that the agent needs."""
        return self.actor.needs if isinstance(self.actor, NeedsSandbox) else Needs()

    async def preflight(self, box: Sandbox) -> Sequence[str]:
        """The obstacles to running the agent."""
        return await preflight_of(self.actor, box)

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Lets the agent work."""
        await self.actor(run, box)


def _sum(numbers: Iterable[N | None]) -> N | None:
    known = [number for number in numbers if number is not None]
    return sum(known[1:], known[0]) if known else None


class Hands:
    """Acts in a sandbox, and records each action as a step."""

    def __init__(self, run: Run, box: Sandbox) -> None:
        self._run, self._box = run, box

    async def bash(self, command: str, *, why: str = "", timeout: float = 60.0) -> Result:  # noqa: ASYNC109
        """Runs a shell command in the workspace."""
        started = anyio.current_time()
        result = await self._box.exec(command, timeout=timeout)
        call = ToolCall.of(self._next_id(), "bash", command=command)
        output = (result.stdout + result.stderr).decode("utf-8", "replace")
        seen = Observation(text=output[:_KEPT], call_id=call.id, code=result.code, dropped=result.truncated)
        self._record_action(why, call, seen, started)
        return result

    async def write(self, path: str, text: str, *, why: str = "") -> None:
        """Writes a text file of the workspace."""
        await self.put(path, File(data=text.encode()), why=why)

    async def put(self, path: str, file: File, *, why: str = "") -> None:
        """Writes a file, of the workspace if its path is relative, as it is: text or not, executable, a link."""
        text = file.data.decode("utf-8", "replace")
        if file.mode == "link":
            folder = path.rpartition("/")[0] or "."
            await self.bash(f"mkdir -p -- {quote(folder)} && ln -sfn -- {quote(text)} {quote(path)}", why=why)
            return
        started = anyio.current_time()
        await self._box.write(path, file.data, executable=file.mode == "exec")
        call = ToolCall.of(self._next_id(), "write", path=path, content=text)
        self._record_action(why, call, Observation(text=f"wrote {len(text)} characters", call_id=call.id), started)

    async def delete(self, path: str) -> None:
        """Deletes a file of the workspace."""
        await self.bash(f"rm -- {quote(path)}")

    async def apply(self, edit: Edit, *, why: str = "") -> None:
        """Makes an edit file by file; by default it says which file it rewrites."""
        for path in edit.delete:
            await self.delete(path)
        for path, file in edit.write.files.items():
            await self.put(path, file, why=why or f"I rewrite {path}.")

    @property
    def site(self) -> OnSite | None:
        """The site that the task plays on, if it does."""
        return self._run.site

    @property
    def isolated(self) -> bool:
        """Whether there is a sandbox around it, with a `/tmp` of its own."""
        return self._box.name != "none"

    def finish(self, message: str, *, claimed: bool) -> None:
        """Append the final message, and end the run."""
        self._run.steps.append(Step(source="agent", message=message))
        self._run.claimed = claimed
        self._run.stop = "done"

    def _next_id(self) -> str:
        return f"call-{len(self._run.steps)}"

    def _record_action(self, why: str, call: ToolCall, seen: Observation, started: float) -> None:
        seconds = round(anyio.current_time() - started, 4)
        self._run.steps.append(Step(source="agent", message=why, calls=(call,), observations=(seen,), seconds=seconds))
