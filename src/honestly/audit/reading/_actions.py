"""The actions of a tool call: the commands it runs, the files it writes, the code it brings along.

What a call is, its tool and its arguments say (`_tools.py`). Shell source is taken apart, and with it what agents say
in a shell that is none: patches in an envelope, and the commands of SWE-agent's editor.
"""

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Literal

from honestly.audit.reading._edits import python_changes, sed_change, sed_span
from honestly.audit.reading._escapes import decoded_texts, unescaped_text
from honestly.audit.reading._known import KnownFiles
from honestly.audit.reading._parts import Act, Action, Code, Command, Write
from honestly.audit.reading._patches import patch_writes
from honestly.audit.reading._patterns import Pattern
from honestly.audit.reading._places import is_source, quotes_source
from honestly.audit.reading._shell import split_commands
from honestly.audit.reading._tools import Given, code_of, edits_of, read_tool
from honestly.records import ToolCall

_PYTHON = re.compile(r"(?:python|pypy)[\d.]*(?:\.exe)?")
_INLINE = {"node": "javascript", "ruby": "ruby", "perl": "perl", "php": "php"}
_TEXT = r"""(?:"(?:[^"\\]|\\[\s\S])*+"|'(?:[^'\\]|\\[\s\S])*+'|`(?:[^`\\$]|\\[\s\S])*+`)"""
# Calls by which other languages than Python write files, as far as their texts are constants.
_WRITES = re.compile(
    r"(?:(?:write|append|output)File(?:Sync)?|(?:File|IO)\.(?:write|binwrite)|file_put_contents)"
    rf"[(\s]\s*(?P<path>{_TEXT})\s*,\s*(?:(?P<text>{_TEXT})\s*[,);\n])?"
)
_SET = Pattern(
    r"""^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w{0,63})=["']?([\w.,:/@%+~^!?*=<>{}#\[\]\\-]{1,200})["']?[ \t]*(?:$|;|&&)""",
    re.MULTILINE,
)
_ENVELOPE = re.compile(r"\*\*\* Begin Patch[\s\S]*?(?:\*\*\* End Patch|\Z)")
# A text of PowerShell's, which ends with the first line that begins with its mark, and a file that it is piped into.
_TEXT_BEGINS = re.compile(r"@([\"'])\r?\n")
_PIPED_INTO = re.compile(
    r"\s*\|\s*"
    r"(?P<to>(?:Set-Content|(?P<add>Add-Content)|Out-File)(?:[ \t]+-(?:Encoding[ \t]+\w+|Force|NoNewline|\w*Path))*"
    r"[ \t]+[\"']?(?P<path>[^\s\"'|;]+))[^\n|;]*",
    re.IGNORECASE,
)
_EDIT_LINES = re.compile(r"^edit(?:[ ]+(\d{1,7}):(\d{1,7}))?[ ]*\n([\s\S]*?)(?:^end_of_edit[ ]*$|\Z)", re.MULTILINE)
_CURSORS = re.compile(r"^set_cursors[ ]+(\d{1,7})[ ]+(\d{1,7})", re.MULTILINE)
# Texts of a script that calls tools by itself (`tools.apply_patch("...")`).
_SCRIPTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`')
_RANGES = ("offset", "limit", "viewrange", "startline", "endline", "lines", "linerange", "start", "end", "pages")
# Characters of one argument that are read as a command.
_LONGEST = 1 << 18
# Characters of an argument that may go with a call that does nothing by itself, such as the number of a process.
_SHORT = 60


def read_call(call: ToolCall, variables: dict[str, str], known: KnownFiles) -> tuple[Action, int]:
    """The actions of a call, and how many characters of it were too much to read.

    Args:
        call: the request.
        variables: values of shell variables set by earlier calls; updated.
        known: the files as far as they are known; what the agent's editor has open is updated.
    """
    kind, given, source = read_tool(call)
    if kind == "run":
        action, unread = Action(), 0
        if "tools." in source and ("apply_patch" in source or "exec_command" in source):
            source = "\n".join(unescaped_text(text[1:-1]) for text in _SCRIPTED.findall(source[:_LONGEST]))
        code = code_of(given) if not source else None
        if source:
            action, unread = _shell_action(source[:_LONGEST], variables, known), max(0, len(source) - _LONGEST)
        elif code is not None:
            action = _code_action(code, variables, known)
        done = bool(action.commands or action.code or action.writes)
        idle = not source.strip() or source.lstrip().startswith("#")
        done &= bool(action.writes) or all(command.name not in _WRITERS for command in action.commands[:1])
        understood = done or (idle and all(len(text) <= _SHORT for text in given.all.values()))
        return action._replace(act=Act(call.name, kind, understood)), unread
    if kind in {"edit", "write"}:
        writes = edits_of(call.name, given, known.open)
        return Action(writes=writes, act=Act(call.name, kind, bool(writes), given.path)), 0
    if kind == "read" and given.path:
        known.open = given.path
    part = kind == "read" and any(each in given.all for each in _RANGES)
    return Action(act=Act(call.name, kind, kind is not None, given.path, part)), 0


def _code_action(code: Code, variables: dict[str, str], known: KnownFiles) -> Action:
    """Code in a notebook's cell: Python, with a cell's own commands."""
    if code.language == "shell":
        return _shell_action(code.text, variables, known)
    text = code.text.lstrip()
    if text.startswith("%%writefile"):
        head, _, rest = text.partition("\n")
        path = head.split()[-1]
        return Action(writes=(Write(path, "text", rest, "-a" in head.split(), raw=rest[:4000] or head),))
    # A whole cell of the shell.
    if text.startswith(("%%bash", "%%sh", "!")) and "\n!" not in text[1:]:
        return _shell_action(text.partition("\n")[2] if text[0] == "%" else text[1:], variables, known)
    lines = code.text.split("\n")
    # `!` runs a line in the shell; `%` is a command of the notebook itself.
    shell = "\n".join(line.lstrip()[1:] for line in lines if line.lstrip()[:1] == "!")
    python = "\n".join(line for line in lines if line.lstrip()[:1] not in {"!", "%"})
    action = _shell_action(shell, variables, known) if shell else Action()
    return Action(
        action.commands,
        (
            *action.writes,
            *(write._replace(raw=write.raw or code.raw) for write in _program_writes("python", python, known)),
        ),
        (*action.code, code._replace(text=python)),
    )


def _program_writes(language: str, source: str, known: KnownFiles) -> Iterator[Write]:
    """The files that a program says it writes: with their texts, where they stand in it."""
    for write in python_changes(source) if language == "python" else _foreign_changes(source):
        yield write if write.path else write._replace(path=known.open)


def _foreign_changes(source: str) -> Iterator[Write]:
    for match in _WRITES.finditer(source):
        path, text = (unescaped_text(match[each][1:-1]) if match[each] else "" for each in ("path", "text"))
        yield Write(path, "text" if match["text"] else "output", text)


def _piped_texts(source: str) -> tuple[list[Write], str]:
    """The texts that PowerShell pipes into files, and what is left of a command without them."""
    writes: list[Write] = []
    rest, at = "", 0
    while begins := _TEXT_BEGINS.search(source, at):
        end = source.find(f"\n{begins[1]}@", begins.end() - 1)
        if end < 0:
            break
        into = _PIPED_INTO.match(source, end + 3)
        if into:
            text = source[begins.end() : end + 1]
            writes.append(Write(into["path"], "text", text, into["add"] is not None, raw=into["to"]))
        rest += source[at : begins.start() if into else end + 3]
        at = into.end() if into else end + 3
    return writes, rest + source[at:]


def _shell_action(source: str, variables: dict[str, str], known: KnownFiles) -> Action:
    writes: list[Write] = []
    if "*** Begin Patch" in source:
        writes += patch_writes(source)
        source = _ENVELOPE.sub("", source)
    if "'@" in source or '"@' in source:
        piped, source = _piped_texts(source)
        writes += piped
    if "cursors" in source and (match := _CURSORS.search(source)):
        known.cursors = int(match[1]), int(match[2])
    if "end_of_edit" in source:
        for match in islice(_EDIT_LINES.finditer(source), 50):
            span = (int(match[1]), int(match[2])) if match[1] else known.cursors
            writes.append(Write(known.open, "edit", match[3], raw=match[3][:4000] or match[0], blind=True, span=span))
        source = _EDIT_LINES.sub("", source) if writes else source
    commands = split_commands(source, variables)
    variables |= [(match[1], match[2]) for match in islice(_SET.finditer(source), 50)]
    folder = ""
    for number, command in enumerate(commands):
        if command.name == "cd" and len(command.words) == 2:
            folder = _entered(folder, command.words[1])
        found = writes_of(command, commands[number - 1] if number else None, known)
        writes += (each._replace(path=f"{folder}{each.path}") if each.path[:1] not in "/~$" else each for each in found)
    code = [each for command in commands for each in _inline_code(command)]
    for each in code:
        writes += [write._replace(raw=each.raw) for write in _program_writes(each.language, each.text, known)]
    for command in commands:
        # A program that is run, and whose text is known, writes what it says.
        path = command.words[1] if len(command.words) > 1 and (language := _language(command)) else ""
        script = next((write.text for write in reversed(writes) if write.path == path), known.text(path) or "")
        if script and path[:1] != "-" and is_source(path) and quotes_source(script := script[:20_000]):
            found = _program_writes(language, script, known)
            writes += [write._replace(raw=command.raw) for write in found if is_source(write.path)]
    return Action(tuple(commands), tuple(writes), tuple(code))


def _entered(folder: str, to: str) -> str:
    """The directory that relative paths lie in after `cd`, below where the call began; empty where unknown."""
    if to[:1] in "/~$-" or to.startswith(".."):
        return ""
    return f"{folder}{to.removeprefix('./').rstrip('/')}/" if to.strip("./") else folder


def _language(command: Command) -> str:
    return "python" if _PYTHON.fullmatch(command.name) else _INLINE.get(command.name, "")


def _inline_code(command: Command) -> Iterator[Code]:
    """Source on the command line or in a here-document of an interpreter."""
    language = _language(command)
    if not language:
        return
    flags = ("-c",) if language == "python" else ("-e", "-r", "--eval")
    for at, word in enumerate(command.words[1:-1], 1):
        if word in flags:
            yield Code(language, command.words[at + 1], command.raw)
            return
    if command.document is not None and all(word.startswith("-") for word in command.words[1:]):
        yield Code(language, command.document, command.raw)


# The files that a command changes, as far as the command line says so. Content that stands on it (here-documents,
# `echo`, `printf`, decoded base64) is content; the output of any other program is only known to have gone there. What
# programs do by themselves is not covered (see `_history.py` for the agent's own), nor are archives and editors.

_NOWHERE = frozenset({"/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"})
_REMOVERS = frozenset({"rm", "unlink", "shred", "truncate", "rmdir"})
_COPIERS = frozenset({"cp", "mv", "ln", "install", "rsync"})
_IN_PLACE = {"sed": re.compile(r"-[a-zA-Z]*i|--in-place"), "perl": re.compile(r"-\w*i"), "awk": re.compile("inplace")}
# Editors of the terminal: what they are told is a program of their own, which is not read.
_SCREENS = frozenset({"ed", "ex", "vi", "vim", "nvim", "emacs", "nano"})
_CMDLETS = frozenset({"set-content", "out-file", "add-content", "powershell", "powershell.exe", "pwsh"})
# PowerShell's way to write a file.
_CMDLET = re.compile(
    r"(?i:-content|out-file)\s+(?:-(?:literal)?(?:file)?path\s+)?[\"']?(?P<path>[\w./\\:-]+)[\"']?"
    r"(?:\s+(?:-value\s+)?@(?P<mark>[\"'])\n(?P<text>[\s\S]*?)(?P=mark)@)?",
    re.IGNORECASE,
)
_DECODERS = frozenset({"cat", "base64", "xxd", "gunzip", "zcat", "openssl"})


def writes_of(command: Command, before: Command | None, known: KnownFiles) -> Iterator[Write]:
    """The files that a command changes; it may read through a pipe what the one before it prints."""
    for path, appended in command.outputs:
        if path not in _NOWHERE:
            yield _redirected(command, path, appended, before)
    if not command.words:
        return
    files = [word for word in command.words[1:] if not word.startswith("-")]
    name = command.name
    if name == "tee":
        text = _known_output(before) if command.piped and before is not None else command.document
        tee = Write("", "output" if text is None else "text", text or "", "-a" in command.words, "", command.raw)
        yield from (tee._replace(path=path) for path in files)
    elif name in _REMOVERS:
        yield from (Write(path, "delete", raw=command.raw) for path in files)
    elif name in _COPIERS and len(files) > 1:
        yield from _copies(command, files)
    elif name in _IN_PLACE and any(_IN_PLACE[name].match(word) for word in command.words[1:]):
        yield from _in_place(command, name, known)
    elif name == "git" and files[:1] != ["apply"]:
        yield from _git_writes(command, files)
    elif name in {"dd", "fallocate"}:
        target = next((word[3:] for word in command.words if word.startswith("of=")), files[-1] if files else "")
        yield Write(target, "output", source=" ".join(command.words), raw=command.raw)
    elif name in {"patch", "git"}:
        # `git apply` reads a patch, as `patch` does.
        yield from _patch_writes(command, before, known)
    elif name in _EDITOR_COMMANDS:
        yield from _editor_writes(command, files, known)
    else:
        yield from _other_writes(command, files)


def _other_writes(command: Command, files: list[str]) -> Iterator[Write]:
    """Files that editors of the terminal open, that downloads go to, that PowerShell writes."""
    if command.name in _SCREENS:
        found = [word for word in files if is_source(word)]
    elif command.name in {"curl", "wget"}:
        flags = ("-o", "-O", "--output", "--output-document")
        found = [word for flag, word in pairwise(command.words) if flag in flags]
    else:
        found = []
        if match := _CMDLET.search(command.raw if command.name.lower() in _CMDLETS else ""):
            yield Write(match["path"], "text" if match["text"] else "output", match["text"] or "", raw=match[0][:4000])
    yield from (Write(path, "output", source=command.raw, raw=command.raw) for path in found)


def _in_place(command: Command, name: str, known: KnownFiles) -> Iterator[Write]:
    scripts: list[str] = []
    files: list[str] = []
    words = iter(command.words[1:])
    for word in words:
        if word in {"-e", "--expression"} or re.fullmatch(r"-[a-zA-Z]*e", word):
            scripts.append(next(words, ""))
        elif word in {"-f", "--file"}:
            # What stands in a script's own file is not known.
            next(words, "")
            scripts.append("?")
        elif word.startswith("-") and len(word) > 1:
            continue
        elif not scripts:
            scripts.append(word)
        else:
            files.append(word)
    # Perl's substitutions look as those of sed do.
    like_sed = name == "sed" or (name == "perl" and scripts and re.match(r"s\W", scripts[0]))
    changes = [sed_change(script) for script in scripts] if like_sed else []
    at = sed_span(scripts[0]) if name == "sed" and len(scripts) == 1 else None
    added, removed = (
        ("\n".join(filter(None, parts)) for parts in zip(*((c.added, c.removed) for c in changes), strict=True))
        if changes
        else ("", "")
    )
    blind = not changes or any(change.blind for change in changes)
    # sed's `r` and `R` add the text of another file.
    other = re.search(
        r"(?:^[\d,$ ]*|^/[^/\n]*/\s*|[;{]\s*)[rRe]\s+([\w./-]+)", "\n".join(scripts) if name == "sed" else ""
    )
    put = known.text(other[1]) if other else None
    how: Literal["output", "edit"] = "output" if other and put is None else "edit"
    added = "\n".join(filter(None, (added, put)))
    # `xargs sed -i`: of files that nobody names.
    files = files or ([""] if command.piped else [])
    yield from (Write(path, how, added, source=removed, raw=command.raw, blind=blind, span=at) for path in files)


def _redirected(command: Command, path: str, appended: bool, before: Command | None) -> Write:
    text = _known_output(command)
    # `... | base64 -d > FILE` writes what the text before it hides.
    if text is None and command.piped and before is not None and command.name in _DECODERS:
        text = _known_output(before)
        if text is not None and command.name != "cat":
            text = next(iter(decoded_texts(text)), text)
    if text is None:
        return Write(path, "output", "", appended, " ".join(command.words), command.raw)
    return Write(path, "text", text, appended, "", command.raw)


def _copies(command: Command, files: list[str]) -> Iterator[Write]:
    # In `install -m 755 FROM TO`, 755 is no file.
    valued = {
        value for flag, value in pairwise(command.words) if flag in {"-m", "-o", "-g"} and command.name == "install"
    }
    *sources, target = (path for path in files if path not in valued)
    for path in sources:
        inside = len(sources) > 1 or target.endswith("/") or target in {".", ".."}
        to = f"{target.rstrip('/')}/{path.rpartition('/')[2]}" if inside else target
        # `install /dev/stdin TO <<EOF` writes the document.
        if path == "/dev/stdin" and command.document is not None:
            yield Write(to, "text", command.document, raw=command.raw)
            continue
        yield Write(to, "copy", source=path, raw=command.raw)
        if command.name == "mv":
            yield Write(path, "delete", source=to, raw=command.raw)


def _git_writes(command: Command, files: list[str]) -> Iterator[Write]:
    verb = files[0] if files else ""
    if verb in {"checkout", "restore", "rm"}:
        for path in files[1:]:
            # Without a dot or a slash, it is a branch.
            if "." in path or "/" in path:
                yield Write(path, "delete" if verb == "rm" else "copy", source=f"git {verb}", raw=command.raw)


def _patch_writes(command: Command, before: Command | None, known: KnownFiles) -> Iterator[Write]:
    """Files of a patch, which is a here-document, a known file, or what the command before prints."""
    files = [*command.inputs, *(word for word in reversed(command.words[1:]) if word[:1] != "-")]
    texts = (known.text(path) for path in files)
    text = command.document or next(filter(None, texts), None)
    if text is None and command.piped and before is not None:
        text = _known_output(before) or next(filter(None, map(known.text, before.words[1:])), None)
    for write in patch_writes(text or ""):
        yield write if command.document else write._replace(raw=command.raw)


# Tools of SWE-agent, which are commands of its shell.
_EDITOR_COMMANDS = frozenset(
    {"str_replace_editor", "edit_anthropic", "str_replace_based_edit_tool", "open", "create", "edit", "insert"}
)
# Those that are understood only where it is known what they write.
_WRITERS = frozenset({"create", "edit", "insert", "apply_patch"})


def _editor_writes(command: Command, files: list[str], known: KnownFiles) -> Iterator[Write]:
    name, words = command.name, command.words[1:]
    if name in {"open", "create"} and words:
        known.open = words[0]
        if name == "create":
            yield Write(words[0], "text", "", raw=command.raw)
    elif name == "edit" and len(words) > 1 and known.open:
        yield Write(known.open, "edit", words[1], source=words[0], raw=command.raw)
    elif name == "insert" and words and known.open:
        yield Write(known.open, "edit", words[0], raw=command.raw)
    elif len(files) > 1 and "_" in name:
        flags = {word[2:]: words[at + 1] for at, word in enumerate(words[:-1]) if word[:2] == "--"}
        if files[0] == "view":
            known.open = files[1]
        else:
            given = Given({"command": files[0], "path": files[1], **flags})
            yield from (write._replace(raw=command.raw) for write in edits_of(name, given))


def _known_output(command: Command) -> str | None:
    """The output that a command is known to print, since it stands on the command line; None for any other program."""
    if command.name == "cat" and command.document is not None and len(command.words) == 1:
        return command.document
    arguments = [word for word in command.words[1:] if not re.fullmatch(r"-[neE]{1,3}|--", word)]
    if command.name == "echo":
        said = " ".join(arguments)
        return unescaped_text(said) if any(re.fullmatch(r"-n?e", word) for word in command.words[1:3]) else said
    if command.name == "printf" and arguments:
        form, *rest = arguments
        return re.sub(r"%[sdi]", "", unescaped_text(form)) + "\n".join(rest) if rest else unescaped_text(form)
    return None
