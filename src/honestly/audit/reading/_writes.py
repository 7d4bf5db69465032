"""The files that a command changes, and with what, as far as the command line says so.

Content that stands on the command line (here-documents, `echo`, `printf`, decoded base64) is content; the output of any
other program is only known to have gone there. What is not covered: what programs do by themselves (see
`honestly.audit.reading._history` for the agent's own), archives, editors.
"""

import re
from collections.abc import Iterator

from honestly.audit.reading._escapes import decoded, unescaped
from honestly.audit.reading._parts import Command, Write

_NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})
_REMOVERS = frozenset({"rm", "unlink", "shred", "truncate", "rmdir"})
_COPIERS = frozenset({"cp", "mv", "ln", "install", "rsync"})
_IN_PLACE = {"sed": re.compile(r"-[a-zA-Z]*i|--in-place"), "perl": re.compile(r"-\w*i"), "awk": re.compile("inplace")}
_DECODERS = frozenset({"cat", "base64", "xxd", "gunzip", "zcat", "openssl"})


def writes_of(command: Command, before: Command | None) -> Iterator[Write]:
    """What a command changes.

    Args:
        command: a simple command.
        before: the one before it, whose output it may read through a pipe.
    """
    for path, appended in command.outputs:
        if path not in _NOWHERE:
            yield _redirected(command, path, appended, before)
    files = [word for word in command.words[1:] if not word.startswith("-")]
    name = command.name
    if name == "tee":
        yield from _tee(command, files, before)
    elif name in _REMOVERS:
        yield from (Write(path, "delete", raw=command.raw) for path in files)
    elif name in _COPIERS and len(files) > 1:
        yield from _copies(command, files)
    elif name in _IN_PLACE and any(_IN_PLACE[name].match(word) for word in command.words[1:]):
        first = 0 if any(word in {"-e", "-f", "-pi", "-i.bak"} for word in command.words) and name == "sed" else 1
        yield from (Write(path, "edit", raw=command.raw) for path in files[first:])
    elif name == "git":
        yield from _git(command, files)
    elif name in {"dd", "fallocate"}:
        target = next((word[3:] for word in command.words if word.startswith("of=")), files[-1] if files else "")
        yield Write(target, "output", source=" ".join(command.words), raw=command.raw)
    elif name == "patch" and command.document:
        yield from _patched(command)


def _redirected(command: Command, path: str, appended: bool, before: Command | None) -> Write:
    text = _said(command)
    if text is None and command.piped and before is not None and command.name in _DECODERS:
        text = _said(before)
        if text is not None and command.name != "cat":
            text = next(iter(decoded(text)), text)
    if text is None:
        return Write(path, "output", "", appended, " ".join(command.words), command.raw)
    return Write(path, "text", text, appended, "", command.raw)


def _tee(command: Command, files: list[str], before: Command | None) -> Iterator[Write]:
    text = _said(before) if command.piped and before is not None else command.document
    for path in files:
        yield Write(path, "output" if text is None else "text", text or "", "-a" in command.words, "", command.raw)


def _copies(command: Command, files: list[str]) -> Iterator[Write]:
    *sources, target = files
    for path in sources:
        inside = len(sources) > 1 or target.endswith("/") or target in {".", ".."}
        to = f"{target.rstrip('/')}/{path.rpartition('/')[2]}" if inside else target
        yield Write(to, "copy", source=path, raw=command.raw)
        if command.name == "mv":
            yield Write(path, "delete", source=to, raw=command.raw)


def _git(command: Command, files: list[str]) -> Iterator[Write]:
    verb = files[0] if files else ""
    if verb == "apply" and command.document:
        yield from _patched(command)
    elif verb in {"checkout", "restore", "rm"}:
        for path in files[1:]:
            if "." in path or "/" in path:
                yield Write(path, "delete" if verb == "rm" else "copy", source=f"git {verb}", raw=command.raw)


def _patched(command: Command) -> Iterator[Write]:
    """Files of a patch, each with the lines that are added and taken out."""
    for part in re.split(r"(?m)^(?=--- )", command.document or "")[:200]:
        target = re.search(r"(?m)^\+\+\+ (?:b/)?(\S+)", part)
        if target:
            added = "\n".join(re.findall(r"(?m)^\+(?!\+\+)(.*)$", part))
            yield Write(target[1], "edit", added, raw=command.raw)


def _said(command: Command) -> str | None:
    """What a command is known to print, since it stands on the command line; None for any other program."""
    if command.name == "cat" and command.document is not None and len(command.words) == 1:
        return command.document
    arguments = [word for word in command.words[1:] if not re.fullmatch(r"-[neE]{1,3}|--", word)]
    if command.name == "echo":
        said = " ".join(arguments)
        return unescaped(said) if any(re.fullmatch(r"-n?e", word) for word in command.words[1:3]) else said
    if command.name == "printf" and arguments:
        form, *rest = arguments
        return re.sub(r"%[sdi]", "", unescaped(form)) + "\n".join(rest) if rest else unescaped(form)
    return None
