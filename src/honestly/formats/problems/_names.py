"""Names of problems as ids of tasks, and back.

A task's id may have letters, digits, `.`, `_` and `-`. `/` becomes `.`, `-` becomes `--`, and every other character
that is no letter, digit or `_` becomes `-XX` for each byte of its UTF-8: `HumanEval/0` is `HumanEval.0`.
"""

import re

from honestly.errors import FormatError

_LONGEST = 200
_OTHER = re.compile(rb"[^A-Za-z0-9_]")
_ESCAPED = re.compile(rb"\.|-(-|[0-9A-F]{2})")
_SHORT = {b"/": b".", b"-": b"--"}


def task_id(name: str) -> str:
    """The id of the task made from the problem of this name.

    Raises:
        FormatError: the name is empty, too long, or not Unicode.
    """
    if not 0 < len(name) <= _LONGEST:
        raise FormatError(f"a problem's id must have 1 to {_LONGEST} characters, not {len(name)}")
    try:
        data = name.encode()
    except UnicodeEncodeError as error:
        raise FormatError(f"the problem's id {name!r} is not Unicode") from error
    return _OTHER.sub(lambda found: _SHORT.get(found[0]) or b"-%02X" % found[0][0], data).decode()


def problem_name(task: str) -> str:
    """Name of the problem that the task with this id was made from."""

    def back(found: re.Match[bytes]) -> bytes:
        if found[1] is None:
            return b"/"
        return b"-" if found[1] == b"-" else bytes([int(found[1], 16)])

    return _ESCAPED.sub(back, task.encode()).decode("utf-8", "replace")
