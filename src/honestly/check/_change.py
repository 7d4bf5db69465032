"""The change that is checked: its files before and after, and the words that came with it.

A checkout is read as somebody else's program: git sees its objects through a folder of ours, the files that it tracks
are read from the disk, and nothing of it runs. Not covered: other repositories inside of it, and Git LFS.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from honestly.errors import FormatError, TaskError
from honestly.formats import Imported, importer_of, importers_for, read_patch
from honestly.git import git_folders, working_files
from honestly.records import File, Trajectory, Tree
from honestly.taskgen import Repository, is_a_test, is_source, open_repository

_LARGEST = 256 << 20
_MOST_COMMITS = 200
_SHA = re.compile(r"[0-9a-f]{40,64}")
_MAIN = ("main", "master", "trunk", "develop")


@dataclass(frozen=True)
class Change:
    """Two states of a project, and what is claimed about the change between them."""

    name: str
    """As the user can name it again: a revision, a file, or nothing for what is not committed."""
    base: str
    """The commit before it."""
    head: str
    """The commit after it; empty where there is none."""
    before: Tree
    after: Tree
    messages: tuple[str, ...] = ()
    """Of its commits, oldest first, and what `--claim` says."""
    last_words: str = ""
    """The last message of a session."""
    asked: str = ""
    """The issue, or what the session was told to do."""
    session: Trajectory | None = None
    version: str = "0.0.0"
    """In the nearest tag before it, for builds that ask for one."""

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The files that differ."""
        both = self.before.files.keys() | self.after.files.keys()
        return tuple(sorted(path for path in both if self.before.files.get(path) != self.after.files.get(path)))

    @cached_property
    def tests(self) -> tuple[str, ...]:
        """Those of them that are tests, or belong to some."""
        return tuple(path for path in self.paths if is_a_test(path))

    @cached_property
    def sources(self) -> tuple[str, ...]:
        """Those of them that are code of the project, in the state after it."""
        return tuple(path for path in self.paths if path in self.after.files and is_source(path))

    def lines_of(self, path: str) -> frozenset[int]:
        """The lines of a file, from 1, that the change adds or writes anew."""
        return new_lines(_data(self.before, path), _data(self.after, path))

    def added(self, path: str) -> list[tuple[int, str]]:
        """The text of these lines."""
        lines = text_of(self.after, path).splitlines()
        return [(at, lines[at - 1]) for at in sorted(self.lines_of(path)) if at <= len(lines)]

    def removed(self, path: str) -> list[str]:
        """The lines of a file that are not there any more."""
        lines = text_of(self.before, path).splitlines()
        gone = new_lines(_data(self.after, path), _data(self.before, path))
        return [lines[at - 1] for at in sorted(gone) if at <= len(lines)]


def _data(tree: Tree, path: str) -> bytes:
    return tree.files[path].data if path in tree.files else b""


def text_of(tree: Tree, path: str) -> str:
    """A file as text; empty where it is none, or not there."""
    data = _data(tree, path)
    return "" if b"\0" in data[:8000] else data.decode("utf-8", "replace")


def python_of(source: str | bytes) -> ast.Module:
    """The syntax tree of code in Python; an empty one where it is none."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def json_of(tree: Tree, path: str) -> Mapping[str, Any]:
    """The object in a JSON file; empty where there is none."""
    try:
        found = json.loads(text_of(tree, path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


@lru_cache(maxsize=512)
def new_lines(before: bytes, after: bytes) -> frozenset[int]:
    """Numbers of the lines of `after` that are not in `before`."""
    if not before:
        return frozenset(range(1, len(after.splitlines()) + 1))
    blocks = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False).get_opcodes()
    return frozenset(at + 1 for kind, _, _, start, end in blocks if kind != "equal" for at in range(start, end))


@contextmanager
def opened_change(
    place: Path, named: str = "", *, claim: str = "", issue: str = "", session: Path | None = None, root: str = ""
) -> Iterator[Change]:
    """A change of the checkout around a folder.

    Args:
        place: a folder of the checkout.
        named: a revision, `BASE..REVISION`, a branch (against where it left the main one), a patch, or a session; what
            is not committed where it is empty, or else the last commit.
        claim: what is said of the change, beside its messages.
        issue: what was asked for.
        session: the log of the agent that made it.
        root: the folder that holds the project, where that is not the checkout's top.

    Raises:
        TaskError: there is no repository, or no such change.
        FormatError: the patch or the session cannot be read, or does not fit.
    """
    folders = git_folders(place)
    top = folders.top if folders is not None else place
    given = Path(named) if named and not _SHA.fullmatch(named) and Path(named).is_file() else None
    patch = given if given is not None and _is_patch(given) else None
    log = session or (given if patch is None else None)
    with open_repository(top, root) as repository:
        found = _read_change(repository, top, root, "" if given is not None else named, patch)
    if log is not None:
        items = importer_of(importers_for(log))(log)
        sessions = [item.trajectory for item in items if isinstance(item, Imported) and item.trajectory is not None]
        if not sessions:
            raise FormatError(
                f"{log} contains no session; expected one of Claude Code, Codex or another that `import` reads"
            )
        trajectory = sessions[-1]
        steps = trajectory.steps
        spoken = [step for step in steps if step.source == "agent" and step.message.strip()]
        told = next((step.message for step in steps if step.source == "user"), "")
        found = replace(found, session=trajectory, last_words=spoken[-1].message if spoken else "", asked=told)
    yield replace(
        found,
        messages=(*found.messages, *([claim] if claim.strip() else [])),
        asked="\n".join(filter(None, (issue, found.asked))),
        name=named,
    )


def _is_patch(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(1 << 16)
    return (
        path.suffix in (".diff", ".patch")
        or re.search(rb"^(?:diff --git |--- \S.*\n\+\+\+ )", head, re.MULTILINE) is not None
    )


def _read_change(repository: Repository, top: Path, root: str, named: str, patch: Path | None) -> Change:
    here = head_of(repository, top)
    if patch is not None:
        before = repository.tree(here)
        after = read_patch(patch.read_bytes().decode("utf-8", "surrogateescape")).apply(before)
        return Change("", here, "", before, after, version=repository.version_at(here))
    if not named:
        before, after = repository.tree(here), _tree_on_disk(top / root)
        if after.files != before.files:
            return Change("", here, "", before, after, version=repository.version_at(here))
    base, head = _change_ends(repository, named or here, here)
    messages = []
    for commit in repository.commits_from(head, _MOST_COMMITS):
        if commit.sha == base:
            break
        messages.append(commit.message)
        if commit.parents[:1] == (base,):
            break
    return Change(
        "", base, head, repository.tree(base), repository.tree(head), tuple(messages[::-1]),
        version=repository.version_at(base),
    )  # fmt: skip


def head_of(repository: Repository, top: Path) -> str:
    """The commit that is checked out: a worktree has a HEAD of its own."""
    folders = git_folders(top)
    text = "HEAD"
    if folders is not None:
        said = (folders.own / "HEAD").read_text("utf-8", "replace")[:4096].strip()
        text = said.removeprefix("ref:").strip()
    return repository.commits_from(text, 1)[0].sha


def _change_ends(repository: Repository, named: str, here: str) -> tuple[str, str]:
    """The commits before and after a change."""
    if ".." in named:
        old, _, new = named.replace("...", "..").partition("..")
        ends = [repository.commits_from(each or here, 1)[0].sha for each in (old, new)]
        base = _merge_base(repository, *ends) if "..." in named else ends[0]
        return base, ends[1]
    commit = repository.commits_from(named, 1)[0]
    branches = {line.split()[1]: line.split()[0] for line in _refs(repository)}
    if any(f"refs/{kind}/{named}" in branches for kind in ("heads", "remotes")):
        mains = [sha for name, sha in branches.items() if name.rpartition("/")[2] in _MAIN and sha != commit.sha]
        for other in dict.fromkeys((*mains, here)):
            base = _merge_base(repository, other, commit.sha)
            if base not in ("", commit.sha):
                return base, commit.sha
    if not commit.parents:
        shown = named if commit.sha.startswith(named) else f"{named} ({commit.sha[:10]})"
        raise TaskError(
            f"{shown} is the first commit here, with none before it to compare with; "
            "expected a later commit, or BASE..REVISION"
        )
    return commit.parents[0], commit.sha


def _refs(repository: Repository) -> Iterable[str]:
    said = repository.git_output("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/remotes")
    return [line for line in said.decode("utf-8", "replace").splitlines() if len(line.split()) == 2]


def _merge_base(repository: Repository, one: str, other: str) -> str:
    try:
        return repository.git_output("merge-base", one, other).decode("ascii").strip()
    except TaskError:
        return ""


def _tree_on_disk(top: Path) -> Tree:
    """The files of a checkout that git tracks or would track."""
    names = working_files(top) or set()
    files: dict[str, File] = {}
    left = _LARGEST
    for name in sorted(names):
        path = top / name
        if path.is_symlink():
            files[name] = File(data=str(path.readlink()).encode("utf-8", "surrogateescape"), mode="link")
        elif path.is_file():
            left -= path.stat().st_size
            if left < 0:
                raise TaskError(
                    f"{top} contains more than {_LARGEST >> 20} MiB; name a commit, or a folder with --root"
                )
            files[name] = File(data=path.read_bytes(), mode="exec" if path.stat().st_mode & 0o100 else "file")
    return Tree(files=files)


def shown_paths(paths: Sequence[str], most: int = 3) -> str:
    """The first of some paths, and how many more there are."""
    return ", ".join(paths[:most]) + (f" and {len(paths) - most} more" if len(paths) > most else "")
