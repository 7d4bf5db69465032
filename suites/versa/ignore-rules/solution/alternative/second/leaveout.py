"""Rules for what a backup leaves out; SPEC.md describes them.

All rules of a text become one regular expression, the last rule first: a group for each, so that the group that took
part in a match tells the rule that decides. It is matched against names joined by `/`, with one more `/` for a folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["RuleError", "Rules"]

_LINE_END = re.compile(r"\r?\n")
_END = r"(?:-(\\.|[^]\\]))?+"
_MEMBER = re.compile(r"(?s)(\\.|[^\\])" + _END)
_SIGN = re.compile(
    r"(?s)\\(?P<plain>.)|(?P<many>\*+)|(?P<one>\?)"
    r"|\[(?P<others>!?+)(?P<members>(?:\\.|[^\\])" + _END + r"(?:(?:\\.|[^]\\])" + _END + r")*+)\]"
    r"|(?P<bare>[^\\*?\[])"
)
_ABOVE = "(?:[^/]+/)*"


class RuleError(ValueError):
    """Raised for a text with a rule that is none; its message begins with the number of the line."""


def _members(text: str) -> str:
    """The inside of a set, as it is written in a regular expression."""
    parts = []
    for low, high in _MEMBER.findall(text):
        low, high = low[-1], high[-1:] or low[-1]
        if low > high:
            raise ValueError(f"the range {low}-{high} runs backwards")
        parts.append(f"{re.escape(low)}-{re.escape(high)}")
    return "".join(parts)


def _name(segment: str) -> str:
    """A regular expression for one name.

    What stands between stars has a fixed length; so the first place where it fits is as good as any, and there is no
    need to come back to it.
    """
    if not segment:
        raise ValueError("a segment is empty")
    runs = [""]
    place = 0
    while place < len(segment):
        found = _SIGN.match(segment, place)
        if found is None:
            raise ValueError("a set has no end" if segment[place] == "[" else "a backslash has nothing to escape")
        place = found.end()
        if found["many"]:
            runs.append("")
        elif found["one"]:
            runs[-1] += "[^/]"
        elif found["members"]:
            inside = _members(found["members"])
            runs[-1] += f"[^/{inside}]" if found["others"] else f"(?!/)[{inside}]"
        else:
            runs[-1] += re.escape(found["plain"] or found["bare"])
    if len(runs) == 1:
        return runs[0]
    first, *middle, last = runs
    return first + "".join(f"(?>[^/]*?{run})" for run in middle) + "[^/]*" + last


def _whole(pattern: str) -> str:
    """A regular expression for the paths of a pattern, without the `/` of folders."""
    segments = pattern.removeprefix("/").split("/")
    if "/" not in pattern:
        segments.insert(0, "**")
    if len(segments) > 1 and segments[-1].strip("*") == "" and segments[-1] not in ("", "**"):
        segments[-1] = "?" + segments[-1]  # a name has at least one sign
    parts: list[list[str]] = [[]]
    for segment in segments:
        if segment == "**":
            parts.append([])
        else:
            parts[-1].append(_name(segment))
    *before, last = parts
    made = ""
    for number, names in enumerate(before):
        run = "".join(f"{name}/" for name in names)
        made += f"(?>{_ABOVE}?{run})" if number else run
    if not last:
        return f"{made}{_ABOVE}[^/]+"
    return made + (_ABOVE if before else "") + "/".join(last)


def _rule(line: str) -> tuple[bool, str]:
    """Whether a line's rule leaves out, and a regular expression for what it matches."""
    pattern = line.removeprefix("!")
    shape = _whole(pattern.removesuffix("/"))
    return not line.startswith("!"), shape + ("/" if pattern.endswith("/") else "/?")


def _trimmed(line: str) -> str:
    """A line without the spaces at its end that do not count."""
    bare = line.rstrip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return line[: len(bare) + backslashes % 2]


class Rules:
    """The rules of a text."""

    def __init__(self, text: str) -> None:
        self._leaves_out: dict[int, bool] = {}
        shapes = []
        for number, raw in enumerate(_LINE_END.split(text), 1):
            line = _trimmed(raw)
            if line and line[0] != "#":
                try:
                    self._leaves_out[number], shape = _rule(line)
                except ValueError as error:
                    raise RuleError(f"line {number}: {error}") from None
                shapes.append(f"({shape})")
        self._lines = [*self._leaves_out][::-1]
        self._decider = re.compile("|".join(reversed(shapes)) or "(?!)")

    def _decisions(self, path: str) -> Iterator[int]:
        """Lines of the rules that decide about a path's folders and itself, up to the one that leaves it out."""
        for step in re.finditer(r"[^/]+/?", path):
            found = self._decider.fullmatch(path, 0, step.end())
            if found and found.lastindex:
                line = self._lines[found.lastindex - 1]
                yield line
                if self._leaves_out[line]:
                    return

    def reason(self, path: str) -> int | None:
        """The number of the line that leaves a path out, or None."""
        last = None
        for last in self._decisions(path):
            pass
        return last if last is not None and self._leaves_out[last] else None

    def ignored(self, path: str) -> bool:
        """Whether a path is left out."""
        return self.reason(path) is not None

    def kept(self, paths: Iterable[str]) -> list[str]:
        """Those of the paths that are not left out."""
        return [path for path in paths if self.reason(path) is None]

    def unused(self, paths: Iterable[str]) -> list[int]:
        """Lines of the rules that decide about nothing."""
        used = {line for path in paths for line in self._decisions(path)}
        return [line for line in self._leaves_out if line not in used]
