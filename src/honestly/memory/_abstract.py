"""From the steps of a trial to the lines of a workflow: successful calls, in their order, without the task's literals.

Of a command there stay the programs, their options, and plain words that the task does not use (`git diff --stat`,
`python -m pytest`). Files become `{file.py}`, everything else `{text}`; bodies of files and of heredocs are left out.
So a line can hold nothing of a task but the shape of what was done.
"""

import re
import shlex
from collections.abc import Iterable, Iterator

from honestly.records import Observation, Step, Task, ToolCall

MOST_STEPS = 12
_LONGEST = 160
TOOLS = frozenset(
    ("python", "python3", "pip", "pytest", "unittest", "mypy", "ruff", "bash", "sh", "git", "make", "cmake", "gcc",
     "node", "npm", "go", "cargo", "cat", "grep", "sed", "awk", "find", "diff", "sort", "test", "edit", "write", "read",
     "true")
)  # fmt: skip
"""What tools are called, which every task may say and no task has to itself."""
_SKIPPED = ("finish", "ask")
_LOOKS = re.compile(r"\s*(?:ls|pwd|cd|echo|true|whoami|date)\b[^|;&>]*")
_JOINED = re.compile(r"\s*(\|\||&&|[|;&\n])\s*")
_OPTION = re.compile(r"-[A-Za-z]{1,3}|--[A-Za-z][A-Za-z-]*=?")
_TAKES_DATA = frozenset(
    (
        *("echo", "printf", "cat", "grep", "sed", "awk", "find", "test", "tee", "touch", "mkdir", "cp", "mv", "rm"),
        *("tr", "export"),
    )
)
"""Programs whose second word is data."""
_PROGRAM = re.compile(r"[a-z][a-z0-9_.+-]{0,24}")
_PLAIN = re.compile(r"[a-z]{2,15}")
_NAME = re.compile(r"[A-Za-z_]\w+")
_FILE = re.compile(r"[\w./@{}-]*\.([A-Za-z]\w{0,5})")
_FAILED = re.compile(r"error:|Traceback \(most recent")


def successful_calls(steps: Iterable[Step]) -> Iterator[ToolCall]:
    """The calls of an agent's steps that did not fail, but for those that only look around or end the work."""
    for step in steps:
        seen = {each.call_id: each for each in step.observations}
        for call in step.calls:
            if call.name not in _SKIPPED and not _failed(seen.get(call.id)):
                yield call


def _failed(seen: Observation | None) -> bool:
    return seen is None or seen.code not in {None, 0} or _FAILED.match(seen.text) is not None


def workflow_lines(steps: Iterable[Step], task: Task) -> tuple[str, ...]:
    """The lines of a workflow; runs of equal ones are one, and of very many the last are kept."""
    # What only this task would say: the names in its files' paths, and what its instruction marks as code.
    marked = " ".join(re.findall(r"`([^`]+)`", task.instruction))
    paths = " ".join(path.rpartition("/")[2].partition(".")[0] for path in task.workspace.files)
    known = frozenset(_NAME.findall(f"{marked} {paths} {task.id.replace('-', ' ')}")) - TOOLS
    lines: list[str] = []
    for call in successful_calls(steps):
        line = _workflow_line(call, known)
        if line and line not in lines[-1:]:
            lines.append(line)
    return tuple(lines[-MOST_STEPS:])


def _workflow_line(call: ToolCall, known: frozenset[str]) -> str:
    command = call.argument("command")
    if isinstance(command, str) and call.name in {"bash", "shell"}:
        if _LOOKS.fullmatch(command):
            return ""
        parts = _JOINED.split(command.partition("<<")[0])
        said = "".join(
            f" {part} ".replace("\n", ";") if at % 2 else _abstract_command(part, known)
            for at, part in enumerate(parts)
        )
        return f"{call.name}: {' '.join(said.split())}"[:_LONGEST] if said.strip(" ;&|") else ""
    path = call.argument("path")
    shown = f" {_abstract_word(path, known)}" if isinstance(path, str) else ""
    verb = call.argument("action") if isinstance(command, str) is False else command
    plain = f" {verb}" if isinstance(verb, str) and _PLAIN.fullmatch(verb) and verb not in known else ""
    return f"{call.name}:{plain}{shown}"[:_LONGEST]


def _abstract_command(text: str, known: frozenset[str]) -> str:
    try:
        words = shlex.split(text)
    except ValueError:  # a quote that is open: what follows is data
        words = shlex.split(re.split(r"['\"]", text)[0], posix=False)
    said: list[str] = []
    for at, word in enumerate(words):
        first = at == 0 or (at == 1 and words[0] in {"sudo", "time", "env"})
        name = word.rpartition("/")[2] if first else word
        keeps = _PROGRAM.fullmatch(name) if first else _OPTION.fullmatch(word) or _plain_word(word, words, at)
        shown = name if keeps and name not in known else _abstract_word(word, known)
        if shown not in said[-1:]:
            said.append(shown)
    return " ".join(said)


def _plain_word(word: str, words: list[str], at: int) -> bool:
    """Whether a word names what a program is to do: the second one, or the module that Python runs."""
    program = words[0].rpartition("/")[2]
    second = at == 1 and program not in _TAKES_DATA
    return (second or (words[at - 1] == "-m" and program.startswith("python"))) and _PLAIN.fullmatch(word) is not None


def _abstract_word(word: str, known: frozenset[str]) -> str:
    if _OPTION.match(word) and "=" in word:
        return f"{word.partition('=')[0]}={{text}}"
    found = _FILE.fullmatch(word)
    ending = found[1] if found and found[1] not in known else ""
    return f"{{file.{ending}}}" if ending else "{text}"
