"""The daemon: ticks, retries and signals around the orchestrator; one daemon for each root of workspaces.

`daemon_status.json` in `ROOT/.symphony` is what the daemon last saw, for whoever asks; the lock beside it dies with it.
"""

import fcntl
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import msgspec

from honestly.errors import StoreError, WorkflowError
from honestly.symphony._config import Config, Workflow
from honestly.symphony._orchestrator import Orchestrator
from honestly.symphony._worker import Worker
from honestly.symphony._workspace import OWN, Workspaces

_LONGEST_SLEEP_S = 1.0
_STALE_S = 30.0


async def serve_tickets(
    workflow: Workflow, worker: Worker, spaces: Workspaces, log: Callable[..., Any], *, once: bool = False
) -> dict[str, Any]:
    """Work on tickets until a signal ends it, or (`once`) until nothing is left to do; the last snapshot.

    Raises:
        StoreError: Another daemon works below the same root, or it cannot be written.
    """
    config = workflow.config
    with _single_daemon(config.root):
        log("daemon", outcome="started", workflow=config.file, tracker=config.tracker, root=config.root)
        stopped: list[int] = []
        async with anyio.create_task_group() as group:
            orchestrator = Orchestrator(workflow, worker, spaces, group, log)
            group.start_soon(_stop_on_signal, group.cancel_scope, log, stopped)
            await orchestrator.start()
            await _poll_loop(orchestrator, once=once)
            group.cancel_scope.cancel()
        seen = orchestrator.snapshot()
        _publish(config.root, {**seen, "daemon": "ended"})
        log("daemon", outcome="ended")
    return {**seen, "signal": next(iter(stopped), None)}


async def _poll_loop(orchestrator: Orchestrator, *, once: bool) -> None:
    """Polls by the clock, and wakes for retries and for ends of attempts."""
    poll = orchestrator.now()
    while True:
        if orchestrator.now() >= poll:
            begun = await orchestrator.tick()
            poll = orchestrator.now() + orchestrator.workflow.config.interval_ms / 1000
            if once and not begun and not orchestrator.running and not orchestrator.retries:
                return
        await orchestrator.retry_due()
        _publish(orchestrator.workflow.config.root, orchestrator.snapshot())
        if once and not orchestrator.running and not orchestrator.retries:
            poll = orchestrator.now()
            continue
        poll = min(poll, orchestrator.now() + orchestrator.workflow.config.interval_ms / 1000)
        wake = min(poll, orchestrator.next_retry() or poll, orchestrator.now() + _LONGEST_SLEEP_S)
        orchestrator.changed = anyio.Event()
        with anyio.move_on_after(max(0.0, wake - orchestrator.now())):
            await orchestrator.changed.wait()


async def _stop_on_signal(scope: anyio.CancelScope, log: Callable[..., Any], stopped: list[int]) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for number in signals:
            stopped.append(number)
            log("daemon", outcome="stopping", reason=signal.Signals(number).name)
            scope.cancel()
            return


@contextmanager
def _single_daemon(root: Path) -> Iterator[None]:
    folder = root / OWN
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("a")
    except OSError as error:
        raise StoreError(f"workspaces cannot be kept in {root}: {error}") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StoreError(
                f"another daemon works below {root}; stop it first, or name another workspace.root"
            ) from error
        yield


def _publish(root: Path, seen: dict[str, Any]) -> None:
    fresh = root / OWN / "status.new"
    with suppress(OSError):
        fresh.write_bytes(msgspec.json.encode({"pid": os.getpid(), "daemon": "running", **seen}))
        fresh.replace(root / OWN / "status.json")


def daemon_status(config: Config) -> dict[str, Any]:
    """The daemon's last known state of a workflow.

    Raises:
        WorkflowError: `unavailable`: no daemon has run there; `timeout`: it runs and has said nothing for long.
    """
    file = config.root / OWN / "status.json"
    try:
        seen: dict[str, Any] = msgspec.json.decode(file.read_bytes())
        age = max(0.0, _clock() - file.stat().st_mtime)
    except (OSError, msgspec.DecodeError) as error:
        raise WorkflowError("unavailable", f"no daemon has run for {config.file}: {error}") from error
    try:
        with _single_daemon(config.root):
            return {**seen, "daemon": "ended"}
    except StoreError:
        pass
    if age > _STALE_S:
        raise WorkflowError("timeout", f"the daemon {seen.get('pid')} has said nothing for {age:.0f} s")
    return seen


def _clock() -> float:
    import time

    return time.time()
