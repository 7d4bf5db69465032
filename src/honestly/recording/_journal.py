"""The journal of a recording: an asciicast v2 with further events, written as it goes, and what is made of it.

Each line is written at once, so that whatever ends the recording, all but the text that was held back as a possible
beginning of a secret is there. Beside `o` (output) and `r` (size) there are `c` (a command begins), `d` (it has ended,
with its status), `e` (files that have changed, as an edit) and `b` (an action in a browser, the page after it, and the
name of its picture), which a player of asciicasts passes over.
"""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from time import monotonic, time
from typing import Any

import msgspec
from msgspec.structs import replace

from honestly.errors import FormatError
from honestly.recording._plain import full_screen_parts, plain_text
from honestly.recording._redact import StreamRedactor
from honestly.records import Edit, Observation, Picture, Step, ToolCall, Trajectory, Tree, decode, encode
from honestly.trials import diff_lines

JOURNAL, START = "journal.cast", "start.json"
FULL_SCREEN = "[a full-screen program ran here; what it showed is in session.cast]"
_MOST_TEXT, _MOST_DIFF, _MOST_OUTPUT = 20_000, 20_000, 64 << 20


class RecordingJournal:
    """The file that a recording is written to, in a folder that only its user may read."""

    def __init__(self, folder: Path, redactor: StreamRedactor, *, size: tuple[int, int], head: dict[str, Any]) -> None:
        """Begin one; `size` is columns and lines, `head` what the recording says of itself."""
        folder.mkdir(parents=True, mode=0o700)
        self.folder, self.redactor = folder, redactor
        self._begun, self._written, self._pictures = monotonic(), 0, 0
        descriptor = os.open(folder / JOURNAL, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        self._file = os.fdopen(descriptor, "wb", buffering=0)
        first = {"version": 2, "width": size[0], "height": size[1], "timestamp": int(time()), "honestly": head}
        self._file.write(json.dumps(first).encode() + b"\n")

    def keep_start(self, tree: Tree) -> None:
        """Write down the files that the work begins with."""
        descriptor = os.open(self.folder / START, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(encode(_clean_tree(tree, self.redactor)))

    def output(self, text: str) -> None:
        """What the terminal showed; a text that may be the beginning of a secret waits for the rest."""
        self._output(self.redactor.feed(text))

    def resized(self, columns: int, lines: int) -> None:
        """The terminal has another size."""
        self._write("r", f"{columns}x{lines}")

    def command(self, text: str) -> None:
        """A command begins."""
        self._settle()
        self._write("c", self.redactor.clean(text))

    def ended(self, code: int) -> None:
        """The command has ended."""
        self._settle()
        self._write("d", code)

    def edited(self, edit: Edit) -> None:
        """Files have changed."""
        clean = Edit(write=_clean_tree(edit.write, self.redactor), delete=edit.delete)
        self._write("e", msgspec.Raw(encode(clean)))

    def acted(self, action: dict[str, str], page: str, picture: bytes) -> None:
        """Something was done in a browser; `page` is its accessibility tree then, `picture` a PNG, empty for none."""
        name = ""
        if picture:
            self._pictures += 1
            name = f"{self._pictures}.png"
            descriptor = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(picture)
        clean = {key: self.redactor.clean(value) for key, value in action.items()}
        self._write("b", [clean, self.redactor.clean(page), name])

    def close(self) -> None:
        """Write what was held back."""
        self._settle()
        self._file.close()

    def _settle(self) -> None:
        self._output(self.redactor.rest())

    def _output(self, text: str) -> None:
        if text and self._written <= _MOST_OUTPUT:
            self._written += len(text)
            self._write("o", text if self._written <= _MOST_OUTPUT else "\r\n[more output was not kept]\r\n")

    def _write(self, kind: str, value: object) -> None:
        line = msgspec.json.encode([round(monotonic() - self._begun, 4), kind, _storable(value)])
        self._file.write(line + b"\n")


def _clean_tree(tree: Tree, redactor: StreamRedactor) -> Tree:
    return Tree(files={path: replace(file, data=redactor.clean_file(file.data)) for path, file in tree.files.items()})


def _storable(value: object) -> object:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


@dataclass
class RecordedCommand:
    """A command with what came of it."""

    text: str
    at: float
    """Seconds from the beginning."""
    output: str = ""
    code: int | None = None
    seconds: float = 0.0
    edits: list[Edit] = field(default_factory=list)


@dataclass
class RecordedAction:
    """Something done in a browser."""

    action: dict[str, str]
    at: float
    """Seconds from the beginning."""
    page: str
    """The accessibility tree after it."""
    picture: bytes
    """A PNG; empty where there is none."""


@dataclass
class Recording:
    """The content of a journal."""

    head: dict[str, Any]
    begun: float
    """Seconds since 1970."""
    start: Tree
    final: Edit
    commands: list[RecordedCommand]
    events: list[tuple[float, str, str]]
    """Output and sizes, as an asciicast has them."""
    size: tuple[int, int]
    cut_off: bool
    """Whether the journal ends in the middle of a command."""
    actions: list[RecordedAction] = field(default_factory=list)
    """What was done in a browser."""

    def cast(self) -> bytes:
        """The asciicast v2, with a mark at each command."""
        title = str(self.head.get("task") or "")
        first: dict[str, Any] = {
            "version": 2,
            "width": self.size[0],
            "height": self.size[1],
            "timestamp": int(self.begun),
        }
        first |= {"title": title} if title else {}
        marks = [(command.at, "m", command.text) for command in self.commands]
        lines = sorted([*self.events, *marks], key=lambda event: event[0])
        return b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in [first, *lines])

    def trajectory(self) -> Trajectory:
        """Its steps: the task, then each command; what an editor changed is a step of its own."""
        task = str(self.head.get("task") or "")
        steps = [Step(source="user", message=task)] if task else []
        tree = self.start
        for number, command in enumerate(self.commands):
            steps += _command_steps(command, number, tree, self.begun)
            for edit in command.edits:
                tree = edit.apply(tree)
        steps += [_action_step(action, number, self.begun) for number, action in enumerate(self.actions)]
        return Trajectory(steps=tuple(steps), stop="cut off" if self.cut_off else "done")


def _action_step(action: RecordedAction, number: int, begun: float) -> Step:
    at = datetime.fromtimestamp(begun + action.at, UTC).isoformat(timespec="milliseconds")
    call = ToolCall.of(f"act-{number}", "browser", **action.action)
    images = (Picture(data=action.picture),) if action.picture else ()
    seen = Observation(text=action.page, call_id=call.id, images=images)
    return Step(source="agent", calls=(call,), observations=(seen,), at=at, llm_calls=0)


def _command_steps(command: RecordedCommand, number: int, tree: Tree, begun: float) -> Iterator[Step]:
    at = datetime.fromtimestamp(begun + command.at, UTC).isoformat(timespec="milliseconds")
    shown, screens = full_screen_parts(command.output)
    text = plain_text(shown)
    dropped = max(0, len(text) - _MOST_TEXT)
    if dropped:
        text = f"{text[: _MOST_TEXT // 2]}\n[...]\n{text[-_MOST_TEXT // 2 :]}"
    text = "\n".join(filter(None, [text, FULL_SCREEN if screens else ""]))
    call = ToolCall.of(f"call-{number}", "terminal" if screens else "bash", command=command.text)
    seen = [Observation(text=text, call_id=call.id, code=command.code, dropped=dropped)]
    diffs, writes = [], []
    for edit in command.edits:
        diffs.append("\n".join(diff_lines(tree, edit))[:_MOST_DIFF])
        tree = edit.apply(tree)
        writes += [(path, file) for path, file in edit.write.files.items()]
    if diffs and not screens:
        seen.append(Observation(text="\n".join(diffs)))
    yield Step(
        source="agent", calls=(call,), observations=tuple(seen), at=at, seconds=round(command.seconds, 3), llm_calls=0
    )
    if diffs and screens:
        calls = [
            ToolCall.of(f"edit-{number}-{n}", "write", path=path, content=file.data.decode("utf-8", "replace"))
            for n, (path, file) in enumerate(writes)
        ]
        gone = [path for edit in command.edits for path in edit.delete]
        if gone:
            calls.append(ToolCall.of(f"edit-{number}-rm", "bash", command=f"rm -f -- {' '.join(map(quote, gone))}"))
        seen = [Observation(text="\n".join(diffs), call_id=calls[0].id)] if calls else []
        yield Step(source="agent", calls=tuple(calls), observations=tuple(seen), at=at, llm_calls=0)


def _journal_rows(lines: list[bytes]) -> Iterator[tuple[float, str, Any]]:
    for line in lines:
        try:
            at, kind, value = json.loads(line)
        except ValueError:
            continue  # the last line of a journal that was cut off
        yield float(at), str(kind), value


def read_recording(folder: Path, redactor: StreamRedactor | None = None) -> Recording:  # noqa: C901 - a row for each kind
    """The content of a folder's journal, up to its end.

    Args:
        folder: of the recording.
        redactor: takes out what became known as secret after it was written.

    Raises:
        FormatError: there is no journal, or it does not begin as one.
    """
    try:
        lines = (folder / JOURNAL).read_bytes().split(b"\n")
        head = json.loads(lines[0])
        size, begun, own = (int(head["width"]), int(head["height"])), float(head["timestamp"]), dict(head["honestly"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FormatError(
            f"{folder} contains no recording ({error}); expected {JOURNAL} as honestly record writes it"
        ) from error
    start = decode((folder / START).read_bytes(), Tree) if (folder / START).exists() else Tree()
    rows = list(_journal_rows(lines[1:]))
    if redactor is not None:
        outputs = [n for n, row in enumerate(rows) if row[1] == "o"]
        for n, text in zip(outputs, redactor.clean_whole([str(rows[n][2]) for n in outputs]), strict=True):
            rows[n] = (rows[n][0], "o", text)
        start = _clean_tree(start, redactor)
    commands: list[RecordedCommand] = []
    events: list[tuple[float, str, str]] = []
    actions: list[RecordedAction] = []
    clean = redactor.clean if redactor else str
    tree, running = start, False
    for at, kind, value in rows:
        if kind == "c":
            commands.append(RecordedCommand(clean(value), at))
            running = True
        elif kind == "d" and commands:
            commands[-1].code, commands[-1].seconds, running = int(value), at - commands[-1].at, False
        elif kind == "e":
            edit = msgspec.convert(value, Edit)
            if redactor is not None:
                edit = Edit(write=_clean_tree(edit.write, redactor), delete=edit.delete)
            if not commands:
                commands.append(RecordedCommand("", at, code=0))
            commands[-1].edits.append(edit)
            tree = edit.apply(tree)
        elif kind == "b":
            action, page, name = value
            path = folder / name
            picture = path.read_bytes() if re.fullmatch(r"[0-9]+\.png", name) and path.is_file() else b""
            actions.append(RecordedAction({key: clean(each) for key, each in action.items()}, at, clean(page), picture))
        elif kind in {"o", "r"}:
            events.append((at, kind, str(value)))
            if running and kind == "o":
                commands[-1].output += str(value)
    return Recording(own, begun, start, Edit.between(start, tree), commands, events, size, running, actions)
