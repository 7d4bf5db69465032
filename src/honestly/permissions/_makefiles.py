"""What `make` would run by the text of a makefile: its recipes and `$(shell ...)`, with its variables put in.

A variable has each value that the text or the environment gives it. What a function of make would give is a variable
of the shell that nothing sets, so that its value is not known.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from honestly.permissions._words import MARKS, MOST_VALUES

_UNKNOWN = "$_of_make"
_GIVEN = re.compile(
    r"[ ]*(?:[^\n:=#]+: +)?(?:(?:override|export|private) +)*([^\s:#=+?!]+) *(!|[?+]|:{0,3})=[ \t]*(.*)"
)
_DEFINED = re.compile(r"(?ms)^ *(?:(?:override|export) +)*define +([^\s=]+)[^\n]*\n(.*?)^ *endef\b")
_DEFAULTS = {"RM": "rm -f", "MAKE": "make", "CC": "cc", "CXX": "g++", "AR": "ar", "SHELL": "sh"}
_ELSE_TEXT = """subst patsubst strip findstring filter filter-out sort word wordlist words firstword lastword dir notdir
suffix basename addsuffix addprefix join wildcard realpath abspath if or and error warning info origin flavor value
foreach call shell"""
_ELSE = frozenset(_ELSE_TEXT.split())
"""Functions that neither define nor write anything."""
_DEEPEST, _MOST_STEPS = 8, 2000


@dataclass
class Makefile:
    """One text as make reads it."""

    text: str
    environment: Mapping[str, Sequence[str]]
    commands: list[str] = field(default_factory=list)
    doubt: str = ""
    given: dict[str, list[str]] = field(default_factory=dict)
    steps: int = 0

    def __post_init__(self) -> None:
        text = re.sub(r"(?m)\\\n[ \t]*|^ *#.*", " ", self.text)
        for name, value in _DEFINED.findall(text):
            self.given.setdefault(name, []).append(value.rstrip("\n"))
        for line in _DEFINED.sub("", text).split("\n")[:1000]:
            found = _GIVEN.fullmatch(line) if line[:1] != "\t" else None
            if found is None:
                continue
            self.commands += self.expanded(found[3]) if found[2] == "!" else []
            self.given.setdefault(found[1], []).append(found[3] if found[2] != "!" else f"$(shell {found[3]})")
        for line in _DEFINED.sub("", text).split("\n")[:1000]:
            recipe = line[1:] if line[:1] == "\t" else ""
            rules = self.expanded(line) if not recipe else self.expanded(recipe)
            recipes = rules if recipe else [each.partition(";")[2] for each in rules if ":" in each]
            self.commands += [part.lstrip(" \t@+-") for each in recipes for part in each.split("\n")]
        if ".RECIPEPREFIX" in self.given or {*self.given.get("SHELL", [])} - {"/bin/sh", "/bin/bash", "bash", "sh"}:
            self.doubt = "it says itself what its recipes are"

    def expanded(self, text: str, depth: int = 0) -> list[str]:
        """What a text may be once its variables are put in; what its functions run is added to the commands."""
        parts: list[list[str]] = []
        at, self.steps = 0, self.steps + 1
        while (dollar := text.find("$", at)) >= 0 and depth < _DEEPEST and self.steps < _MOST_STEPS:
            parts.append([text[at:dollar]])
            mark = text[dollar + 1 : dollar + 2]
            if mark in {"(", "{"}:
                end = _closed(text, dollar + 2, mark)
                parts.append(self.named(text[dollar + 2 : end], depth))
                at = end + 1
            else:
                parts.append(["$"] if mark == "$" else [_UNKNOWN] if mark in {*"@<^*?+|%"} else self.named(mark, depth))
                at = dollar + 2
        if dollar >= 0:
            self.doubt = "its variables are nested too deeply"
            return [_UNKNOWN]
        parts.append([text[at:]])
        total = 1
        for part in parts:
            total *= len(part)
        chosen = parts if total <= MOST_VALUES else [part if len(part) == 1 else [_UNKNOWN] for part in parts]
        return ["".join(each) for each in product(*chosen)]

    def named(self, name: str, depth: int) -> list[str]:
        """The values of a variable, or of what a function gives."""
        if not name.strip():
            return [""]
        if re.fullmatch(r"[\w.-]+", name):
            values = [
                *self.given.get(name, ()),
                *(MARKS.sub(_UNKNOWN, each) for each in self.environment.get(name, ())),
            ] or [_DEFAULTS.get(name, "")]
            return list(dict.fromkeys(part for each in values for part in self.expanded(each, depth + 1)))
        function, _, rest = name.partition(" ")
        inner = self.expanded(rest, depth + 1)
        if function == "shell":
            self.commands += inner
        elif rest and function not in _ELSE:
            self.doubt = f"what {function[:20]!r} does is not followed"
        return [_UNKNOWN]


def _closed(text: str, at: int, mark: str) -> int:
    """Where the parenthesis is that closes one."""
    close, depth = {"(": ")", "{": "}"}[mark], 0
    for end in range(at, len(text)):
        depth += (text[end] == mark) - (text[end] == close)
        if depth < 0:
            return end
    return len(text)
