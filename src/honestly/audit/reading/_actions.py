"""What a tool call does: the commands it runs, the files it writes, the code it brings along.

Tools are told by what they are given, not by whose they are: an argument that is shell source is a command, an argument
that is a path beside one that is text is a file being written. So the tools of every scaffold are read alike.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice

import msgspec

from honestly.audit.reading._parts import Action, Code, Command, Write
from honestly.audit.reading._patterns import Pattern
from honestly.audit.reading._shell import split
from honestly.audit.reading._writes import writes_of
from honestly.records import ToolCall

_SHELL_TOOLS = re.compile(r"bash|shell|terminal|exec|command|cmd|run(?!_?tests)|sh\b", re.IGNORECASE)
_COMMAND_KEYS = ("command", "cmd", "commands", "script", "bash", "shell_command", "keystrokes", "input")
_CODE_KEYS = ("code", "source", "python")
_PATH_KEYS = ("path", "file_path", "filepath", "filename", "file", "target_file", "TargetFile")
_TEXT_KEYS = (
    "content", "contents", "file_text", "text", "new_str", "new_string", "insert_text", "code_edit", "diff", "patch",
)  # fmt: skip
_OLD_KEYS = ("old_str", "old_string")
_READ_ONLY = frozenset({"view", "read", "read_file", "open", "open_file", "cat", "grep", "search", "find"})
_PYTHON = re.compile(r"(?:python|pypy)[\d.]*(?:\.exe)?")
_INLINE = {"node": "javascript", "ruby": "ruby", "perl": "perl", "php": "php"}
_SET = Pattern(
    r"""^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w{0,63})=["']?([\w.,:/@%+~^!?*=<>{}#\[\]\\-]{1,200})["']?[ \t]*(?:$|;|&&)""",
    ("=",),
    re.MULTILINE,
    lines=True,
)
_LONGEST = 1 << 18
"""Characters of one argument that are read as a command."""


def call_text(call: ToolCall) -> str:
    """All text arguments of a call, one after the other: the text that `call:<id>` evidence is quoted from."""
    return "\n".join(text for text in _arguments(call).values())


def read_call(call: ToolCall, variables: dict[str, str]) -> tuple[Action, int]:
    """What a call does, and how many characters of it were too much to read.

    Args:
        call: the request.
        variables: values of shell variables set by earlier calls; updated.
    """
    given = _arguments(call)
    path = next((given[key] for key in _PATH_KEYS if key in given), "")
    text = next((given[key] for key in _TEXT_KEYS if key in given), None)
    source = next((given[key] for key in _COMMAND_KEYS if key in given), None)
    if path and text is not None and not _reads_only(call.name, source):
        return Action(writes=(_tool_write(call.name, path, text, given),)), 0
    code = next((given[key] for key in _CODE_KEYS if key in given), None)
    if code is not None and source is None:
        return Action(code=(Code("python", code[:_LONGEST], code[:200]),)), max(0, len(code) - _LONGEST)
    if source is None or path or not (_SHELL_TOOLS.search(call.name) or len(given) == 1):
        return Action(), 0
    return _shell_action(source[:_LONGEST], variables), max(0, len(source) - _LONGEST)


def _tool_write(name: str, path: str, text: str, given: Mapping[str, str]) -> Write:
    old = next((given[key] for key in _OLD_KEYS if key in given), "")
    partly = bool(old) or any(
        key in given for key in ("new_str", "new_string", "insert_text", "diff", "patch", "code_edit")
    )
    appended = "append" in name.lower() or given.get("mode") == "a"
    return Write(path, "edit" if partly else "text", text, appended, old, text[:4000])


def _reads_only(name: str, source: str | None) -> bool:
    return name.lower() in _READ_ONLY or (source or "").strip().lower() in _READ_ONLY


def _shell_action(source: str, variables: dict[str, str]) -> Action:
    commands = split(source, variables)
    variables |= [(match[1], match[2]) for match in islice(_SET.finditer(source), 50)]
    writes = [
        write
        for number, command in enumerate(commands)
        for write in writes_of(command, commands[number - 1] if number else None)
    ]
    code = [each for command in commands for each in _code(command)]
    return Action(tuple(commands), tuple(writes), tuple(code))


def _arguments(call: ToolCall) -> dict[str, str]:
    """Arguments as text; lists of words as a line of them."""
    given: dict[str, str] = {}
    for key, raw in call.arguments.items():
        try:
            value = msgspec.json.decode(raw)
        except msgspec.DecodeError:
            value = bytes(raw).decode("utf-8", "replace")
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            value = value[2] if len(value) == 3 and value[1] in {"-c", "-lc"} else " ".join(value)
        given[key] = value if isinstance(value, str) else bytes(raw).decode("utf-8", "replace")
    return given


def _code(command: Command) -> Iterator[Code]:
    """Source on the command line or in a here-document of an interpreter."""
    language = "python" if _PYTHON.fullmatch(command.name) else _INLINE.get(command.name, "")
    if not language:
        return
    flags = ("-c",) if language == "python" else ("-e", "-r", "--eval")
    for at, word in enumerate(command.words[1:-1], 1):
        if word in flags:
            yield Code(language, command.words[at + 1], command.raw)
            return
    if command.document is not None and all(word.startswith("-") for word in command.words[1:]):
        yield Code(language, command.document, command.raw)
