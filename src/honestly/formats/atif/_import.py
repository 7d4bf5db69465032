"""A directory of trajectories in ATIF as agents, tasks, trials and defects.

Every JSON file that says it is one is a trial. What we exported ourselves comes back as it was. A file of somebody
else's says neither which task it was nor what came of it: the task is named after the file (or Harbor's directory), its
instruction is the first thing that the user says, and the trial is void, "not judged". Whatever of a file has no place
in our records is a defect, and the file itself is then kept as an artifact.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from honestly.errors import FormatError
from honestly.formats._files import JSON_BYTES, is_folder, read_bytes, storable_name
from honestly.formats._heads import Head
from honestly.formats._imported import first_request
from honestly.formats._sources import (
    FileReader,
    FoundTrial,
    Item,
    UsedFile,
    imported_trial,
    noted_defect,
    per_file,
    recorded_place,
)
from honestly.formats.atif._codec import AtifTask, AtifTrial, from_atif
from honestly.records import Outcome, Task

_MARK = b"ATIF-v1."
# Bytes of an image that is kept.
_IMAGE_BYTES = 32 << 20
# Where Harbor puts what an agent did: `TASK__abcdefg/agent/trajectory.json`.
_HARBOR = re.compile(r"(?:.*/)?(?P<task>[^/]+)__[A-Za-z0-9]{7}/agent/[^/]+")


def recognises(head: Head) -> bool:
    """Whether a JSON file says that it is ATIF."""
    return _MARK in head.start or _MARK in head.last_bytes


@per_file
def read(head: Head) -> Iterator[Item]:
    """The trial of a file.

    Raises:
        FormatError: It is no ATIF that can be read.
    """
    data, where = read_bytes(head.path, JSON_BYTES), recorded_place(head)
    beside: list[Item] = []
    found = from_atif(data, lambda path: image_beside(head, path, beside))
    yield from beside
    for path in found.lost:
        yield noted_defect(path, "not kept in records", f"{where}: kept in the artifact trajectory.json")
    artifacts, made = {"trajectory.json": data} if found.lost else {}, found.trial
    if made is None:
        yield noted_defect(storable_name(head.root.name), "no verdict", "an ATIF file says nothing of tests; void")
        began = next((step.at for step in found.trajectory.steps if step.at), None)
        made = imported_trial(where, Outcome.VOID, reason="not judged", usage=found.usage, started_at=began)
    yield FoundTrial(found.agent, _imported_task(found, where), made, found.trajectory, artifacts, file=where)


def image_beside(head: Head, path: str, beside: list[Item]) -> bytes:
    """An image beside the file; what lies elsewhere is not looked for."""
    # The path is somebody else's: it must not leave the folder, nor lead through a link.
    parts = PurePosixPath(path).parts
    if not parts or path.startswith("/") or ".." in parts or "\0" in path:
        return b""
    folder = head.path.parent
    if not all(is_folder(folder.joinpath(*parts[:depth])) for depth in range(1, len(parts))):
        return b""
    try:
        data = read_bytes(folder.joinpath(*parts), _IMAGE_BYTES)
        beside.append(UsedFile(head.sibling_name(path)))
        return data
    except FormatError as error:
        beside.append(
            noted_defect(recorded_place(head), "image missing", f"{storable_name(path)}: {error}; its place is kept")
        )
        return b""


def _imported_task(found: AtifTrial, where: str) -> Task:
    said = found.task
    if said is None:
        harbor = _HARBOR.fullmatch(where)
        name = harbor["task"] if harbor else where.removesuffix(".json")
        said = AtifTask(id=name, instruction=first_request(found.trajectory.steps))
    return Task(id=said.id, version=said.version, instruction=said.instruction, tags=said.tags)


READER = FileReader("atif", recognises, read)
