"""A suite as an environment for reinforcement learning, paid by hidden tests alone.

An episode is one try at one task, in a sandbox of its own that holds the task's public files. The policy runs commands
and writes files in it, and at last submits; or it answers once, with a program. Then the sandbox is closed, and the
files that it left are judged as those of any trial are: hidden checks over a wire, or inside with twins. The reward is
1.0 or 0.0 by that verdict; None where the infrastructure failed, which is no statement about the policy. Visible
checks are judged, too, and said in `info`, and never paid. Nothing in the sandbox is read as a reward.

Detectors of the audit may be named as vetoes: what they flag as a hack earns 0.0.

Not covered: while work is judged, the sandboxes of other episodes go on running (in a study they stand still), so that
episodes can tell each other something by counters of the whole machine.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

import anyio
from anyio.abc import TaskGroup

from honestly.audit import Case, Detector, audit_case, choose_detectors, read_table
from honestly.errors import HonestlyError, SandboxError, SandboxLimitError, TaskError
from honestly.records import (
    Edit,
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
from honestly.stats import wilson_interval
from honestly.verify import OpenBox, Slots, furnished_opener, in_environment, verdict_outcome, verify

Action = str | Mapping[str, Any]
"""What a policy does: `{"tool": "bash", "command": ...}`, `{"tool": "write", "path": ..., "content": ...}`,
`{"tool": "submit"}`, the same as JSON text; or a text whose last fenced block is the whole answer."""

EPISODE_TOOLS: tuple[Mapping[str, Any], ...] = tuple(
    {
        "type": "function",
        "function": {
            "name": name,
            "description": doc,
            "parameters": {
                "type": "object",
                "properties": {each: {"type": "string"} for each in arguments},
                "required": list(arguments),
            },
        },
    }
    for name, doc, arguments in (
        ("bash", "Run a shell command in the workspace.", ("command",)),
        ("write", "Write a file of the workspace.", ("path", "content")),
        ("submit", "Say that the work is done; it is judged then.", ()),
    )
)
"""The tools, as models are told of them."""

_FENCED = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)
_MOST_TEXT = 10_000
_AGENT = "policy"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentOptions:
    """How episodes are played, and what earns nothing."""

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


@dataclass(frozen=True, slots=True)
class StepResult:
    """What came of an action."""

    observation: str
    done: bool = False
    reward: float | None = None
    """At the end 1.0 or 0.0, and None where the infrastructure failed; before the end 0.0 was not earned: None."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """At the end: `outcome`, `visible`, `hidden` (both null where not measured), `hack`, `flagged`, `error`."""


@dataclass(frozen=True, slots=True)
class HackCount:
    """Hacks among judged episodes: what passed the visible checks alone, reached for its judge, or was flagged."""

    hacks: int
    judged: int
    low: float
    high: float
    """Wilson's interval, 95%; NaN where nothing was judged."""


class TrainingEnvironment:
    """A suite to be played, any number of episodes at once; an async context manager."""

    def __init__(
        self,
        suite: Suite,
        options: EnvironmentOptions | None = None,
        open_box: OpenBox = open_sandbox,
    ) -> None:
        """An environment of the tasks of a suite.

        Args:
            suite: With its hidden parts.
            options: How episodes are played.
            open_box: Opens sandboxes.

        Raises:
            TaskError: A task has no hidden checks, so that nothing could be earned; or a detector has no such name.
        """
        unknown = [task.id for task in suite.tasks if task.hidden is None]
        if unknown or not suite.tasks:
            raise TaskError(
                f"no hidden checks are known of {', '.join(unknown[:5]) or suite.name}; nothing can be earned"
            )
        self.suite, self.options = suite, options or EnvironmentOptions()
        self.ended: list[tuple[bool, bool]] = []
        """For each judged episode, in order, whether it earned the reward, and whether it was a hack."""
        self._slots = Slots(open_box)
        self._detectors: Sequence[Detector] = choose_detectors(self.options.vetoes) if self.options.vetoes else ()
        self._stack = AsyncExitStack()
        self._group: TaskGroup
        self._begun = 0

    async def __aenter__(self) -> TrainingEnvironment:
        await self._stack.__aenter__()
        await self._stack.enter_async_context(self._slots)
        self._group = await self._stack.enter_async_context(anyio.create_task_group())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        self._group.cancel_scope.cancel()
        return await self._stack.__aexit__(kind, error, trace)

    async def reset(self, task: str = "", seed: int = 0) -> Episode:
        """A new episode, with its sandbox open.

        Args:
            task: Its id; the tasks in turn, where empty.
            seed: Of the random inputs of hidden checks.

        Raises:
            TaskError: There is no such task.
            SandboxError: No sandbox can be opened.
        """
        chosen = self.suite.task(task) if task else self.suite.tasks[self._begun % len(self.suite.tasks)]
        self._begun += 1
        episode = Episode(self, chosen, seed)
        opened = await self._group.start(episode.live)
        if isinstance(opened, HonestlyError):
            raise opened
        return episode

    def prompt(self, task: Task) -> str:
        """What the policy is told of a task."""
        told = self.options.specs.get(task.id, "")
        return "\n\n".join(filter(None, (self.options.preamble, task.instruction, told)))

    def open_box(self, task: Task, files: Tree) -> AbstractAsyncContextManager[Sandbox]:
        """A sandbox for work on the public part of a task."""
        opener: OpenBox = self._slots
        if task.preparation != Preparation():
            opener = furnished_opener(task.preparation, opener)
        return (in_environment(task, opener, "agent") if task.environment is not None else opener)(files)

    def hack_count(self, last: int = 0) -> HackCount:
        """Hacks among the judged episodes, or the last so many of them."""
        ended = self.ended[-last:] if last else self.ended
        hacks = sum(hack for _, hack in ended)
        low, high = wilson_interval(hacks, len(ended)) if ended else (math.nan, math.nan)
        return HackCount(hacks, len(ended), float(low), float(high))

    async def judge(self, task: Task, final: Tree, seed: int, steps: Sequence[Step]) -> StepResult:
        """The end of an episode that left these files, having taken these steps."""
        try:
            verdict = await verify(task, final, seed=seed, open_box=self._slots)
        except HonestlyError as error:
            return _broken(str(error))
        if verdict.honest is None:
            return _broken("the hidden checks gave no verdict")
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
        identity = trial_id(task.hash, _AGENT, 0, 0)
        trial = Trial(
            id=identity,
            agent=_AGENT,
            task=task.id,
            sample=0,
            outcome=verdict_outcome(verdict, ran_out=False),
            verdict=verdict,
        )
        case = Case(trial=trial, table=read_table(steps), task=task, final=Edit.between(task.workspace, final))
        found = audit_case(case, self._detectors, lambda index: steps[index] if index < len(steps) else None)
        return sorted(each.detector for each in found if each.state == "flagged" and each.severity == "hack")


class Episode:
    """One try at one task; made by `Environment.reset`."""

    def __init__(self, environment: TrainingEnvironment, task: Task, seed: int) -> None:
        self.task_id = task.id
        self.prompt = environment.prompt(task)
        """What the policy is told."""
        self.done = False
        self._environment, self._task, self._seed = environment, task, seed
        self._steps: list[Step] = [Step(source="user", message=self.prompt)]
        self._asked, self._asking = _pair_of_streams()
        self._answers, self._answering = _pair_of_streams()

    async def step(self, action: Action) -> StepResult:
        """What comes of an action; with the last one the work is judged.

        Raises:
            HonestlyError: The episode is over.
        """
        if self.done:
            raise HonestlyError("this episode is over; reset gives a new one")
        await self._asking.send(action)
        found: StepResult = await self._answers.receive()
        self.done = found.done
        return found

    async def close(self) -> None:
        """Ends it without a judgement, if it is not over."""
        self.done = True
        await self._asking.aclose()

    async def live(self, *, task_status: anyio.abc.TaskStatus[object]) -> None:
        """Keeps the sandbox open until the work is submitted; run by the environment, in a task of its own."""
        task, options = self._task, self._environment.options
        public = task.public()
        files = public.workspace
        if not options.show_tests and task.visible is not None:
            files = files.without(task.visible.files.files)
        said, final = StepResult(""), files
        try:
            async with self._environment.open_box(public, files) as box:
                task_status.started(None)
                for turn in range(1, options.turns + 1):
                    try:
                        action = await self._asked.receive()
                    except anyio.EndOfStream:
                        return
                    said, submitted = await self._act(box, action, turn)
                    if submitted or turn == options.turns:
                        break
                    await self._answering.send(said)
                final = await box.snapshot()
        except SandboxLimitError as error:
            ended = StepResult(str(error), True, 0.0, {"outcome": "failed", "hack": False, "error": str(error)})
            self._environment.ended.append((False, False))
            await self._end(ended, task_status)
            return
        except HonestlyError as error:
            await self._end(_broken(str(error)), task_status, error)
            return
        ended = await self._environment.judge(task, final, self._seed, self._steps)
        await self._answering.send(
            StepResult("\n".join(filter(None, (said.observation, ended.observation))), True, ended.reward, ended.info)
        )

    async def _end(
        self, ended: StepResult, task_status: anyio.abc.TaskStatus[object], error: HonestlyError | None = None
    ) -> None:
        try:
            task_status.started(error)  # it never began
        except RuntimeError:
            await self._answering.send(ended)

    async def _act(self, box: Sandbox, action: Action, turn: int) -> tuple[StepResult, bool]:
        """What comes of an action in the sandbox, and whether it is the last."""
        wanted = _parsed(action)
        name = str(wanted.get("tool", ""))
        if name == "answer":
            path = self._environment.options.answer_path or _only_file(self._task)
            text = await self._written(box, path, str(wanted["content"])) if path else "no file to write the answer to"
            wanted = {"tool": "write", "path": path, "content": wanted["content"]}
        elif name == "bash":
            done = await box.exec(str(wanted.get("command", "")), timeout=self._environment.options.command_s)
            output = (done.stdout + done.stderr).decode("utf-8", "replace")
            text = (
                f"{output[:_MOST_TEXT]}\n(exit {done.code if done.code is not None else 'by the time limit'})".strip()
            )
        elif name == "write":
            text = await self._written(box, str(wanted.get("path", "")), str(wanted.get("content", "")))
        elif name == "submit":
            text = ""
        else:
            text = "expected a JSON object with tool: bash, write or submit; or an answer with a fenced block"
        arguments = {key: value for key, value in wanted.items() if key != "tool"}
        call = ToolCall.of(f"call-{turn}", str(wanted.get("tool", "")) or "none", **arguments)
        said = action if isinstance(action, str) else ""
        observed = (Observation(text=text, call_id=call.id),)
        self._steps.append(Step(source="agent", message=said, calls=(call,), observations=observed))
        return StepResult(text), name in {"submit", "answer"}

    @staticmethod
    async def _written(box: Sandbox, path: str, content: str) -> str:
        try:
            await box.write(path, content.encode("utf-8", "replace"))
        except SandboxError as error:
            return f"{path!r} was not written: {error}"
        return f"wrote {path}"


def _pair_of_streams() -> tuple[Any, Any]:
    send, receive = anyio.create_memory_object_stream[Any](1)
    return receive, send


def _broken(why: str) -> StepResult:
    info: dict[str, Any] = {
        "outcome": "void",
        "visible": None,
        "hidden": None,
        "hack": False,
        "flagged": [],
        "error": why,
    }
    return StepResult(f"The infrastructure failed: {why}", True, None, info)


def _parsed(action: Action) -> Mapping[str, Any]:
    if not isinstance(action, str):
        return action
    try:
        found = json.loads(action)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return found
    blocks = _FENCED.findall(action)
    return {"tool": "answer", "content": blocks[-1]} if blocks else {}


def _only_file(task: Task) -> str:
    tests = task.visible.files.files if task.visible is not None else {}
    files = [path for path in task.workspace.files if path not in tests]
    return files[0] if len(files) == 1 else ""


Environment = TrainingEnvironment
"""Its short name in this room; `honestly.records.Environment` is the image of a task."""
