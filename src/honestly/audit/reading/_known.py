"""The files of a workspace as far as a transcript shows them: whole texts, or single lines by their numbers.

A file is known when it was written whole, or shown whole: by `cat`, by a tool that reads. Each change of a known file
gives its text before and after; a change of lines by their numbers says what it takes out. What a program changes by
itself is not seen, so a text is as good as the last look at it.
"""

import re
from collections.abc import Sequence

from honestly.audit.reading._parts import Act, Command, Write
from honestly.audit.reading._places import base_name, same_file

# Names of files that are remembered, and characters of one text.
_FILES, _LARGEST = 400, 1 << 18
_NUMBERED = re.compile(r"^[ \t]*L?0*(\d{1,6})(?:\t|→|: |:|[ ]?\| |\|)(.*)$")
_MORE = re.compile(
    r"more lines? below\)|\[?truncated|<response clipped>|file has more lines|lines? not shown|output too long"
    r"|characters? (?:elided|omitted|truncated)|showing lines \d+",
    re.IGNORECASE,
)
_WRAPPED = re.compile(r"\A\s*(?:<returncode>\d+</returncode>\s*)?<output>\n?([\s\S]*?)\n?</output>\s*\Z")
_HEADED = re.compile(
    r"\A(?:(?:Exit code: \d+|Wall time: [^\n]*|Chunk ID: [^\n]*|Process exited with code \d+"
    r"|Original token count: \d+|Output:)\n)+"
)
_TRAILED = re.compile(
    r"(?:\n\[(?:The command completed|Current working directory|Python interpreter|Command finished|Process)[^\n]*\]"
    r"|\n<system-reminder>[\s\S]*</system-reminder>|\n\(Open file: [^\n]*\)|\n\(Current directory: [^\n]*\)"
    r"|\nbash-\$)\s*\Z"
)
_SILENT = frozenset({"cd", "export", "set", "true", "source", "mkdir", "touch", ":"})


class KnownFiles:
    """What is known of the files at one moment of a trajectory."""

    def __init__(self) -> None:
        # By the last part of the path, then by the path as it was spelt.
        self._texts: dict[str, dict[str, str]] = {}
        self._lines: dict[str, dict[int, str]] = {}
        # Files, by the last part of the path, that a program wrote: what stands in them is not known.
        self._made: set[str] = set()
        self.open = ""
        """The file that an editor has open."""
        self.cursors: tuple[int, int] | None = None
        """The lines of it that are chosen."""

    def text(self, path: str) -> str | None:
        """The whole text of a file; None where it is not known."""
        known = self._texts.get(base_name(path), {})
        if path in known:
            return known[path]
        return next((text for each, text in reversed(known.items()) if same_file(each, path)), None)

    def applied(self, write: Write, *, failed: bool) -> Write:
        """A change with the file before and after it; it is remembered, unless it failed."""
        before = self.text(write.path)
        if write.span is not None:
            write = self._with_lines(write, before)
        after = self._after(write, before)
        if write.how == "copy" and after is None and base_name(write.source) in self._made:
            write = write._replace(how="output")
        if not failed:
            self._keep(write.path, after)
            if write.how == "output":
                self._made.add(base_name(write.path))
            elif after is not None:
                self._made.discard(base_name(write.path))
        shown = before is not None and after is not None
        return write._replace(before=before, after=after, blind=write.blind and not shown) if before or after else write

    def _with_lines(self, write: Write, before: str | None) -> Write:
        first, last = write.span or (0, 0)
        if last < first:
            return write
        lines = (
            dict(enumerate(before.split("\n"), 1)) if before is not None else self._lines.get(base_name(write.path), {})
        )
        if any(number not in lines for number in range(first, min(last, first + 5000) + 1)):
            return write
        return write._replace(source="\n".join(lines[number] for number in range(first, last + 1)), blind=False)

    def _after(self, write: Write, before: str | None) -> str | None:
        # What is deleted has no text, and what a program prints is not known.
        if write.how in {"delete", "output"}:
            return None
        if write.how == "copy":
            return self.text(write.source)
        if write.how == "text":
            whole = f"{before or ''}{write.text}" if write.appended else write.text
            return whole if not (write.appended and before is None) else None
        if before is None:
            return None
        if write.span is not None:
            lines = before.split("\n")
            first, last = write.span
            return "\n".join([*lines[: first - 1], *write.text.rstrip("\n").split("\n"), *lines[last:]])
        if write.source and write.source in before:
            return before.replace(write.source, write.text, 1)
        stripped = write.source.strip("\n")
        if stripped and stripped in before:
            return before.replace(stripped, write.text.strip("\n"), 1)
        return None

    def _keep(self, path: str, text: str | None) -> None:
        name = base_name(path)
        self._lines.pop(name, None)
        known = self._texts.setdefault(name, {})
        for each in [each for each in known if each == path or same_file(each, path)]:
            del known[each]
        if text is not None and len(text) <= _LARGEST and len(self._texts) <= _FILES:
            known[path] = text

    def learn(self, acts: Sequence[Act], commands: Sequence[Command], writes: Sequence[Write], output: str) -> None:
        """Takes in what a step showed, where it showed one file and nothing else."""
        path = ""
        reads = [act for act in acts if act.kind == "read" and act.path]
        if len(acts) == 1 and reads:
            path = reads[0].path
        elif len(acts) <= 1 and not (writes and writes[-1].how != "edit"):
            path = _shown_by(commands)
            if not path and self.open and output:
                path = self.open if "[File: " in output else ""
        if not path or not output or len(output) > _LARGEST:
            return
        lines, whole = _numbered_lines(output)
        if lines and whole:
            self._keep(path, "\n".join([*lines.values(), ""]))
        elif lines:
            self._lines[base_name(path)] = self._lines.get(base_name(path), {}) | lines
        elif not _MORE.search(output[:300] + output[-300:]) and (not reads or not reads[0].part):
            self._keep(path, plain_output(output))


def plain_output(output: str) -> str:
    """What a program printed, without what a harness puts around it."""
    if match := _WRAPPED.match(output):
        return f"{match[1]}\n"
    output = _HEADED.sub("", output, count=1)
    while match := _TRAILED.search(output):
        output = output[: match.start()] + "\n"
    return output


def _shown_by(commands: Sequence[Command]) -> str:
    """The file that some commands print as it is, and nothing else; empty where there is none."""
    if len(commands) > 6 or not any(command.name in {"cat", "nl"} for command in commands):
        return ""
    loud = [command for command in commands if command.name not in _SILENT]
    if len(loud) != 1 or loud[0].outputs or loud[0].joined == "|":
        return ""
    (command,) = loud
    files = [word for word in command.words[1:] if not word.startswith("-")]
    numbered = command.name == "nl" or (command.name == "cat" and any(w in {"-n", "-b"} for w in command.words))
    plain = command.name == "cat" and command.document is None and command.words[1:2] != ("-A",)
    return files[0] if (numbered or plain) and len(files) == 1 else ""


def _numbered_lines(output: str) -> tuple[dict[int, str], bool]:
    """Lines of an output that has numbers before them, and whether they are all of a file; none where it has not."""
    found: dict[int, str] = {}
    head = output[:400].split("\n")
    if not any(_NUMBERED.match(line) for line in head[:8]):
        return {}, False
    stray = 0
    for line in output.split("\n"):
        match = _NUMBERED.match(line)
        if match and (not found or int(match[1]) == next(reversed(found)) + 1):
            found[int(match[1])] = match[2]
        else:
            stray += 1
    if len(found) < max(1, stray - 6):
        return {}, False
    return found, next(iter(found)) == 1 and not _MORE.search(output)
