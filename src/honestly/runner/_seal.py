"""Seals of results: a keyed hash of each line, so that a result which somebody else wrote is not believed.

The key is the user's, 32 random bytes in `$XDG_DATA_HOME/honestly/key`. It says that a line was written by this user's
honestly, not that the verdict in it was right; and whoever can read the user's files can seal. Sandboxes show no home.
"""

import hmac
import os
import re
import secrets
import stat
from pathlib import Path

from honestly.errors import StoreError
from honestly.work import open_regular, user_folder

_BYTES = 32
_SEAL = re.compile(rb', "seal": "([0-9a-f]{64})"}\n\Z')


def user_key() -> bytes:
    """The user's key; made where there is none.

    Raises:
        StoreError: it cannot be made, is not the user's, or others can read it.
    """
    try:
        folder = user_folder("data")
    except RuntimeError as error:
        raise StoreError(f"no place for a key: {error} Set XDG_DATA_HOME to a directory of your own") from error
    path = folder / "key"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not os.path.lexists(path):
            _make_key(path)
        file = open_regular(path)
    except OSError as error:
        raise StoreError(
            f"{path}, the key that results are sealed with, cannot be opened or made: {error.strerror}. "
            "Set XDG_DATA_HOME to a directory of your own"
        ) from error
    with file:
        _require_unread(folder, folder.stat(), 0o022)
        _require_unread(path, os.fstat(file.fileno()), 0o077)
        key = file.read(_BYTES + 1)
    if len(key) != _BYTES:
        raise StoreError(f"{path} is not a key of {_BYTES} bytes; delete it, and results are judged again")
    return key


def _make_key(path: Path) -> None:
    """Makes a key that is whole from its first moment on, even where two processes make it at once."""
    part = path.with_name(f"key.{secrets.token_hex(8)}")
    fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
        os.link(part, path)
    except FileExistsError:
        pass
    finally:
        part.unlink()


def _require_unread(path: Path, found: os.stat_result, mask: int) -> None:
    if found.st_uid != os.geteuid():
        raise StoreError(f"{path} belongs to user {found.st_uid}, not to you ({os.geteuid()}); set XDG_DATA_HOME")
    if found.st_mode & mask:
        mode = stat.S_IMODE(found.st_mode)
        raise StoreError(f"others may use {path} (mode {mode:o}). If nobody did: chmod go-rwx {path}; else delete it")


def sealed_line(key: bytes, line: bytes) -> bytes:
    """A JSON object as a line of a file, its keyed hash the last member."""
    return line[:-1] + b', "seal": "%s"}\n' % hmac.digest(key, line, "sha256").hex().encode()


def is_sealed(key: bytes, line: bytes) -> bool:
    """Whether a line is as `sealed_line` made it, to the byte."""
    # The seal is the last 78 bytes of a line that may have megabytes.
    if (found := _SEAL.search(line[-90:])) is None:
        return False
    whole = line[: len(line) - len(found[0])] + b"}"
    return hmac.compare_digest(hmac.digest(key, whole, "sha256").hex().encode(), found[1])
