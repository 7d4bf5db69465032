"""The agent as something that can be run, planned and recorded: a model, tools, limits, and how it is set up.

`record` holds everything that could change what it does, and its hash is the agent's identity: model, version of the
prompt, tools, limits, settings. The project's own set-up is not part of it, since it belongs to the task.
"""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import msgspec
from msgspec.structs import replace as change

from honestly.agents._agent import Work
from honestly.agents._limits import DEFAULT_LIMITS, AgentLimits
from honestly.agents._noted import Noted
from honestly.agents._person import NOBODY, Person
from honestly.agents._project import Helper, Project, helper_tool, read_project, skill_tool
from honestly.agents._prompt import PROMPT_VERSION, system_prompt
from honestly.agents._replies import definition
from honestly.agents._run import Needs, Run
from honestly.agents._talk import Guidance
from honestly.agents._toolbox import made, needs_of, served
from honestly.models import NO_SETTINGS, CassetteWriter, Model, RecordingModel, Settings
from honestly.records import Agent, Step
from honestly.sandbox import Sandbox
from honestly.seams import format_list
from honestly.tools import HYBRID, INTERFACES, Api, Prompt, Tool, source_of

PROGRAM = "honest-agent"
"""What studies call the program; `honest` alone is the known-truth one."""
CASSETTE = "cassette.jsonl"
"""Name of the artifact from which a trial is replayed: every question to the model with its answer."""

SET_UP = "Set-up of the project:"
"""How the step begins that says what of a project's set-up could not be read."""

_MOST_SEED = (1 << 31) - 1
_INTERFACE_TOOLS = ("http", "api_documentation")


@dataclass(frozen=True)
class Honest:
    """An agent that works with a model."""

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
    person: Person = field(default=NOBODY, compare=False)

    @property
    def record(self) -> Agent:
        """Its identity."""
        named = [tool if isinstance(tool, str) else tool.spec.name for tool in self._tools]
        sources = source_of(tool for tool in self._tools if isinstance(tool, str))
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
                **({"apis": f"{self._instruction.version}:{_hash(self.apis)}"} if self.apis else {}),
                **({"allow": "+".join(self.allow)} if self.allow else {}),
            },
        )

    @property
    def needs(self) -> Needs:
        """The sandbox that its tools need."""
        return replace(needs_of(self._tools), allow=self.allow)

    @property
    def _tools(self) -> tuple[str | Tool, ...]:
        """Its tools, with those that its interfaces bring."""
        return (*self.tools, *(name for name in _INTERFACE_TOOLS if self.apis and name not in self.tools))

    @property
    def _instruction(self) -> Prompt:
        """How it is told of its interfaces."""
        return HYBRID if "browser" in self.tools else INTERFACES

    @property
    def _interfaces(self) -> str:
        """What it is told of them."""
        return f"\n\n{self._instruction.filled(self.apis)}" if self.apis else ""

    async def __call__(self, run: Run, box: Sandbox) -> None:
        """Works on the task; the steps, what was sent, and what it cost are on record as it goes."""
        project = read_project(run.task.workspace) if self.reads_project else Project()
        settings = replace(self.settings, seed=run.seed & _MOST_SEED) if self.seeded else self.settings
        cassette = CassetteWriter()
        model = RecordingModel(Noted(self.model, run), cassette)
        by = Guidance(model, self.limits, settings, self.context_tokens, project.permissions, self.person)
        try:
            async with AsyncExitStack() as stack:
                await self._work(by, run, box, project, stack)
        finally:
            run.artifacts[CASSETTE] = cassette.data()

    async def _work(self, by: Guidance, run: Run, box: Sandbox, project: Project, stack: AsyncExitStack) -> None:
        offered, troubles = await served(project.servers, box, stack)
        if notes := [*project.notes, *troubles]:
            run.steps.append(Step(source="system", message="\n".join((SET_UP, *notes))))
            self.person.shows(run.steps[-1])
        tools = [*made(self._tools, self.person, stack, self.apis), *offered]
        tools += [skill_tool(project.skills)] if project.skills else []
        helpers = _Helpers(by, run, box, tuple(tools), project, self._interfaces)
        tools += [helper_tool(project.helpers, helpers.work)] if project.helpers else []
        run.head = change(run.head, tools=tuple(definition(tool.spec) for tool in tools))
        prompt = system_prompt([tool.spec.name for tool in tools], project.told()) + self._interfaces
        await Work(by, run, box, tools).do(prompt, project.expanded(run.task.instruction))


@dataclass
class _Helpers:
    """Lets the project's sub-agents work: the same loop, each time a conversation and a thread of its own."""

    by: Guidance
    run: Run
    box: Sandbox
    tools: Sequence[Tool]
    project: Project
    interfaces: str
    count: int = 0

    async def work(self, helper: Helper, task: str) -> str:
        """What the helper says at its end. Where a limit ends it, that limit ends the agent too."""
        self.count += 1
        tools = [tool for tool in self.tools if helper.may_use(tool.spec.name)] or list(self.tools)
        prompt = (
            system_prompt([tool.spec.name for tool in tools], self.project.told(alone=True), helper.prompt)
            + self.interfaces
        )
        by = replace(self.by, limits=replace(self.by.limits, seconds=None))
        ending = await Work(by, self.run, self.box, tools, f"{helper.name}-{self.count}").do(prompt, task)
        self.run.claimed = None
        if ending is None:
            return f"The helper ended without saying how: {self.run.stop}"
        return f"{ending.outcome}: {ending.summary}" + (f"\nNot done: {ending.not_done}" if ending.not_done else "")


def _hash(apis: tuple[Api, ...]) -> str:
    """Of everything but the keys."""
    known = [[api.base, api.methods, sorted(api.headers), api.pages] for api in apis]
    return blake2b(msgspec.json.encode(known), digest_size=8).hexdigest()
