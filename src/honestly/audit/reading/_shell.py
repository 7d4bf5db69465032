"""Shell commands taken apart: simple commands with their words, redirections and here-documents.

This reads, it never runs: words lose their quotes, variables that were set to a constant are put in, the rest stands
as it was written. Nested shells (`sh -c`, `$(...)`, backquotes) are taken apart too, some levels deep. Work is linear
in the length of the text, which the reader bounds. A terminal's line breaks after a redirection are forgiven, since
logs hold them. What is not covered: loops and functions are not unrolled, arithmetic and globs are not evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from honestly.audit.reading._escapes import unescaped_text
from honestly.audit.reading._parts import Command

_TOKEN = re.compile(
    r"""(?:[ \t]|\\\n)*+
    (?:(?P<redirect>(?:\d{0,2}|&)(?:<<<|<<-?|<>|>>|>\||>&|<&|<|>))
    |(?P<end>&&|\|\||\|&|;;|[;&|\n()])
    |(?P<word>(?:'[^']*+'|"(?:[^"\\]|\\[\s\S])*+"|\$'(?:[^'\\]|\\[\s\S])*+'|\$\((?:[^()'"]|'[^']*+'|"(?:[^"\\]|\\[\s\S])*+"
        |\([^()]*+\))*+\)|\$\{[^}\n]*+\}|`[^`]*+`|\\[\s\S]|[^\s'"\\;&|<>()`$]++|\$)++)
    |(?P<odd>[\s\S]))""",
    re.VERBOSE,
)
_PIECE = re.compile(
    r"""'(?P<plain>[^']*+)'|"(?P<soft>(?:[^"\\]|\\[\s\S])*+)"|\$'(?P<ansi>(?:[^'\\]|\\[\s\S])*+)'|\\(?P<one>[\s\S])"""
    r"""|(?P<rest>[^'"\\$]++|\$(?!'))"""
)
_QUOTING = re.compile(r"""['"\\$]""")
_VARIABLE = re.compile(r"\$(?:\{(\w{1,64})\}|(\w{1,64}))")
_SET = re.compile(r"([A-Za-z_]\w{0,63})\+?=([\s\S]*)")
_INNER = re.compile(r"\$\(((?:[^()]|\([^()]*+\))*+)\)|`([^`]*+)`")
_KEYWORDS = frozenset(
    {"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "in", "time", "!",
     "function", "select", "{", "}"}
)  # fmt: skip
_WRAPPERS = frozenset(
    {"sudo", "nohup", "exec", "command", "env", "timeout", "time", "nice", "xargs", "stdbuf", "builtin", "then",
     "do", "else", "setsid"}
)  # fmt: skip
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash", "ksh", "eval"})
# Levels of nested shells, commands of one text, and characters of a variable's value.
_DEEPEST, _MOST, _VALUE = 4, 4000, 4096


def split_commands(text: str, variables: Mapping[str, str] | None = None) -> list[Command]:
    """The simple commands in shell source, in order, those of nested shells after the command that holds them."""
    return _Splitter(dict(variables or {})).read(text, 0)


class _Splitter:
    """One reading: carries what variables are known to hold."""

    def __init__(self, variables: dict[str, str]) -> None:
        self.variables = variables

    def read(self, text: str, depth: int) -> list[Command]:
        commands: list[Command] = []
        current = _Growing(0)
        waiting: list[tuple[_Growing, str, bool]] = []
        at, size = 0, len(text)
        token = _TOKEN.match
        while at < size and len(commands) < _MOST:
            match = token(text, at)
            if match is None:
                break
            kind = match.lastgroup or ""
            mark, (start, at) = match[kind], match.span(kind)
            if kind == "word" and not current.wants:
                if mark[0] == "#":
                    stop = text.find("\n", start)
                    at = size if stop < 0 else stop
                    continue
                words = current.words
                if not words and not current.outputs:
                    current.start = start
                words.append(mark if mark.isalnum() else self.unquoted_word(mark))
                current.end = at
            elif kind == "word" or (kind == "odd" and mark.strip()):
                wanted, word = current.wants, self.unquoted_word(mark)
                current.take_word(word, start, at)
                if wanted in {"<<", "<<-"}:
                    waiting.append((current, word, wanted == "<<-"))
            elif kind == "redirect":
                current.redirect(mark, at)
            elif kind == "end" and not (mark == "\n" and current.wants):
                self.close(commands, current, text, mark, depth)
                if mark == "\n" and waiting:
                    at = self.read_documents(waiting, commands, text, at)
                current = _Growing(at, piped=mark in {"|", "|&"})
        self.close(commands, current, text, "", depth)
        if waiting:
            self.read_documents(waiting, commands, text, size)
        return commands

    def read_documents(
        self, waiting: list[tuple[_Growing, str, bool]], commands: list[Command], text: str, at: int
    ) -> int:
        """Reads the here-documents that begin at `at`, and gives each to its command."""
        for growing, delimiter, tabs in waiting:
            lead = r"\t*" if tabs else ""
            stop = re.compile(rf"^{lead}{re.escape(delimiter)}[ \t]*$", re.MULTILINE).search(text, at)
            body, at = (text[at:], len(text)) if stop is None else (text[at : stop.start()], stop.end())
            if growing.number is not None:
                commands[growing.number] = commands[growing.number]._replace(document=body)
        waiting.clear()
        return at

    def close(self, commands: list[Command], growing: _Growing, text: str, mark: str, depth: int) -> None:
        """Ends a command: assignments are remembered, nested shells are read."""
        words = growing.words
        # A loop over one constant is no loop: its variable is known.
        if words[:1] == ["for"] and len(words) == 4 and words[2] == "in" and not re.search(r"[*?$`\[]", words[3]):
            self.variables[words[1]] = words[3]
        while words and (words[0] in _KEYWORDS or ("=" in words[0] and _SET.fullmatch(words[0]))):
            self.remember(words[0])
            words = words[1:]
        if words and words[0] in {"export", "local", "declare", "readonly"}:
            for word in words[1:]:
                self.remember(word)
        words = _unwrapped_command(words)
        raw = text[growing.start : growing.end].strip()
        scripts: list[str] = []
        if words or growing.outputs:
            growing.number = len(commands)
            outputs, inputs = tuple(growing.outputs), tuple(growing.inputs)
            commands.append(Command(tuple(words), raw, outputs, inputs, growing.string, growing.piped, mark))
            scripts += _scripts(words)
        if "$(" in raw or "`" in raw:
            scripts += [dollar or backquoted for dollar, backquoted in _INNER.findall(raw)]
        for script in scripts if depth < _DEEPEST else ():
            commands += self.read(script, depth + 1)

    def remember(self, word: str) -> None:
        """Takes in the variable that a word sets, if it sets one."""
        if (setting := _SET.fullmatch(word)) and len(self.variables) < 200:
            self.variables[setting[1]] = setting[2][:_VALUE]

    def unquoted_word(self, token: str) -> str:
        """A word without its quotes, with the variables that are known."""
        if len(token) == 1 or not _QUOTING.search(token):
            return token
        parts: list[str] = []
        for piece in _PIECE.finditer(token):
            kind = piece.lastgroup
            if kind == "plain":
                parts.append(piece["plain"])
            elif kind == "ansi":
                parts.append(unescaped_text(piece["ansi"]))
            elif kind == "one":
                parts.append("" if piece["one"] == "\n" else piece["one"])
            elif kind == "soft":
                parts.append(
                    self.filled(re.sub(r'\\(["\\$`\n])', lambda m: "" if m[1] == "\n" else m[1], piece["soft"]))
                )
            else:
                parts.append(piece[0])
        return self.filled("".join(parts)) if not token.startswith("'") else "".join(parts)

    def filled(self, word: str) -> str:
        """`word` with the variables that are known."""
        if "$" not in word or not self.variables:
            return word
        return _VARIABLE.sub(lambda m: self.variables.get(m[1] or m[2], m[0]), word)


class _Growing:
    def __init__(self, start: int, *, piped: bool = False) -> None:
        self.start, self.end, self.piped = start, start, piped
        self.words: list[str] = []
        self.outputs: list[tuple[str, bool]] = []
        self.inputs: list[str] = []
        self.string: str | None = None
        # The redirection whose file comes next.
        self.wants = ""
        # Its place among the commands, once it is one.
        self.number: int | None = None

    def redirect(self, mark: str, end: int) -> None:
        self.wants = mark.lstrip("0123456789&") or mark
        self.end = end
        # What goes to standard error is no result.
        if mark[:1] == "2":
            self.wants = "2" + self.wants

    def take_word(self, word: str, start: int, end: int) -> None:
        if not self.words and not self.outputs and not self.wants:
            self.start = start
        self.end = end
        wanted, self.wants = self.wants, ""
        if not wanted:
            self.words.append(word)
        elif wanted in {">", ">>", ">|"}:
            self.outputs.append((word, wanted == ">>"))
        elif wanted == "<":
            self.inputs.append(word)
        elif wanted == "<<<":
            self.string = word


def _unwrapped_command(words: list[str]) -> list[str]:
    """The command itself, without `sudo`, `timeout 30`, `env A=b` and the like before it."""
    while words and words[0].rpartition("/")[2] in _WRAPPERS:
        at = 1
        while at < len(words) and (
            words[at][:1] == "-" or "=" in words[at] or re.fullmatch(r"\d[\d.]*[smhd]?", words[at])
        ):
            at += 1
        if at >= len(words):
            break
        words = words[at:]
    return words


def _scripts(words: list[str]) -> list[str]:
    """Shell source that a command is given as an argument."""
    name = words[0].rpartition("/")[2] if words else ""
    if name == "eval":
        return [" ".join(words[1:])]
    # `docker exec NAME sh -c`, `find -exec sh -c` too.
    for at, word in enumerate(words[:-2]):
        if word.rpartition("/")[2] in _SHELLS and re.fullmatch(r"-\w*c", words[at + 1]):
            return [words[at + 2]]
    return []
