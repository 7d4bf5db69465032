"""A task made ready: its dependencies installed, its set-up command run, both once and kept in a cache.

The command runs in a sandbox, over the workspace, with the dependencies, and with no network but the hosts that the
task names for it; the trial's network is another matter. What it leaves is the workspace of every trial, and with what
was installed part of the task's hash. Both are found in the cache from then on, without any network.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import anyio.to_thread
from msgspec.structs import replace

from honestly.errors import SandboxLimitError, TaskError
from honestly.records import Preparation, Suite, Task, Tree, decode, digest, encode
from honestly.tasks.preparation._install import cache_folder, installed_versions, packages_folder, write_whole
from honestly.tasks.preparation._npm import NODE_MODULES, NPM_PREFIX

if TYPE_CHECKING:
    from honestly.sandbox import EgressRequest, Layout, Result

_SETUP_S = 1800.0
_WORDS, _LINES = 2000, 20


async def prepare_suite(suite: Suite, *, unsafe: bool = False) -> Suite:
    """The suite with its dependencies installed and its set-up done.

    Raises:
        TaskError: a package is not found, a set-up command fails; the message names the task.
        SandboxUnavailableError: this machine does not let us build a sandbox.
    """
    tasks = [await prepare_task(task, unsafe=unsafe) for task in suite.tasks]
    return suite if all(map(operator.is_, tasks, suite.tasks)) else replace(suite, tasks=tuple(tasks))


async def prepare_task(task: Task, *, unsafe: bool = False) -> Task:
    """The task with its dependencies installed and its set-up done. Errors as above."""
    needs = task.preparation
    if needs.prepared:
        left_out = [each for each in needs.dependencies if each.startswith("without:")]
        hashed = [line.replace(" ", " --hash=", 1) for line in needs.installed]
        await anyio.to_thread.run_sync(installed_versions, [*hashed, *left_out])
        return task
    if not (needs.dependencies or needs.setup):
        return task
    try:
        found = await anyio.to_thread.run_sync(installed_versions, needs.dependencies)
        workspace = task.workspace
        if needs.setup:
            workspace = await _set_up(workspace, replace(needs, installed=found), unsafe=unsafe)
    except TaskError as error:
        raise TaskError(f"task {task.id}: {error}") from error
    return replace(task, workspace=workspace, preparation=replace(needs, installed=found, prepared=True))


def preparation_layout(needs: Preparation) -> Layout:
    """The layout of a sandbox that shows what a workspace needs around it.

    Raises:
        TaskError: what was installed is not in the cache any more.
    """
    from honestly.sandbox import Layout

    if not needs.installed:
        return Layout(pythonpath=needs.pythonpath)
    node = tuple(line for line in needs.installed if line.startswith(NPM_PREFIX))
    rest = tuple(line for line in needs.installed if not line.startswith(NPM_PREFIX))
    packages = sorted(_made_folder(rest).iterdir()) if rest else []
    return Layout(
        pythonpath=needs.pythonpath,
        packages={path.name: path for path in packages if _is_shown(path)},
        shown={NODE_MODULES: _made_folder(node)} if node else {},
    )


def _is_shown(path: Path) -> bool:
    """Scripts are not, since they name this machine's interpreter; `bin` is, where it holds a program (ruff's)."""
    if path.name == "bin":
        return any(each.is_file() and each.read_bytes()[:2] != b"#!" for each in path.iterdir())
    return path.name != "__pycache__"


def _made_folder(found: tuple[str, ...]) -> Path:
    folder = packages_folder(found)
    if not folder.is_dir():
        raise TaskError(
            f"{', '.join(found)} are not in {cache_folder()} any more: "
            "`honestly task check SUITE`, or any run of it, installs them again"
        )
    return folder


async def _set_up(workspace: Tree, needs: Preparation, *, unsafe: bool) -> Tree:
    """The workspace after the set-up command: from the cache, or after it has run."""
    name = digest(workspace.hash, needs.setup, needs.allow, needs.installed, needs.pythonpath)
    kept = cache_folder() / "set-up" / f"{name}.json"
    if kept.is_file():
        return decode(kept.read_bytes(), Tree)
    from honestly.sandbox import Egress, Limits, open_sandbox

    refused: list[EgressRequest] = []
    egress = Egress(allow=needs.allow, log=lambda asked: None if asked.allowed else refused.append(asked))
    limits = Limits(wall_s=_SETUP_S, memory_mb=4096, disk_mb=4096, file_mb=2048, processes=256)
    layout = preparation_layout(needs)
    async with open_sandbox(
        workspace, limits, layout=layout, egress=egress if needs.allow and not unsafe else None, unsafe=unsafe
    ) as box:
        result = await box.exec(needs.setup)
        try:
            tree = await box.snapshot()
        except SandboxLimitError as error:
            raise TaskError(f"the set-up command leaves too much: {error}") from error
    if result.code != 0:
        raise TaskError(_why(result, needs, [f"{asked.host}:{asked.port}" for asked in refused]))
    write_whole(kept, encode(tree))
    return tree


def _why(result: Result, needs: Preparation, refused: Sequence[str]) -> str:
    """Why a set-up command failed: how it ended, what the network refused it, what it wrote last."""
    ended = f"ended with {result.code}" if not result.timed_out else f"ran out of time ({_SETUP_S:g} s)"
    if refused:
        ended += f"; setup_allow does not let it reach {', '.join(dict.fromkeys(refused))}"
    elif not needs.allow:
        ended += "; it had no network (setup_allow names no host)"
    said = (result.stdout + result.stderr).decode("utf-8", "replace")[-_WORDS:].strip().splitlines()[-_LINES:]
    return "\n  ".join([f"the set-up command `{needs.setup}` {ended}{'. It wrote:' if said else ''}", *said])
