"""Reading a Dockerfile: stages, and in each its instructions, with the line on which each begins.

Read by hand, since what parsers there are for Python know neither here-documents nor stages with variables, and the
language is small: an instruction a line, continued behind a backslash (or what the `escape` directive names), comments
between, here-documents after `RUN`, `COPY` and `ADD`. What is not understood is refused by its line.
"""

import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from honestly.sandbox.images._model import ImageError

_MOST_BYTES = 1 << 20
_MOST_STEPS = 2000
_MOST_TEXT = 1 << 16
_STAND_IN = 0xF0000  # of a plane of Unicode that nobody uses
_DIRECTIVE = re.compile(r"#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=\s*(.*?)\s*")
_HEREDOC = re.compile(r"(?<!\S)[0-9]*<<(-?)(['\"]?)([A-Za-z_][A-Za-z0-9_.]*)\2(?=[\s;)&|>]|$)")
_FLAG = re.compile(r"--([a-z][a-z-]*)(?:=(\S*))?(?:\s+|$)")
_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-+?])|\})")
_WITH_HEREDOCS = {"RUN", "COPY", "ADD"}
_FLAGS = {
    "FROM": {"platform"},
    "RUN": {"mount", "network", "security"},
    "COPY": {"from", "chown", "chmod", "link"},
    "ADD": {"chown", "chmod", "link", "checksum"},
    "HEALTHCHECK": {"interval", "timeout", "start-period", "start-interval", "retries"},
}
_BARE = "ARG CMD ENTRYPOINT ENV EXPOSE LABEL MAINTAINER SHELL STOPSIGNAL USER VOLUME WORKDIR"  # which have no flags
_KNOWN = {*_FLAGS, *_BARE.split()}


@dataclass(frozen=True)
class Heredoc:
    """A document that stands in the Dockerfile itself."""

    name: str
    text: str
    raw: bool
    """No variable in it is replaced."""


@dataclass(frozen=True)
class Step:
    """One instruction."""

    line: int
    name: str
    """In capitals."""
    text: str
    """What follows the name and the flags, continued lines joined."""
    flags: tuple[tuple[str, str], ...] = ()
    heredocs: tuple[Heredoc, ...] = ()

    def refusal_error(self, reason: str) -> ImageError:
        """The error that says what is wrong with it."""
        return ImageError(f"line {self.line} of the Dockerfile, {self.name}: {reason}")

    @property
    def exec_words(self) -> list[str] | None:
        """The arguments if they are written as a JSON list (the exec form); None for text."""
        if not self.text.startswith("["):
            return None
        try:
            found = json.loads(self.text)
        except (ValueError, RecursionError):
            return None
        good = isinstance(found, list) and all(isinstance(word, str) for word in found)
        return found if good else None


@dataclass
class Stage:
    """One image that a Dockerfile makes, on its way to the last."""

    start: Step
    base: str
    name: str = ""
    steps: list[Step] = field(default_factory=list)


@dataclass(frozen=True)
class Dockerfile:
    """The content of a Dockerfile."""

    escape: str
    arguments: tuple[Step, ...]
    """The `ARG`s before the first stage."""
    stages: tuple[Stage, ...]


def read_dockerfile(text: str) -> Dockerfile:
    """Read a Dockerfile.

    Raises:
        ImageError: It is not one, or has an instruction that is not known here; the message names the line.
    """
    if len(text) > _MOST_BYTES or "\0" in text:
        raise ImageError("the Dockerfile is longer than 1 MiB, or no text")
    lines = text.removeprefix("\ufeff").splitlines()
    escape = _escape(lines)
    arguments: list[Step] = []
    stages: list[Stage] = []
    for count, step in enumerate(_file_steps(lines, escape)):
        if count >= _MOST_STEPS:
            raise ImageError(f"the Dockerfile has more than {_MOST_STEPS} instructions")
        if step.name == "FROM":
            stages.append(_stage(step))
        elif stages:
            stages[-1].steps.append(step)
        elif step.name == "ARG":
            arguments.append(step)
        else:
            raise step.refusal_error("it comes before any FROM; expected FROM, with the image to begin with")
    if not stages:
        raise ImageError("the Dockerfile has no FROM; expected one, with the image to begin with")
    return Dockerfile(escape, tuple(arguments), tuple(stages))


def _escape(lines: list[str]) -> str:
    """The character that continues lines, which comments at the top may change."""
    for line in lines:
        if not (found := _DIRECTIVE.fullmatch(line.strip())):
            break
        if found[1].lower() == "escape":
            if found[2] not in {"\\", "`"}:
                raise ImageError(f"line 1 of the Dockerfile names {found[2]!r} as escape; expected a backslash or `")
            return found[2]
    return "\\"


def _stage(step: Step) -> Stage:
    parts = step.text.split()
    if len(parts) == 3 and parts[1].lower() == "as":
        return Stage(step, parts[0], parts[2].lower())
    if len(parts) != 1:
        raise step.refusal_error(f"{step.text[:80]!r} names no image; expected FROM IMAGE, or FROM IMAGE AS NAME")
    return Stage(step, parts[0])


def _file_steps(lines: list[str], escape: str) -> list[Step]:
    found: list[Step] = []
    at = 0
    while at < len(lines):
        first = at
        line = lines[at].strip()
        at += 1
        if not line or line.startswith("#"):
            continue
        parts = []
        while True:
            if not line.endswith(escape):
                parts.append(line)
                break
            parts.append(line.removesuffix(escape))
            while at < len(lines) and (not lines[at].strip() or lines[at].lstrip().startswith("#")):
                at += 1
            if at == len(lines):
                break
            line = lines[at].rstrip()
            at += 1
        heredocs, at = _read_heredocs(first + 1, "".join(parts), lines, at)
        found.append(_parsed_step(first + 1, "".join(parts).strip(), heredocs))
    return found


def _read_heredocs(number: int, text: str, lines: list[str], at: int) -> tuple[tuple[Heredoc, ...], int]:
    """The documents that an instruction announces, which begin on the next line; and where they end."""
    name, rest = [*text.split(maxsplit=1), "", ""][:2]
    if name.upper() not in _WITH_HEREDOCS or rest.startswith("["):
        return (), at
    found = []
    for dash, quote, end in _HEREDOC.findall(rest):
        body = []
        while at < len(lines) and (lines[at].lstrip("\t") if dash else lines[at]) != end:
            body.append(lines[at].lstrip("\t") if dash else lines[at])
            at += 1
        if at == len(lines):
            raise ImageError(f"line {number} of the Dockerfile, {name}: the here-document {end} has no end")
        at += 1
        found.append(Heredoc(end, "".join(f"{line}\n" for line in body), bool(quote)))
    return tuple(found), at


def _parsed_step(line: int, text: str, heredocs: tuple[Heredoc, ...]) -> Step:
    name, rest = [*text.split(maxsplit=1), ""][:2]
    name = name.upper()
    if name not in _KNOWN:
        hint = "; what it would do happens in a later build" if name == "ONBUILD" else ""
        raise ImageError(f"line {line} of the Dockerfile: {name[:40]!r} is not an instruction that is known here{hint}")
    flags = []
    while found := _FLAG.match(rest) if name in _FLAGS else None:
        if found[1] not in _FLAGS[name]:
            raise ImageError(f"line {line} of the Dockerfile, {name}: the flag --{found[1]} is not known here")
        flags.append((found[1], found[2] or ""))
        rest = rest[found.end() :]
    if not rest and not heredocs:
        raise ImageError(f"line {line} of the Dockerfile, {name}: it says nothing; expected arguments")
    return Step(line, name, rest, tuple(flags), heredocs)


def replace_variables(text: str, variables: Mapping[str, str], escape: str = "\\") -> str:
    """Replace `$NAME`, `${NAME}`, `${NAME:-word}`, `${NAME:+word}` and `${NAME:?word}`; single quotes keep them.

    Raises:
        ValueError: A `${` is not understood, a variable is missing that must be there, or the result is too long.
    """
    out, end = _replaced_until(text, 0, variables, escape, inner=0)
    assert end == len(text)
    return out


def _replaced_until(text: str, at: int, variables: Mapping[str, str], escape: str, *, inner: int) -> tuple[str, int]:
    """Replace up to the end, or inside of braces up to the one that closes them."""
    if inner > 20:
        raise ValueError("its ${...} are nested too deeply")
    out: list[str] = []
    quote, length = "", 0
    while at < len(text):
        char = text[at]
        if inner and char == "}" and not quote:
            return "".join(out), at
        if char == escape and quote != "'":
            out.append(text[at : at + 2] if text[at + 1 : at + 2] != "$" else "$")
            at += 2
        elif char == "$" and quote != "'" and (found := _VARIABLE.match(text, at + 1)):
            value, at = _variable_value(text, found, variables, escape, inner)
            out.append(value)
            length += len(value)
            if length > _MOST_TEXT:
                raise ValueError("its variables make it too long")
        elif text.startswith("${", at) and quote != "'":
            raise ValueError(f"{text[at : at + 30]!r} is not understood; expected ${{NAME}} or ${{NAME:-word}}")
        else:
            quote = "" if char == quote else char if char in "'\"" and not quote else quote
            out.append(char)
            at += 1
    if inner:
        raise ValueError("a ${ is not closed")
    return "".join(out), at


def _variable_value(
    text: str, found: re.Match[str], variables: Mapping[str, str], escape: str, inner: int
) -> tuple[str, int]:
    name, operator, at = found[1] or found[2], found[3], found.end()
    value = variables.get(name)
    if not operator:
        return value or "", at
    word, at = _replaced_until(text, at, variables, escape, inner=inner + 1)
    there = value is not None if len(operator) == 1 else bool(value)
    if operator.endswith("?") and not there:
        raise ValueError(f"the variable {name} is not set: {word or 'it is needed'}")
    if operator.endswith("+"):
        return word if there else "", at + 1
    return (value or "") if there else word, at + 1


def expand_words(text: str, variables: Mapping[str, str], escape: str = "\\") -> list[str]:
    """Split text at blanks as a shell does, and replace variables, whose values are not split; quotes are taken away.

    Raises:
        ValueError: A quote is not closed, or see `replace_variables`.
    """
    text = text.translate(dict.fromkeys(range(_STAND_IN, _STAND_IN + len(variables))))
    stand_ins = {key: chr(_STAND_IN + number) for number, key in enumerate(variables)}
    values = {_STAND_IN + number: value for number, value in enumerate(variables.values())}
    named = {key: stand_ins[key] if value else "" for key, value in variables.items()}
    lexer = shlex.shlex(replace_variables(text, named, escape), posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.commenters, lexer.escape = True, "", escape
    words = [word.translate(values) for word in lexer]
    if sum(map(len, words)) > _MOST_TEXT:
        raise ValueError("its variables make it too long")
    return words
