"""Is the answer within the agent's reach? In all that it sees: its files, its repositories, packages, the machine.

Files are read here, in each way in which they can be read (`_views.py`), and searched for what is new in the reference
(`_needles.py`); nothing is run, unpacked on disk, or followed. Git's objects (loose, packed, reflogs, stashes, tags,
dangling ones) and compiled Python are read in a sandbox; what else lies in a `.git` is read as any file. What a
sandbox shows beside the workspace is searched from inside (`_outside.py`). Of an image the files are read that its
distribution did not bring (`_image.py`), and looked at as a workspace is.

Not covered: answers that were translated or encrypted; compiled code of other languages; the memory of a model.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Literal

from msgspec.structs import replace

from honestly.errors import HonestlyError, SandboxUnavailableError
from honestly.records import Task, Tree
from honestly.taskgen._compiled import compiled_from
from honestly.taskgen._image import looked_into, same_content
from honestly.taskgen._needles import needles_of
from honestly.taskgen._outside import COMPILED, leaks_in, leaks_outside
from honestly.taskgen._record import Leak, Leaks
from honestly.taskgen._views import Views
from honestly.tasks import reference_in, task_weaknesses
from honestly.verify import OpenBox, look_at_git

_LEAST = 40
_MOST_REPOSITORIES = 5
BUILT = ("node_modules", "build", "dist", "target", "site-packages", ".eggs", "__pycache__", ".tox", ".venv")
_OBJECTS = re.compile(r"(?:^|/)\.git/objects/(?:[0-9a-f]{2}/[0-9a-f]{38,62}|pack/pack-[0-9a-f]{40,64}\.\w+)$")


@dataclass
class _Seen:
    """The leaks found so far, and what could not be read."""

    found: list[Leak] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    compiled: dict[str, bytes] = field(default_factory=dict)

    def record(self) -> Leaks:
        return Leaks(found=tuple(dict.fromkeys(self.found)), read=tuple(self.read), unread=tuple(self.unread))


async def find_leaks(task: Task, open_box: OpenBox, final: Tree | None = None) -> Leaks:
    """Looks for the reference, the hidden checks and later commits in all that the agent gets.

    Raises:
        SandboxUnavailableError: there is no sandbox on this machine.
    """
    seen = _Seen(read=["files", "archives", "repositories", "compiled Python"])
    seen.found += _of_lint(task)
    if task.environment is None:
        await _of_tree(task, open_box, seen)
        views = Views()
        try:
            seen.found += await leaks_outside(task, needles_of(task) if task.hidden else (), open_box, views)
            seen.read.append("packages and the machine's folders")
        except SandboxUnavailableError:
            raise
        except HonestlyError as error:
            seen.unread.append(f"what lies outside of the workspace: {error}"[:200])
        return seen.record()
    context = replace(task, workspace=task.environment.context.over(task.workspace), environment=None)
    await _of_tree(context, open_box, seen, "environment/")
    try:
        inside = await looked_into(task, final or Tree(), open_box)
        seen.found += await same_content(task, final or Tree(), open_box)
    except SandboxUnavailableError:
        raise
    except HonestlyError as error:
        seen.unread.append(f"the image: {error}"[:200])
        return seen.record()
    seen.read.append("the image's files that its distribution did not bring")
    await _of_tree(inside, open_box, seen, "/")
    return seen.record()


def _of_lint(task: Task) -> Iterator[Leak]:
    for weakness in task_weaknesses(task):
        path = weakness.path.removeprefix("workspace/")
        if weakness.severity != "high":
            continue
        if weakness.rule == "answer-in-workspace":
            yield Leak(kind=_leak_kind(path), path=path, what=f"{weakness.why}: {weakness.quote}")
        elif weakness.rule == "tests-readable":
            yield Leak(kind="tests", path=path, what=weakness.why)
        elif weakness.rule == "link-out":
            yield Leak(kind="outside", path=path, what=f"a link to {weakness.quote}")


def _leak_kind(path: str) -> Literal["built", "reference"]:
    return "built" if any(part in BUILT for part in path.split("/")) else "reference"


async def _of_tree(task: Task, open_box: OpenBox, seen: _Seen, before: str = "") -> None:
    """All of a workspace; what a task's lint says of it is known already where nothing stands `before` its paths."""
    seen.compiled = {}
    views, needles, tracked = Views(), needles_of(task) if task.hidden is not None else (), _tracked(task.workspace)
    known = {leak.path for leak in seen.found}
    tests = {} if task.hidden is None else {
        file.data: path for path, file in task.hidden.checks.files.files.items() if len(file.data) >= _LEAST
    }  # fmt: skip
    for path, file in task.workspace.files.items():
        if file.mode == "link" or _OBJECTS.search(path):
            continue
        if path.endswith(COMPILED):
            seen.compiled[before + path] = file.data
            continue
        if before and file.data in tests:
            seen.found.append(Leak(kind="tests", path=before + path, what=f"the hidden checks' {tests[file.data]}"))
        elif before and (held := reference_in(task, file)) is not None and held[0] != path:
            what = f"it holds the reference's {held[0]}: {held[1]}"[:300]
            seen.found.append(Leak(kind=_leak_kind(path), path=before + path, what=what))
        elif before + path not in known:
            held_in = leaks_in(path, file.data, needles, views, strict=path in tracked, place=before)
            seen.found += [replace(leak, kind="built") if _leak_kind(path) == "built" else leak for leak in held_in]
        seen.compiled |= (
            {before + where: data for where, data in views.of(path, file.data) if where.endswith(COMPILED)}
            if file.data.startswith(b"PK\x03\x04") or file.data.startswith(b"\x1f\x8b")
            else {}
        )
    seen.unread += [f"{before}{each}" for each in views.unread]
    # The workspace's own repository, and those below it.
    places = sorted({
        f"/{path}"[: f"/{path}/".find("/.git/") + 1][1:] for path in task.workspace.files if "/.git/" in f"/{path}/"
    })  # fmt: skip
    seen.unread += [f"{before}{place}.git: more repositories than are read" for place in places[_MOST_REPOSITORIES:]]
    for place in places[:_MOST_REPOSITORIES]:
        there = task if not place else _task_below(task, place)
        await _of_repository(there, open_box, seen, f"{before}{place}.git")
    if seen.compiled:
        found, unread = await compiled_from(task, seen.compiled, open_box)
        seen.found += [Leak(kind="compiled", path=path, what=what) for path, what in found.items()]
        seen.unread += unread


def _tracked(tree: Tree) -> set[str]:
    """Files that are as the index of the workspace's repository has them: they were there before the task was made."""
    index = tree.files[".git/index"].data if ".git/index" in tree.files else b""
    found, at = set[str](), 12
    if index[:8] != b"DIRC\0\0\0\2":
        return found
    for _ in range(int.from_bytes(index[8:12], "big")):
        end = index.find(b"\0", at + 62)
        if end < 0:
            break
        path = index[at + 62 : end].decode("utf-8", "replace")
        data = tree.files[path].data if path in tree.files else b""
        if sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).digest() == index[at + 40 : at + 60]:
            found.add(path)
        at += (end - at + 8) & ~7
    return found


def _task_below(task: Task, place: str) -> Task:
    """The task as it is seen from a folder of its workspace."""
    assert task.hidden is not None
    inside = {p.removeprefix(place): f for p, f in task.workspace.files.items() if p.startswith(place)}
    write = {p.removeprefix(place): f for p, f in task.hidden.reference.write.files.items()}
    reference = replace(task.hidden.reference, write=Tree(files=write))
    return replace(task, workspace=Tree(files=inside), hidden=replace(task.hidden, reference=reference))


async def _of_repository(task: Task, open_box: OpenBox, seen: _Seen, path: str) -> None:
    history = await look_at_git(task, open_box)
    seen.found += [
        Leak(kind="reference", path=path, what=f"an object holds the reference's {line}") for line in history.solution
    ]
    laid = {decoy.path for decoy in (task.hidden.decoys if task.hidden is not None else ()) if decoy.kind == "commit"}
    if history.beyond and not laid:
        seen.found.append(Leak(kind="future", path=path, what=f"commits that HEAD does not reach: {history.beyond[0]}"))
    seen.found += [Leak(kind="outside", path=path, what=line[:200]) for line in history.elsewhere]
    if history.unread:
        seen.unread.append(f"{path}: {history.unread}")
    if history.skipped:
        seen.unread.append(f"{path}: {history.skipped} files beyond HEAD were compared as a whole only")
