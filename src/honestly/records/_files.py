"""A tree of files as a value: what a workspace, a set of tests or a reference solution consists of.

Paths are relative, POSIX, UTF-8, and stay below the root: `..`, absolute paths, empty parts and NUL are refused when a
tree is made, so that no later code needs to check again. Directories exist by the files in them; empty ones, owners,
times and permission bits other than the executable one are not kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal

from honestly.errors import TaskError
from honestly.records._base import Record, digest

_LEAST = 1 << 10
"""Bytes that a file counts for at least: a million empty ones take memory too."""


class File(Record, frozen=True, kw_only=True):
    """One file."""

    data: bytes = b""
    """Its content; the target, where `mode` is "link"."""
    mode: Literal["file", "exec", "link"] = "file"
    """The mode, in git's sense: a plain file, an executable one, or a symbolic link."""


class Tree(Record, frozen=True, kw_only=True, dict=True):
    """Files by their relative POSIX path."""

    files: dict[str, File] = {}

    def __post_init__(self) -> None:
        for path in self.files:
            parts = path.split("/")
            if not path or "\0" in path or any(part in {"", ".", ".."} for part in parts):
                raise TaskError(
                    f"file path {path!r} must be relative and stay below its root: no '..', '.' or empty parts"
                )
            if not path.isascii() and path.encode("utf-8", "replace").decode() != path:
                raise TaskError(f"file path {path!r} is not UTF-8; rename the file")

    @classmethod
    def of(cls, files: Mapping[str, str | bytes]) -> Tree:
        """Tree of plain files from texts or bytes."""
        return cls(files={p: File(data=d.encode() if isinstance(d, str) else d) for p, d in files.items()})

    @classmethod
    def read(cls, root: Path, *, skip: Iterable[str] = ("__pycache__",), largest: int = 1 << 30) -> Tree:
        """Tree of the files below `root` on this machine's disk; links are kept as links, special files refused.

        Args:
            root: the folder.
            skip: names of folders in it, at any depth, to leave out.
            largest: bytes that the files may have together; each counts as 1 KiB at least.

        Raises:
            TaskError: `root` is not a directory, holds something that is neither file, directory nor link, or too much.
        """
        if not root.is_dir():
            raise TaskError(f"{root} is not a directory")
        skipped = set(skip)
        files: dict[str, File] = {}
        left = largest
        for folder, names, leaves in os.walk(root):
            names[:] = sorted(set(names) - skipped)
            for name in sorted([*leaves, *(n for n in names if Path(folder, n).is_symlink())]):
                path = Path(folder, name)
                file = files[path.relative_to(root).as_posix()] = _file(path, left)
                left -= max(len(file.data), _LEAST)
                if left < 0:
                    raise TaskError(
                        f"{root} contains more than {largest >> 20} MiB, each file counted as 1 KiB or more"
                    )
        return cls(files=files)

    @cached_property
    def hash(self) -> str:
        """Hash of paths, contents and modes."""
        return digest(self.files)

    def text(self, path: str) -> str:
        """Content of one file as UTF-8 text; KeyError where there is none."""
        return self.files[path].data.decode()

    def over(self, below: Tree) -> Tree:
        """`below` with the files of this tree put over it, in place of what would be in their way.

        A file (or link) of `below` gives way to a folder of the same name, and a folder to a file.
        """
        folders = {folder for path in self.files for folder in _parent_paths(path)}
        kept = {
            path: file
            for path, file in below.files.items()
            if path not in folders and self.files.keys().isdisjoint(_parent_paths(path))
        }
        return Tree(files={**kept, **self.files})

    def only(self, paths: Iterable[str]) -> Tree:
        """The part of the tree that `paths` name."""
        wanted = set(paths)
        return Tree(files={p: f for p, f in self.files.items() if p in wanted})

    def without(self, paths: Iterable[str]) -> Tree:
        """The tree less `paths`; names that are not there are ignored."""
        dropped = set(paths)
        return Tree(files={p: f for p, f in self.files.items() if p not in dropped})

    def under(self, folder: str) -> Tree:
        """Move all files below `folder`."""
        return Tree(files={f"{folder}/{p}": f for p, f in self.files.items()})

    def below(self, folder: str) -> Tree:
        """What lies below `folder`, by its path from there; of `.`, all."""
        start = "" if folder == "." else f"{folder}/"
        return Tree(files={p.removeprefix(start): f for p, f in self.files.items() if p.startswith(start)})


class Edit(Record, frozen=True, kw_only=True):
    """A change to a tree: files to delete, then files to write."""

    write: Tree = Tree()
    delete: tuple[str, ...] = ()

    @classmethod
    def between(cls, before: Tree, after: Tree) -> Edit:
        """The change that makes one tree the other."""
        written = {path: file for path, file in after.files.items() if before.files.get(path) != file}
        return cls(write=Tree(files=written), delete=tuple(sorted(before.files.keys() - after.files.keys())))

    def apply(self, tree: Tree) -> Tree:
        """`tree` after the change."""
        return self.write.over(tree.without(self.delete))


def _parent_paths(path: str) -> Iterable[str]:
    return (path[:at] for at, character in enumerate(path) if character == "/")


def _file(path: Path, limit: int) -> File:
    """The file, or as much of it as shows that it is longer than `limit`."""
    if path.is_symlink():
        return File(data=os.fsencode(path.readlink()), mode="link")
    if not path.is_file():
        raise TaskError(f"{path} is neither a file, a directory nor a link; remove it")
    with path.open("rb") as file:
        data = file.read(limit + 1)
    return File(data=data, mode="exec" if os.access(path, os.X_OK) else "file")
