"""The history in a workspace: what of it an agent could take an answer from, and the same repository without that.

A repository is somebody's program: its hooks, configuration, attributes and filters run commands. So git never sees it
as it is. What holds history and nothing else (objects, refs, `HEAD`) is copied into a sandbox without a network, beside
a configuration of ours; links, alternates, and a `.git` that points elsewhere are read as text, and never followed.
Huge or broken objects end in the sandbox's limits, and are reported as what could not be read.

A clean repository is made new: the commits that `HEAD` reaches, one branch, an index, and nothing else. Where those
commits hold the solution themselves, it starts with the last of them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha1

from honestly.errors import SandboxError
from honestly.git import GIT_OPTIONS, GIT_VARIABLES
from honestly.records import File, Task, Tree
from honestly.sandbox import Limits, Result, Sandbox
from honestly.tasks import reference_in
from honestly.verify._open import OpenBox

_GIT = ".git"
_HISTORY = re.compile(r"objects/(?:[0-9a-f]{2}/[0-9a-f]{38,62}|pack/pack-[0-9a-f]{40,64}\.(?:pack|idx))$")
_REF = re.compile(r"refs/[A-Za-z0-9._/-]+$")
_HEADS = ("ORIG_HEAD", "FETCH_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "AUTO_MERGE")
_BRANCH = re.compile(r"ref: refs/heads/([A-Za-z0-9._/-]{1,200})\s*$")
_RUNS = re.compile(
    r"fsmonitor|sshcommand|hookspath|\bpath\s*=|smudge|clean\s*=|process\s*=|pager|editor", re.IGNORECASE
)
"""Settings that run commands, or read other files."""
_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
_SHA256 = b"[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = sha256\n"
_SAFE = {**GIT_VARIABLES, "HOME": "/tmp"}  # noqa: S108 - inside the sandbox
_LIMITS = Limits(memory_mb=1024, disk_mb=1024, output_bytes=16 << 20)
_SECONDS = 60.0
_MOST = 20
_MOST_BLOBS = 200
"""Files beyond `HEAD` that are read, each by a command."""


@dataclass(slots=True)
class History:
    """What a repository contains in addition to the history before the agent's start."""

    head: str = ""
    tips: dict[str, str] = field(default_factory=dict)
    """Every ref, and what it leads to."""
    beyond: list[str] = field(default_factory=list)
    """Commits that `HEAD` does not reach, with their first lines."""
    refs: list[str] = field(default_factory=list)
    """Refs that lead to those, and names of remotes."""
    solution: list[str] = field(default_factory=list)
    """Files of the solution, as they are in some commit: `path object`."""
    reached: bool = False
    """Whether `HEAD` itself reaches one of those."""
    logs: list[str] = field(default_factory=list)
    """Reflogs and heads that were left, by path."""
    programs: list[str] = field(default_factory=list)
    """Hooks, and settings that run commands."""
    elsewhere: list[str] = field(default_factory=list)
    """Pointers to objects outside: links, alternates, a `.git` that is a file."""
    skipped: int = 0
    """Files that `HEAD` does not reach and that were not compared with the reference line by line."""
    unread: str = ""
    """Why the objects could not be read; empty if they were."""


def has_git(tree: Tree) -> bool:
    """Whether there is a repository, or a pointer to one."""
    return any(map(_of_git, tree.files))


def without_git(tree: Tree) -> Tree:
    """A tree without its repository, and without a pointer to one."""
    return tree.without(path for path in tree.files if _of_git(path))


async def look_at_git(task: Task, open_box: OpenBox) -> History:
    """Reads the history of a task's workspace, in a sandbox.

    Raises:
        SandboxUnavailableError: there is no sandbox on this machine.
    """
    inside = task.workspace.below(_GIT).files
    found = _read_off(task.workspace, inside)
    if not any(path.startswith("objects/") for path in inside):
        found.unread = "" if not found.elsewhere else "its objects are elsewhere"
        return found
    try:
        async with open_box(bare_git(task.workspace), limits=_LIMITS) as box:
            await _explore_history(box, found, task)
    except SandboxError as error:
        found.unread = str(error)[:200]
    return found


async def clean_git(task: Task, open_box: OpenBox, found: History) -> Tree | None:
    """The workspace with a repository made new; without any, if there is no commit to start from; None if git failed.

    Args:
        task: whose workspace.
        open_box: opens sandboxes.
        found: what was seen in its history.
    """
    work = without_git(task.workspace)
    if not found.head or found.unread:
        return work
    inside = task.workspace.below(_GIT).files
    shallow = found.reached
    script = _REMAKE_SHALLOW if shallow else _REMAKE
    start = inside.get("HEAD", File())
    named = _BRANCH.match(start.data[:300].decode("utf-8", "replace")) if start.mode != "link" else None
    branch = named[1] if named else "main"
    try:
        async with open_box(bare_git(task.workspace), limits=_LIMITS) as box:
            form = "--object-format=sha256" if len(found.head) == 64 else "--object-format=sha1"
            result = await git_script(box, script, found.head, branch, form)
            if result.code != 0:
                return None
            made = await box.snapshot()
    except SandboxError:
        return None
    new = {path.removeprefix("new/"): file for path, file in made.files.items() if path.startswith("new/.git/")}
    return Tree(files={**work.files, **new})


_REMAKE = """
set -e
git init -q --template= "$3" new
git --git-dir=old/.git rev-list --objects "$1" > list
cut -c1-64 list | sed 's/ .*//' | git --git-dir=old/.git pack-objects -q new/.git/objects/pack/pack > /dev/null
"""
_FINISH = """
mkdir -p new/.git/refs/heads
git --git-dir=new/.git symbolic-ref HEAD "refs/heads/$2"
git --git-dir=new/.git update-ref "refs/heads/$2" "$1"
git --git-dir=new/.git read-tree "$1"
git --git-dir=new/.git fsck --connectivity-only --no-dangling > /dev/null
rm -rf new/.git/logs new/.git/hooks
"""
_REMAKE_SHALLOW = (
    _REMAKE.replace('rev-list --objects "$1"', 'rev-list --objects "$1^{tree}"').replace("set -e", "set -e", 1)
    + 'git --git-dir=old/.git cat-file commit "$1" > commit\n'
    + "git --git-dir=new/.git hash-object -t commit -w commit > /dev/null\n"
    + 'echo "$1" > new/.git/shallow\n'
    + _FINISH
)
_REMAKE += _FINISH


async def git_script(box: Sandbox, script: str, *words: str) -> Result:
    """Runs a script, with its words as `$1` and so on, in which `git` means git with safe settings."""
    safe = " ".join(GIT_OPTIONS).replace("*", "\\*")
    text = f'git() {{ command git {safe} "$@"; }}\n{script}'
    return await box.exec(["bash", "-c", text, "git", *words], env=_SAFE, timeout=_SECONDS)


async def _run_git(box: Sandbox, *words: str, stdin: bytes = b"") -> Result:
    return await box.exec(["git", *GIT_OPTIONS, "--git-dir=old/.git", *words], env=_SAFE, timeout=_SECONDS, stdin=stdin)


async def _explore_history(box: Sandbox, found: History, task: Task) -> None:
    head = await _run_git(box, "rev-parse", "--verify", "-q", "HEAD^{commit}")
    found.head = head.stdout.decode("ascii", "replace").strip()
    listed = await _run_git(box, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")
    if listed.code != 0 or listed.truncated:
        why = listed.stderr.decode("utf-8", "replace").strip() or "there are too many objects, or they are too large"
        found.unread = why.splitlines()[0][:200]
        return
    objects: dict[str, set[str]] = {}
    for line in listed.stdout.decode("ascii", "replace").splitlines():
        kind, _, name = line.partition(" ")
        objects.setdefault(kind, set()).add(name)
    if odd := objects.keys() - {"blob", "tree", "commit", "tag"}:
        found.unread = f"objects that cannot be read: {min(odd)[:80]}"
        return
    reached: set[str] = set()
    if found.head:
        walked = await _run_git(box, "rev-list", "--objects", "--no-object-names", found.head)
        if walked.code != 0 or walked.truncated:
            found.unread = (
                walked.stderr.decode("utf-8", "replace").strip().partition("\n")[0][:200] or "a broken history"
            )
            return
        reached = set(walked.stdout.decode("ascii", "replace").split())
    if beyond := sorted(objects.get("commit", set()) - reached):
        shown = await _run_git(box, "log", "--no-walk=unsorted", "--format=%H %s", *beyond[:_MOST])
        lines = [line[:120] for line in shown.stdout.decode("utf-8", "replace").splitlines()] or list(beyond[:_MOST])
        found.beyond = lines + [f"and {len(beyond) - _MOST} more"] * (len(beyond) > _MOST)
    refs = await _run_git(box, "for-each-ref", "--format=%(objectname) %(refname)")
    for line in refs.stdout.decode("utf-8", "replace").splitlines():
        name, _, ref = line.partition(" ")
        found.tips[ref] = name
        if name not in reached or ref.startswith(("refs/remotes/", "refs/stash")):
            found.refs.append(ref[:120])
    blobs = objects.get("blob", set())
    # The names of objects are hashes of their content; those of 64 digits are of another kind of hash.
    if task.hidden is not None and len(found.head) != 64:
        for path, file in (*task.hidden.reference.write.files.items(), *task.hidden.solution.files.items()):
            name = sha1(b"blob %d\0" % len(file.data) + file.data, usedforsecurity=False).hexdigest()
            if name in blobs and file.data.strip() and task.workspace.files.get(path) != file:
                found.solution.append(f"{path} {name}")
                found.reached |= name in reached
    await _like_solution(box, found, task, sorted(blobs - reached))


async def _like_solution(box: Sandbox, found: History, task: Task, blobs: Sequence[str]) -> None:
    """Notes files that `HEAD` does not reach, and that hold most of what is new in the reference."""
    known = {line.rpartition(" ")[2] for line in found.solution}
    for name in blobs[:_MOST_BLOBS]:
        if name in known:
            continue
        shown = await _run_git(box, "cat-file", "blob", name)
        held = reference_in(task, File(data=shown.stdout)) if shown.code == 0 and not shown.truncated else None
        if held is not None:
            found.solution.append(f"{held[0]} {name}")
    if len(blobs) > _MOST_BLOBS:
        found.skipped = len(blobs) - _MOST_BLOBS


def _read_off(tree: Tree, inside: dict[str, File]) -> History:
    """The facts in the files beside the objects; they are only read."""
    found = History()
    if (pointer := tree.files.get(_GIT)) is not None:
        found.elsewhere.append(f"{_GIT}: {pointer.data[:100].decode('utf-8', 'replace').strip()}")
    for path, file in inside.items():
        text = file.data[:100].decode("utf-8", "replace").strip()
        if file.mode == "link":
            found.elsewhere.append(f"{_GIT}/{path} -> {text}")
        elif path in ("objects/info/alternates", "objects/info/http-alternates", "commondir", "gitdir"):
            found.elsewhere.append(f"{_GIT}/{path}: {text}")
        elif path.startswith("logs/") or path in _HEADS:
            found.logs.append(f"{_GIT}/{path}")
        elif path.startswith(("modules/", "worktrees/")) and path.count("/") == 2 and path.endswith("/HEAD"):
            found.refs.append(f"{_GIT}/{path}")
        elif path.startswith("hooks/") and not path.endswith(".sample"):
            found.programs.append(f"{_GIT}/{path}")
        elif path in ("config", "config.worktree"):
            for line in file.data[: 1 << 16].decode("utf-8", "replace").splitlines():
                if _RUNS.search(line):
                    found.programs.append(f"{_GIT}/{path}: {line.strip()[:100]}")
                if re.match(r"\s*url\s*=", line, re.IGNORECASE):
                    found.refs.append(f"remote {line.strip()[:100]}")
    return found


def bare_git(tree: Tree) -> Tree:
    """Objects, refs and `HEAD` of a workspace's repository, with settings of ours, below `old/.git`."""
    inside = tree.below(_GIT).files
    files: dict[str, File] = {}
    for path, file in inside.items():
        plain = path in ("HEAD", "packed-refs", "shallow") or _HISTORY.match(path) or _REF.match(path)
        if plain and file.mode != "link" and "/." not in path and not path.endswith(".lock"):
            files[f"old/{_GIT}/{path}"] = File(data=file.data)
    sha256 = b"sha256" in inside.get("config", File()).data[: 1 << 16].lower()
    files[f"old/{_GIT}/config"] = File(data=_SHA256 if sha256 else _CONFIG)
    files.setdefault(f"old/{_GIT}/HEAD", File(data=b"ref: refs/heads/main\n"))
    files.setdefault(f"old/{_GIT}/refs/.keep", File())
    return Tree(files=files)


def _of_git(path: str) -> bool:
    return path == _GIT or path.startswith(f"{_GIT}/")
