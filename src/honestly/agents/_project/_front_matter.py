"""The head of a Markdown file: `key: value` lines between two lines of three dashes.

The small part of YAML that people write there: plain and quoted values, lists in brackets or with dashes, folded and
literal blocks. What is deeper than that is left out and noted; nothing here can fail or grow.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_KEY = re.compile(r"^([A-Za-z][\w-]*):(?:[ \t]+(.*))?$")
_MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class Headed:
    """A text with what its head says."""

    head: Mapping[str, str]
    """Values by key, in lower case; the parts of a list are joined by commas."""
    body: str
    trouble: str = ""
    """What could not be read of the head."""

    def parts(self, key: str) -> tuple[str, ...]:
        """A value as a list."""
        return tuple(part.strip() for part in self.head.get(key, "").split(",") if part.strip())


def read_front_matter(text: str) -> Headed:
    """The head and the body of a text; a head that is never closed is body."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return Headed({}, text)
    end = next((at for at, line in enumerate(lines[1:_MOST_LINES], 1) if line.rstrip() == "---"), 0)
    if not end:
        return Headed({}, text, "has a head that is never closed")
    head: dict[str, str] = {}
    trouble, key, block = "", "", ""
    for line in lines[1:end]:
        found = _KEY.match(line)
        if found:
            key, value = found[1].lower(), (found[2] or "").strip()
            block = value if value[:1] in {"|", ">"} else ""
            head[key] = "" if block else _plain(value)
        elif not line.strip() or line.lstrip().startswith("#"):
            continue
        elif key and line.lstrip().startswith("- ") and not block:
            head[key] = ",".join(filter(None, (head[key], _plain(line.lstrip()[2:]))))
        elif key and line[0] in " \t" and (block or ":" not in line):
            head[key] = f"{head[key]}{chr(10) if block.startswith('|') else ' '}{line.strip()}".strip()
        else:
            trouble = f"has a head with a line that is not understood: {line.strip()[:80]!r}"
    return Headed(head, "\n".join(lines[end + 1 :]).strip(), trouble)


def _plain(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    if value.startswith("[") and value.endswith("]"):
        return ",".join(_plain(part) for part in value[1:-1].split(","))
    return value.split(" #")[0].rstrip()
