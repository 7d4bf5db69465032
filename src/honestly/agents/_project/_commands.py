"""Commands of a project: `.claude/commands/NAME.md`, what `/NAME arguments` stands for.

`$ARGUMENTS` is everything after the name, `$1` to `$9` its words. Lines that would run a shell command while the text
is put together are given to the agent as they are: it has a shell of its own.
"""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from honestly.agents._project._reading import LARGEST, Reader

_FOLDER = ".claude/commands"
_MOST = 100
_CALLED = re.compile(r"/([\w:-]+)(?:\s+(.*))?\s*", re.DOTALL)
_PLACE = re.compile(r"\$(ARGUMENTS|[1-9])")


def read_commands(reader: Reader) -> dict[str, str]:
    """Texts of the commands by name; those of a folder are called `folder:name`."""
    found = {}
    for path in reader.below(_FOLDER)[:_MOST]:
        headed = reader.headed(path)
        if headed.body.strip():
            found[":".join(PurePosixPath(path[len(_FOLDER) + 1 :]).with_suffix("").parts)] = headed.body
    return found


def expanded(commands: Mapping[str, str], text: str) -> str:
    """What a text stands for, if it calls a command; else the text itself."""
    called = _CALLED.fullmatch(text.strip())
    if called is None or called[1] not in commands:
        return text
    rest = (called[2] or "").strip()
    words = rest.split()
    body = commands[called[1]]

    def fill(place: re.Match[str]) -> str:
        if place[1] == "ARGUMENTS":
            return rest
        number = int(place[1]) - 1
        return words[number] if number < len(words) else ""

    filled = _PLACE.sub(fill, body)
    return (filled if filled != body or not rest else f"{filled}\n\n{rest}")[:LARGEST]
