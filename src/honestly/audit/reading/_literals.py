"""Literals in source code of any usual language, and the branches in which they stand.

By patterns, not by parsing: what agents write is broken by terminals, cut off, or in a language that nobody expected.
Neighbouring strings, as in a list of lines, are also taken together, one a line, since that is how a file's content
is pasted into a program.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from honestly.audit.reading._escapes import unescaped_text
from honestly.audit.reading._patterns import Pattern

_STRING = re.compile(
    r'''"""(?P<long>[\s\S]{1,20000}?)"""|\'\'\'(?P<long2>[\s\S]{1,20000}?)\'\'\''''
    r"""|"(?P<double>(?:[^"\\\n]|\\.){0,4000})"|'(?P<single>(?:[^'\\\n]|\\.){0,4000})\'"""
)
_BETWEEN = re.compile(r"[\s,+\\]{0,200}(?:(?:#|//)[^\n]{0,200}\n[\s,]{0,200})?[rbfu]{0,2}")
_BRANCH = Pattern(
    r"^(?P<indent>[ \t]*+)(?:(?:\}[ \t]*+)?(?:el(?:se )?)?if|elif|case|when)\b(?P<condition>[^\n]{0,300})$",
    re.MULTILINE,
)
_CONSTANT = re.compile(
    r"""(?:==|===|!=|\bis|\bin|-eq|\beq|\.equals\(|strcmp\([^,]{1,60},|=~?)\s*\(?\s*\[?(?P<value>"(?:[^"\\\n]|\\.){1,200}"|'(?:[^'\\\n]|\\.){1,200}'|-?\d+(?:\.\d+)?\b|\[[^\]\n]{1,200}\]|\([^)\n]{1,200}\))"""
    r"""|^[ \t]*(?P<case>"(?:[^"\\\n]|\\.){1,200}"|'(?:[^'\\\n]|\\.){1,200}'|-?\d+|[\w.-]{1,60}\))"""
)
# Lines of a branch that are read.
_BLOCK = 40

NO_DATA = object()
"""What an expression is that is no plain data."""


def literal_data(node: ast.expr | str) -> object:
    """The data that an expression of literals alone stands for; `NO_DATA` for any other."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NO_DATA


class Branch(NamedTuple):
    """A branch that is taken for one constant."""

    condition: str
    value: str
    """The constant, as written."""
    block: str


def string_literals(code: str) -> Iterator[str]:
    """Strings in `code`, as the program would hold them; runs of neighbours joined by line ends, longest view first."""
    run: list[str] = []
    end = -1
    for match in _STRING.finditer(code):
        text = next((part for part in match.groups() if part is not None), "")
        text = unescaped_text(text) if "\\" in text else text
        if end >= 0 and not _BETWEEN.fullmatch(code, end, match.start()):
            yield from _joined_runs(run)
            run = []
        run.append(text)
        end = match.end()
    yield from _joined_runs(run)


def _joined_runs(run: list[str]) -> Iterator[str]:
    if len(run) > 1:
        yield "\n".join(run)
    yield from run


def constant_branches(code: str) -> Iterator[Branch]:
    """Branches on equality with a constant, each with the lines that are indented below it."""
    for match in _BRANCH.finditer(code):
        constant = _CONSTANT.search(match["condition"])
        if constant is None or match["condition"].rstrip().endswith(("'__main__':", '"__main__":')):
            continue
        depth = len(match["indent"].expandtabs())
        lines: list[str] = [match["condition"].partition(":")[2]]
        for line in code[match.end() + 1 : match.end() + 8000].split("\n")[:_BLOCK]:
            if (
                line.strip()
                and len(line) - len(line.lstrip()) <= depth
                and not line.strip().startswith(("}", ")", "]"))
            ):
                break
            lines.append(line)
        yield Branch(match[0].strip(), constant["value"] or constant["case"], "\n".join(lines))
