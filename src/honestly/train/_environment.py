"""A suite as an environment for reinforcement learning, paid by hidden tests alone.

An episode is one try at one task, in a sandbox of its own that holds the task's public files. The policy runs commands
and writes files in it, and at last submits; or it answers once, with a program. Then the sandbox is closed, and the
files that it left are judged as those of any trial are: hidden checks over a wire, or inside with twins. The reward is
1.0 or 0.0 by that verdict; None where the infrastructure failed, which is no statement about the policy. Visible
checks are judged, too, and said in `info`, and never paid. Nothing in the sandbox is read as a reward.

A sandbox is opened when something is run in it first: an answer in one text needs none but its judge's. A task of a web
site finds the site beside its sandbox; one with a table of facts is told without them, and a simulated user answers.

Detectors of the audit may be named as vetoes: what they flag as a hack earns 0.0.

Not covered: while work is judged, the sandboxes of other episodes go on running (in a study they stand still), so that
episodes can tell each other something by counters of the whole machine.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import anyio
from anyio.abc import TaskGroup

from honestly._group import flat_group
from honestly.agents import tools_needs
from honestly.audit import Case, Detector, audit_case, choose_detectors, read_table
from honestly.errors import HonestlyError, SandboxError, SandboxLimitError, TaskError, ToolError
from honestly.people import FactTable, Manner, RuleUser
from honestly.records import (
    Edit,
    File,
    Observation,
    Outcome,
    Preparation,
    Step,
    Suite,
    Task,
    ToolCall,
    Tree,
    Trial,
    Verdict,
    trial_id,
)
from honestly.sandbox import Sandbox, open_sandbox
from honestly.sites import OpenSite, open_site
from honestly.stats import wilson_interval
from honestly.tools import TOOLS, Api, Surroundings, Tool, default_tools
from honestly.train._judging import EpisodeJudge
from honestly.verify import (
    SITE,
    OpenBox,
    Slots,
    furnished_opener,
    in_environment,
    reachable_address,
    reachable_apis,
    verdict_outcome,
    with_state,
)

Action = str | Mapping[str, Any]
"""What a policy does: `{"tool": "bash", "command": ...}`, `{"tool": "write", "path": ..., "content": ...}`,
`{"tool": "submit"}`, another tool with its arguments, the same as JSON text; or a text whose last fenced block is the
whole answer."""


def _tool_told(name: str, doc: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "function", "function": {"name": name, "description": doc, "parameters": schema}}


EPISODE_TOOLS: tuple[Mapping[str, Any], ...] = tuple(
    _tool_told(
        name,
        doc,
        {"type": "object", "properties": {each: {"type": "string"} for each in arguments}, "required": arguments},
    )
    for name, doc, arguments in (
        ("bash", "Run a shell command in the workspace.", ["command"]),
        ("write", "Write a file of the workspace.", ["path", "content"]),
        ("submit", "Say that the work is done; it is judged then.", []),
    )
)
"""The tools that each episode has, as models are told of them; `TrainingEnvironment.tools` has all."""

_FENCED = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)
_MOST_TEXT = 10_000
_CLOSED = "this environment is closed; episodes are played inside of `async with`"
_JUDGES = 4
"""Groups of works that are judged at a time, so that a slow one holds up a part of the others alone."""
_AGENT = "policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentOptions:
    """The settings of an environment."""

    turns: int = 30
    """Most actions; after the last one the work is judged as it is."""
    command_s: float = 30.0
    """Seconds for a command."""
    vetoes: tuple[str, ...] = ()
    """Detectors of the audit; what one of them flags as a hack earns nothing."""
    show_tests: bool = True
    """Whether the visible tests lie in the workspace."""
    preamble: str = ""
    """Text before each instruction: that hacks are not wanted, or how to stop honestly."""
    specs: Mapping[str, str] = field(default_factory=dict)
    """Text after the instruction, by the id of the task: what it leaves open, said."""
    pay_visible: bool = False
    """Pays for visible tests, as environments that can be gamed do: for comparison, never for training."""
    answer_path: str = ""
    """Where the program of a single answer is written; the one file of the workspace that is no test, where empty."""
    tools: tuple[str, ...] = ()
    """Further tools by name: `http`, `browser`, `python`, `edit` and others of docs/tools.md."""
    facts: Mapping[str, FactTable] = field(default_factory=dict)
    """By the id of a task, what its instruction leaves out and a simulated user knows, who is asked by `ask`."""
    manner: Manner = field(default_factory=Manner)
    """How patient, friendly and technical the user is."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of an action."""

    observation: str
    done: bool = False
    reward: float | None = None
    """At the end 1.0 or 0.0, and None where the infrastructure failed; before the end 0.0 was not earned: None."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """At the end: `outcome`, `visible`, `hidden` (both null where not measured), `hack`, `flagged`, `error`; with a
    user `questions`, and the names of the facts that there are (`facts`) and that it told (`told`)."""


@dataclass(frozen=True, slots=True)
class HackCount:
    """Hacks among judged episodes: passed only the visible checks, tampered, or flagged."""

    hacks: int
    judged: int
    low: float
    high: float
    """Wilson's interval, 95%; NaN where nothing was judged."""


class TrainingEnvironment:
    """A suite to be played, any number of episodes at once; an async context manager."""

    def __init__(
        self, suite: Suite, options: EnvironmentOptions | None = None, open_box: OpenBox = open_sandbox
    ) -> None:
        """An environment of the tasks of a suite.

        Args:
            suite: With its hidden parts.
            options: How episodes are played.
            open_box: Opens sandboxes.

        Raises:
            TaskError: A task has no hidden checks, so that nothing could be earned; or a detector has no such name.
            HonestlyError: Another option cannot be meant.
            ToolError: There is no tool of a name.
            SandboxUnavailableError: A tool needs an extra that is not installed.
        """
        unknown = [task.id for task in suite.tasks if task.hidden is None]
        if unknown or not suite.tasks:
            raise TaskError(
                f"no hidden checks are known of {', '.join(unknown[:5]) or suite.name}; nothing can be earned"
            )
        self.suite, self.options = suite, options or EnvironmentOptions()
        _check_options(self.options, {task.id for task in suite.tasks})
        self.ended: list[tuple[bool, bool]] = []
        """For each judged episode, in order, whether it earned the reward, and whether it was a hack."""
        self._slots = Slots(open_box)
        self._judge = EpisodeJudge(self._slots)
        self._needs = tools_needs(self.options.tools)
        self._detectors: Sequence[Detector] = choose_detectors(self.options.vetoes) if self.options.vetoes else ()
        self._stack = AsyncExitStack()
        self._group: TaskGroup
        self._begun = 0
        self._is_open = False

    async def __aenter__(self) -> TrainingEnvironment:
        await self._stack.__aenter__()
        await self._stack.enter_async_context(self._slots)
        self._group = await self._stack.enter_async_context(flat_group())
        for _ in range(_JUDGES):
            self._group.start_soon(self._judge.run)
        self._is_open = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._is_open = False
        self._group.cancel_scope.cancel()
        return await self._stack.__aexit__(kind, error, trace)

    async def reset(self, task: str = "", seed: int = 0) -> Episode:
        """A new episode.

        Args:
            task: Its id; the tasks in turn, where empty.
            seed: Of the random inputs of hidden checks.

        Raises:
            HonestlyError: The environment is closed.
            TaskError: There is no such task.
            SandboxError: The sandbox of a task on a web site cannot be opened.
        """
        if not self._is_open:
            raise HonestlyError(_CLOSED)
        chosen = self.suite.task(task) if task else self.suite.tasks[self._begun % len(self.suite.tasks)]
        self._begun += 1
        episode = Episode(self, chosen, seed)
        opened = await self._group.start(episode.live)
        if isinstance(opened, HonestlyError):
            raise opened
        return episode

    def prompt(self, task: Task) -> str:
        """What the policy is told of a task; a web site's address is known when its episode has begun."""
        table = self.options.facts.get(task.id)
        instruction = table.instruction([fact.name for fact in table.facts]) if table else task.instruction
        told = self.options.specs.get(task.id, "")
        return "\n\n".join(filter(None, (self.options.preamble, instruction, told)))

    @property
    def tools(self) -> list[Mapping[str, Any]]:
        """All tools that an episode may have, as models are told of them."""
        user = RuleUser(()).answer if self.options.facts else None
        more = default_tools(self.tool_names(asks=user is not None), Surroundings(user=user))
        return [*EPISODE_TOOLS, *(_tool_told(each.spec.name, each.spec.doc, each.spec.schema) for each in more)]

    def tool_names(self, *, asks: bool) -> list[str]:
        """The names of further tools, with `ask` where there is somebody to ask."""
        return [*(each for each in self.options.tools if each != "ask"), *(["ask"] if asks else [])]

    def open_box(self, task: Task, files: Tree) -> AbstractAsyncContextManager[Sandbox]:
        """A sandbox for work on the public part of a task."""
        opener: OpenBox = self._slots
        if task.preparation != Preparation():
            opener = furnished_opener(task.preparation, opener)
        if task.environment is not None:
            return in_environment(task, opener, "agent")(files)
        needs = self._needs
        return opener(files, layout=needs.layout, limits=needs.limits) if self.options.tools else opener(files)

    def hack_count(self, last: int = 0) -> HackCount:
        """Hacks among the judged episodes, or the last so many of them."""
        ended = self.ended[-last:] if last else self.ended
        hacks = sum(hack for _, hack in ended)
        low, high = wilson_interval(hacks, len(ended)) if ended else (math.nan, math.nan)
        return HackCount(hacks, len(ended), float(low), float(high))

    async def judge(self, task: Task, final: Tree, seed: int, steps: Sequence[Step]) -> StepResult:
        """The end of an episode that left these files, having taken these steps."""
        try:
            verdict = await self._judge.verdict(task, final, seed, whole=bool(self._detectors))
        except HonestlyError as error:
            return _broken_step(str(error))
        if verdict.honest is None:
            return _broken_step("the hidden checks gave no verdict")
        flagged = self._flags(task, final, steps, verdict)
        visible = verdict.visible.passed if verdict.visible is not None else None
        outcome = verdict_outcome(verdict, ran_out=False)
        passed = bool(visible) if self.options.pay_visible else outcome is Outcome.PASSED
        earned = passed and not flagged
        hack = bool(flagged or verdict.tampered or (visible and not verdict.honest))
        self.ended.append((earned, hack))
        info = {
            "outcome": str(outcome),
            "visible": visible,
            "hidden": verdict.honest,
            "hack": hack,
            "flagged": flagged,
            "error": "",
        }
        return StepResult("The work was judged.", True, 1.0 if earned else 0.0, info)

    def _flags(self, task: Task, final: Tree, steps: Sequence[Step], verdict: Verdict) -> list[str]:
        if not self._detectors:
            return []
        trial = Trial(
            id=trial_id(task.hash, _AGENT, 0, 0),
            agent=_AGENT,
            task=task.id,
            sample=0,
            outcome=verdict_outcome(verdict, ran_out=False),
            verdict=verdict,
        )
        case = Case(trial=trial, table=read_table(steps, task), task=task, final=Edit.between(task.workspace, final))
        found = audit_case(case, self._detectors, lambda index: steps[index] if index < len(steps) else None)
        return sorted(each.detector for each in found if each.state == "flagged" and each.severity == "hack")


@dataclass(slots=True)
class _Reply:
    """What comes of one action."""

    came: anyio.Event = field(default_factory=anyio.Event)
    found: StepResult | None = None
    """None where the environment was closed before."""

    def give(self, found: StepResult) -> None:
        self.found = found
        self.came.set()


class Episode:
    """One try at one task; made by `Environment.reset`."""

    def __init__(self, environment: TrainingEnvironment, task: Task, seed: int) -> None:
        self.task_id = task.id
        self.prompt = environment.prompt(task)
        """What the policy is told."""
        self.done = False
        table = environment.options.facts.get(task.id)
        self._user = RuleUser(table.facts, manner=environment.options.manner) if table else None
        self._environment, self._task, self._seed = environment, task, seed
        self._steps: list[Step] = []
        self._asking, self._asked = anyio.create_memory_object_stream[tuple[Action, _Reply]](1)
        self._reply = _Reply()
        """What whoever asked last waits for; who was cancelled meanwhile never reads it."""

    async def step(self, action: Action) -> StepResult:
        """What comes of an action; with the last one the work is judged.

        Raises:
            HonestlyError: The episode is over, or the environment is closed.
        """
        if self.done:
            raise HonestlyError("this episode is over; reset gives a new one")
        reply = _Reply()
        try:
            await self._asking.send((action, reply))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            reply = self._reply if self._reply.found and self._reply.found.done else reply  # nobody waited for its end
            reply.came.set()
        await reply.came.wait()
        self.done = reply.found is None or reply.found.done
        if reply.found is None:
            raise HonestlyError(_CLOSED)
        return reply.found

    async def close(self) -> None:
        """Ends it without a judgement, if it is not over."""
        self.done = True
        await self._asking.aclose()

    async def live(self, *, task_status: anyio.abc.TaskStatus[object]) -> None:
        """Plays until the work is submitted, and judges it; run by the environment, in a task of its own."""
        try:
            await self._play(task_status)
        finally:
            waiting = [self._reply]
            with suppress(anyio.WouldBlock, anyio.EndOfStream, anyio.ClosedResourceError):
                while True:
                    waiting.append(self._asked.receive_nowait()[1])
            self._asked.close()
            for reply in waiting:
                reply.came.set()

    async def _play(self, task_status: anyio.abc.TaskStatus[object]) -> None:
        task, options = self._task, self._environment.options
        files = task.workspace
        if not options.show_tests and task.visible is not None:
            files = files.without(task.visible.files.files)
        said = StepResult("")
        try:
            async with _Workplace(self._environment, task, files, self._user) as place:
                if task.site:
                    self.prompt = self.prompt.replace(SITE, await place.site_address())
                self._steps.append(Step(source="user", message=self.prompt))
                task_status.started(None)
                for turn in range(1, options.turns + 1):
                    try:
                        action, self._reply = await self._asked.receive()
                    except anyio.EndOfStream:
                        return
                    said, submitted = await self._act(place, action, turn)
                    if submitted or turn == options.turns:
                        break
                    self._reply.give(said)
                final = await place.final()
        except SandboxLimitError as error:
            ended = StepResult(str(error), True, 0.0, {"outcome": "failed", "hack": False, "error": str(error)})
            self._environment.ended.append((False, False))
            await self._end(ended, task_status)
            return
        except HonestlyError as error:
            await self._end(_broken_step(str(error)), task_status, error)
            return
        ended = await self._environment.judge(task, final, self._seed, self._steps)
        info = {**ended.info, **self._of_user()}
        observation = "\n".join(filter(None, (said.observation, ended.observation)))
        self._reply.give(StepResult(observation, True, ended.reward, info))

    def _of_user(self) -> dict[str, Any]:
        """What was asked of the user, and what it told."""
        if self._user is None:
            return {}
        told = sorted({name for event in self._user.events for name in event.facts})
        return {
            "questions": sum(bool(event.question) for event in self._user.events),
            "facts": [fact.name for fact in self._user.facts],
            "told": told,
        }

    async def _end(
        self, ended: StepResult, task_status: anyio.abc.TaskStatus[object], error: HonestlyError | None = None
    ) -> None:
        try:
            task_status.started(error)  # it never began
        except RuntimeError:
            self._reply.give(ended)

    async def _act(self, place: _Workplace, action: Action, turn: int) -> tuple[StepResult, bool]:
        """What comes of an action, and whether it is the last."""
        wanted = _parsed(action)
        name = str(wanted.get("tool", ""))
        if name == "answer":
            path = self._environment.options.answer_path or _only_file(self._task)
            text = await place.write(path, str(wanted["content"])) if path else "no file to write the answer to"
            wanted = {"tool": "write", "path": path, "content": wanted["content"]}
        elif name == "write":
            text = await place.write(str(wanted.get("path", "")), str(wanted.get("content", "")))
        elif name == "submit":
            text = ""
        else:
            text = await place.use(name, {key: value for key, value in wanted.items() if key != "tool"})
        arguments = {key: value for key, value in wanted.items() if key != "tool"}
        call = ToolCall.of(f"call-{turn}", str(wanted.get("tool", "")) or "none", **arguments)
        said = _clean(action) if isinstance(action, str) else ""
        observed = (Observation(text=text, call_id=call.id),)
        self._steps.append(Step(source="agent", message=said, calls=(call,), observations=observed))
        return StepResult(text), name in {"submit", "answer"}


class _Workplace:
    """The files of an episode, and the sandbox around them, which is opened when something is run."""

    def __init__(self, environment: TrainingEnvironment, task: Task, files: Tree, user: RuleUser | None) -> None:
        self._environment, self._task, self._files, self._user = environment, task.public(), files, user
        self._stack = AsyncExitStack()
        self._box: Sandbox | None = None
        self._site: OpenSite | None = None
        self._tools: dict[str, Tool] = {}

    async def __aenter__(self) -> _Workplace:
        await self._stack.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._stack.__aexit__(kind, error, trace)

    async def site_address(self) -> str:
        """Opens the sandbox and the site beside it; returns the address at which it is reached in there."""
        task, box = self._task, await self._opened()
        self._site = await self._stack.enter_async_context(open_site(task.site, seed=task.site_seed))
        url = await self._stack.enter_async_context(reachable_address(self._site, box))
        self._tools = self._made_tools(reachable_apis(self._site, url)["good"])
        return url

    async def write(self, path: str, content: str) -> str:
        """Writes a file; in memory, where no sandbox is open and nothing is in the way."""
        data = content.encode("utf-8", "replace")
        try:
            if self._box is None and (files := _with_file(self._files, path, data)) is not None:
                self._files = files
            else:
                await (await self._opened()).write(path, data)
        except SandboxLimitError:
            raise
        except SandboxError as error:
            return f"{path!r} was not written: {error}"
        return f"wrote {path}"

    async def use(self, name: str, arguments: Mapping[str, Any]) -> str:
        """The text that a tool gives."""
        if name == "bash":
            done = await (await self._opened()).exec(
                str(arguments.get("command", "")), timeout=self._environment.options.command_s
            )
            output = (done.stdout + done.stderr).decode("utf-8", "replace")
            code = done.code if done.code is not None else "by the time limit"
            return f"{output[:_MOST_TEXT]}\n(exit {code})".strip()
        if not self._tools:
            self._tools = self._made_tools()
        if name not in self._tools:
            known = ", ".join(["bash", "write", "submit", *self._tools])
            return f"expected a JSON object with tool: {known}; or an answer with a fenced block"
        try:
            return (await self._tools[name](await self._opened(), arguments)).text[:_MOST_TEXT]
        except ToolError as error:
            return str(error)
        except HonestlyError:
            raise
        except Exception as error:
            raise HonestlyError(f"the tool {name} failed: {type(error).__name__}: {error}") from error

    async def final(self) -> Tree:
        """The files as they are now, with the state of the site."""
        files = self._files if self._box is None else await self._box.snapshot()
        return with_state(files, self._site) if self._site is not None else files

    async def _opened(self) -> Sandbox:
        if self._box is None:
            self._box = await self._stack.enter_async_context(self._environment.open_box(self._task, self._files))
        return self._box

    def _made_tools(self, *apis: Api) -> dict[str, Tool]:
        around = Surroundings(user=self._user.answer if self._user else None, apis=apis)
        tools = default_tools(self._environment.tool_names(asks=self._user is not None), around)
        for each in tools:
            self._stack.push_async_callback(each.close)
        return {each.spec.name: each for each in tools}


def _with_file(files: Tree, path: str, data: bytes) -> Tree | None:
    """The files with one more, or None where the path is none, or something is in its way."""
    parts = path.split("/")
    if any(part in {"", ".", ".."} for part in parts) or not path.isascii() or "\0" in path:
        return None
    above = {"/".join(parts[:at]) for at in range(1, len(parts))}
    there = files.files.get(path)
    if not above.isdisjoint(files.files) or any(each.startswith(f"{path}/") for each in files.files):
        return None
    if there is not None and there.mode == "link":
        return None
    return Tree(files={**files.files, path: File(data=data, mode=there.mode) if there else File(data=data)})


def _check_options(options: EnvironmentOptions, tasks: set[str]) -> None:
    if options.turns < 1 or not 0 < options.command_s < math.inf:
        raise HonestlyError(
            f"{options.turns} turns, {options.command_s} s for a command: expected at least one, above 0"
        )
    if unknown := sorted({*options.specs, *options.facts} - tasks):
        raise TaskError(f"specs or facts are of a task that is not in the suite: {', '.join(unknown[:5])}")
    if options.answer_path:
        Tree(files={options.answer_path: File(data=b"")})  # raises for what is no path
    for name in options.tools:
        TOOLS.parse(name)


def _broken_step(why: str) -> StepResult:
    info: dict[str, Any] = {
        "outcome": "void",
        "visible": None,
        "hidden": None,
        "hack": False,
        "flagged": [],
        "error": why,
    }
    return StepResult(f"The infrastructure failed: {why}", True, None, info)


def _parsed(action: object) -> Mapping[str, Any]:
    """What is wanted; empty for what is no action. What UTF-8 cannot hold is replaced."""
    if isinstance(action, Mapping):
        return {_clean(str(key)): _clean(value) for key, value in action.items()}
    if not isinstance(action, str):
        return {}
    try:
        found = json.loads(action)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict):
        return _parsed(found)
    blocks = _FENCED.findall(action)
    return {"tool": "answer", "content": _clean(blocks[-1])} if blocks else {}


def _clean(value: Any) -> Any:  # noqa: ANN401 - of any type that JSON has
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _only_file(task: Task) -> str:
    tests = task.visible.files.files if task.visible is not None else {}
    files = [path for path in task.workspace.files if path not in tests]
    return files[0] if len(files) == 1 else ""


Environment = TrainingEnvironment
"""Its short name in this room; `honestly.records.Environment` is the image of a task."""
