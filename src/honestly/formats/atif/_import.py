"""A directory of trajectories in ATIF as agents, tasks, trials and defects.

Every JSON file that says it is one is a trial. What we exported ourselves comes back as it was. A file of somebody
else's says neither which task it was nor what came of it: the task is named after the file (or Harbor's directory), its
instruction is the first thing that the user says, and the trial is void, "not judged". Whatever of a file has no place
in our records is a defect, and the file itself is then kept as an artifact.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from msgspec.structs import replace

from honestly.errors import FormatError
from honestly.formats._files import JSON_BYTES, Tally, below, is_folder, read_bytes, shown
from honestly.formats._imported import Imported, ImportProgress, free_name, holds_one
from honestly.formats.atif._codec import AtifTask, AtifTrial, from_atif
from honestly.records import Agent, Defect, Outcome, Task, Trial, digest

_MARK = b"ATIF-v1."
_IMAGE_BYTES = 32 << 20
_HARBOR = re.compile(r"(?:.*/)?(?P<task>[^/]+)__[A-Za-z0-9]{7}/agent/[^/]+")
"""Where Harbor puts what an agent did: `TASK__abcdefg/agent/trajectory.json`."""
_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9._-]+")


def read_atif(root: Path, progress: ImportProgress | None = None) -> Iterator[Agent | Task | Imported | Defect]:
    """Read all ATIF files below `root`: agents and tasks before the trials that need them, defects last.

    Args:
        root: a directory of trajectories, as `honestly export` makes it, or any other.
        progress: called after each file.

    Raises:
        FormatError: there is no such directory, or no trajectory in it.
    """
    if not is_folder(root):
        raise FormatError(f"{root} is not a directory; expected one that holds trajectories in ATIF")
    return _Reader(root, progress or (lambda _where, _trials: None)).read()


def recognises(root: Path) -> bool:
    """Whether a JSON file below `root` says that it is ATIF."""
    return holds_one(root, lambda ends: _MARK in ends)


class _Reader:
    def __init__(self, root: Path, progress: ImportProgress) -> None:
        self._root, self._progress = root, progress
        self._tally = Tally()
        self._agents: dict[str, str] = {}
        """Names by the hash of the agent as the file has it."""
        self._tasks: dict[str, Task] = {}
        self._cells: Counter[tuple[str, str]] = Counter()
        self._taken: set[object] = set()
        """Ids and cells of the trials so far."""

    def read(self) -> Iterator[Agent | Task | Imported | Defect]:
        trials = 0
        for name in below(self._root, self._tally, ".json"):
            try:
                data = read_bytes(self._root / name, JSON_BYTES)
                # Cheaper than parsing: other JSON files, large ones too, may lie in the same directory.
                if _MARK not in data[:4096] and _MARK not in data[-4096:]:
                    self._tally.add("no trajectory", shown(str(Path(name).parent)), shown(name))
                    continue
                found = from_atif(data, lambda path, name=name: self._image(name, path))  # type: ignore[misc]
            except FormatError as error:
                self._tally.add("unreadable file", shown(name), str(error))
                continue
            for item in self._items(found, shown(name), data):
                trials += isinstance(item, Imported)
                yield item
            self._progress(shown(name), trials)
        if not trials:
            raise FormatError(f"{self._root} holds no trajectory in ATIF (JSON with schema_version ATIF-v1.x)")
        yield from self._tally.defects()

    def _items(self, found: AtifTrial, where: str, data: bytes) -> Iterator[Agent | Task | Imported]:
        agent = found.agent
        if agent.hash not in self._agents:
            self._agents[agent.hash] = free_name(agent, self._agents.values())
            yield replace(agent, name=self._agents[agent.hash])
        task = _task(found, where)
        known = self._tasks.setdefault(task.id, task)
        if known is task:
            yield task
        elif known != task:
            self._tally.add("task varies", where, f"task {task.id}: the first one met is kept")
        name = self._agents[agent.hash]
        trial = (
            replace(found.trial, agent=name, task=task.id) if found.trial else self._foreign(found, name, task, where)
        )
        cell = (name, task.id, trial.sample)
        if trial.id in self._taken or cell in self._taken:
            self._tally.add("duplicate trial", where, "its id or its cell has been met before; not imported again")
            return
        self._taken |= {trial.id, cell}
        for path in found.lost:
            self._tally.add("not kept in records", path, f"{where}: kept in the artifact trajectory.json")
        yield Imported(trial, found.trajectory, {"trajectory.json": data} if found.lost else {})

    def _foreign(self, found: AtifTrial, agent: str, task: Task, where: str) -> Trial:
        self._tally.add("no verdict", shown(self._root.name), "an ATIF file says nothing of tests; void")
        sample = self._cells[agent, task.id]
        self._cells[agent, task.id] += 1
        times = [step.at for step in found.trajectory.steps if step.at]
        return Trial(
            id=digest("atif", where, agent),
            agent=agent,
            task=task.id,
            sample=sample,
            outcome=Outcome.VOID,
            reason="not judged",
            usage=found.usage,
            started_at=times[0] if times else None,
            source=where,
        )

    def _image(self, name: str, path: str) -> bytes:
        """An image beside the file; what lies elsewhere is not looked for."""
        parts = PurePosixPath(path).parts
        if not parts or path.startswith("/") or ".." in parts or "\0" in path:
            return b""
        folder = (self._root / name).parent
        if not all(is_folder(folder.joinpath(*parts[:depth])) for depth in range(1, len(parts))):
            return b""
        try:
            return read_bytes(folder.joinpath(*parts), _IMAGE_BYTES)
        except FormatError as error:
            self._tally.add("image missing", shown(name), f"{shown(path)}: {error}; its place is kept")
            return b""


def _task(found: AtifTrial, where: str) -> Task:
    said = found.task
    if said is None:
        harbor = _HARBOR.fullmatch(where)
        instruction = next((step.message for step in found.trajectory.steps if step.source == "user"), "")
        said = AtifTask(
            id=_NOT_IN_IDS.sub("-", harbor["task"] if harbor else where.removesuffix(".json")), instruction=instruction
        )
    return Task(id=said.id, version=said.version, instruction=said.instruction)
