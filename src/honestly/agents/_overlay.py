"""Overlays: files that lie in the workspace before an agent starts, such as CLAUDE.md or `.claude/skills`.

An overlay is an experimental condition, like a prompt arm: an agent with one is another agent, `AGENT+NAME`, whose
record holds the files; its trials have the same seeds as those without. What becomes of the files is no part of what is
judged: the workspace gets its own back at their paths, whether the agent has left, edited or deleted them. What it did
to them is the artifact `overlay.json`, an edit. A copy under another name is the agent's own work, and stays.

In a workspace with a `.git`, the files are in `.git/info/exclude`, so that `git add -A` passes them over.

Not covered: what an agent commits all the same (`git add -f`, a file that git tracks), and links.
"""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from msgspec.structs import replace

from honestly.agents._run import Actor, AgentAround, Needs
from honestly.errors import AgentError, TaskError
from honestly.records import Agent, Task, Tree, decode, encode

NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
"""The characters of a condition's name."""
LARGEST_KIB = 1024
"""What the files of somebody's own may have together, which are part of an agent's record."""
_KEYS = ("overlay", "overlay_files")
_SKIPPED = ("__pycache__", ".git")


@dataclass(frozen=True)
class OverlaidAgent(AgentAround):
    """An agent with the files of an overlay in its workspace."""

    actor: Actor
    name: str
    """Of the overlay."""
    files: Tree

    @property
    def record(self) -> Agent:
        """Its identity: that of the agent, with the overlay in its name and its settings."""
        record = self.actor.record
        settings = {**record.settings, **dict(zip(_KEYS, (self.name, encode(self.files).decode()), strict=True))}
        return replace(record, name=f"{record.name}+{self.name}", settings=settings)

    @property
    def needs(self) -> Needs:
        """The sandbox that the agent needs, with the files."""
        return dataclasses.replace(super().needs, overlay=self.files)


def read_files(folder: Path, what: str) -> Tree:
    """The files of a folder of somebody's own, as a record can hold them.

    Raises:
        AgentError: there is no such folder, it is empty, or it holds a link or too much; the message begins with
            `what`.
    """
    try:
        files = Tree.read(folder, skip=_SKIPPED, largest=LARGEST_KIB << 10)
    except TaskError as error:
        raise AgentError(f"{what}: {error}; expected a folder of at most {LARGEST_KIB} KiB") from error
    links = [path for path, file in files.files.items() if file.mode == "link"]
    if links or not files.files:
        found = f"{links[0]} is a link" if links else f"{folder} holds no file"
        raise AgentError(f"{what}: {found}; expected a folder of plain files")
    return files


def overlaid_agents(actors: Sequence[Actor], typed: Sequence[str], tasks: Iterable[Task]) -> list[Actor]:
    """Each agent with each overlay, `NAME=DIR`; `none`, or no overlay, leaves it unchanged.

    Raises:
        AgentError: one is no `NAME=DIR`, cannot be read or comes twice, or would hide work that a task asks for.
    """
    overlays = [_overlay(text) for text in typed]
    names = [name for name, _ in overlays]
    if len(set(names)) < len(names):
        raise AgentError(f"an overlay is given twice: {', '.join(names)}; give each a name of its own")
    laid = {path: name for name, files in overlays for path in files.files}
    for task in tasks if laid else ():
        wanted = task.hidden.reference if task.hidden is not None else None
        taken = sorted(laid.keys() & {*wanted.write.files, *wanted.delete}) if wanted is not None else []
        if taken:
            raise AgentError(
                f"overlay {laid[taken[0]]}: task {task.id} asks for a change to {taken[0]}, but changes to files of "
                "an overlay are not judged; leave the file out of the overlay, or choose other tasks with --task"
            )
    return [
        OverlaidAgent(actor, name, files) if files.files else actor
        for actor, (name, files) in product(actors, overlays or [("none", Tree())])
    ]


def _overlay(text: str) -> tuple[str, Tree]:
    name, found, folder = text.partition("=")
    if text == "none":
        return text, Tree()
    if name == "none" and folder:
        raise AgentError(f"--overlay {text!r}: none stands for the agent without an overlay; choose another name")
    if not (name and found and folder) or not set(name) <= NAME:
        raise AgentError(
            f"--overlay {text!r}: expected NAME=DIR (NAME of letters, digits, -, _ and .), or none for the agent itself"
        )
    return name, read_files(Path(folder).expanduser(), f"overlay {name}")


def overlay_of(record: Agent) -> tuple[str, Tree] | None:
    """The name and the files of the overlay of an agent; None where it has none."""
    if "overlay" not in record.settings:
        return None
    name, files = (str(record.settings.get(key, "")) for key in _KEYS)
    return name, decode(files.encode(), Tree)


def without_overlay(record: Agent) -> Agent:
    """An agent's record without its overlay; the checkpoint stays, and records with an arm are refused."""
    if "overlay" not in record.settings:
        return record
    settings = {key: value for key, value in record.settings.items() if key not in _KEYS}
    end = f"#{settings['checkpoint']}" if "checkpoint" in settings else ""
    name = record.name.removesuffix(end).removesuffix(f"+{record.settings['overlay']}") + end
    return replace(record, name=name, settings=settings)
