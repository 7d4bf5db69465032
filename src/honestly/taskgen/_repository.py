"""Reading a git repository that somebody else made: commits, files, and a history without its future.

A repository's own settings, hooks and attributes run commands. So git sees its objects from beside it: through a
directory of ours, with settings of ours, to which the repository's objects are alternates and its refs are a copy.
Nothing is checked out, and nothing is written into the repository.
"""

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from honestly.errors import GitError, TaskError
from honestly.git import git_folders, refuse_endless_files, run_git
from honestly.records import File, Tree
from honestly.scratch import scratch_folder

_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n"
_OWN_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
_NOBODY = {"NAME": "nobody", "EMAIL": "nobody@localhost", "DATE": "2000-01-01T00:00:00Z"}
_LARGEST = 256 << 20
_LARGEST_PACK = 32 << 20
_MODES = {"100644": "file", "100664": "file", "100755": "exec", "120000": "link"}


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, and which files it changes against its first parent."""

    sha: str
    parents: tuple[str, ...]
    day: str
    """Of the commit, as 2026-01-31."""
    message: str
    changed: dict[str, str]
    """`A`, `M`, `D` or `T` by path; empty for a merge."""


class Repository:
    """A repository's objects, read with settings of ours."""

    def __init__(self, place: Path, name: str, root: str = "") -> None:
        self._place, self.name = place, name
        self._root = f"{root}/" if root else ""

    def git_output(
        self, *words: str, stdin: bytes = b"", largest: int = _LARGEST, env: dict[str, str] | None = None
    ) -> bytes:
        """Standard output of a git command.

        Raises:
            TaskError: it fails, takes more than a minute, or says too much.
        """
        try:
            said = run_git(
                f"--git-dir={self._place}",
                *words,
                stdin=stdin,
                env=env,
                allow="file" if words[0] == "fetch" else "none",
            )
        except GitError as error:
            raise TaskError(f"{error} in {self.name}") from error
        if len(said) > largest:
            raise TaskError(f"git {words[0]} gives more than {largest >> 20} MiB in {self.name}; too much for a task")
        return said

    def commits_from(self, revision: str, most: int) -> list[Commit]:
        """Commits from a revision back to the root, newest first; a merge changes nothing here.

        Raises:
            TaskError: there is no such revision.
        """
        if revision.startswith("-") or not revision.strip() or "\0" in revision:
            raise TaskError(f"{revision!r} is not a revision; give a commit, a tag or a branch of {self.name}")
        try:
            said = self.git_output(
                *("log", "-z", f"--max-count={most}", "--format=%x01%H%x00%P%x00%cs%x00%B%x00", "--raw"),
                *("--no-renames", "--no-abbrev", "--no-color", "--no-ext-diff", "--no-textconv", "--root"),
                *("--end-of-options", f"{revision}^{{commit}}", "--"),
            )
        except TaskError as error:
            if "unknown revision" not in str(error) and "bad revision" not in str(error):
                raise
            raise TaskError(f"{self.name} has no commit {revision!r}; `git log --oneline` lists what it has") from None
        return [_commit(part, self._root) for part in said.split(b"\x01")[1:]]

    def tree(self, sha: str) -> Tree:
        """The files of a commit; other repositories in it are left out.

        Raises:
            TaskError: they are too many or too large.
        """
        try:
            said = self.git_output("ls-tree", "-r", "-z", "--full-tree", "-l", f"{sha}:{self._root.rstrip('/')}")
        except TaskError:
            if not self._root:
                raise
            said = b""  # there is no such folder yet
        rows = [row.partition(b"\t") for row in said.split(b"\0") if row]
        heads = [(head.decode().split(), path.decode("utf-8", "replace")) for head, _, path in rows]
        wanted = [(head[0], head[2], path) for head, path in heads if head[0] in _MODES]
        if lacking := [path for head, path in heads if head[3] == "BAD"]:
            raise TaskError(f"{self.name} has no {lacking[0]} at {sha[:10]}; a whole clone of it is needed")
        if sum(int(head[3]) for head, _ in heads if head[3] != "-") > _LARGEST:
            raise TaskError(f"{self.name} at {sha[:10]} contains more than {_LARGEST >> 20} MiB; too much for a task")
        found = self._read_blobs([blob for _, blob, _ in wanted])
        return Tree(
            files={
                path: File(data=data, mode=_MODES[mode])  # type: ignore[arg-type]
                for (mode, _, path), data in zip(wanted, found, strict=True)
            }
        )

    def commit_files(self, sha: str, paths: Sequence[str]) -> dict[str, bytes]:
        """Some files of a commit. Raises TaskError where one is not there."""
        names = [f"{sha}:{self._root}{path}" for path in paths if "\n" not in path]
        return dict(zip(paths, self._read_blobs(names), strict=True))

    def _read_blobs(self, names: Sequence[str]) -> Iterator[bytes]:
        said, at = self.git_output("cat-file", "--batch", stdin="".join(f"{name}\n" for name in names).encode()), 0
        for name in names:
            end = said.index(b"\n", at)
            if said[at:end].endswith(b" missing"):
                raise TaskError(f"{self.name} has no {name}; a whole clone of it is needed")
            start, at = end + 1, end + 2 + int(said[at:end].rpartition(b" ")[2])
            yield said[start : at - 1]

    def version_at(self, sha: str) -> str:
        """The version in the nearest tag before a commit; 0.0.0 where there is none."""
        try:
            said = self.git_output("describe", "--tags", "--abbrev=0", sha).decode("utf-8", "replace")
        except TaskError:
            return "0.0.0"
        found = re.search(r"\d+(?:\.\d+)+", said)
        return found[0] if found else "0.0.0"

    def object_names(self, *names: str) -> set[str]:
        """Names of all objects that commits reach."""
        return set(self.git_output("rev-list", "--objects", "--no-object-names", *names).decode("ascii").split())

    def history_until(self, sha: str, *, whole: bool) -> Tree:
        """A `.git` that ends at a commit: one branch and an index over it, and no object of any later commit.

        Args:
            sha: the commit.
            whole: with all commits before it; else only this one, as a shallow clone has it. Of a folder there is one
                commit, which holds nothing else.
        """
        if self._root:
            who = {f"GIT_{role}_{what}": said for role in ("AUTHOR", "COMMITTER") for what, said in _NOBODY.items()}
            tree = f"{sha}:{self._root.rstrip('/')}"
            sha = self.git_output("commit-tree", tree, "-m", self.name, env=who).decode("ascii").strip()
            whole = False
        with scratch_folder("git") as folder:
            pack, index = folder / "pack", folder / "index"
            if whole:
                self.git_output("pack-objects", "--revs", "-q", str(pack), stdin=f"{sha}\n".encode())
                if sum(path.stat().st_size for path in folder.iterdir()) > _LARGEST_PACK:
                    whole = False
                    for path in folder.iterdir():
                        path.unlink()
            if not whole:
                named = self.git_output("rev-list", "--objects", "--no-object-names", f"{sha}^{{tree}}").decode("ascii")
                self.git_output("pack-objects", "-q", str(pack), stdin=f"{sha}\n{named}".encode())
            self.git_output("read-tree", sha, env={"GIT_INDEX_FILE": str(index)})
            packs = {path.name: path.read_bytes() for path in folder.glob("pack-*") if path.suffix != ".rev"}
            files = {f".git/objects/pack/{name}": data for name, data in packs.items()}
            files |= {
                ".git/HEAD": b"ref: refs/heads/main\n",
                ".git/refs/heads/main": f"{sha}\n".encode(),
                ".git/config": _OWN_CONFIG,
                ".git/index": index.read_bytes(),
            }
            if not whole and not self._root:
                files[".git/shallow"] = f"{sha}\n".encode()
        return Tree.of(files)


@contextmanager
def open_repository(path: Path, root: str = "") -> Iterator[Repository]:
    """A repository: a checkout, a bare one, or a bundle of one.

    Args:
        path: where it is.
        root: a folder in it that is read as if it were the whole of it.

    Raises:
        TaskError: there is none, it has no such folder, or git is not installed.
    """
    root = root.strip("/") if root.strip("/") != "." else ""
    if ".." in root.split("/") or set(root) & set("\0\n:"):
        raise TaskError(
            f"--root {root!r} is not a folder of a repository; give one such as `backend` or `packages/core`"
        )
    with scratch_folder("git") as place:
        (place / "objects" / "info").mkdir(parents=True)
        (place / "refs").mkdir()
        (place / "config").write_text(_CONFIG)
        (place / "HEAD").write_text("ref: refs/heads/main\n")
        name = path.resolve().name.removesuffix(".git").removesuffix(".bundle")
        found = Repository(place, f"{name}-{root.replace('/', '-')}" if root else name, root)
        if path.is_file():
            _unbundle(found, place, path)
        else:
            _share_objects(place, _git_folder(path))
        commits = ("log", "--all", "-1", "--format=%H", "--", f":(literal){root}/")
        if root and not (path / root).is_dir() and not found.git_output(*commits):
            raise TaskError(f"--root: {path} has no folder {root!r}, in any commit; expected a path below its top")
        yield found


def _unbundle(found: Repository, place: Path, path: Path) -> None:
    with path.open("rb") as file:
        if not file.read(20).startswith(b"# v"):
            raise TaskError(
                f"{path} is neither a git repository nor a bundle of one; run git init there, or name another folder"
            )
    found.git_output(
        "fetch", "-q", "--no-tags", "--no-auto-gc", str(path.resolve()), "+refs/*:refs/*", "+HEAD:refs/bundle/HEAD"
    )
    head = found.git_output("rev-parse", "refs/bundle/HEAD").decode("ascii")
    (place / "HEAD").write_text(head)


def _share_objects(place: Path, folder: Path) -> None:
    """Takes the repository's objects as alternates, and copies its refs."""
    refuse_endless_files(folder)
    if (folder / "reftable").exists() or not (folder / "objects").is_dir():
        raise TaskError(f"{folder} keeps its objects or refs in a way that is not read; give a plain clone of it")
    (place / "objects" / "info" / "alternates").write_text(f"{(folder / 'objects').resolve()}\n")
    for name in ("HEAD", "packed-refs", "shallow"):
        if (folder / name).is_file():
            (place / name).write_bytes((folder / name).read_bytes()[: 64 << 20])
    for at, _, names in os.walk(folder / "refs"):
        for name in names:
            source = Path(at, name)
            if source.is_symlink() or not source.is_file() or source.stat().st_size > 1 << 10:
                continue
            target = place / source.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())


def _git_folder(path: Path) -> Path:
    if (folders := git_folders(path)) is not None and folders.top == path.resolve():
        return folders.common
    if (path / "objects").is_dir() and (path / "HEAD").is_file():  # bare, and named as such
        return path
    raise TaskError(f"{path} is not a git repository: expected a checkout, a bare repository or a bundle of git")


def _commit(part: bytes, root: str) -> Commit:
    sha, parents, day, rest = part.split(b"\0", 3)
    message, _, raw = rest.partition(b"\0")
    return Commit(
        sha=sha.decode("ascii"),
        parents=tuple(parents.decode("ascii").split()),
        day=day.decode("ascii"),
        message=message.decode("utf-8", "replace").strip(),
        changed={
            path.removeprefix(root): how
            for path, how in _changed(raw.strip(b"\n\0").split(b"\0"))
            if path.startswith(root)
        },
    )


def _changed(words: Sequence[bytes]) -> Iterator[tuple[str, str]]:
    """Paths and states of git's raw diff; of other repositories in this one nothing is said."""
    for head, path in zip(words[::2], words[1::2], strict=False):
        parts = head.decode("ascii", "replace").strip().split()
        if len(parts) == 5 and "160000" not in (parts[0].lstrip(":"), parts[1]):
            yield path.decode("utf-8", "replace"), parts[4][:1]


def one_commit(folder: Path) -> str:
    """Makes a folder a repository of one commit that holds all of it, and says the commit's name; the same each time.

    A repository that is there already is replaced: its settings would run.

    Raises:
        TaskError: git is not installed, or fails.
    """
    who = {f"GIT_{role}_{what}": said for role in ("AUTHOR", "COMMITTER") for what, said in _NOBODY.items()}
    old = folder / ".git"
    if old.is_dir() and not old.is_symlink():
        shutil.rmtree(old)
    else:
        old.unlink(missing_ok=True)
    options = ("-c", "core.autocrlf=false", "--git-dir=.git", "--work-tree=.")
    run_git(*options, "init", "-q", "-b", "main", "--template=", at=folder)
    run_git(*options, "add", "-A", "-f", at=folder)
    run_git(*options, "commit", "-q", "-m", "The task", at=folder, env=who)
    return run_git(*options, "rev-parse", "HEAD", at=folder).decode("ascii").strip()
