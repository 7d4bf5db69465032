"""One piece of work for a person: a sandbox around a copy, the agent in it, and the person beside it.

Ctrl-C once: the agent stops at the next safe point, that is, when no tool is at work, and what there is is shown.
Ctrl-C twice: out at once. Should even that hang, the process ends itself after three seconds. Nothing here writes to
a checkout.
"""

import os
import signal
import sys
import termios
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import anyio

from honestly.agents import Honest, Run
from honestly.cli.agent._screen import Screen
from honestly.errors import AgentError, ModelError, SandboxError
from honestly.models import NO_SETTINGS, Message, Model, Settings, ToolSpec
from honestly.records import Edit, Task
from honestly.sandbox import Layout, Limits, open_sandbox

LIMITS = Limits(memory_mb=4096, processes=512, disk_mb=2048, cpu_s=3600, file_mb=1024, open_files=2048)
"""What the agent's sandbox may use."""

_PATIENCE_S = 3.0


async def session(agent: Honest, task: Task, screen: Screen, layout: Layout) -> tuple[Run, Edit] | None:
    """The run and what it changed; None where the person left at once."""
    run = Run(task=task, seed=0)
    watched = replace(agent, model=_Awaited(agent.model, screen), person=screen)
    edit = None
    with anyio.CancelScope() as everything:
        async with open_sandbox(task.workspace, LIMITS, layout=layout) as box, anyio.create_task_group() as group:
            with anyio.CancelScope() as work, _interrupts(screen):
                group.start_soon(screen.tend, work, everything)
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
def _interrupts(screen: Screen) -> Iterator[None]:
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
