"""The rest of a trial's directory beside its result: logs and panes as artifacts, and the trajectory in its log.

Every regular file in it becomes an artifact under its relative name, byte for byte. `sessions/agent.log` is the
terminal as it was; where the program is one whose log we can read, it is also a trajectory.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from honestly.errors import FormatError
from honestly.formats._files import Tally, directory_entries, file_chunks, read_bytes, storable_name
from honestly.formats._imported import Blob
from honestly.formats._mini_steps import calls_in, program_observation
from honestly.records import Step, Trajectory, Usage

_LOG = "sessions/agent.log"
# Artifacts of one trial, at most.
_FILES = 100
# A larger artifact is handed on in pieces, bytes.
_WHOLE = 16 << 20
# Of a still larger one only the beginning is kept, bytes.
_MOST = 1 << 30
# Of a log so much is read as a trajectory, bytes.
_LONGEST = 64 << 20
# Where a program that could not be started has said so, bytes.
_PIECE = 1 << 20


class _Pieces:
    def __init__(self, path: Path) -> None:
        self._open = partial(file_chunks, path, _MOST)

    def __iter__(self) -> Iterator[bytes]:
        return self._open()


def read_logs(folder: Path, where: str, tally: Tally) -> tuple[Trajectory | None, dict[str, Blob]]:
    """Trajectory, if its log can be read, and artifacts of the trial in this directory."""
    artifacts: dict[str, Blob] = {}
    for name in _log_names(folder, "", where, tally):
        if len(artifacts) == _FILES:
            tally.add("too many artifacts", where, f"{storable_name(folder.name)}: only {_FILES} are kept")
            break
        try:
            artifacts[storable_name(name)] = _blob(folder / name, where, tally)
        except FormatError as error:
            tally.add("unreadable file", where, f"{storable_name(folder.name)}/{storable_name(name)} {error}")
    log = artifacts.get(_LOG)
    if log is None:
        return None, artifacts
    text = log if isinstance(log, bytes) else b"".join(file_chunks(folder / _LOG, _LONGEST))
    if len(text) == _LONGEST:
        tally.add("trajectory cut off", where, f"the first {_LONGEST >> 20} MiB of its log are read")
    trajectory = read_mini_log(text)
    if trajectory is None:
        if was_not_found(text[:_PIECE]):
            tally.add("agent never started", where, "its log says `mini: command not found`; the verdict is kept")
        else:
            tally.add("log without trajectory", where, "in no order that can be relied on; kept as an artifact")
    return trajectory, artifacts


def _log_names(folder: Path, prefix: str, where: str, tally: Tally, depth: int = 0) -> Iterator[str]:
    try:
        files, folders, others = directory_entries(folder)
    except FormatError as error:
        tally.add("unreadable file", where, f"{storable_name(folder.name)} {error}")
        return
    if others:
        tally.add("link or special file", where, f"in {storable_name(folder.name)}, not followed", len(others))
    for name in files:
        if prefix or name != "results.json":
            yield prefix + name
    for name in folders:
        if depth < 4:
            yield from _log_names(folder / name, f"{prefix}{name}/", where, tally, depth + 1)
        else:
            tally.add("directory too deep", where, f"in {storable_name(folder.name)}; not read")


def _blob(path: Path, where: str, tally: Tally) -> Blob:
    try:
        size = path.lstat().st_size
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}") from error
    if size <= _WHOLE:
        return read_bytes(path, _WHOLE)
    if size > _MOST:
        tally.add("artifact cut off", where, f"{storable_name(path.name)}: {size} bytes, the first {_MOST} are kept")
    return _Pieces(path)


# The terminal log of mini-swe-agent (1.x). It prints each message under a coloured heading: `System:` and `User:` once
# each, then for every step `mini-swe-agent (step N, $COST):` with the model's reply, and `User:` with what the command
# printed. Only a log that has exactly this order, with steps numbered 1, 2, 3, ..., is read; any other is None, so
# that what a program printed can at worst hide a trajectory, never forge one. From the text of a step only the
# terminal's and the program's own noise is taken away; the rest stays as it was shown, and the log itself is the
# record.

_AGENT = (
    r"\x1b\[1;31mmini-swe-agent\x1b\[0m\x1b\[31m \(step \x1b\[0m\x1b\[1;31m(?P<step>\d{1,6})\x1b\[0m\x1b\[31m, "
    r"\x1b\[0m\x1b\[1;31m\$(?P<usd>\d{1,9}\.\d\d)\x1b\[0m\x1b\[31m\):\x1b\[0m"
)
_HEADING = re.compile(rf"\n(?:{_AGENT}|\x1b\[1;32m(?P<role>System|User)\x1b\[0m:)\n")
_SPINNER = re.compile(
    r"\x1b\[32m[\u2800-\u28ff]\x1b\[0m Waiting for the LM to respond\.\.\."
    r"(?:\r\x1b\[2K|\n\x1b\[\?25h\r\x1b\[1A\x1b\[2K)?|\x1b\[\?25[lh]"
)
_TRACEBACK = r"Traceback \(most recent call last\):\n(?:[ \t][^\n]*\n)+[^\s][^\n]*\n"
_LITELLM = re.compile(
    r"\x1b\[92m\d\d:\d\d:\d\d - LiteLLM:\w+\x1b\[0m:[^\n]*\n"
    rf"(?:{_TRACEBACK}(?:\n(?:During handling|The above exception)[^\n]*\n\n{_TRACEBACK})*)?"
)
_RULE = re.compile(r"\n\x1b\[92m\u2500{10,}\x1b\[0m\n")
_END = re.compile(r"(?:^|\n)Saved trajectory to '[^\n]*'\n")
_SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_NOT_FOUND = re.compile(rb"(?:^|[\r\n])bash: mini: command not found\r?\n")


def was_not_found(log: bytes) -> bool:
    """Whether the log says that the program could not even be started."""
    return _NOT_FOUND.search(log) is not None


def read_mini_log(log: bytes) -> Trajectory | None:
    """Read the trajectory in a log; None where the log cannot be relied on.

    The first two steps are the system's and the user's message, after them step n of the program has index n + 1.
    """
    text = _LITELLM.sub("", _SPINNER.sub("", log.decode("utf-8", "replace").replace("\r\n", "\n")))
    headings = _headings(text)
    if headings is None:
        return None
    ends = [heading.start() for heading in headings[1:]]
    saved = _END.search(text, headings[-1].end() - 1)
    ends.append(saved.start() if saved else len(text))
    bodies = [_section_text(text[heading.end() : end]) for heading, end in zip(headings, ends, strict=True)]
    steps = [Step(source="system", message=bodies[0]), Step(source="user", message=bodies[1])]
    spent = 0.0
    for at in range(2, len(headings), 2):
        total = float(headings[at]["usd"])
        calls = calls_in(bodies[at])
        # The last step may have no answer.
        seen = tuple(program_observation(body, calls[0].id if calls else None) for body in bodies[at + 1 : at + 2])
        usage = Usage(usd=round(max(total - spent, 0.0), 2))
        steps.append(Step(source="agent", message=bodies[at], calls=calls, observations=seen, usage=usage))
        spent = total
    calls = steps[-1].calls
    ended = "submitted" if calls and calls[0].argument("command") == _SUBMIT else "ended"
    return Trajectory(steps=tuple(steps), stop=ended if saved else "the log ends in the middle")


def _headings(text: str) -> list[re.Match[str]] | None:
    """The headings, if they are System, User, then agent and user in turn with the steps numbered from 1."""
    found = list(_HEADING.finditer(text))
    if len(found) < 3 or [found[0]["role"], found[1]["role"]] != ["System", "User"]:
        return None
    for index, heading in enumerate(found[2:]):
        expected = ("User", None) if index % 2 else (None, str(index // 2 + 1))
        if (heading["role"], heading["step"]) != expected:
            return None
    return found


def _section_text(body: str) -> str:
    """The text under a heading, up to the rule after which the program only waits."""
    end = len(body)
    for rule in _RULE.finditer(body):
        end = rule.start()
    return body[:end].removesuffix("\n")
