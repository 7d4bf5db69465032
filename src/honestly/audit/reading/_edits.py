"""The text that a change in place puts into a file and takes out, as far as the command itself says so.

`sed -i` scripts and the replacements of a Python program are taken apart; nothing is run. What is taken out by line
numbers, or by a pattern that stands for many texts, is not known from the command: such a change is `blind`.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from honestly.audit.reading._left import called_name, hunk_block, is_parsed, parsed_module, syntax_nodes
from honestly.audit.reading._parts import Write
from honestly.audit.reading._places import is_source

_ADDRESS = re.compile(r"\s*(?:(\d+|\$)|/((?:[^/\\\n]|\\.)*)/I?|\\(.)((?:(?!\3)[^\\\n]|\\.)*)\3I?)(?:~\d+)?")
_META = re.compile(r"(?<!\\)(?:\.\*|\.\+|[*+?\[\]^$|]|\\[+?|wWsSdDb()])")
_ESCAPED = re.compile(r"\\([^\w\n])")
# Characters of a script that are read.
_LONGEST = 1 << 16


class Change(NamedTuple):
    """The effect of one change on a file."""

    added: str
    removed: str
    """Texts, one a line; empty where it only adds."""
    blind: bool
    """Whether something else is taken out, which the command does not show."""


def sed_change(script: str) -> Change:
    """The change of a `sed` script."""
    added: list[str] = []
    removed: list[str] = []
    blind = False
    at = 0
    script = script[:_LONGEST]
    while at < len(script):
        if script[at] in " \t\n;{}":
            at += 1
            continue
        where, at = _addresses(script, at)
        while at < len(script) and script[at] in " \t!{":
            at += 1
        verb = script[at : at + 1]
        at += 1
        if verb in {"s", "y"} and at < len(script):
            old, new, at = _parsed_substitution(script, at)
            removed.append(_literal_text(old.strip("^$")))
            added.append(_literal_text(new.replace("&", old)) if "&" in new else _literal_text(new))
        elif verb in {"a", "i", "c"}:
            text, at = _edit_text(script, at)
            added.append(text)
            # What `c` replaces is known only where its address is plain text.
            blind |= verb == "c"
            if verb == "c" and where and not _META.search(where):
                removed.append(_literal_text(where))
        elif verb in {"d", "D"}:
            if where and not _META.search(where.strip("^$")):
                removed.append(_literal_text(where.strip("^$")))
            else:
                blind = True
        else:
            stop = re.compile(r"[;\n]").search(script, at)
            at = stop.end() if stop else len(script)
    return Change("\n".join(added), "\n".join(filter(None, removed)), blind)


_SPAN = re.compile(r"\s*(?P<from>\d{1,7})(?:,(?P<to>\d{1,7}))?\s*(?P<verb>[dcai])(?P<text>[\s\S]*)")


def sed_span(script: str) -> tuple[int, int] | None:
    """The lines that a script of one command by numbers takes out, as `Write.span` has them; None for any other."""
    match = _SPAN.fullmatch(script)
    if match is None or (match["verb"] == "d" and match["text"].strip()):
        return None
    first, last = int(match["from"]), int(match["to"] or match["from"])
    return {"d": (first, last), "c": (first, last), "i": (first, first - 1), "a": (first + 1, first)}[match["verb"]]


def _addresses(script: str, at: int) -> tuple[str, int]:
    """The pattern of the one address of a command, where it has one, and where its verb begins."""
    patterns: list[str] = []
    many = False
    while match := _ADDRESS.match(script, at):
        patterns.append(match[2] or match[4] or "")
        at = match.end()
        if script[at : at + 1] != ",":
            break
        many, at = True, at + 1
    return ("" if many or len(patterns) != 1 else patterns[0]), at


def _parsed_substitution(script: str, at: int) -> tuple[str, str, int]:
    mark = script[at]
    parts: list[str] = []
    start = at = at + 1
    while at < len(script) and len(parts) < 2:
        if script[at] == "\\":
            at += 2
            continue
        if script[at] == mark:
            parts.append(script[start:at])
            start = at + 1
        at += 1
    flags = re.compile(r"[gpIiMme\d]*").match(script, at)
    return (parts[0] if parts else ""), (parts[1] if len(parts) > 1 else ""), flags.end() if flags else at


def _edit_text(script: str, at: int) -> tuple[str, int]:
    """The text of `a`, `i` or `c`: to the end of a line that no backslash continues."""
    lead = re.compile(r"[ \t]*\\?\n?").match(script, at)
    at = lead.end() if lead else at
    lines: list[str] = []
    while at < len(script):
        stop = script.find("\n", at)
        line = script[at : stop if stop >= 0 else len(script)]
        at = stop + 1 if stop >= 0 else len(script)
        if line.endswith("\\") and stop >= 0:
            lines.append(line[:-1])
            continue
        lines.append(line)
        break
    return "\n".join(lines).replace("\\n", "\n"), at


def _literal_text(pattern: str) -> str:
    """The text that a pattern stands for, its escapes taken off."""
    return _ESCAPED.sub(r"\1", pattern.replace("\\n", "\n"))


# Functions of a notebook's agent that change files.
_SKILLS = frozenset(
    {"edit_file", "edit_file_by_replace", "insert_content_at_line", "append_file", "edit_file_by_line", "create_file"}
)
_SKILL = re.compile(rf"\b(?:{'|'.join(sorted(_SKILLS))})\b")
_OPENS, _CHANGES = re.compile(r"\b(?:open|Path)\s*\("), re.compile(r"\.(?:replace|sub)\s*\(|\.\s*write")


@lru_cache(maxsize=64)
def python_changes(source: str) -> tuple[Write, ...]:
    """Changes that a program makes to files which it names, as far as it says them.

    Texts that are written out (`open(F, "w").write("...")`), and replacements in what was read of a file. A text that
    is computed otherwise is a program's output, which the history of files knows of.
    """
    if not ((_CHANGES.search(source) and _OPENS.search(source)) or _SKILL.search(source)):
        return ()
    return tuple(_Program().changes(syntax_nodes(source)))


class _Program:
    """One reading of a program: what its names stand for."""

    def __init__(self) -> None:
        # Constants.
        self.texts: dict[str, str] = {}
        # Names that stand for a file, an open one, or what was read of one.
        self.places: dict[str, str] = {}
        # Replacements: the name of what is changed, old, new.
        self.pairs: list[tuple[str, str, str]] = []
        # Files that are written, with their text where it is a constant.
        self.written: dict[str, str | None] = {}
        self.skills: list[Write] = []

    def changes(self, nodes: Sequence[ast.AST]) -> Iterator[Write]:
        """The changes, in the order of the files."""
        for node in nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self._assigned(node.targets[0].id, node.value)
            elif isinstance(node, ast.With):
                for item in node.items:
                    if isinstance(item.optional_vars, ast.Name):
                        self._assigned(item.optional_vars.id, item.context_expr)
        for node in nodes:
            if isinstance(node, ast.Call):
                self._called(node)
        yield from self.skills
        paths = list(dict.fromkeys([*self.places.values(), *self.written]))
        for path in paths:
            own = [(old, new) for name, old, new in self.pairs if self.places.get(name, "") == path or len(paths) == 1]
            text = self.written.get(path)
            if own:
                removed, added = ("\n".join(each) for each in zip(*own, strict=True))
                yield Write(path, "edit", added, source=removed)
            elif text is not None:
                yield Write(path, "text", text)
            elif path in self.written and is_source(path):
                # What it may put into a file: texts of several words. Those of one list are one.
                lists = [node for node in nodes if isinstance(node, ast.List | ast.Tuple)]
                groups = [[each.value for each in node.elts if isinstance(each, ast.Constant)] for node in lists]
                inner = {id(each) for node in lists for each in node.elts}
                groups += [[n.value] for n in nodes if isinstance(n, ast.Constant) and id(n) not in inner]
                texts = ("\n".join(each.strip("\n") for each in group if isinstance(each, str)) for group in groups)
                put = [hunk_block(text) for text in texts if len(text.split()) > 1]
                known = put and all(map(is_parsed, put))
                text = "\n".join(each for each in put if parsed_module(each) is not None)
                yield Write(path, "edit" if known else "output", text, blind=True)

    def _assigned(self, name: str, value: ast.expr) -> None:
        text = self._text(value)
        if text is not None:
            self.texts[name] = text
        elif place := self._place(value):
            self.places[name] = place

    def _text(self, node: ast.expr) -> str | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self._text(node.left), self._text(node.right)
            return left + right if left is not None and right is not None else None
        if isinstance(node, ast.Call) and called_name(node) in {"dedent", "lstrip", "strip", "encode"}:
            if node.args:
                return self._text(node.args[0])
            return self._text(node.func.value) if isinstance(node.func, ast.Attribute) else None
        return self.texts.get(node.id) if isinstance(node, ast.Name) else None

    def _place(self, node: ast.expr) -> str:
        """The file that an expression opens, reads or changes; empty for none."""
        for _ in range(12):
            if isinstance(node, ast.Name):
                return self.places.get(node.id, "")
            if not isinstance(node, ast.Call):
                if isinstance(node, ast.Attribute):
                    node = node.value
                    continue
                return ""
            name = called_name(node)
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            bare = owner is None or getattr(owner, "id", "") in {"pathlib", "io", "codecs"}
            if name in {"open", "Path"} and node.args and bare:
                return self._text(node.args[0]) or self._place(node.args[0])
            if name == "sub" and len(node.args) > 2:
                node = node.args[2]
            elif owner is not None:
                node = owner
            else:
                return ""
        return ""

    def _called(self, node: ast.Call) -> None:
        name, given = called_name(node), [self._text(each) for each in node.args]
        named = {each.arg: self._text(each.value) for each in node.keywords}
        holder = node.func.value if isinstance(node.func, ast.Attribute) else None
        old, new, *_ = (*given, None, None)
        if name == "replace" and holder is not None and old is not None and new is not None:
            self.pairs.append((self._root(holder), old, new))
        elif name == "sub" and old is not None and new is not None:
            root = self._root(node.args[2]) if len(node.args) > 2 else ""
            self.pairs.append((root, _literal_text(old), new))
        elif name in {"write", "write_text", "writelines", "write_bytes"} and holder is not None and given:
            if place := self._place(holder):
                known = self.written.get(place, "")
                text = given[0]
                self.written[place] = f"{known}{text}" if known is not None and text is not None else None
        elif name in _SKILLS and holder is None:
            self.skills += _skill_writes(name, given, named, node)

    def _root(self, node: ast.expr) -> str:
        """The name at the bottom of a chain of calls."""
        while isinstance(node, ast.Call | ast.Attribute):
            node = node.func if isinstance(node, ast.Call) else node.value
        return node.id if isinstance(node, ast.Name) else ""


def _skill_writes(
    name: str, given: list[str | None], named: dict[str | None, str | None], node: ast.Call
) -> Iterator[Write]:
    texts = [text for text in given if text is not None]
    path = named.get("file_name") or named.get("path") or named.get("filename") or (texts[0] if texts else "")
    rest = texts[1:] if texts and texts[0] == path else texts
    constants = [
        each.value for each in [*node.args, *(k.value for k in node.keywords)] if isinstance(each, ast.Constant)
    ]
    numbers = [each for each in constants if isinstance(each, int) and not isinstance(each, bool)]
    old = named.get("to_replace") or (rest[0] if name == "edit_file_by_replace" and rest else "")
    new = named.get("new_content") or named.get("content") or (rest[-1] if rest else "")
    if name == "create_file":
        yield Write(path or "", "text", new if new != path else "", raw=path or name)
    elif old:
        yield Write(path or "", "edit", new or "", source=old, raw=new or old)
    elif name in {"edit_file", "edit_file_by_line"} and len(numbers) > 1:
        yield Write(path or "", "edit", new or "", raw=new or name, blind=True, span=(numbers[0], numbers[1]))
    elif path or new:
        yield Write(path or "", "edit", new or "", raw=new or name, blind=name.startswith("edit"))
