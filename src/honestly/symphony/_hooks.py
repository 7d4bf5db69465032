"""Hooks: the user's own commands from WORKFLOW.md, run on this machine by `sh -lc` in a workspace, with a deadline.

They are the user's, like git's hooks: nothing is around them. But an agent has written files where they run.
"""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio

from honestly.errors import AttemptError
from honestly.scratch import OWNER_VARIABLE, owned_words, owner_mark
from honestly.symphony._config import Config

_KEPT = 500


async def run_hook(name: str, config: Config, place: Path, log: Callable[..., Any], **about: str) -> None:
    """Run a hook, if the workflow has it.

    Raises:
        AttemptError: It failed, or took too long.
    """
    if not (script := config.hooks.get(name, "")):
        return
    log("hook", outcome="started", hook=name, **about)
    said = bytearray()
    ended = "timed out"
    command, own = owned_words(["sh", "-lc", script]), {**os.environ, OWNER_VARIABLE: owner_mark()}
    process = await anyio.open_process(command, cwd=place, stderr=-2, stdin=-3, start_new_session=True, env=own)
    try:
        with anyio.move_on_after(config.hook_timeout_ms / 1000):
            assert process.stdout is not None
            async for part in process.stdout:
                said += part[: max(0, _KEPT - len(said))]
            ended = f"exit {await process.wait()}"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await process.aclose()
    if ended != "exit 0":
        reason = f"{name} {ended}: {bytes(said).decode('utf-8', 'replace').strip()}"
        log("hook", outcome="failed", hook=name, reason=reason, **about)
        raise AttemptError("hook", reason)


async def try_hook(name: str, config: Config, place: Path, log: Callable[..., Any], **about: str) -> None:
    """Run a hook whose failure is on record and changes nothing."""
    with suppress(AttemptError, OSError):
        await run_hook(name, config, place, log, **about)
