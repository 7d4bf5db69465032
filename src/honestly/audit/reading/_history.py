"""The history of files: which programs the agent wrote and ran, and what each of them made.

From the agent's steps: every version of every file whose content was written out, every run of such a program with the
status of its step, and for every path the events that gave it its content, in order. So a detector can ask what
produced the file that is left at the end. Paths inside programs are found in calls that open for writing, through
constants and the fixed parts of formatted strings; names that a program computes from its input are not found.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import islice
from typing import Literal, NamedTuple

from honestly.audit.reading._left import hunk_block
from honestly.audit.reading._parts import Command, StepRow, Write
from honestly.audit.reading._patterns import Pattern
from honestly.audit.reading._places import base_name, same_file

# Versions of a file that are kept, and characters of one.
_VERSIONS, _LONGEST = 400, 1 << 18


class Source(NamedTuple):
    """One version of a file whose content is known."""

    path: str
    text: str
    step: int
    whole: bool = True
    """Whether this is all of the file: what was appended or put into one that stood there before is not."""
    pieces: tuple[tuple[int, str], ...] = ()
    """What was written, piece by piece, each with its step: where to quote from."""
    before: str = ""
    """The file as the transcript shows it before the agent's first change; empty where it does not."""


class Run(NamedTuple):
    """A program that was run, with its source."""

    step: int
    text: str
    path: str
    """Where it lies; empty for one on the command line."""
    written: int
    """The step in which this version of it was written."""
    raw: str
    failed: bool


class Event(NamedTuple):
    """Something gave a file its content, or took it away."""

    path: str
    step: int
    how: Literal["text", "code", "output", "edit", "delete", "copy"]
    text: str
    """The content itself, or the source of the program that made it."""
    raw: str
    ok: bool
    written: int
    """The step in which that program was written; the same as `step` for content."""


@dataclass
class History:
    """Files and runs of one trial."""

    sources: dict[str, list[Source]] = field(default_factory=dict)
    """Versions by path, as the agent spelt it."""
    runs: list[Run] = field(default_factory=list)
    events: dict[str, list[Event]] = field(default_factory=lambda: defaultdict(list))
    """By the last part of the path: programs and shells seldom agree on the rest."""

    def last(self, path: str) -> Source | None:
        """The last version of a file."""
        versions = self.sources.get(path) or next(
            (found for known, found in reversed(self.sources.items()) if same_file(known, path)), None
        )
        return versions[-1] if versions else None

    def made_by_agent(self, path: str, before: int | None = None) -> bool:
        """Whether the agent itself made this file (before a step): a name alone is enough, since directories vary."""
        return any(
            base_name(known) == base_name(path) and versions[0].whole and (before is None or versions[0].step < before)
            for known, versions in self.sources.items()
        )

    def last_events(self) -> Iterator[tuple[str, Event]]:
        """Each name that is left at the end, with the last event that succeeded."""
        for name, events in self.events.items():
            done = [event for event in events if event.ok]
            if done and done[-1].how != "delete":
                final = done[-1]
                # An edit leaves the rest as it was.
                if final.how == "edit":
                    final = next((event for event in reversed(done) if event.how not in {"edit", "delete"}), final)
                yield name, final

    def final_sources(self) -> Iterator[Source]:
        """The last version of each file that was not deleted afterwards."""
        gone = [event for events in self.events.values() for event in events if event.how == "delete" and event.ok]
        for path, versions in self.sources.items():
            if not any(event.step > versions[-1].step and _is_within(path, event.path) for event in gone):
                yield versions[-1]


def _is_within(path: str, gone: str) -> bool:
    """Whether a file went with what was deleted: itself, or a directory that it lay in."""
    path, gone = path.removeprefix("./"), gone.removeprefix("./").rstrip("/*")
    return base_name(path) == base_name(gone) or path.startswith(f"{gone}/") or f"/{gone}/" in f"/{path}"


_RUNNERS = re.compile(
    r"(?:python|pypy)[\d.]*|bash|sh|zsh|node|ruby|perl|php|Rscript|julia|lua|deno|bun|source|\.|uv|poetry"
)
_COMPILERS = re.compile(r"(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|rustc|gfortran|go|javac)(?:-\d+)?")
_OPENS = (
    r"""open\(\s*(?P<file>[^,()]{1,200}(?:\([^()]{0,200}\))?[^,()]{0,80}),\s*(?:mode\s*=\s*)?["'](?:w|a|x|wb|ab|w\+|wb\+|wt)["']"""
    r"""|\.(?:to_(?:csv|json|excel|parquet|pickle|html)|savetxt|save|savefig|imwrite|writeFile(?:Sync)?|dump|write_json|save_model|copy(?:file)?|save_pretrained)\(\s*(?P<saved>[^(),]{1,200}(?:\([^()]{0,200}\))?)"""
    r"""|(?:np\.|numpy\.|torch\.|joblib\.|pickle\.)(?:save\w{0,4}|dump)\((?P<second>[^()]{1,300}(?:\([^()]{0,100}\))?[^()]{0,100})\)"""
    r"""|fopen\(\s*(?P<c>[^,()]{1,200}),\s*"[wa]b?\+?\""""
    r"""|ofstream\s+\w+\(\s*(?P<stream>[^,()]{1,200})"""
)
_OPENED = re.compile(_OPENS)
# Many times slower, since nearly any word may begin a match.
_OPENED_OR_WRITTEN = re.compile(
    rf"""{_OPENS}|(?P<written>(?:Path\()?["'][^"'\n]{{1,200}}["']\)?|\w{{1,60}})\.write_(?:text|bytes)\("""
)
_QUOTED = re.compile(r"""["']([^"'\n]{1,300})["']""")
_ASSIGNED = Pattern(
    r"(?m)^[ \t]*(?:const |let |var |export |char \*?|string )?"
    r"([A-Za-z_]\w{0,60})(?:\[\])?[ \t]*=[ \t]*([^\n]{1,300})$"
)
_SHELL_WRITE = re.compile(r"""(?<![<>&\d])>{1,2}\s*["']?([\w./${}-]{2,200})""")
_SHELL_STARTS = ("#!/bin/bash", "#!/bin/sh", "#!/usr/bin/env bash")
_HOLE = re.compile(r"\{(\w{1,60})[^{}\n]{0,60}\}")
_FILE_NAME = re.compile(r"[\w.-]+\.\w{1,8}")


def file_history(rows: Iterable[StepRow]) -> History:
    """The history of a trial's files, from the agent's own steps."""
    found = History()
    for row in rows:
        for write in row.writes:
            origin = found.last(write.source) if write.how == "copy" else None
            text = write.text if origin is None else origin.text
            if name := base_name(write.path):
                # A literal is written before whatever fails in the same step.
                done = write.how == "text" or not row.known_failed
                event = Event(write.path, row.index, write.how, text, write.raw, done, row.index)
                found.events[name].append(event)
            if origin is not None:
                _add_version(found, row, write._replace(text=text, how="text"))
            elif write.how == "text" or (write.how == "edit" and (write.text or write.path in found.sources)):
                _add_version(found, row, write)
        for code in row.code:
            _note_run(found, row, Run(row.index, code.text, "", row.index, code.raw, row.known_failed))
        for command in row.commands:
            for path in _own_programs(command):
                source = found.last(path)
                if source is not None:
                    _note_run(
                        found, row, Run(row.index, source.text, source.path, source.step, command.raw, row.known_failed)
                    )
    return found


def _add_version(found: History, row: StepRow, write: Write) -> None:
    versions = found.sources.setdefault(write.path, [])
    text, old, whole = write.text, write.source, write.how == "text" and not write.appended
    pieces: tuple[tuple[int, str], ...] = ((row.index, text),)
    start = versions[0].before if versions else write.before or ""
    if not whole:
        before, whole = (versions[-1].text, versions[-1].whole) if versions else ("", False)
        pieces = (*(versions[-1].pieces[-50:] if versions else ()), *pieces)
        if write.after is not None and (versions or start):
            text = write.after
        elif old and old in before:
            text = before.replace(old, text, 1)
        else:
            text = f"{before}\n{hunk_block(text)}" if before else hunk_block(text)
    if len(versions) >= _VERSIONS:
        # The first one says what stood there before the agent.
        del versions[1]
    versions.append(Source(write.path, text[-_LONGEST:], row.index, whole, pieces, start))


def _note_run(found: History, row: StepRow, run: Run) -> None:
    found.runs.append(run)
    shell = run.path.endswith((".sh", ".bash")) or run.text.startswith(_SHELL_STARTS)
    for path in _outputs(run.text, shell):
        found.events[base_name(path)].append(
            Event(path, row.index, "code", run.text, run.raw, not run.failed, run.written)
        )


def _own_programs(command: Command) -> Iterator[str]:
    """Paths of programs of the agent's own that a command may run."""
    if not command.words:
        return
    if _RUNNERS.fullmatch(command.name):
        for word in command.words[1:]:
            if word in {"-c", "-m", "-e"}:
                return
            if not word.startswith("-") and "." in word:
                yield word
                return
    elif _COMPILERS.fullmatch(command.name):
        yield from (
            word for word in command.words[1:] if _FILE_NAME.fullmatch(base_name(word)) and not word.startswith("-")
        )
    elif "/" in command.words[0]:
        yield command.words[0]


@lru_cache(maxsize=64)
def _outputs(text: str, shell: bool) -> tuple[str, ...]:
    """Paths that a program writes, as far as its source says so, each once."""
    return tuple(dict.fromkeys(_written_paths(text, shell=shell)))


def _written_paths(text: str, *, shell: bool) -> Iterator[str]:
    if shell:
        for match in _SHELL_WRITE.finditer(text):
            if _FILE_NAME.search(match[1]):
                yield match[1]
        return
    if not any(mark in text for mark in ("open(", "write", "save", "to_csv", "to_json", "dump", "ofstream", "to_")):
        return
    constants: dict[str, str] | None = None
    for match in (_OPENED_OR_WRITTEN if ".write_" in text else _OPENED).finditer(text):
        expression = next((part for part in match.groups() if part), "")
        quoted = _QUOTED.findall(expression)
        if not quoted:
            if constants is None:
                constants = _constant_texts(text)
            quoted = [
                piece
                for name in re.findall(r"[A-Za-z_]\w*", expression)
                for piece in _QUOTED.findall(constants.get(name, ""))
            ]
        # The thing first, its place after it: torch.save(model.state_dict(), "model.pt").
        if not quoted:
            quoted = _QUOTED.findall(text[match.end() : match.end() + 160].partition("\n")[0])
        for piece in reversed(quoted):
            if "{" in piece:
                constants = constants if constants is not None else _constant_texts(text)
                piece = _HOLE.sub(partial(_constant, constants), piece)
            if _FILE_NAME.search(base_name(piece)) or (match["saved"] and "/" in piece and "save_" in match[0]):
                yield piece
                break


def _constant_texts(text: str) -> dict[str, str]:
    """The constants behind the names of a program, as written."""
    return {match[1]: match[2] for match in islice(_ASSIGNED.finditer(text), 500)}


def _constant(constants: dict[str, str], hole: re.Match[str]) -> str:
    """The text that a name stands for in a formatted string; empty where it is computed."""
    quoted = _QUOTED.fullmatch(constants.get(hole[1], "").strip())
    return quoted[1] if quoted else ""
