"""Which files of a checkout git tracks, would track or ignores, without opening the repository's settings."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from honestly.errors import GitError
from honestly.git._endless import refuse_endless_files
from honestly.git._run import run_git
from honestly.scratch import run_owned, scratch_folder

_CONFIG = "[core]\n\trepositoryformatversion = {version}\n\tbare = false\n[extensions]\n{extensions}"
_SHA256 = re.compile(r"^\s*objectformat\s*=\s*sha256\b", re.IGNORECASE | re.MULTILINE)
_LARGEST = 1 << 30


class GitFolders(NamedTuple):
    """Where a checkout keeps what git knows of it."""

    top: Path
    """The folder of its files."""
    own: Path
    """The checkout's own part: its index and `HEAD`."""
    common: Path
    """The part that all worktrees share: objects, refs, settings. The same as `own` where there are no others."""


def git_folders(path: Path) -> GitFolders | None:
    """The repository around a folder, found by `.git` alone; None if there is none.

    A folder that only looks like a bare repository is not taken for one: anybody can put such a folder into a clone.
    """
    path = path.resolve()
    for top in (path, *path.parents):
        pointer, own = top / ".git", top / ".git"
        if pointer.is_file():
            text = pointer.read_text("utf-8", "replace")[:4096].strip()
            own = (top / text.removeprefix("gitdir:").strip()).resolve()
            if not text.startswith("gitdir:"):
                continue
        if (own / "HEAD").exists() or (own / "HEAD").is_symlink():
            common = own / "commondir"
            shared = (own / common.read_text("utf-8", "replace")[:4096].strip()).resolve() if common.is_file() else own
            return GitFolders(top, own, shared)
    return None


def working_files(root: Path) -> set[str] | None:
    """Paths below a folder, relative to it, that git tracks or would track; None where there is no repository.

    What is another repository ends with a slash.

    Raises:
        GitError: git cannot tell.
    """
    with _side_folder(root) as git:
        if git is None:
            return None
        said = run_git(*git, "ls-files", "-z", "-co", "--exclude-standard")
    return {os.fsdecode(name) for name in said.split(b"\0") if name}


def ignored_files(root: Path, paths: Sequence[str]) -> set[str]:
    """The paths that git ignores, among some below a folder; empty without a repository.

    Raises:
        GitError: git cannot tell.
    """
    with _side_folder(root) as git:
        if git is None or not paths:
            return set()
        given = b"".join(os.fsencode(path) + b"\0" for path in paths)
        said = run_git(*git, "check-ignore", "--no-index", "-z", "--stdin", stdin=given, accepted=(0, 1))
    return {os.fsdecode(name) for name in said.split(b"\0") if name}


@contextmanager
def _side_folder(root: Path) -> Iterator[tuple[str, ...] | None]:
    """Options that show git a checkout through a folder of ours, which has its index, excludes and objects alone."""
    folders = git_folders(root)
    if folders is None:
        yield None
        return
    refuse_endless_files(folders.own, folders.common, checkout=root.resolve(), top=folders.top)
    with scratch_folder("git") as place:
        for name in ("objects/info", "refs", "info"):
            (place / name).mkdir(parents=True)
        # A path as a line of `alternates`.
        path = folders.common / "objects"
        raw = os.fsencode(path.resolve())
        if b"\n" in raw or raw.startswith((b"#", b'"')):
            raise GitError(f"{path} has a line break or a quote in its name; move the repository")
        (place / "objects" / "info" / "alternates").write_bytes(raw + b"\n")
        (place / "HEAD").write_text("ref: refs/heads/main\n")
        sha256 = _SHA256.search(_file_text(folders.common / "config"))
        extensions = "\tobjectFormat = sha256\n" if sha256 else ""
        (place / "config").write_text(_CONFIG.format(version=1 if sha256 else 0, extensions=extensions))
        (place / "info" / "exclude").write_text(
            _file_text(folders.common / "info" / "exclude"), errors="surrogateescape"
        )
        for each in [folders.own / "index", *folders.own.glob("sharedindex.*")]:
            if each.is_file() and not each.is_symlink():
                if each.stat().st_size > _LARGEST:
                    raise GitError(f"{each} has more than {_LARGEST >> 30} GiB; expected the index of a checkout")
                (place / each.name).write_bytes(each.read_bytes())
        options = [f"--git-dir={place}", f"--work-tree={folders.top}", "-C", str(root.resolve())]
        if excludes := users_excludes():
            options = ["-c", f"core.excludesFile={excludes}", *options]
        yield tuple(options)


def _file_text(path: Path) -> str:
    if not path.is_file() or path.stat().st_size > 1 << 20:
        return ""
    return path.read_text("utf-8", "surrogateescape")


def users_excludes() -> str:
    """The file in which this user, or this machine, names what is ignored everywhere; empty if there is none."""
    named = ""
    for whose in ("--global", "--system"):
        command = ["git", "config", whose, "--type=path", "--get", "core.excludesFile"]
        try:
            done = run_owned(command, timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            break
        named = named or os.fsdecode(done.stdout).strip()
    usual = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "git", "ignore")
    return named or (str(usual) if usual.is_file() else "")
