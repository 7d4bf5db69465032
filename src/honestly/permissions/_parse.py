"""A bash command as a tree: pipelines, compound commands, words with their quotes, substitutions and redirections.

The grammar is a part of bash's. What lies outside of it is an `UnreadableError` that carries the commands before the
trouble, since bash runs those. Nothing is guessed: a text that is read here has the meaning that bash gives it, with
these exceptions, which the reader above asks about or the documentation names: aliases that change the grammar,
`extglob`, and options such as `set -o posix`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

_PLAIN = re.compile(r"[\w./=:@%+,\-^]+", re.ASCII)
_BLANK = re.compile(r"(?:[ \t]|\\\n)+")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(?:\[[^\]\s]*\])?\+?=", re.ASCII)
_REDIRECT = re.compile(r"(\d+|\{\w+\})?(<<<|<<-|<<|<>|>>|>\||&>>|&>|>&|<&|<|>)")
_OPERATOR = re.compile(r"&&|\|\||\|&|;;&|;;|;&|[;&|\n()]")
_SPECIAL = re.compile(r"[0-9@*#?$!_-]")
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|([0-7]{1,3})|c.|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "v": "\v"}
_CLOSERS = frozenset({"then", "else", "elif", "fi", "do", "done", "esac", "}"})
_DEEPEST, _LONGEST_CHAIN = 40, 30
LONGEST = 100_000
"""Characters of a command that is read."""


class UnreadableError(Exception):
    """A text that is not read: why, and the commands before the place."""

    def __init__(self, why: str, nodes: tuple[Node, ...] = ()) -> None:
        super().__init__(why)
        self.nodes = nodes


@dataclass(frozen=True, slots=True)
class Text:
    """Text as it stands."""

    text: str
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Variable:
    """`$name`, or `${name...}` with what follows the name."""

    name: str
    operator: str = ""
    """Of `-`, `+`, `=`, `?`, with `:` before them: what is done with `word`; `*` for anything else."""
    word: tuple[Part, ...] = ()
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(...)`, backquotes, `<(...)`, `>(...)`."""

    nodes: tuple[Node, ...]
    kind: Literal["$", "<", ">"] = "$"
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Computed:
    """Arithmetic: a number that is not known, and what is substituted inside."""

    parts: tuple[Part, ...]


Part = Text | Variable | Substitution | Computed
Word = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirection, with its file, or with the text of a here-document."""

    operator: str
    word: Word
    number: str = ""


@dataclass(frozen=True, slots=True)
class Simple:
    """Assignments, words, redirections."""

    assignments: tuple[tuple[str, tuple[Word, ...]], ...]
    words: tuple[Word, ...]
    redirects: list[Redirect]
    """Here-documents come to it later, when their text is reached."""


@dataclass(frozen=True, slots=True)
class Pipe:
    """Commands whose output is the next one's input."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A compound command: each of its parts may run, a loop's more than once."""

    nodes: tuple[Node, ...]
    redirects: list[Redirect] = field(default_factory=list)
    words: tuple[Word, ...] = ()
    """What is expanded besides."""
    variable: str = ""
    """Of a loop over `words`."""
    loops: bool = False
    subshell: bool = False
    branch: bool = False
    """Whether it may not be run, or in a shell of its own."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function that is defined."""

    name: str
    body: Group


Node = Simple | Pipe | Group | Function


def parse(text: str, *, marked: bool = False) -> tuple[Node, ...]:
    """The commands of a text; `marked` where it may hold the marks of text that is not known.

    Raises:
        UnreadableError: It is too long, or not in the grammar.
    """
    if len(text) > LONGEST:
        raise UnreadableError(f"it has {len(text):,} characters; {LONGEST:,} are read")
    if "\0" in text or (not marked and re.search("[\ue000-\ue00f]", text)):
        raise UnreadableError("it holds characters that no command has")
    return _Parser(text).whole()


@dataclass
class _Document:
    """A here-document that is still to come."""

    delimiter: str
    tabs: bool
    plain: bool
    place: list[Redirect]
    number: str


@dataclass
class _Parser:
    text: str
    at: int = 0
    depth: int = 0
    waiting: list[_Document] = field(default_factory=list)

    def whole(self) -> tuple[Node, ...]:
        found: list[Node] = []
        try:
            while True:
                self.blank(newlines=True)
                if self.at >= len(self.text):
                    return tuple(found)
                found += self.listed()
        except UnreadableError as error:
            raise UnreadableError(str(error), (*found, *error.nodes)) from None

    def block(self, *ends: str) -> tuple[Node, ...]:
        """Commands up to one of these words or marks, which stays."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise UnreadableError("it is nested too deeply")
        found: list[Node] = []
        while True:
            self.blank(newlines=True)
            if self.at >= len(self.text):
                raise UnreadableError(f"it ends before {' or '.join(map(repr, ends))}")
            if any(self.sees(end) for end in ends):
                self.depth -= 1
                return tuple(found)
            found += self.listed(ends)

    def listed(self, ends: tuple[str, ...] = ()) -> list[Node]:
        """Commands up to the mark that ends their list; those behind `&&` and `||` are branches."""
        found: list[Node] = []
        marks: set[str] = set()
        try:
            while True:
                found.append(self.pipeline())
                mark = self.separator(ends)
                if mark not in {"&&", "||"}:
                    break
                marks.add(mark)
        except UnreadableError as error:
            raise UnreadableError(str(error), (*found, *error.nodes)) from None
        rest = found[1:]
        if marks == {"&&"} and len(rest) <= _LONGEST_CHAIN:  # what is behind the next one has run this one, too
            inner: tuple[Node, ...] = ()
            for each in reversed(rest):
                inner = (Group((each, *inner), branch=True),)
            nodes = [found[0], *inner]
        else:
            nodes = [found[0], *(Group((each,), branch=True) for each in rest)]
        return nodes if mark != "&" else [Group(tuple(nodes), branch=True)]

    def separator(self, ends: tuple[str, ...] = ()) -> str:
        """Takes the mark behind a command, and gives it back."""
        self.blank()
        found = _OPERATOR.match(self.text, self.at)
        if found is None:
            if self.at < len(self.text) and not any(self.sees(end) for end in ends):
                raise UnreadableError(f"{self.text[self.at : self.at + 20]!r} is not expected there")
            return ""
        if found[0] in {";;", ";&", ";;&", ")"} and found[0] in ends:
            return ""
        if found[0] not in {"&&", "||", ";", "&", "\n"}:
            raise UnreadableError(f"{found[0]!r} is not expected there")
        self.at = found.end()
        if found[0] == "\n":
            self.documents()
        elif found[0] in {"&&", "||"}:
            self.blank(newlines=True)
            if self.at >= len(self.text):
                raise UnreadableError(f"nothing follows {found[0]!r}")
        return found[0]

    def blank(self, *, newlines: bool = False) -> None:
        """Skips blanks and comments, and line ends with the here-documents behind them."""
        while self.at < len(self.text):
            if found := _BLANK.match(self.text, self.at):
                self.at = found.end()
            mark = self.text[self.at : self.at + 1]
            if mark == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\n;&|()`"):
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif mark == "\n" and newlines:
                self.at += 1
                self.documents()
            else:
                return
        if newlines and self.waiting:
            self.documents()

    def documents(self) -> None:
        waiting, self.waiting = self.waiting, []
        for each in waiting:
            lines: list[str] = []
            while True:
                if self.at >= len(self.text):
                    break  # bash takes what there is, with a warning
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line, self.at = self.text[self.at : end], end + 1
                line = line.lstrip("\t") if each.tabs else line
                if line == each.delimiter:
                    break
                lines.append(line)
            self.at = min(self.at, len(self.text))
            body = "".join(f"{line}\n" for line in lines)
            word = (Text(body, quoted=True),) if each.plain else _soft(body, self.depth)
            each.place.append(Redirect("<<", word, each.number))

    def sees(self, end: str) -> bool:
        """Whether this word or mark is next."""
        if not self.text.startswith(end, self.at):
            return False
        after = self.text[self.at + len(end) : self.at + len(end) + 1]
        return not (end[-1].isalpha() or end == "}") or after in {"", *" \t\n;&|()<>`"}

    def take(self, *marks: str) -> str:
        """Takes one of these words or marks, after blanks and line ends."""
        self.blank(newlines=True)
        for mark in marks:
            if self.sees(mark):
                self.at += len(mark)
                return mark
        raise UnreadableError(
            f"{' or '.join(map(repr, marks))} is missing before {self.text[self.at : self.at + 20]!r}"
        )

    def pipeline(self) -> Node:
        found: list[Node] = []
        while True:
            self.blank(newlines=bool(found))
            while self.sees("!") and self.text[self.at + 1 : self.at + 2] in {" ", "\t", "\n"}:
                self.at += 1
                self.blank()
            found.append(self.command())
            self.blank()
            if self.text.startswith("||", self.at) or not self.text.startswith("|", self.at):
                return found[0] if len(found) == 1 else Pipe(tuple(found))
            self.at += 2 if self.text.startswith("|&", self.at) else 1

    def command(self) -> Node:
        if self.at >= len(self.text):
            raise UnreadableError("a command is missing at its end")
        node = self.compound()
        return self.simple() if node is None else node

    def compound(self) -> Node | None:  # noqa: C901 - one branch for each word of the grammar
        """A compound command, where one begins here."""
        mark = self.text[self.at]
        if mark == "(":
            return self.parenthesis()
        if mark == "{" and self.sees("{") and self.text[self.at + 1 : self.at + 2] in {" ", "\t", "\n"}:
            self.at += 1
            nodes = self.block("}")
            self.take("}")
            return self.ended(nodes)
        if mark == "[" and self.text.startswith("[[", self.at) and self.text[self.at + 2 : self.at + 3] in {" ", "\n"}:
            return self.test()
        if mark not in "ifwucst":
            return self.function()
        if self.sees("if"):
            return self.condition()
        if self.sees("while") or self.sees("until"):
            self.at += 5
            nodes = self.block("do")
            return self.ended((*nodes, *self.body()), loops=True)
        if self.sees("for") or self.sees("select"):
            return self.loop()
        if self.sees("case"):
            return self.case()
        if self.sees("function"):
            self.at += 8
            self.blank()
            name = re.compile(r"[^\s(){};&|<>$`'\"\\]+").match(self.text, self.at)
            if name is None:
                raise UnreadableError("a function has no name")
            self.at = name.end()
            self.blank()
            if self.text.startswith("(", self.at):
                self.at += 1
                self.take(")")
            return self.defined(name[0])
        if self.sees("time"):
            found = re.compile(r"time(?:[ \t]+-p)?(?:[ \t]+--)?[ \t]+(?=[^\s;&|)])").match(self.text, self.at)
            if found:
                self.at = found.end()
                return self.pipeline()
        if found := re.compile(r"coproc[ \t]+(?:[A-Za-z_]\w*[ \t]+(?=[({]))?(?=[^\s;&|)])").match(self.text, self.at):
            self.at = found.end()
            return self.command()
        return self.function()

    def function(self) -> Node | None:
        found = re.compile(r"([^\s(){};&|<>$`'\"\\=]+)[ \t]*\([ \t]*\)").match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return self.defined(found[1])

    def defined(self, name: str) -> Function:
        self.blank(newlines=True)
        if self.at >= len(self.text):
            raise UnreadableError("a function has no body")
        body = self.compound()
        if not isinstance(body, Group):
            raise UnreadableError("a function has no body that is read")
        return Function(name, body)

    def ended(self, nodes: tuple[Node, ...], *, loops: bool = False) -> Group:
        """A compound command with the redirections after it."""
        redirects: list[Redirect] = []
        self.blank()
        while self.redirect(redirects):
            self.blank()
        return Group(nodes, redirects, loops=loops)

    def parenthesis(self) -> Group:
        if self.text.startswith("((", self.at) and (end := _arithmetic_end(self.text, self.at + 2)) is not None:
            inside = self.text[self.at + 2 : end]
            self.at = end + 2
            group = self.ended(())
            return Group((), group.redirects, ((Computed(_soft(inside, self.depth)),),))
        self.at += 1
        nodes = self.block(")")
        self.take(")")
        group = self.ended(nodes)
        return Group(group.nodes, group.redirects, subshell=True)

    def test(self) -> Group:
        self.at += 2
        words: list[Word] = []
        while True:
            self.blank(newlines=True)
            if self.at >= len(self.text):
                raise UnreadableError("']]' is missing")
            if self.sees("]]") and self.text[self.at + 2 : self.at + 3] in {"", *" \t\n;&|)"}:
                self.at += 2
                group = self.ended(())
                return Group((), group.redirects, tuple(words))
            if found := re.compile(r"=~[ \t\n]+").match(self.text, self.at):
                self.at = found.end()
                words.append(self.expression())
            elif self.text[self.at] in "()&|<>;":
                self.at += 1
            else:
                words.append(self.word())

    def condition(self) -> Group:
        self.at += 2
        nodes = self.block("then")
        self.take("then")
        while True:
            nodes += (Group(self.block("elif", "else", "fi"), branch=True),)
            mark = self.take("elif", "else", "fi")
            if mark == "fi":
                return self.ended(nodes)
            if mark == "elif":
                nodes += (Group(self.block("then"), branch=True),)
                self.take("then")

    def body(self) -> tuple[Node, ...]:
        if self.take("do", "{") == "do":
            nodes = self.block("done")
            self.take("done")
        else:
            nodes = self.block("}")
            self.take("}")
        return nodes

    def loop(self) -> Group:
        self.at += 6 if self.sees("select") else 3
        self.blank()
        if self.text.startswith("((", self.at):
            if (end := _arithmetic_end(self.text, self.at + 2)) is None:
                raise UnreadableError("a loop's head is not closed")
            head = Computed(_soft(self.text[self.at + 2 : end], self.depth))
            self.at = end + 2
            self.blank()
            if self.text.startswith(";", self.at):
                self.at += 1
            group = self.ended(self.body(), loops=True)
            return Group(group.nodes, group.redirects, ((head,),), loops=True)
        if (name := _NAME.match(self.text, self.at)) is None:
            raise UnreadableError("a loop has no variable")
        self.at = name.end()
        self.blank(newlines=True)
        words: list[Word] = []
        if self.sees("in"):
            self.at += 2
            self.blank()
            while self.at < len(self.text) and self.text[self.at] not in ";\n":
                if self.text[self.at] in "&|()<>":
                    raise UnreadableError("a loop's words are not readable")
                words.append(self.word())
                self.blank()
        else:
            words.append((Variable("@", quoted=True),))
        self.blank()
        if self.text[self.at : self.at + 1] in {";", "\n"}:
            self.at += 1
        group = self.ended(self.body(), loops=True)
        return Group(group.nodes, group.redirects, tuple(words), name[0], loops=True)

    def case(self) -> Group:
        self.at += 4
        self.blank()
        words = [self.word()]
        self.take("in")
        nodes: tuple[Node, ...] = ()
        while True:
            self.blank(newlines=True)
            if self.sees("esac"):
                self.at += 4
                group = self.ended(nodes)
                return Group(group.nodes, group.redirects, tuple(words))
            if self.text.startswith("(", self.at):
                self.at += 1
            while True:
                self.blank()
                words.append(self.word())
                self.blank()
                if self.take("|", ")") == ")":
                    break
            nodes += (Group(self.block(";;", ";&", "esac"), branch=True),)
            if not self.sees("esac"):
                self.at += 3 if self.text.startswith(";;&", self.at) else 2

    def simple(self) -> Simple:
        assignments: list[tuple[str, tuple[Word, ...]]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        first = self.at
        while True:
            self.blank()
            if self.at >= len(self.text) or (
                self.text[self.at] in ";&|\n)" and not self.text.startswith("&>", self.at)
            ):
                break
            if self.redirect(redirects):
                continue
            if self.text[self.at] == "(":
                raise UnreadableError("a parenthesis stands where none is read")
            found = _ASSIGNED.match(self.text, self.at)
            if found and (not words or self.declares(words)):
                self.at = found.end()
                if re.search(r"[$`]", found[0]):
                    assignments.append(("_", (_soft(found[0], self.depth),)))  # a subscript is expanded
                assignments.append((found[1] + "+" * found[0].endswith("+="), self.assigned()))
                if words:
                    words.append((Text(found[1], quoted=True),))
                continue
            start = self.at
            words.append(self.word())
            if len(words) == 1 and not assignments and not redirects and self.text[start : self.at] in _CLOSERS:
                raise UnreadableError(f"{self.text[start : self.at]!r} is not expected there")
        if self.at == first:
            raise UnreadableError(f"a command is missing before {self.text[self.at : self.at + 20]!r}")
        return Simple(tuple(assignments), tuple(words), redirects)

    def declares(self, words: list[Word]) -> bool:
        first = words[0]
        return (
            len(first) == 1
            and isinstance(first[0], Text)
            and first[0].text in {"export", "local", "declare", "typeset", "readonly"}
        )

    def assigned(self) -> tuple[Word, ...]:
        if not self.text.startswith("(", self.at):
            process = self.text.startswith(("<(", ">("), self.at)
            if process or (self.at < len(self.text) and self.text[self.at] not in " \t\n;&|)<>"):
                return (self.word(),)
            return ((),)
        self.at += 1
        words: list[Word] = []
        while True:
            self.blank(newlines=True)
            if self.text.startswith(")", self.at):
                self.at += 1
                return tuple(words)
            if self.at >= len(self.text) or self.text[self.at] in ";&|<>(":
                raise UnreadableError("an array is not readable")
            words.append(self.word())

    def redirect(self, redirects: list[Redirect]) -> bool:
        """Takes a redirection, where one begins."""
        found = _REDIRECT.match(self.text, self.at)
        if found is None or (self.text.startswith(("<(", ">("), self.at)):
            return False
        self.at = found.end()
        self.blank()
        if self.at >= len(self.text) or self.text[self.at] in ";&|\n)":
            raise UnreadableError(f"nothing follows {found[0]!r}")
        if found[2] in {"<<", "<<-"}:
            start = self.at
            word = self.word()
            written = self.text[start : self.at]
            if any(not isinstance(part, Text) for part in word):
                raise UnreadableError("a here-document's end is computed")
            end = "".join(part.text for part in word if isinstance(part, Text))
            plain = any(mark in written for mark in "'\"\\")
            self.waiting.append(_Document(end, found[2] == "<<-", plain, redirects, found[1] or ""))
        else:
            redirects.append(Redirect(found[2], self.word(), found[1] or ""))
        return True

    def word(self, ends: str = ")") -> Word:  # noqa: C901 - one branch for each mark
        """The word that begins here, up to one of these marks at the latest."""
        parts: list[Part] = []
        text, size = self.text, len(self.text)
        while self.at < size:
            if found := _PLAIN.match(text, self.at):
                parts.append(Text(found[0]))
                self.at = found.end()
                continue
            mark = text[self.at]
            if mark in " \t\n;&|" or mark in ends:
                break
            if mark in "<>":
                if not text.startswith("(", self.at + 1):
                    break
                self.at += 2
                nodes = self.block(")")
                self.take(")")
                parts.append(Substitution(nodes, "<" if mark == "<" else ">"))
            elif mark == "(":
                raise UnreadableError("a parenthesis stands in a word")
            elif mark == "'":
                parts.append(Text(self.until("'"), quoted=True))
            elif mark == '"':
                self.at += 1
                parts += self.soft() or [Text("", quoted=True)]
            elif mark == "\\":
                follows = text[self.at + 1 : self.at + 2]
                if follows and follows != "\n":
                    parts.append(Text(follows, quoted=True))
                self.at += 2
            elif mark == "$":
                parts.append(self.dollar(quoted=False))
            elif mark == "`":
                parts.append(self.backquoted(quoted=False))
            else:  # globs, braces, tildes, and letters of other scripts
                parts.append(Text(mark))
                self.at += 1
        if not parts and self.at < size and text[self.at] in ";&|)<>\n":
            raise UnreadableError(f"a word is missing before {text[self.at : self.at + 20]!r}")
        return tuple(parts)

    def expression(self) -> Word:
        """A regular expression, in which parentheses, bars and angle brackets are plain."""
        parts: list[Part] = []
        depth = 0
        while self.at < len(self.text) and (depth or self.text[self.at] not in " \t\n)"):
            mark = self.text[self.at]
            if mark in "()|<>&; \t\n":
                depth += (mark == "(") - (mark == ")")
                self.at += 1
                parts.append(Text(mark, quoted=True))
            else:
                parts += self.word(ends="()")
        return tuple(parts)

    def until(self, mark: str) -> str:
        end = self.text.find(mark, self.at + 1)
        if end < 0:
            raise UnreadableError("a quote is not closed")
        found, self.at = self.text[self.at + 1 : end], end + 1
        return found

    def soft(self, end: str = '"') -> list[Part]:
        """What stands in double quotes, or up to another mark; to the end for none."""
        parts: list[Part] = []
        held: list[str] = []
        while self.at < len(self.text):
            mark = self.text[self.at]
            if mark == end:
                self.at += 1
                break
            if mark == "\\":
                follows = self.text[self.at + 1 : self.at + 2]
                plain = follows in {*"$`\\", '"' if end else "$", end}
                held.append("" if follows == "\n" else follows if plain else mark + follows)
                self.at += 2
            elif mark in "$`":
                if held:
                    parts.append(Text("".join(held), quoted=True))
                    held = []
                parts.append(self.dollar(quoted=True) if mark == "$" else self.backquoted(quoted=True, plain=not end))
            else:
                held.append(mark)
                self.at += 1
        else:
            if end:
                raise UnreadableError("a quote is not closed")
        if held:
            parts.append(Text("".join(held), quoted=True))
        return parts

    def until_brace(self, *, quoted: bool) -> Word:
        """The word in `${x:-word}`, with its own quotes; in double quotes single ones are plain."""
        parts: list[Part] = []
        while self.at < len(self.text):
            mark = self.text[self.at]
            if mark == "}":
                self.at += 1
                return tuple(parts)
            if mark == "'" and not quoted:
                parts.append(Text(self.until("'"), quoted=True))
            elif mark == '"':
                self.at += 1
                parts += self.soft()
            elif mark == "\\":
                follows = self.text[self.at + 1 : self.at + 2]
                kept = quoted and follows not in {*'$`\\"}\n', ""}
                parts.append(Text(mark + follows if kept else follows.strip("\n"), quoted=True))
                self.at += 2
            elif mark in "$`":
                parts.append(self.dollar(quoted=quoted) if mark == "$" else self.backquoted(quoted=quoted))
            else:
                parts.append(Text(mark, quoted=quoted))
                self.at += 1
        raise UnreadableError("a brace is not closed")

    def backquoted(self, *, quoted: bool, plain: bool = False) -> Substitution:
        """A command in backquotes; `plain` where double quotes around it are plain."""
        end = self.at + 1
        while end < len(self.text) and self.text[end] != "`":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise UnreadableError("a backquote is not closed")
        inside = re.sub(r'\\([$`\\"])' if quoted and not plain else r"\\([$`\\])", r"\1", self.text[self.at + 1 : end])
        self.at = end + 1
        if self.depth >= _DEEPEST:
            raise UnreadableError("it is nested too deeply")
        return Substitution(_Parser(inside, depth=self.depth + 1).whole(), quoted=quoted)

    def dollar(self, *, quoted: bool) -> Part:
        text, self.at = self.text, self.at + 1
        mark = text[self.at : self.at + 1]
        if mark == "(":
            if text.startswith("((", self.at):
                end = _arithmetic_end(text, self.at + 2)
                if end is not None:
                    inside, self.at = text[self.at + 2 : end], end + 2
                    return Computed(_soft(inside, self.depth))
            self.at += 1
            nodes = self.block(")")
            self.take(")")
            return Substitution(nodes, quoted=quoted)
        if mark == "{":
            return self.braced(quoted=quoted)
        if mark == "[":
            raise UnreadableError("'$[' is not read")
        if mark == "'" and not quoted:
            end = self.at + 1
            while end < len(text) and text[end] != "'":
                end += 2 if text[end] == "\\" else 1
            if end >= len(text):
                raise UnreadableError("a quote is not closed")
            inside, self.at = text[self.at + 1 : end], end + 1
            return Text(_ESCAPE.sub(_unescaped, inside), quoted=True)
        if mark == '"' and not quoted:
            return Text("", quoted=True)  # a text that is translated: the quotes come next
        if found := _NAME.match(text, self.at) or _SPECIAL.match(text, self.at):
            self.at = found.end()
            return Variable(found[0], quoted=quoted)
        return Text("$", quoted=True)

    def braced(self, *, quoted: bool) -> Variable:
        found = re.compile(r"\{([#!]?)([A-Za-z_]\w*|[0-9]+|[@*#?$!_-])(\[[^\]\s]*\])?").match(self.text, self.at)
        if found is None:
            raise UnreadableError(f"{self.text[self.at - 1 : self.at + 20]!r} is not read")
        self.at = found.end()
        operator = re.compile(r":?[-+=?]").match(self.text, self.at)
        if operator:
            self.at = operator.end()
        start = self.at
        word = self.until_brace(quoted=quoted)
        name = found[2]
        if word and not operator and not re.search(r"[$`]", self.text[start : self.at]):
            word = (Text(self.text[start : self.at - 1]),)  # a pattern, with its quotes
        if "".join(part.text for part in word if isinstance(part, Text)).startswith("@P"):
            return Variable(name, "@P", quoted=quoted)
        if found[1] == "#":
            return Variable(name, "#", quoted=quoted)
        is_whole = found[3] in {"[@]", "[*]"}
        if found[1] or (word and not operator) or (found[3] and not is_whole):
            subscript = _soft(found[3], self.depth) if found[3] and re.search(r"[$`]", found[3]) else ()
            return Variable(f"{name}[@]" if is_whole else name, "*", (*subscript, *word), quoted=quoted)
        name += "[@]" if found[3] else ""
        return Variable(name, operator[0] if operator else "", word, quoted=quoted)


def _soft(text: str, depth: int) -> Word:
    """A text in which variables and substitutions count, and nothing else does."""
    if depth >= _DEEPEST:
        raise UnreadableError("it is nested too deeply")
    return tuple(_Parser(text, depth=depth + 1).soft(""))


def _arithmetic_end(text: str, at: int) -> int | None:
    """Where the `))` is that closes an arithmetic expression; None where it is none."""
    depth = 0
    while at < len(text):
        if text[at] == "(":
            depth += 1
        elif text[at] == ")":
            if not depth:
                return at if text.startswith("))", at) else None
            depth -= 1
        elif text[at] in "'\"\\":
            return None
        at += 1
    return None


def _unescaped(found: re.Match[str]) -> str:
    if found[1] or found[2]:
        return chr(int(found[1] or found[2], 16))
    if found[3]:
        return chr(int(found[3], 8) & 0xFF)
    return _ESCAPES.get(found[4], found[4] if found[4] in {"\\", "'", '"', "?"} else found[0]) if found[4] else found[0]
