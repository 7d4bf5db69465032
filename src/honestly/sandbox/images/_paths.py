"""Paths inside a directory that somebody else has filled: where they lead, if every link is taken to stay inside."""

import os
import re
import stat
from pathlib import Path

from honestly.sandbox.images._layer import IDS, path_in_layer
from honestly.sandbox.images._model import ImageError
from honestly.work import open_regular

_MOST_LINKS = 40
_MOST_BYTES = 1 << 20


def path_inside(root: Path, path: str) -> str:
    """Where a path leads inside a directory, which links cannot leave; what does not exist is taken as it is spelt.

    Raises:
        ImageError: Its links go in circles.
    """
    pending = [part for part in reversed(path.split("/")) if part not in {"", "."}]
    done: list[str] = []
    links = 0
    while pending:
        part = pending.pop()
        if part == "..":
            done = done[:-1]
            continue
        here = os.path.join(root, *done, part)
        if not os.path.islink(here):
            done.append(part)
            continue
        links += 1
        if links > _MOST_LINKS:
            raise ImageError(f"the links at {path[:200]!r} lead in circles")
        goal = os.readlink(here)
        if goal.startswith("/"):
            done = []
        pending += [part for part in reversed(goal.split("/")) if part not in {"", "."}]
    return path_in_layer("/".join(done))


def is_folder(root: Path, path: str) -> bool:
    """Whether a resolved path is a directory."""
    try:
        return stat.S_ISDIR(os.lstat(root / path).st_mode)
    except OSError:
        return False


def user_ids(root: Path, user: str) -> tuple[tuple[int, ...], str]:
    """Who a user of an image is, as `USER` names one: user, group and further groups; and the home directory.

    Raises:
        ImageError: The image knows no such user or group.
    """
    name, _, group = user.partition(":")
    users = _file_entries(root, "etc/passwd", 7)
    mine = [entry for entry in users if (entry[2] if _is_id(name) else entry[0]) == (name or "root")]
    if not mine and not _is_id(name) and name not in {"", "root"}:
        raise ImageError(f"there is no user {name[:80]!r} in the image's /etc/passwd; expected one of it, or a number")
    login = mine[0] if mine else ["", "", name if _is_id(name) else "0", "0", "", "/", ""]
    groups = _file_entries(root, "etc/group", 4)
    if group:
        found = [entry[2] for entry in groups if entry[0] == group] + [group] * _is_id(group)
        if not found:
            raise ImageError(f"there is no group {group[:80]!r} in the image's /etc/group; expected one of it")
        return (_parsed_id(login[2]), _parsed_id(found[0])), login[5] or "/"
    further = [_parsed_id(entry[2]) for entry in groups if login[0] and login[0] in entry[3].split(",")]
    return (_parsed_id(login[2]), _parsed_id(login[3]), *further), login[5] or "/"


def _file_entries(root: Path, path: str, fields: int) -> list[list[str]]:
    """Lines of a file of users or groups."""
    try:
        with open_regular(root / path_inside(root, path)) as file:
            text = file.read(_MOST_BYTES).decode(errors="replace")
    except OSError:
        return []
    entries = [line.split(":") for line in text.splitlines()]
    return [entry for entry in entries if len(entry) == fields and _is_id(entry[2])]


def _is_id(text: str) -> bool:
    return re.fullmatch("[0-9]{1,9}", text) is not None


def _parsed_id(text: str) -> int:
    return int(text) if _is_id(text) and int(text) < IDS else IDS - 2
