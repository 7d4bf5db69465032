"""The files that an agent leaves behind: from the final edit where it was kept, else as its steps wrote them.

For each the text, what stood there before where that is known, and where to quote it from. Python is parsed where it
can be; a parser that gives up on hostile source gives nothing, and the patterns have to do.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from honestly.audit.reading._patterns import Pattern
from honestly.records import Edit, Severity, Task


class Suspicion(NamedTuple):
    """A suspicion of a detector, with its quote; it becomes a finding if the quote is in the record."""

    quote: str
    """Verbatim from the step, the file or the verdict: it is checked, and a quote that is not there is an error."""
    step: int | None = None
    where: str = ""
    """`file:<path>`, `verdict`, `log:<name>` for what stands in no step; empty for a step."""
    note: str = ""
    """One plain sentence for people: what is odd about it."""
    kind: str = ""
    """Which of several things it is, where that is counted (`Finding.kinds`)."""
    severity: Severity | None = None
    """What it charges the agent with; None for what its detector usually does."""


# Bytes of a file, and characters that a parser is given.
_LARGEST = 1 << 18
_DECIDES = re.compile(r"==|\breturn\b|\bcase\b|\bin \(|[{\[]")
_BRANCH = re.compile(r"\A(?:elif\b|else:)")
# The fields of `_history.Source`, whose module imports this one.
_Source = tuple[str, str, int, bool, tuple[tuple[int, str], ...], str]


class LeftFile(NamedTuple):
    """One file that is left."""

    path: str
    text: str
    before: str
    """What stood there at the start; empty where the file is new, or where that is not known."""
    step: int | None
    where: str
    whole: bool = True
    """Whether `text` is all of the file, or only what the agent is known to have put into it."""
    pieces: tuple[tuple[int, str], ...] = ()
    """How it was written, where that is known from steps: what was put in, each piece with its step."""

    def file_suspicion(self, quote: str, note: str, severity: Severity | None = None) -> Suspicion:
        """A suspicion about this file."""
        quote = quote.strip()[:300]
        first = max(quote.split("\n"), key=len)
        step = next((step for step, text in reversed(self.pieces) if first in text), self.step)
        return Suspicion(quote, step, self.where, note, severity=severity)

    def line(self, number: int) -> str:
        """A line of it, counted from 1."""
        lines = self.text.split("\n")
        return lines[number - 1].strip() if 0 < number <= len(lines) else ""

    def line_at(self, place: int) -> str:
        """The line that holds a character of it."""
        return self.line(self.text.count("\n", 0, place) + 1)


def files_left(final: Edit | None, task: Task | None, sources: Iterable[_Source]) -> Iterator[LeftFile]:
    """All text files that the agent wrote and left.

    Args:
        final: what it changed; None where that was not kept.
        task: the task, with what stood in the workspace before.
        sources: what its steps wrote and left, where that edit is missing: path, text, step, whether
            it is whole, the pieces, and what stood there before as far as that is known.
    """
    if final is not None:
        start = task.workspace.files if task is not None else {}
        for path, file in final.write.files.items():
            if file.mode == "link" or len(file.data) > _LARGEST or b"\0" in file.data[:4096]:
                continue
            old = start[path].data.decode("utf-8", "replace") if path in start else ""
            yield LeftFile(path, file.data.decode("utf-8", "replace"), old, None, f"file:{path}")
        return
    for path, text, step, whole, pieces, before in sources:
        if text.strip():
            yield LeftFile(path, text, before, step, "", whole=whole, pieces=pieces)


def is_parsed(text: str) -> bool:
    """Whether lines out of a program can be read: as statements or as a part of one, or since they decide nothing."""
    block = hunk_block(text.strip("\n"))
    forms = (block, f"{block} pass", f"({block})", f"[{block}]", f"{{{block}}}", f"try:\n pass\n{block} pass")
    short = block.count("\n") < 2 or not _DECIDES.search(block)
    return short or any(parsed_module(each) is not None for each in forms)


def hunk_block(text: str) -> str:
    """Lines out of the middle of a program as a block of its own, which a parser takes; each line keeps its number."""
    lines = text.split("\n")
    depth = min((len(line) - len(line.lstrip(" \t")) for line in lines if line.strip()), default=0)
    text = "\n".join(line[depth:] for line in lines)
    return _BRANCH.sub(lambda match: "if  " if match[0] == "elif" else "if 1:", text, count=1)


def indented_blocks(text: str, opening: Pattern) -> Iterator[tuple[str, str]]:
    """Indented blocks of Python, each opening line with the lines that belong to it: cheaper than a tree of the whole.

    Args:
        text: source.
        opening: matches an opening line from its first letter to its colon; group `indent` is what stands before it.
    """
    for match in opening.finditer(text):
        depth = len(match["indent"])
        end = match.end()
        while end < len(text):
            stop = text.find("\n", end + 1)
            line = text[end + 1 : stop if stop >= 0 else len(text)]
            if (
                line.strip()
                and len(line) - len(line.lstrip()) <= depth
                and not line.lstrip().startswith(("#", ")", "]", "}"))
            ):
                break
            end = stop if stop >= 0 else len(text)
        yield match[0].strip(), text[match.end() : end]


def called_name(call: ast.Call) -> str:
    """The last name of what is called: `f` of `f()` and of `a.f()`; empty for any other expression."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@lru_cache(maxsize=64)
def syntax_nodes(text: str | bytes) -> tuple[ast.AST, ...]:
    """All nodes of Python source, in the order of `ast.walk`, without contexts; none for what cannot be parsed."""
    nodes: list[ast.AST] = [tree] if (tree := parsed_module(text)) is not None else []
    # A quarter of the time that `ast.walk` takes. The list grows while it is read.
    for node in nodes:
        for name in _inner_fields(node._fields):
            held = getattr(node, name, None)
            if type(held) is list:
                nodes += [each for each in held if isinstance(each, ast.AST)]
            elif isinstance(held, ast.AST):
                nodes.append(held)
    return tuple(nodes)


@cache
def _inner_fields(fields: tuple[str, ...]) -> tuple[str, ...]:
    """Those of a node's fields that may contain nodes."""
    return tuple(name for name in fields if name not in {"ctx", "id", "attr", "arg", "kind", "type_comment"})


@lru_cache(maxsize=64)
def parsed_module(text: str | bytes) -> ast.Module | None:
    """The syntax tree of Python source; None for what cannot be parsed, or is more than a parser should be given."""
    if len(text) > _LARGEST:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
