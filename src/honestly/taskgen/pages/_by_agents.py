"""Agents that try what was made: a task stays where one of three trials passes, and goes aside where none does.

The trials are a study beside the tasks, so that the same command goes on where it was stopped, and `honestly report`
reads it. What no agent could do lies in `FOLDER-unsolved`: too hard for these agents, or not told well enough.
"""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from honestly.agents import Actor
from honestly.errors import TaskError
from honestly.records import Outcome, Suite, digest
from honestly.runner import Plan
from honestly.store import Store, create_study, open_study
from honestly.taskgen._from_commit import MADE
from honestly.taskgen.pages._explore import impossible_folder
from honestly.taskgen.pages._write import PageMade
from honestly.tasks import load_suite

_SAMPLES = 3


async def tried_by_agents(
    names: Sequence[str], into: Path, seed: int, actors: Callable[[Suite], Sequence[Actor]],
    carry_out: Callable[[Plan, Store, Path], Awaitable[object]],
) -> dict[str, dict[str, tuple[int, int]]]:  # fmt: skip
    """Have agents try tasks three times each; passes and trials of each agent, by task.

    Raises:
        TaskError: A task cannot be read, or moved.
    """
    found = {
        name: _read_made(folder / name).agents
        for name in names
        for folder in (into, impossible_folder(into))
        if (folder / name / MADE).is_file()
    }
    there = [name for name, counts in found.items() if not counts]
    if not there:
        return found
    suite = load_suite(into, only=there)
    path = into / f"tried-{digest(there)[:8]}.honestly"
    with open_study(path, "write") if path.exists() else create_study(path) as store:
        await carry_out(Plan(suite, actors(suite), _SAMPLES, seed), store, path)
        cells = store.cells()
    for name in there:
        counts: dict[str, tuple[int, int]] = {}
        for cell in cells:
            if cell.task == name and cell.outcome is not Outcome.VOID:
                passed, trials = counts.get(cell.agent, (0, 0))
                counts[cell.agent] = (passed + (cell.outcome is Outcome.PASSED), trials + 1)
        found[name] = counts
        # Writes into `made.json` what came of it; what was tried, and never solved, goes aside.
        made = replace(_read_made(into / name), agents=counts)
        try:
            (into / name / MADE).write_bytes(msgspec.json.format(msgspec.json.encode(made), indent=2) + b"\n")
            if counts and not any(passed for passed, _ in counts.values()):
                impossible_folder(into).mkdir(exist_ok=True)
                (into / name).rename(impossible_folder(into) / name)
        except OSError as error:
            raise TaskError(f"cannot write {into / name}: {error.strerror or error}") from error
    return found


def _read_made(folder: Path) -> PageMade:
    try:
        return msgspec.json.decode((folder / MADE).read_bytes(), type=PageMade)
    except (OSError, msgspec.DecodeError) as error:
        raise TaskError(f"{folder / MADE} cannot be read: {error}; remove the task, and it is made again") from error
