"""A person's checkout: what of it an agent gets to see, and how approved changes come back into it.

What git ignores, what looks like a secret, and git's own folder are never copied. Changes are written back only below
the checkout, never through a link, never into git's folder, and only where the file is still what the agent was
given. Either all of them are written or none: an error on the way puts back what was there.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from honestly.errors import GitError, TaskError
from honestly.git import ignored_files, working_files
from honestly.records import Edit, File, Tree

_REPOSITORY = frozenset((".git", ".hg", ".svn"))
_CLUTTER = frozenset((".venv", "venv", "node_modules", "__pycache__", ".tox", ".ipynb_checkpoints")) | frozenset(
    f".{tool}_cache" for tool in ("mypy", "pytest", "ruff")
)
_SECRET = (".env", ".env.*", "*.pem", "*.key", "id_rsa*", "id_ed25519*", ".netrc", ".npmrc", ".pypirc")
_NOT_SECRET = (".env.example", ".env.sample", ".env.template", "*.pub")
_LARGEST = 256 << 20
_LARGEST_FILE = 32 << 20


@dataclass(frozen=True, slots=True)
class Copy:
    """The part of a checkout that an agent is given."""

    tree: Tree
    left_out: tuple[str, ...]
    """Paths with the reason, beyond what git ignores."""


def copy_of(root: Path, known: dict[str, tuple[object, File | None]] | None = None) -> Copy:
    """The files of a checkout: those that git tracks or would track; without git all but the usual clutter.

    Args:
        root: of the checkout.
        known: what an earlier call read; only files that have changed since are read again, and put into it.

    Raises:
        TaskError: It is not a directory, or holds too much.
    """
    if not root.is_dir():
        raise TaskError(f"{root} is not a directory; give the folder to work in with --in")
    files: dict[str, File] = {}
    left_out: list[str] = []
    size = 0
    for path in sorted(_listed_paths(root)):
        if reason := _unwanted_reason(root, path):
            left_out.append(f"{path} ({reason})")
            continue
        file = _file_at(root / path) if known is None else _known_file(root / path, path, known)
        if file is not None:
            files[path] = file
            size += len(file.data) + 1024
        if size > _LARGEST:
            raise TaskError(
                f"{root} contains more than {_LARGEST >> 20} MiB that git does not ignore; choose a smaller folder"
            )
    return Copy(Tree(files=files), tuple(left_out))


def without_clutter(root: Path, given: Tree, edit: Edit) -> tuple[Edit, int]:
    """The change without new files that are caches or that git ignores; and the number of these."""
    fresh = [path for path in edit.write.files if path not in given.files]
    clutter = {path for path in fresh if path.endswith(".pyc") or not _CLUTTER.isdisjoint(path.split("/"))}
    # The paths that git ignores; none where it cannot say, as of one beyond a link.
    try:
        ignored = ignored_files(root, [path for path in fresh if path not in clutter])
    except GitError:
        ignored = set()
    clutter |= ignored
    return Edit(write=edit.write.without(clutter), delete=edit.delete), len(clutter)


def write_objections(root: Path, given: Tree, edit: Edit) -> list[str]:
    """Why a change cannot be applied, one line per file; empty if it can."""
    found = []
    for path in [*edit.write.files, *edit.delete]:
        file = edit.write.files.get(path)
        parts = path.split("/")
        if any(part.lower().rstrip(". ") in _REPOSITORY for part in parts):
            found.append(f"{path}: the repository's own folder is not for agents")
        elif any((root / Path(*parts[:n])).is_symlink() for n in range(1, len(parts))):
            found.append(f"{path}: lies behind a link")
        elif file is not None and file.mode == "link" and not _points_inside(path, file):
            found.append(f"{path}: would be a link to {os.fsdecode(file.data)!r}, outside of the checkout")
        elif _file_at(root / path) != given.files.get(path):
            found.append(f"{path}: has changed since the agent got its copy, or was not in it")
        elif path in edit.write.files and (root / path).is_dir() and not (root / path).is_symlink():
            found.append(f"{path}: is a folder")
    return found


def write_back(root: Path, edit: Edit) -> None:
    """Apply a change that has no objections, completely or not at all.

    Raises:
        TaskError: A file could not be written.
    """
    before = {path: _file_at(root / path) for path in [*edit.write.files, *edit.delete]}
    try:
        for path in edit.delete:
            (root / path).unlink()
        for path, file in edit.write.files.items():
            _put_file(root / path, file)
    except BaseException as error:
        for path in (path for path, old in before.items() if old is None):
            with suppress(OSError):
                (root / path).unlink()
            _remove_empty(root, (root / path).parent)
        for path, old in before.items():
            if old is not None:
                _put_file(root / path, old)
        if isinstance(error, OSError):
            raise TaskError(f"the change could not be written, and was undone: {error}") from error
        raise
    for path in edit.delete:
        _remove_empty(root, (root / path).parent)


def _listed_paths(root: Path) -> Iterable[str]:
    try:
        listed = working_files(root)
    except GitError as error:
        raise TaskError(f"cannot find out what git ignores in {root}, so nothing is copied: {error}") from error
    if listed is not None:
        return listed
    found = set()
    for folder, names, leaves in os.walk(root):
        links = [name for name in names if Path(folder, name).is_symlink()]
        names[:] = [name for name in names if name not in _CLUTTER | _REPOSITORY and name not in links]
        found |= {Path(folder, name).relative_to(root).as_posix() for name in [*leaves, *links]}
    return found


def _unwanted_reason(root: Path, path: str) -> str:
    name = path.rpartition("/")[2]
    if any(fnmatch(name, like) for like in _SECRET) and not any(fnmatch(name, like) for like in _NOT_SECRET):
        return "looks like a secret"
    try:
        path.encode()
        size = (root / path).lstat().st_size
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    except OSError:
        return ""
    if (root / path).is_dir() and not (root / path).is_symlink():
        return "a repository of its own"
    return f"{size >> 20} MiB" if size > _LARGEST_FILE else ""


def _file_at(path: Path) -> File | None:
    """The file at a path; None where there is nothing, or nothing that can be copied."""
    try:
        if path.is_symlink():
            return File(data=os.fsencode(path.readlink()), mode="link")
        if not path.is_file():
            return None
        return File(data=path.read_bytes(), mode="exec" if path.stat().st_mode & 0o100 else "file")
    except OSError:
        return None


def _known_file(path: Path, name: str, known: dict[str, tuple[object, File | None]]) -> File | None:
    try:
        at = path.lstat()
    except OSError:
        return None
    now = at.st_mtime_ns, at.st_ctime_ns, at.st_size, at.st_ino, at.st_mode
    if name not in known or known[name][0] != now:
        known[name] = now, _file_at(path)
    return known[name][1]


def _points_inside(path: str, link: File) -> bool:
    target = os.fsdecode(link.data)
    joined = os.path.normpath(os.path.join(os.path.dirname(path), target))  # noqa: PTH118, PTH120 - not of this disk
    return not target.startswith("/") and joined != ".." and not joined.startswith("../")


def _put_file(path: Path, file: File) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name[:100]}.honestly-{os.getpid()}")
    try:
        if file.mode == "link":
            fresh.symlink_to(os.fsdecode(file.data))
        else:
            mode = path.stat().st_mode & 0o777 if path.is_file() and not path.is_symlink() else 0o666 & ~_umask()
            fresh.write_bytes(file.data)
            fresh.chmod(mode | ((mode & 0o444) >> 2) if file.mode == "exec" else mode & ~0o111)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _remove_empty(root: Path, folder: Path) -> None:
    while folder != root and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
