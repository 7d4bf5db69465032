"""An agent at work as a person sees it in a terminal, and the person as the agent hears them.

What was said and done scrolls by, each call with the end of its output; below stands one line with what is going on,
what it has cost, and what is being typed. A finished line is given to the model before its next turn, or answers its
question; `/plan`, `/ask`, `/edit` and `/full` change how far it may go unasked, and after `/take` the person works in
its sandbox until `/back`. Nothing that a model or a file wrote reaches the terminal before its control characters are
taken out.

Ctrl-C once: the agent stops at the next safe point, that is, when no tool is at work, and what there is is shown.
Ctrl-C twice: out at once. Should even that hang, the process ends itself after three seconds. Nothing here writes to
a checkout.
"""

import os
import re
import signal
import sys
import termios
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from time import monotonic
from typing import Any

import anyio
import msgspec
from rich.console import Console
from rich.live import Live
from rich.text import Text

from honestly.agents._autonomy import AUTONOMY, Autonomy
from honestly.agents._honest import SET_UP, Honest
from honestly.agents._run import Run
from honestly.command import Typed, one_line_name, quiet_keys, without_controls
from honestly.errors import AgentError, ModelError, SandboxError
from honestly.models import NO_SETTINGS, Message, Model, Settings, ToolSpec
from honestly.records import Edit, Observation, Step, Task, ToolCall
from honestly.sandbox import Layout, Limits, Sandbox, open_sandbox
from honestly.tools import default_tools

_SEQUENCES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\r(?=\n)")
_TICK_S = 0.1
_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_MOST_SHOWN = 6
_MOST_WIDE = 400


class Screen:
    """The terminal, as an agent's `Person`."""

    def __init__(self, console: Console, *, interactive: bool, autonomy: Autonomy = "full") -> None:
        """A terminal that somebody sits at, if it is `interactive`; `autonomy` is how far the agent may go at first."""
        self.console, self.there = console, interactive
        self.autonomy: Autonomy = autonomy
        self.run: Run | None = None
        """The work that is watched: what the person does is on its record."""
        self.counts = Counter[str]()
        """What the person did, and the words that they were shown."""
        self.first_output_s: float | None = None
        """When the agent first said something or changed something."""
        self._wants_over = False
        self.interrupts = 0
        """How often the person has pressed Ctrl-C."""
        self.thinking = False
        """Whether an answer of the model is being waited for."""
        self._typed = Typed()
        self._lines: list[str] = []
        self._question = ""
        self._answered = anyio.Event()
        self._answer = ""
        self._doing = ""
        self._begun, self._turns, self._tokens, self._usd = monotonic(), 0, 0, 0.0

    def shows(self, step: Step) -> None:
        """Prints what is new of a step."""
        done = len(step.observations)
        indent = "  " if step.thread else ""
        if done:
            self._print_call(step.calls[done - 1], step.observations[-1], indent)
        elif step.source == "agent":
            self._turns += 1
            self._tokens += step.usage.tokens or 0
            self._usd += step.usage.usd or 0.0
            if step.message.strip():
                self._note_first_output()
                self.counts["words_shown"] += len(step.message.split())
                self.console.print(Text(f"{indent}{printable_text(step.message.strip())}"))
        elif step.source == "system" and (self._turns or step.message.startswith(SET_UP)):
            self.console.print(Text(f"{indent}{printable_text(step.message)}", style="dim italic"))
        left = step.calls[done:]
        self._doing = _call_outline(left[0]) if left else ""

    def _note_first_output(self) -> None:
        self.first_output_s = self.first_output_s or round(monotonic() - self._begun, 1)

    def _record(self, what: str, text: str) -> None:
        """Put on record what the person did."""
        self.counts[what] += 1
        if self.run is not None:
            self.run.steps.append(Step(source="user", message=f"[{text}]"))

    def noted(self, name: str, arguments: Mapping[str, Any], *, allowed: bool) -> None:
        """Keeps what the person was asked to approve."""
        word = "approved" if allowed else "rejected"
        self._record(word, f"{word} {_call_outline(ToolCall.of('asked', name, **arguments))}")

    async def takes_over(self, run: Run, box: Sandbox) -> str:
        """Commands of the person in the sandbox, each on record under the thread `person`."""
        if not self._wants_over:
            return ""
        self._wants_over = False
        self._record("take_overs", "took over")
        (bash,) = default_tools(["bash"])
        done: list[str] = []
        try:
            while (line := await self.answer("you are in the sandbox: a command, or /back")) not in {"", "/back"}:
                call = ToolCall.of(f"person-{len(done)}", "bash", command=line)
                out = await bash(box, {"command": line})
                seen = Observation(text=out.text, call_id=call.id, code=out.code)
                run.steps.append(
                    Step(source="agent", thread="person", calls=(call,), observations=(seen,), llm_calls=0)
                )
                self.shows(run.steps[-1])
                done.append(f"$ {line}\n{out.text[-2000:]}")
        finally:
            await bash.close()
        self._record("hand_backs", "handed back")
        told = "\n".join(done) or "nothing"
        return f"The person took over in this sandbox, and hands back. Files may have changed. They did:\n{told}"

    @property
    def summary(self) -> dict[str, Any]:
        """What the person did and was shown, in figures."""
        names = ("steers", "answers", "approved", "rejected", "changes", "take_overs", "words_shown")
        found: dict[str, Any] = {name: self.counts[name] for name in names} | {"interrupts": self.interrupts}
        done = ("steers", "rejected", "changes", "take_overs", "interrupts")
        return found | {"interventions": sum(found[each] for each in done), "first_output_s": self.first_output_s}

    def said(self) -> Sequence[str]:
        """The lines typed since the last time."""
        lines, self._lines = self._lines, []
        return lines

    def stopping(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self.interrupts > 0

    async def answer(self, question: str) -> str:
        """The next line that the person types."""
        if not self.there or self.stopping():
            return ""
        self.console.print(Text(f"? {printable_text(question)}", style="bold yellow"))
        self._question, self._answered = question, anyio.Event()
        try:
            await self._answered.wait()
        finally:
            self._question = ""
        return self._answer

    async def run_screen(self, work: anyio.CancelScope, everything: anyio.CancelScope) -> None:
        """Draws the line, takes keys, and hears Ctrl-C, until it is cancelled.

        Args:
            work: Cancelled after the first Ctrl-C, where nothing but an answer is being waited for.
            everything: Cancelled after the second.
        """
        with ExitStack() as stack:
            live = Live(self, console=self.console, auto_refresh=False, transient=True) if self.there else None
            if live is not None:
                stack.enter_context(quiet_keys())
                stack.enter_context(live)
            async with anyio.create_task_group() as group:
                if self.there:
                    group.start_soon(self._read_keys)
                while True:
                    if self.interrupts > 1:
                        everything.cancel()
                    elif self.interrupts and (self.thinking or self._question):
                        work.cancel()
                    if live is not None:
                        live.refresh()
                    await anyio.sleep(_TICK_S)

    def __rich__(self) -> Text:
        """The line at the bottom."""
        if self._question:
            return Text(f"  answer › {self._typed_tail()}█", style="bold")
        if self.interrupts:
            return Text("  stopping after this step · Ctrl-C again leaves at once, changing nothing", style="yellow")
        seconds = int(monotonic() - self._begun)
        frame = _FRAMES[int(monotonic() / _TICK_S) % len(_FRAMES)]
        cost = f" · ${self._usd:.2f}" if self._usd else ""
        spent = f"turn {self._turns} · {self._tokens / 1000:.1f}k tokens{cost} · {seconds // 60}:{seconds % 60:02}"
        doing = self._doing[:60] or "thinking"
        if self._typed.text:
            return Text.assemble((f"{frame} ", "cyan"), ("you › ", "bold"), f"{self._typed_tail()}█")
        hint = f"{self.autonomy} · type to steer, /take over, Ctrl-C stops"
        line = Text.assemble((f"{frame} ", "cyan"), doing, (f"  {spent} · {hint}", "dim"))
        line.truncate(max(self.console.width - 1, 10))
        return line

    def _typed_tail(self) -> str:
        return self._typed.text[-max(self.console.width - 16, 10) :]

    async def _read_keys(self) -> None:
        descriptor = sys.stdin.fileno()
        while True:
            await anyio.wait_readable(descriptor)
            if not (data := os.read(descriptor, 4096)):
                return
            for line in self._typed.keys(data):
                self.console.print(Text(f"› {printable_text(line)}", style="bold cyan"))
                if line == "/take":
                    self._wants_over = True
                elif level := next((each for each in AUTONOMY if line == f"/{each}"), None):
                    self.autonomy = level
                    self._record("changes", f"autonomy: {self.autonomy}")
                elif self._question and not self._answered.is_set():
                    self.counts["answers"] += 1
                    self._answer = line
                    self._answered.set()
                else:
                    self.counts["steers"] += 1
                    self._lines.append(line)

    def _print_call(self, call: ToolCall, seen: Observation, indent: str) -> None:
        if call.name == "finish":
            return
        bad = seen.code not in {0, None} or seen.text.startswith("error: ")
        self.console.print(Text.assemble(f"{indent}", ("● ", "red" if bad else "green"), (_call_outline(call), "bold")))
        lines = [line for line in printable_text(seen.text).split("\n") if line.strip()]
        hidden = len(lines) - _MOST_SHOWN
        self.counts["words_shown"] += sum(len(line.split()) for line in lines[-_MOST_SHOWN:])
        if call.name in {"edit", "write"} and not bad:
            self._note_first_output()
        if hidden > 0:
            self.console.print(Text(f"{indent}  │ … {hidden} lines", style="dim"))
        for line in lines[-_MOST_SHOWN:]:
            self.console.print(Text(f"{indent}  │ {line[:_MOST_WIDE]}", style="dim"), no_wrap=True, overflow="ellipsis")


def printable_text(text: str) -> str:
    """Text that a terminal shows and does not obey."""
    return without_controls(_SEQUENCES.sub("", text).expandtabs(4))


def _call_outline(call: ToolCall) -> str:
    """A call in one line: what it is, and the first line of what matters most."""
    given = {name: call.argument(name) for name in call.arguments}
    main = next(
        (given[name] for name in ("command", "code", "url", "query", "question", "name") if given.get(name)), ""
    )
    words = [
        one_line_name(call.name),
        *(one_line_name(str(given[name])) for name in ("path",) if given.get(name)),
        str(main),
    ]
    line, *rest = printable_text(" ".join(filter(None, words))).strip().split("\n")
    return f"{line[:150]}{f'  (+{len(rest)} lines)' if rest else ''}"


LIMITS = Limits(memory_mb=4096, processes=512, disk_mb=2048, cpu_s=3600, file_mb=1024, open_files=2048)
"""What the agent's sandbox may use."""

_PATIENCE_S = 3.0


async def agent_session(agent: Honest, task: Task, screen: Screen, layout: Layout) -> tuple[Run, Edit] | None:
    """The run and what it changed; None where the person left at once."""
    run = screen.run = Run(task=task, seed=0)
    watched = replace(agent, model=_Awaited(agent.model, screen), person=screen)
    edit = None
    with anyio.CancelScope() as everything:
        async with open_sandbox(task.workspace, LIMITS, layout=layout) as box, anyio.create_task_group() as group:
            with anyio.CancelScope() as work, _interrupts_counted(screen):
                group.start_soon(screen.run_screen, work, everything)
                try:
                    await watched(run, box)
                except (
                    AgentError,
                    ModelError,
                    SandboxError,
                ) as error:  # what was done until then is shown all the same
                    run.stop = f"{type(error).__name__}: {error}"
            if work.cancelled_caught:
                run.stop = "stopped by the person"
            if screen.interrupts:
                run.steps.append(Step(source="user", message="[interrupted]"))
            run.head = msgspec.structs.replace(run.head, notes=msgspec.json.encode(screen.summary).decode())
            edit = Edit.between(task.workspace, await box.snapshot())
            group.cancel_scope.cancel()
    return None if edit is None or screen.interrupts > 1 else (run, edit)


class _Awaited:
    """The model, while the screen knows when it is being waited for."""

    def __init__(self, model: Model, screen: Screen) -> None:
        self.name = model.name
        self._model, self._screen = model, screen

    async def __call__(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), settings: Settings = NO_SETTINGS
    ) -> Message:
        self._screen.thinking = True
        try:
            return await self._model(messages, tools, settings)
        finally:
            self._screen.thinking = False


@contextmanager
def _interrupts_counted(screen: Screen) -> Iterator[None]:
    """Counts Ctrl-C instead of raising; a request to terminate counts as two."""
    terminal = termios.tcgetattr(sys.stdin.fileno()) if screen.there else None

    def leave() -> None:
        if terminal is not None:
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, terminal)
            os.write(sys.stdout.fileno(), b"\x1b[?25h\r\n")
        os._exit(130)

    def heard(number: int, _frame: object) -> None:
        screen.interrupts += 1 if number == signal.SIGINT else 2
        if screen.interrupts > 1:
            last = threading.Timer(_PATIENCE_S, leave)
            last.daemon = True
            last.start()

    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
