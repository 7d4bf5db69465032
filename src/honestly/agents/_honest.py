"""The agent as something that can be run, planned and recorded: a model, tools, limits, and how it is set up.

`record` holds everything that could change what it does, and its hash is the agent's identity: model, version of the
prompt or a prompt of one's own, tools, limits, settings, the loop where it is somebody's own (`_scaffold`). The
project's own set-up is not part of it, since it belongs to the task.

Tools with a name are made for each trial and closed after it. What was really sent to the model (names, sampling
settings, what was dropped) is an artifact of the trial, `sent.json`: each kind of request once, with a count of calls.
"""

from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from importlib.util import find_spec
from typing import Any

import anyio
import msgspec
from msgspec.structs import replace as change

from honestly.agents._agent import Work
from honestly.agents._crew import Crew, Hire
from honestly.agents._finish import Finish
from honestly.agents._limits import DEFAULT_LIMITS, AgentLimits
from honestly.agents._permissions import GUARD_RECORD, Permissions
from honestly.agents._person import NOBODY, Person
from honestly.agents._policy_judge import PolicyJudge
from honestly.agents._project import Helper, Project, helper_tool, read_project, skill_tool
from honestly.agents._prompt import PROMPT_VERSION, system_prompt
from honestly.agents._replies import tool_definition
from honestly.agents._run import Needs, Run, tool_server_lines
from honestly.agents._scaffold import UNMATCHED, Scaffold
from honestly.agents._talk import Guidance
from honestly.errors import AgentError, ToolError
from honestly.models import (
    NO_SETTINGS,
    CassetteWriter,
    Message,
    Model,
    RecordingModel,
    Settings,
    ToolSpec,
    trouble_with,
)
from honestly.permissions import ToolPolicy
from honestly.records import Agent, Step, encode
from honestly.sandbox import Sandbox, packages_layout
from honestly.seams import format_list
from honestly.tools import (
    BROWSER_LIMITS,
    HYBRID,
    INTERFACES,
    KERNEL_PACKAGES,
    Api,
    Prompt,
    Surroundings,
    Tool,
    browser_packages,
    default_tools,
    mcp_program,
    mcp_server,
    source_of,
)

PROGRAM = "honest-agent"
"""What studies call the program; `honest` alone is the known-truth one."""

CASSETTE = "cassette.jsonl"
"""Name of the artifact from which a trial is replayed: every question to the model with its answer."""

SET_UP = "Set-up of the project:"
"""How the step begins that says what of a project's set-up could not be read."""

_SENT = "sent.json"
"""Name of the artifact: a list of `{model, settings, dropped, calls}`."""

_MOST_KINDS = 100
_MOST_SEED = (1 << 31) - 1
_INTERFACE_TOOLS = ("http", "api_documentation")
_SITE_TOOLS = "mcp"
"""In the place of a tool: those of the MCP server of the task's site."""


@dataclass(frozen=True)
class Honest:
    """The built-in agent: a model that works on a task with tools."""

    model: Model
    name: str = "honest"
    tools: tuple[str | Tool, ...] = ("bash", "edit")
    """By name, made anew for each trial; or as they are, where they keep nothing between calls."""
    limits: AgentLimits = DEFAULT_LIMITS
    settings: Settings = NO_SETTINGS
    context_tokens: int = 128_000
    """What a conversation may grow to before its middle is summed up."""
    reads_project: bool = True
    """Whether it goes by AGENTS.md, CLAUDE.md and `.claude/` of the workspace."""
    seeded: bool = False
    """Whether each trial asks the model to sample with a seed of its own."""
    apis: tuple[Api, ...] = ()
    """HTTP interfaces that it may call: it gets the tools and the instruction for that."""
    allow: tuple[str, ...] = ()
    """Hosts that its sandbox may reach, as `Egress.allow` spells them."""
    prompt: str = ""
    """What it is told in the place of the usual system prompt; around it, where it says `{default}`."""
    scaffold: Scaffold | None = None
    """The loop, where it is not the usual one."""
    guard: ToolPolicy | None = None
    """What it may do with its tools, beside what the project says."""
    person: Person = field(default=NOBODY, compare=False)
    documentation: str = "good"
    """Which documentation of a site's interface it is shown; not in its record, since an arm says it."""
    then: Callable[[Run], Awaitable[str]] | None = field(default=None, compare=False)
    """Asked whenever the conversation has ended: what the model is told next in it; empty where that was all."""

    def __post_init__(self) -> None:
        if self.limits.match and not (self.scaffold and self.scaffold.goes_on):
            raise AgentError(UNMATCHED.format(name=self.name))

    @cached_property
    def record(self) -> Agent:
        """The configuration that identifies the agent."""
        named = [tool if isinstance(tool, str) else tool.spec.name for tool in self._tool_specs]
        sources = source_of(tool for tool in self._tool_specs if isinstance(tool, str))
        sampling = msgspec.to_builtins(self.settings) | {"stop": " ".join(map(repr, self.settings.stop)) or None}
        return Agent(
            name=self.name,
            program=PROGRAM,
            version=PROMPT_VERSION,
            model=self.model.name,
            settings={
                **{key: value for key, value in sampling.items() if value is not None and value is not False},
                **self.limits.settings(),
                "tools": format_list(named),
                **({"tool_sources": sources} if sources else {}),
                "context_tokens": self.context_tokens,
                "reads_project": self.reads_project,
                "seeded": self.seeded,
                **({"apis": f"{self._interface_prompt.version}:{_hash(self.apis)}"} if self.apis else {}),
                **({"allow": "+".join(self.allow)} if self.allow else {}),
                **({"guard": self.guard.text()} if self.guard is not None else {}),
                **({"prompt": self.prompt} if self.prompt else {}),
                **({"scaffold": self.scaffold.name, "scaffold_source": self.scaffold.source} if self.scaffold else {}),
            },
        )

    @cached_property
    def needs(self) -> Needs:
        """The sandbox that its tools need."""
        named = {tool if isinstance(tool, str) else tool.spec.name for tool in self._tool_specs}
        return replace(tools_needs(self._tool_specs), allow=self.allow, pages_only=named == {"browser"})

    def equipped(self, tools: tuple[str, ...], documentation: str) -> "Honest":
        """Gives the agent these tools in the place of its own: another agent."""
        return replace(self, tools=tools, documentation=documentation or self.documentation)

    def guarded(self, policy: ToolPolicy) -> "Honest":
        """Puts a policy between the agent and its tools: another agent."""
        return replace(self, guard=policy)

    def attended(self, person: Person, then: Callable[[Run], Awaitable[str]] | None) -> "Honest":
        """Gives the agent somebody to ask, and somebody who says what comes next when it has ended."""
        return replace(self, person=person, then=then)

    @property
    def _tool_specs(self) -> tuple[str | Tool, ...]:
        own = (each for each in self.tools if each != _SITE_TOOLS)
        return (*own, *(name for name in _INTERFACE_TOOLS if self.apis and name not in self.tools))

    @property
    def _interface_prompt(self) -> Prompt:
        return HYBRID if "browser" in self.tools else INTERFACES

    @property
    def _interface_text(self) -> str:
        return f"\n\n{self._interface_prompt.filled(self.apis)}" if self.apis else ""

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Works on the task; the steps, what was sent, and what it cost are on record as it goes."""
        mine = run.site.apis[self.documentation] if run.site and set(self.tools) & set(_INTERFACE_TOOLS) else None
        if mine and mine not in self.apis:
            return await replace(self, apis=(*self.apis, mine))(run, box)
        project = read_project(run.task.workspace) if self.reads_project else Project()
        settings = replace(self.settings, seed=run.seed & _MOST_SEED) if self.seeded else self.settings
        cassette = CassetteWriter()
        model = RecordingModel(_Noted(self.model, run), cassette)
        policies = (project.permissions,) if self.guard is None else (self.guard, project.permissions)
        judges = [PolicyJudge.of(policy) for policy in policies]
        permissions = Permissions(policies, tuple(judge for judge in judges if judge is not None))
        by = Guidance(model, self.limits, settings, self.context_tokens, permissions, self.person)
        try:
            async with AsyncExitStack() as stack:
                await self._work(by, run, box, project, stack)
        finally:
            run.artifacts[CASSETTE] = cassette.data()
            if permissions.decided:
                run.artifacts[GUARD_RECORD] = b"\n".join(permissions.decided)

    async def preflight(self, box: Sandbox) -> Sequence[str]:  # noqa: ARG002 - its tools are made for each trial
        """The obstacles to running it: asks its model one question, with a tool at hand."""
        if _SITE_TOOLS in self.tools and find_spec("mcp") is None:
            return ["the tools of a site's MCP server need a package that is not there: pip install 'honestly[mcp]'"]
        return await trouble_with(self.model, self.settings, [Finish().spec], priced=self.limits.usd is not None)

    async def _work(self, by: Guidance, run: Run, box: Sandbox, project: Project, stack: AsyncExitStack) -> None:
        # The tools of a project's servers, called `mcp__SERVER__TOOL`; and what was wrong with those that failed.
        of_task = run.task.environment.tool_servers if run.task.environment is not None else ()
        servers = (*project.servers, *(each for each in of_task if each.command))
        run.task = change(
            run.task, instruction=run.task.instruction + tool_server_lines([each for each in of_task if each.url])
        )
        offered: list[Tool] = []
        troubles = []
        for server in servers:
            try:
                program = mcp_program(box, server.command, env=server.env, prefix=f"mcp__{server.name}__")
                offered += await stack.enter_async_context(program)
            except ToolError as error:
                troubles.append(f"the tool server {server.name!r} does not work: {error}")
        if _SITE_TOOLS in self.tools and run.site is not None and run.site.mcp:
            of_site = mcp_server(run.site.mcp, headers=run.site.apis[self.documentation].headers)
            offered += await stack.enter_async_context(of_site)
        if notes := [*project.notes, *troubles]:
            run.steps.append(Step(source="system", message="\n".join((SET_UP, *notes))))
            self.person.shows(run.steps[-1])
        tools = [*_built_tools(self._tool_specs, self.person, stack, self.apis), *offered]
        tools += [skill_tool(project.skills)] if project.skills else []
        crew = Crew(by, run, box, tuple(tools), project, self.prompt, self._interface_text)
        helpers = _Helpers(crew)
        tools += [helper_tool(project.helpers, helpers.run_helper)] if project.helpers else []
        run.head = change(run.head, tools=tuple(tool_definition(tool.spec) for tool in tools))
        told = system_prompt([tool.spec.name for tool in tools], project.told(), own=self.prompt) + self._interface_text
        run.task = change(run.task, instruction=project.expanded(run.task.instruction))
        if self.scaffold:
            await self.scaffold.work(Hire(crew, tools, told))
        else:
            work = Work(by, run, box, tools)
            await work.do(told, run.task.instruction)
            while self.then and (more := await self.then(run)):
                await work.go_on(more)


@dataclass
class _Helpers:
    """Lets the project's sub-agents work: the same loop, each time a conversation and a thread of its own."""

    crew: Crew
    count: int = 0

    async def run_helper(self, helper: Helper, task: str) -> str:
        """The helper's last words. Where a limit ends it, that limit ends the agent too."""
        self.count += 1
        work, prompt = self.crew.new_worker(f"{helper.name}-{self.count}", helper.prompt, helper.may_use)
        ending = await work.do(prompt, task)
        run = self.crew.run
        run.claimed = None
        if ending is None:
            return f"The helper ended without saying how: {run.stop}"
        return f"{ending.outcome}: {ending.summary}" + (f"\nNot done: {ending.not_done}" if ending.not_done else "")


def _built_tools(
    tools: Iterable[str | Tool], person: Person, stack: AsyncExitStack, apis: tuple[Api, ...] = ()
) -> list[Tool]:
    """The tools, of which those for HTTP may call `apis`; `stack` closes those that were made here.

    Raises:
        AgentError: There is no tool of a name, or it lacks something.
    """
    found: list[Tool] = []
    for each in (*tools, *(["ask"] if person.there else [])):
        if not isinstance(each, str):
            found.append(each)
            continue
        try:
            (tool,) = default_tools([each], Surroundings(user=person.answer, apis=apis))
        except ToolError as error:
            raise AgentError(str(error)) from error
        stack.push_async_callback(_close_quietly, tool)
        found.append(tool)
    return found


def tools_needs(tools: Collection[str | Tool]) -> Needs:
    """The sandbox that these tools need.

    Raises:
        SandboxUnavailableError: An extra is not installed.
    """
    names = {tool.partition(":")[0] for tool in tools if isinstance(tool, str)}
    packages = (*(KERNEL_PACKAGES if "python" in names else ()), *(browser_packages() if "browser" in names else ()))
    if not packages:
        return Needs()
    layout = packages_layout(packages)
    return Needs(layout=layout, limits=BROWSER_LIMITS) if "browser" in names else Needs(layout=layout)


async def _close_quietly(tool: Tool) -> None:
    """Closes it even where the trial is being cancelled."""
    with anyio.CancelScope(shield=True), anyio.move_on_after(10):
        await tool.close()


class _Noted:
    """A model that notes what was really sent to it: a client that drops a seed silently makes another experiment."""

    def __init__(self, model: Model, run: Run) -> None:
        self.name = model.name
        self._model, self._run = model, run
        self._kinds: dict[bytes, dict[str, Any]] = {}
        self._answered = False

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The model's answer."""
        self._run.unanswered = not self._answered
        reply = await self._model(messages, tools, settings)
        self._answered, self._run.unanswered = True, False
        if reply.sent is not None:
            kind = {"model": reply.sent.model, "settings": reply.sent.settings, "dropped": reply.sent.dropped}
            key = encode(kind)
            if key in self._kinds or len(self._kinds) < _MOST_KINDS:
                self._kinds.setdefault(key, kind | {"calls": 0})["calls"] += 1
                self._run.artifacts[_SENT] = encode(list(self._kinds.values()))
        return reply


def _hash(apis: tuple[Api, ...]) -> str:
    """Of everything but the keys."""
    known = [[api.base, api.methods, sorted(api.headers), api.pages] for api in apis]
    return blake2b(msgspec.json.encode(known), digest_size=8).hexdigest()
