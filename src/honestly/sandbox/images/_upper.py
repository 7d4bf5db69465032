"""Layers made of what an overlay has written, by code that may have meant harm and is dead by now."""

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from honestly.errors import SandboxLimitError
from honestly.sandbox.images._copy import content_of
from honestly.sandbox.images._layer import DEEPEST, MOST_BYTES, MOST_ENTRIES, MOST_PATH, Layer, kept_mode, take_away

_OVERLAY = ("trusted.overlay.", "user.overlay.")


def take_changes(home: Path, left_out: Sequence[str]) -> None:
    """Make a layer of what an overlay has written to `home / "files"`, now that nothing writes there any more.

    Args:
        home: Gets the record of the layer.
        left_out: Paths that are no part of it.

    Raises:
        SandboxLimitError: It holds what no layer can.
    """
    shutil.rmtree(home / "work", ignore_errors=True)
    for path in left_out:
        take_away(home / "files", path)
    removed: list[str] = []
    size = 0
    for entries, (path, inside) in enumerate(_walk(home / "files")):
        info = os.lstat(path)
        kind = stat.S_IFMT(info.st_mode)
        if kind == stat.S_IFCHR and info.st_rdev == 0:
            removed.append(inside)
            os.unlink(path)
        elif kind not in {stat.S_IFREG, stat.S_IFDIR, stat.S_IFLNK}:
            os.unlink(path)
        else:
            # One attribute says that a directory hides those below; no other may get into an image.
            hides = False
            for name in os.listxattr(path, follow_symlinks=False):
                if name.startswith(_OVERLAY):
                    hides |= name.endswith(".opaque") and os.getxattr(path, name, follow_symlinks=False) in {b"y", b"x"}
                with suppress(OSError):
                    os.removexattr(path, name, follow_symlinks=False)
            if hides and inside:
                removed.append(inside)
            mode = kept_mode(info.st_mode, folder=stat.S_ISDIR(info.st_mode))
            if not stat.S_ISLNK(info.st_mode) and mode != stat.S_IMODE(info.st_mode):
                os.chmod(path, mode)
            size += info.st_size if kind == stat.S_IFREG else 0
        if entries > MOST_ENTRIES or size > MOST_BYTES:
            raise SandboxLimitError(f"the step wrote more than {MOST_ENTRIES} files or {MOST_BYTES >> 30} GiB")
    Layer.write(home, removed, size)


def _walk(root: Path) -> Iterator[tuple[str, str]]:
    """Every entry of a tree, the root first: its path, and that below the root."""
    pending = [(str(root), "")]
    while pending:
        path, inside = pending.pop()
        is_folder = stat.S_ISDIR(os.lstat(path).st_mode)
        if is_folder and os.geteuid():
            os.chmod(path, stat.S_IMODE(os.lstat(path).st_mode) | 0o700)
        yield path, inside
        if is_folder:
            try:
                names = sorted(os.listdir(path), reverse=True)
            except OSError as error:
                raise SandboxLimitError(f"the step left a directory that cannot be read ({error.strerror})") from error
            if inside.count("/") > DEEPEST or len(inside) > MOST_PATH:
                raise SandboxLimitError(f"the step left directories nested deeper than {DEEPEST}")
            pending += [(f"{path}/{name}", f"{inside}/{name}" if inside else name) for name in names]


def layer_id(home: Path) -> str:
    """An id of a finished layer by all that it holds but times."""
    digest = hashlib.sha256((home / "layer.json").read_bytes())
    for path, inside in _walk(home / "files"):
        info = os.lstat(path)
        owned = b"%o %d %d" % (info.st_mode, info.st_uid, info.st_gid)
        parts = (os.fsencode(inside), owned, content_of(path, info))
        digest.update(b"".join(b"%d:%s" % (len(part), part) for part in parts))
    return digest.hexdigest()
