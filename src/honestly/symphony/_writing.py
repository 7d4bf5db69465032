"""The host's side of the ticket tool: one change of one ticket, whole or not at all, while people edit too.

A change is made under a lock, in a new file that changes places with the old one. What somebody has appended in between
is appended again; where they saved another text, it goes back to its place and the change is made anew over it. Each
change has a number that stands in the ticket, so that made twice it is there once; and it sets a state only where the
state is still the one that the agent saw. An editor that has the old text open and saves it later overwrites the
change: no file can prevent that.
"""

import ctypes
import fcntl
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from honestly.errors import HonestlyError, TrackerError
from honestly.symphony._config import normal_state
from honestly.symphony._tracker import read_ticket

_EXCHANGE = 2
_HERE = -100
_TRIES = 50
_OPEN_S = 0.02
_UNSUPPORTED = {22, 38, 95}  # EINVAL, ENOSYS, EOPNOTSUPP


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """An agent's words on its ticket."""

    id: str
    """A number of its own."""
    ticket: str
    at: str
    comments: tuple[str, ...] = ()
    state: str = ""
    """The state that the ticket is to have; empty where it stays."""
    seen: str = ""
    """The state that it had when the agent began."""


def write_note(kind: str, tracker: Path, note: Note) -> None:
    """Put a note into its ticket; does nothing where it is there already.

    Raises:
        TrackerError: The ticket is gone, is malformed, or cannot be written.
    """
    path = tracker / f"{note.ticket}.md" if kind == "markdown" else tracker
    change = _in_markdown if kind == "markdown" else _in_lines
    try:
        _rewrite_file(path, lambda data: change(data.decode(), note).encode())
    except (OSError, UnicodeError, ValueError) as error:
        raise TrackerError(f"ticket {note.ticket} could not be written: {error}") from error


def _in_markdown(text: str, note: Note) -> str:
    if f"<!-- symphony {note.id} -->" in text:
        return text
    try:
        now = read_ticket(note.ticket, text).state
    except HonestlyError as error:
        raise TrackerError(f"ticket {note.ticket} cannot be written: {error}") from error
    state, said = _state_and_words(note, now)
    if state:
        head, close, rest = text.partition("\n---")
        line = re.compile(r"^state:.*$", re.MULTILINE)
        text = line.sub(lambda _: f"state: {state}", head, count=1) + close + rest
    words = "\n\n".join(each.replace("<!--", "<! --").replace("-->", "-- >") for each in said)
    return f"{text.rstrip()}\n\n<!-- symphony {note.id} -->\n**{note.at}** {words}\n<!-- /symphony {note.id} -->\n"


def _in_lines(text: str, note: Note) -> str:
    lines = text.split("\n")
    for at, line in enumerate(lines):
        try:
            given = json.loads(line)
        except ValueError:
            continue
        if not isinstance(given, dict) or given.get("id") != note.ticket:
            continue
        written = given.get("comments")
        comments = written if isinstance(written, list) else []
        if any(isinstance(each, dict) and each.get("id") == note.id for each in comments):
            return text
        state, said = _state_and_words(note, str(given.get("state", "")))
        entry = {"id": note.id, "at": note.at, "text": "\n\n".join(said)}
        given |= {"comments": [*comments, entry], **({"state": state} if state else {})}
        lines[at] = json.dumps(given, ensure_ascii=False)
        return "\n".join(lines)
    raise TrackerError(f"ticket {note.ticket} no longer exists")


def _state_and_words(note: Note, now: str) -> tuple[str, list[str]]:
    """The state to set, and the words."""
    said = list(note.comments)
    if not note.state or normal_state(note.state) == normal_state(now):
        return "", said or ["(nothing)"]
    if normal_state(now) != normal_state(note.seen):
        return "", [*said, f"(The state is {now} by now, so it was not set to {note.state}.)"]
    return note.state, [*said, f"State: {now} → {note.state}"]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / ".symphony.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _rewrite_file(path: Path, change: Callable[[bytes], bytes]) -> None:
    fresh = path.with_name(f".{path.name}.symphony-{os.getpid()}")
    with _locked(path.parent):
        for _ in range(_TRIES):
            before = path.read_bytes()
            after = change(before)
            if after == before:
                return
            try:
                with fresh.open("wb") as file:
                    file.write(after)
                    file.flush()
                    os.fsync(file.fileno())
                fresh.chmod(path.stat().st_mode & 0o777)
                if not _exchange_files(fresh, path):
                    if path.read_bytes() == before:
                        fresh.replace(path)
                        return
                elif _settled(fresh, path, before, after):
                    return
            finally:
                fresh.unlink(missing_ok=True)
    raise TrackerError(f"{path} changes too fast to be written")


def _settled(old: Path, path: Path, before: bytes, after: bytes) -> bool:
    """Whether what is at `path` holds the change and all that others wrote; if not, theirs is back at its place."""
    time.sleep(_OPEN_S)  # for whoever had the old file open already
    theirs = old.read_bytes()
    if theirs.startswith(before):
        _append(path, theirs[len(before) :])
        return True
    _exchange_files(old, path)
    ours = old.read_bytes()
    _append(path, ours[len(after) :] if ours.startswith(after) else b"")
    return False


def _append(path: Path, data: bytes) -> None:
    if data:
        with path.open("ab") as file:
            file.write(data)


def _exchange_files(one: Path, other: Path) -> bool:
    """Let two files change places in one step; False where this system cannot."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (AttributeError, OSError):
        return False
    if call(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0:
        return True
    if (number := ctypes.get_errno()) in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), str(other))
