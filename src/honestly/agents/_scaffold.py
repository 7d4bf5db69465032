"""A scaffold: the loop itself as somebody's own function, over the model, the tools and the sandbox.

    async def scaffold(run, box, model, tools, prompt, *, rounds: int = 3) -> None

It asks for what it needs by these names, `run` and `model` at least; arguments after the star are its settings. Who
would rather hold whole conversations asks for `hire` in the place of `model`; who can go on after its end, as a matched
budget wants it, for `more` (`_crew.py`, `_pace.py`); `principles` are those of the agent's policies. It decides what is
asked and when. The rest is as for the agent's own loop: each question, answer, call and result goes on record as it
happens, limits are kept before each call of the model, and what the model gets wrong is told to it.

What identifies a scaffold is its name, its settings and the hash of its source: see `Seam.source` for what is in that.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

import anyio

from honestly.agents._crew import Hire, StoppedByPerson
from honestly.agents._finish import read_ending
from honestly.agents._function import source_version
from honestly.agents._limits import estimated_tokens, tokens_missing, tool_tokens, written_tokens
from honestly.agents._pace import UNSAID, ContinueUntilBudget
from honestly.agents._replies import WantedCall, as_step, read_calls, tool_observation, with_observation
from honestly.agents._run import Run
from honestly.agents._talk import Guidance
from honestly.agents._toolbox import Toolbox
from honestly.errors import AgentError, BudgetError
from honestly.models import NO_SETTINGS, Message, Settings, ToolSpec
from honestly.records import Step, digest
from honestly.sandbox import Sandbox, unpaused_limit
from honestly.seams import KnownName, Seam, asks_for, did_you_mean, is_async
from honestly.tools import Tool

ScaffoldFunction = Callable[..., Awaitable[None]]
"""Works on `run.task`: `async def scaffold(run, box, model, tools, prompt)`, or some of these."""

SCAFFOLDS = Seam(
    kind="scaffold",
    group="honestly.scaffolds",
    protocol="honestly.agents.ScaffoldFunction",
    error=AgentError,
    known=(
        KnownName("single", "honestly.teams._single:single", "one conversation: the usual loop"),
        KnownName("ralph", "honestly.teams._ralph:ralph", "a fresh conversation each time, notes in a file"),
        KnownName("team", "honestly.teams._team:team", "planner, coder, tester and reviewer, in rounds"),
        KnownName("revise", "honestly.teams._revise:revise", "critique by a policy's principles, and revision"),
    ),
)
"""What may be named as `scaffold` of the agent `honest`."""

LOOPS = tuple(known.name for known in SCAFFOLDS.known)
"""Names of the built-in ones, which are also names of agents."""

UNMATCHED = (
    "agent {name!r} stops when it likes, so its budget cannot be matched; expected one of "
    f"{', '.join(LOOPS)}, or a scaffold that asks for `more` (docs/teams.md)"
)
"""What is said of an agent that cannot use up a budget."""

_GIVEN = ("run", "box", "model", "tools", "prompt", "hire", "more", "principles")
_NEEDED = ("run", "model")
_EXPECTED = "expected `async def name(run, box, model, tools, prompt)`, settings after a star"


@dataclass(frozen=True)
class Scaffold:
    """Your own loop, with its identity."""

    function: ScaffoldFunction
    name: str
    """What was typed: where it is, and its settings."""
    source: str
    """The hash of its source."""

    @staticmethod
    def of(given: "str | ScaffoldFunction | Scaffold") -> "Scaffold":
        """The scaffold that a spec names (`module:function,key=value`), or that a function is.

        Raises:
            AgentError: There is none of this name, its module cannot be imported, or it cannot be called as one.
        """
        if isinstance(given, Scaffold):
            return given
        if not isinstance(given, str):
            _require_scaffold(given, getattr(given, "__qualname__", repr(given)))
            return Scaffold(given, f"function:{given.__qualname__}", source_version(given))
        asked = SCAFFOLDS.parse(given)
        _require_scaffold(SCAFFOLDS.load(asked), asked.name)
        # Of a built-in one the hash of its file, since its prompts are part of what it does.
        source = (
            SCAFFOLDS.source(asked)
            if SCAFFOLDS.is_foreign(asked)
            else digest(inspect.getsource(import_module(SCAFFOLDS.load(asked).__module__)))[:16]
        )
        return Scaffold(SCAFFOLDS.make_object(asked), given, source)

    @property
    def goes_on(self) -> bool:
        """Whether it can be told to go on after its end, as a matched budget wants it."""
        return asks_for(self.function, "more")

    async def work(self, hire: Hire) -> None:
        """Lets it work; the run says how it ended, unless the scaffold has said so itself."""
        by, run, box = hire.crew.by, hire.crew.run, hire.crew.box
        toolbox, pace = ScaffoldTools(by, run, box, hire.tools), ContinueUntilBudget(run, box, by.limits)
        model = _OnRecord(by, run, toolbox)
        given = {"run": run, "box": box, "model": model, "tools": toolbox, "prompt": hire.prompt}
        given |= {"hire": hire, "more": pace, "principles": by.permissions.principles}
        try:
            with unpaused_limit(box, by.limits.seconds) as clock:
                await self._run_function(given)
            if clock.cancelled_caught:
                run.stop, run.limit = "limit: seconds", "seconds"
            elif not run.limit and not run.stop:
                ending = toolbox.ending or read_ending(model.last)
                run.stop = ending.outcome if ending else UNSAID
                run.claimed = ending.outcome == "done" if ending else None
        finally:
            pace.settle()

    async def _run_function(self, given: Mapping[str, Any]) -> None:
        run: Run = given["run"]
        try:
            await self.function(**{name: value for name, value in given.items() if asks_for(self.function, name)})
        except StoppedByPerson:
            run.stop = "stopped by the person"
        except BudgetError as error:
            run.stop, run.limit = f"limit: {error}", run.limit or "budget"


class ScaffoldTools(Toolbox):
    """The tools that a scaffold gets: `specs` for the model, `do` for what it calls, `ending` once it has ended."""

    def __init__(self, by: Guidance, run: Run, box: Sandbox, tools: Sequence[Tool]) -> None:
        super().__init__(by, box, tools)
        self._run = run
        self._open: list[tuple[Message, list[WantedCall], int]] = []

    def heard(self, reply: Message, wanted: list[WantedCall], step: int) -> None:
        """Notes a reply that is on record as this step, so that its calls can be done."""
        self._open.append((reply, wanted, step))

    async def do(self, reply: Message) -> list[Message]:
        """Do the calls of a reply in their order, on record; the messages that tell the model what came of each.

        Raises:
            ValueError: The model did not say this, or its calls were done before.
        """
        found = next((each for each in self._open if each[0] is reply), None)
        if found is None:
            raise ValueError(
                "tools.do takes a reply of the model as it came, once; this one is not, or was done before"
            )
        self._open.remove(found)
        _, wanted, step = found
        told = []
        for want in wanted:
            clock = anyio.current_time()
            out, _ = await self.use_tool(want, alone=len(wanted) == 1)
            seen = tool_observation(out, want.call.id)
            self._run.steps[step] = with_observation(self._run.steps[step], seen, anyio.current_time() - clock)
            self._by.person.shows(self._run.steps[step])
            told.append(Message(role="tool", text=seen.text, images=out.images, call_id=want.call.id))
        return told


class _OnRecord:
    """The model as a scaffold has it: within the limits, and with all that is said on record."""

    def __init__(self, by: Guidance, run: Run, tools: ScaffoldTools) -> None:
        self.name, self.last = by.model.name, ""
        self._by, self._run, self._tools = by, run, tools
        self._told: set[tuple[str, str]] = set()
        self._typed: list[tuple[int, Message]] = []

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        """The model's reply, with calls that can stand in the next request.

        Raises:
            BudgetError: A limit is reached.
            ModelError: It did not answer.
        """
        if self._by.person.stopping():
            raise StoppedByPerson
        if limit := self._by.limits.limit_reached(self._run.steps):
            self._run.limit = limit
            raise BudgetError(limit)
        # What the person has typed stands where it came, in this request and in all later ones.
        self._typed += [(len(messages), Message(role="user", text=line)) for line in self._by.person.said()]
        told = list(messages)
        for place, line in reversed(self._typed):
            told.insert(place, line)
        messages = told
        for message in messages:
            if message.role in {"system", "user"} and (message.role, message.text) not in self._told:
                self._told.add((message.role, message.text))
                self._record_step(Step(source="system" if message.role == "system" else "user", message=message.text))
        at, clock = datetime.now(UTC).isoformat(timespec="milliseconds"), anyio.current_time()
        reply = await self._by.model(messages, tools, self._by.settings if settings == NO_SETTINGS else settings)
        wanted = read_calls(reply, [tool.name for tool in self._tools.specs], len(self._run.steps))
        guessed = None
        if tokens_missing(reply):
            guessed = estimated_tokens(messages) + tool_tokens(tools) + written_tokens(reply)
        self._record_step(as_step(reply, wanted, at, anyio.current_time() - clock, guessed))
        intact = all(want.call == call for want, call in zip(wanted, reply.calls, strict=True))
        text = reply.text if reply.text.strip() or wanted else "(nothing)"
        safe = replace(
            reply, text=text, calls=tuple(want.call for want in wanted), opaque=reply.opaque if intact else b""
        )
        self._tools.heard(safe, wanted, len(self._run.steps) - 1)
        self.last = reply.text
        return safe

    def _record_step(self, step: Step) -> None:
        self._run.steps.append(step)
        self._by.person.shows(step)


def _require_scaffold(found: object, name: str) -> None:
    """Refuses what cannot be called as a scaffold, before anything is paid."""
    if not (callable(found) and is_async(found)):
        raise AgentError(f"scaffold {name!r} is of type {type(found).__name__}, not an async function; {_EXPECTED}")
    parameters = inspect.signature(found).parameters.values()
    usual = [each for each in parameters if each.kind not in {each.KEYWORD_ONLY, each.VAR_KEYWORD, each.VAR_POSITIONAL}]
    names = [each.name for each in usual]
    for each in usual:
        if each.name not in _GIVEN or each.kind is each.POSITIONAL_ONLY:
            near = did_you_mean(each.name, _GIVEN)
            raise AgentError(
                f"scaffold {name!r} asks for {each.name!r}, which honestly does not pass{near}; {_EXPECTED}"
            )
    if missing := [needed for needed in _NEEDED if needed not in {*names, *(("model",) * ("hire" in names))}]:
        raise AgentError(f"scaffold {name!r} does not ask for {' and '.join(map(repr, missing))}; {_EXPECTED}")
